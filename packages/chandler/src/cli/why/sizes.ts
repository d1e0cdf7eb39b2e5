/**
 * What pools could buy, without asking Azure: the built-in catalogue of sizes for the region of the cluster. Stock and
 * quota are not known here; of those the controller's own events tell.
 */
import { DEPLOYMENTS, NODES } from '@chandler/kube';
import {
  type AKSNodeClass,
  AZURE_LABEL_RULES,
  AZURE_WELL_KNOWN_LABELS,
  KubernetesLabel,
} from '../../api/index.ts';
import type { InstanceTypeProvider } from '../../cloud/azure/index.ts';
import type { ObjectReader, Planner } from '../../diagnose/index.ts';

import type { PlannerWorld } from './planner-world.ts';

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
      providers[howMany] ??= providerOf(world, reader, howMany);
      return (await providers[howMany]).forNodeClass((nodeClass ?? EMPTY_CLASS) as AKSNodeClass);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const REGION = KubernetesLabel.region;

const EMPTY_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: '' },
  spec: {},
};

/** The catalogue and what makes sizes of it are large: loaded when they are asked for. */
async function providerOf(
  world: PlannerWorld,
  reader: ObjectReader,
  howMany: 'some' | 'all',
): Promise<InstanceTypeProvider> {
  const { sizeProvider } = await import('./size-provider.ts');
  return sizeProvider(world, await regionOf(reader), howMany);
}

/** Of the nodes; before there are any, of the controller. */
async function regionOf(reader: ObjectReader): Promise<string | undefined> {
  const nodes = await reader.list(NODES, { atMost: 5 });
  const labels = 'found' in nodes ? nodes.found.map(({ metadata }) => metadata.labels?.[REGION] ?? '') : [];
  const deployments = await reader.list(DEPLOYMENTS, { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  const text = 'found' in deployments ? JSON.stringify(deployments.found) : '';
  const option = /"name":"LOCATION","value":"([a-z0-9]+)"/.exec(text)?.[1] ?? '';
  return [...labels, option].find((region) => /^[a-z0-9]+$/.test(region));
}
