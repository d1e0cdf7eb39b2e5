/**
 * What pools could buy, without asking Azure: the built-in catalogue of sizes for the region of the cluster. Stock and
 * quota are not known here; of those the controller's own events tell.
 */
import {
  type AKSNodeClass,
  AZURE_LABEL_RULES,
  AZURE_WELL_KNOWN_LABELS,
  KubernetesLabel,
} from '../../api/index.ts';
import { InstanceTypeProvider } from '../../cloud/azure/instance-types/index.ts';
import { PriceBook } from '../../cloud/azure/prices/index.ts';
import type { ResourceSku } from '../../cloud/azure/sizes/index.ts';
import type { ObjectReader, Planner } from '../../diagnose/index.ts';
import { DEPLOYMENTS, NODES } from '../../kube/index.ts';
import { AzureSizes } from '../../playground/azure/catalogue/size-catalogue.ts';
import { AZURE_CONTROLLER_OPTIONS } from '../../settings/azure-options.ts';
import { resolveOptions } from '../../settings/resolve-options.ts';
import type { World } from '../../world.ts';

export type PlannerWorld = Pick<World, 'clock' | 'log' | 'fetch'>;

/** Nothing is worked out before a plan is asked for: most questions need none. */
export function cataloguePlanner(world: PlannerWorld, reader: ObjectReader): Planner {
  const providers: Partial<Record<'some' | 'all', Promise<InstanceTypeProvider>>> = {};
  return {
    source: 'with the built-in catalogue of sizes',
    wellKnownLabels: [...AZURE_WELL_KNOWN_LABELS].sort(),
    labelRules: AZURE_LABEL_RULES,
    async instanceTypes(pool, nodeClass, howMany) {
      const { group, kind } = pool.spec.template.spec.nodeClassRef;
      if (group !== 'karpenter.azure.com' || kind !== 'AKSNodeClass') return undefined;
      providers[howMany] ??= regionOf(reader).then((region) => providerFor(world, region, howMany));
      return (await providers[howMany]).forNodeClass((nodeClass ?? EMPTY_CLASS) as AKSNodeClass);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** The catalogue knows it; another region is given its sizes. */
const HOME = 'eastus';
/** Of the rest, so many are left out for one that stays. */
const EVERY = 16;
const REGION = KubernetesLabel.region;

const EMPTY_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: '' },
  spec: {},
};

/** Of the nodes; before there are any, of the controller. */
async function regionOf(reader: ObjectReader): Promise<string> {
  const nodes = await reader.list(NODES, { atMost: 5 });
  const labels = 'found' in nodes ? nodes.found.map(({ metadata }) => metadata.labels?.[REGION] ?? '') : [];
  const deployments = await reader.list(DEPLOYMENTS, { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  const text = 'found' in deployments ? JSON.stringify(deployments.found) : '';
  const option = /"name":"LOCATION","value":"([a-z0-9]+)"/.exec(text)?.[1] ?? '';
  return [...labels, option].find((region) => /^[a-z0-9]+$/.test(region)) ?? HOME;
}

function providerFor(world: PlannerWorld, region: string, howMany: 'some' | 'all'): InstanceTypeProvider {
  const sizes = new AzureSizes();
  const own = sizes.skus(region) as readonly ResourceSku[];
  const known = own.some(({ resourceType }) => resourceType === 'virtualMachines');
  const all = known ? own : moved(sizes.skus(HOME) as readonly ResourceSku[], region);
  const skus = howMany === 'all' ? all : chosen(all);
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args: [], env: {}, readFile: () => '' });
  const provider = new InstanceTypeProvider({
    clock: world.clock,
    log: world.log,
    region,
    options: values,
    prices: new PriceBook({ ...world, region, published: false }),
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => skus,
  });
  provider.refresh(skus);
  return provider;
}

/** The largest of every family, so that what does not fit there fits nowhere, and a few of the rest. */
function chosen(skus: readonly ResourceSku[]): readonly ResourceSku[] {
  const largest = new Map<string, ResourceSku>();
  for (const sku of skus) {
    const known = largest.get(sku.family ?? '');
    if (known === undefined || amountOf(sku) > amountOf(known)) largest.set(sku.family ?? '', sku);
  }
  const kept = new Set(largest.values());
  return skus.filter((sku, index) => kept.has(sku) || index % EVERY === 0);
}

/** Memory decides where cores are equal. */
function amountOf({ capabilities = [] }: ResourceSku): number {
  const amount = (wanted: string) => Number(capabilities.find(({ name }) => name === wanted)?.value ?? 0);
  return amount('vCPUs') * 1e6 + amount('MemoryGB');
}

function moved(skus: readonly ResourceSku[], region: string): readonly ResourceSku[] {
  return skus.map((sku) => ({
    ...sku,
    locations: [region],
    locationInfo: (sku.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}
