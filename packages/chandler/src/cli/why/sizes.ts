/**
 * The instance types that NodePools could launch, without reading the cloud: the built-in catalogue for the region of the
 * cluster. Availability, quota and which zone sells a size are not known here; events of the controller report them.
 */
import { turnsOf } from '@chandler/kube';
import type { ObjectReader } from '../../causes/index.ts';
import type { CatalogueProvider, CloudDiagnosis, SomeSizes } from '../../cloud/index.ts';
import type { Planner, ReservedPlaces } from '../../diagnose/index.ts';

import type { PlannerWorld } from './planner-world.ts';
import { regionOfCluster } from './region.ts';

/** For one question. Nothing is computed before a plan is needed: most questions need none. */
export function cataloguePlanner(world: PlannerWorld, reader: ObjectReader, cloud: CloudDiagnosis): Planner {
  const providers = new Map<string, ReturnType<typeof providerOf>>();
  const known = new Map<string, ReturnType<CatalogueProvider['instanceTypes']>>();
  const { catalogue, nodeClasses } = cloud;
  let isRegionUnknown = false;
  const isOfCloud = ({ spec }: Parameters<Planner['instanceTypes']>[0]) => {
    const wanted = spec.template.spec.nodeClassRef;
    return nodeClasses.some(({ group, kind }) => group === wanted.group && kind === wanted.kind);
  };
  return {
    source: 'with the built-in catalogue of sizes',
    wellKnownLabels: catalogue.wellKnownLabels,
    labelRules: catalogue.labelRules,
    ...(catalogue.reservationLabel === undefined ? {} : { reservationLabel: catalogue.reservationLabel }),
    sizeLabels: catalogue.sizeLabels,
    isRegionUnknown: () => isRegionUnknown,
    // The page of a controller plans in its process.
    pause: () => turnsOf(world.clock).pass(),
    async anywhere(pool) {
      if (!isOfCloud(pool)) return undefined;
      const key = 'anywhere';
      const types =
        known.get(key) ??
        (await providerIn(world, cloud, catalogue.homeRegion, 'all', false)).instanceTypes(
          undefined,
          new Map(),
        );
      known.set(key, types);
      return types;
    },
    async instanceTypes(pool, nodeClass, howMany, { isUsed, free } = ALL_FULL) {
      const wanted = pool.spec.template.spec.nodeClassRef;
      if (!isOfCloud(pool)) return undefined;
      const named = howMany === 'all' ? 'all' : [...howMany.named].sort().join(' ');
      const sizes = `${named}${isUsed ? '' : ', without reservations'}`;
      const making = providers.get(sizes) ?? providerOf(world, reader, cloud, howMany, isUsed);
      providers.set(sizes, making);
      const provider = await making;
      isRegionUnknown = provider === undefined;
      if (provider === undefined) return undefined;
      // One list for all NodePools of a node class: the engine reads each list once.
      const key = `${sizes}, ${wanted.kind} ${nodeClass === undefined ? '' : `/${wanted.name}`}`;
      const types = known.get(key) ?? provider.instanceTypes(nodeClass, free);
      known.set(key, types);
      return types;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const ALL_FULL: ReservedPlaces = { isUsed: true, free: new Map() };

/** Undefined: nothing shows the region, and with it zones and sizes: another one would blame NodePools that are right. */
async function providerOf(
  world: PlannerWorld,
  reader: ObjectReader,
  cloud: CloudDiagnosis,
  howMany: 'all' | SomeSizes,
  reservedCapacity: boolean,
): Promise<CatalogueProvider | undefined> {
  const region = await regionOfCluster(reader, cloud);
  if (region === undefined) return undefined;
  return providerIn(world, cloud, region, howMany, reservedCapacity);
}

/** Loaded on first use because the catalogue is large. */
async function providerIn(
  world: PlannerWorld,
  { name, catalogue }: CloudDiagnosis,
  region: string,
  howMany: 'all' | SomeSizes,
  reservedCapacity: boolean,
): Promise<CatalogueProvider> {
  const { offlineSizes } = await import('../../playground/offline-catalogue.ts');
  const sizes = offlineSizes(name, region, catalogue.homeRegion);
  return catalogue.provider({ world, region, sizes, howMany, reservedCapacity, everyZone: true });
}
