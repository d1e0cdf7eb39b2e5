/**
 * The instance types that NodePools could launch, without reading the cloud: the built-in catalogue for the region of the
 * cluster. Availability and quota are not known here; events of the controller report them.
 */
import { DEPLOYMENTS, NODES } from '@chandler/kube';
import { KubernetesLabel } from '../../api/index.ts';
import type { ObjectReader } from '../../causes/index.ts';
import type { CatalogueProvider, CloudDiagnosis } from '../../cloud/index.ts';
import type { Planner } from '../../diagnose/index.ts';

import type { PlannerWorld } from './planner-world.ts';

/** Nothing is computed before a plan is needed: most questions need none. */
export function cataloguePlanner(world: PlannerWorld, reader: ObjectReader, cloud: CloudDiagnosis): Planner {
  const providers: Partial<Record<'some' | 'all', Promise<CatalogueProvider>>> = {};
  const { catalogue, nodeClasses } = cloud;
  return {
    source: 'with the built-in catalogue of sizes',
    wellKnownLabels: catalogue.wellKnownLabels,
    labelRules: catalogue.labelRules,
    sizeLabels: catalogue.sizeLabels,
    async instanceTypes(pool, nodeClass, howMany) {
      const wanted = pool.spec.template.spec.nodeClassRef;
      if (!nodeClasses.some(({ group, kind }) => group === wanted.group && kind === wanted.kind))
        return undefined;
      providers[howMany] ??= providerOf(world, reader, cloud, howMany);
      return (await providers[howMany]).instanceTypes(nodeClass);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Loaded on first use because the catalogue is large. */
async function providerOf(
  world: PlannerWorld,
  reader: ObjectReader,
  { name, catalogue }: CloudDiagnosis,
  howMany: 'some' | 'all',
): Promise<CatalogueProvider> {
  const { offlineSizes } = await import('../../playground/offline-catalogue.ts');
  const region = (await regionOf(reader)) ?? catalogue.homeRegion;
  const sizes = offlineSizes(name, region, catalogue.homeRegion);
  return catalogue.provider({ world, region, sizes, howMany });
}

/** The region of the nodes; without nodes, the region of the controller. */
async function regionOf(reader: ObjectReader): Promise<string | undefined> {
  const nodes = await reader.list(NODES, { atMost: 5 });
  const labels =
    'found' in nodes
      ? nodes.found.map(({ metadata }) => metadata.labels?.[KubernetesLabel.region] ?? '')
      : [];
  const deployments = await reader.list(DEPLOYMENTS, { labels: { 'app.kubernetes.io/name': 'karpenter' } });
  const text = 'found' in deployments ? JSON.stringify(deployments.found) : '';
  const option = /"name":"LOCATION","value":"([a-z0-9]+)"/.exec(text)?.[1] ?? '';
  return [...labels, option].find((region) => /^[a-z0-9]+$/.test(region));
}
