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

/** Nothing is worked out before a plan is asked for: most questions need none. */
export function cataloguePlanner(world: World, reader: ObjectReader): Planner {
  let provider: Promise<InstanceTypeProvider> | undefined;
  return {
    source: 'with the built-in catalogue of sizes',
    wellKnownLabels: [...AZURE_WELL_KNOWN_LABELS].sort(),
    labelRules: AZURE_LABEL_RULES,
    async instanceTypes(pool, nodeClass) {
      const { group, kind } = pool.spec.template.spec.nodeClassRef;
      if (group !== 'karpenter.azure.com' || kind !== 'AKSNodeClass') return undefined;
      provider ??= regionOf(reader).then((region) => providerFor(world, region));
      return (await provider).forNodeClass((nodeClass ?? EMPTY_CLASS) as AKSNodeClass);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** The catalogue knows it; another region is given its sizes. */
const HOME = 'eastus';
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

function providerFor(world: World, region: string): InstanceTypeProvider {
  const sizes = new AzureSizes();
  const own = sizes.skus(region) as readonly ResourceSku[];
  const known = own.some(({ resourceType }) => resourceType === 'virtualMachines');
  const skus = known ? own : moved(sizes.skus(HOME) as readonly ResourceSku[], region);
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

function moved(skus: readonly ResourceSku[], region: string): readonly ResourceSku[] {
  return skus.map((sku) => ({
    ...sku,
    locations: [region],
    locationInfo: (sku.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}
