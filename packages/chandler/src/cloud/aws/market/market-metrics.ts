/**
 * Karpenter's gauges about instance types and offerings. They are computed at every scrape from the lists that node classes use
 * now: an offering is available when it can be launched for one of the classes.
 */
import type { Metrics, Series } from '@chandler/kube';
import type { AwsInstanceType } from '../instance-types/index.ts';

/** @returns what ends them. */
export function marketMetrics(
  metrics: Metrics,
  currentLists: () => Iterable<readonly AwsInstanceType[]>,
): () => void {
  const gauge = (name: string, help: string, labels: readonly string[], observe: () => Iterable<Series>) =>
    metrics.observableGauge({ name: `karpenter_cloudprovider_instance_type_${name}`, help, labels }, observe);
  const ends = [
    gauge('cpu_cores', 'vCPUs of an instance type.', [TYPE], () =>
      perType(currentLists(), ({ info }) => info.VCpuInfo.DefaultVCpus),
    ),
    gauge('memory_bytes', 'Memory of an instance type, in bytes.', [TYPE], () =>
      perType(currentLists(), ({ info }) => info.MemoryInfo.SizeInMiB * MEBIBYTE),
    ),
    gauge(
      'offering_available',
      'Whether an instance type can be launched with a capacity type in a zone.',
      OFFERING_LABELS,
      () => perOffering(currentLists(), ({ refusal }) => (refusal === undefined ? 1 : 0)),
    ),
    gauge(
      'offering_price_estimate',
      'The price of an instance type with a capacity type in a zone, per hour.',
      OFFERING_LABELS,
      () => perOffering(currentLists(), ({ price }) => (price > 0 ? price : undefined)),
    ),
  ];
  return () => {
    for (const end of ends) end();
  };
}

// ---------------------------------------------------------------------------------------------------------------

const MEBIBYTE = 2 ** 20;
const TYPE = 'instance_type';
const OFFERING_LABELS = [TYPE, 'capacity_type', 'zone'] as const;

type OfferingOfType = AwsInstanceType['offerings'][number];

function* perType(
  lists: Iterable<readonly AwsInstanceType[]>,
  measure: (type: AwsInstanceType) => number,
): Iterable<Series> {
  for (const [name, types] of byName(lists)) yield [measure(types[0]!), { [TYPE]: name }];
}

/** Of several classes and partitions the highest value counts. */
function* perOffering(
  lists: Iterable<readonly AwsInstanceType[]>,
  measure: (offering: OfferingOfType) => number | undefined,
): Iterable<Series> {
  for (const [name, types] of byName(lists)) {
    const values = new Map<string, { readonly value: number; readonly offering: OfferingOfType }>();
    for (const offering of types.flatMap(({ offerings }) => offerings)) {
      const value = measure(offering);
      const key = `${offering.capacityType} ${offering.zone}`;
      if (value === undefined || (values.get(key)?.value ?? Number.NEGATIVE_INFINITY) >= value) continue;
      values.set(key, { value, offering });
    }
    const shared = { [TYPE]: name };
    for (const { value, offering } of values.values())
      yield [value, shared, { capacity_type: offering.capacityType, zone: offering.zone }];
  }
}

function byName(lists: Iterable<readonly AwsInstanceType[]>): ReadonlyMap<string, AwsInstanceType[]> {
  const types = new Map<string, AwsInstanceType[]>();
  for (const list of lists)
    for (const type of list) {
      const same = types.get(type.name);
      if (same === undefined) types.set(type.name, [type]);
      else same.push(type);
    }
  return types;
}
