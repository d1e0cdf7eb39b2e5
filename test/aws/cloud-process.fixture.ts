/** The AWS cloud of one process, from what is known of an account: the instance types that it sells and its cluster. */
import type { World } from '@chandler/kube';
import {
  type AwsCloud,
  type AwsCloudDeps,
  type AwsClusterFacts,
  createAwsCloud,
  type InstanceTypeInfo,
  NO_ZONAL_SHIFT,
  ObservedMemory,
  type PlacementGroup,
  PriceList,
  ReservationCounts,
  TypeLists,
  type TypeOffering,
  type ZonalShiftReader,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { UnavailableOfferings } from '../../packages/chandler/src/cloud/index.ts';
import { hardcoded } from '../../packages/chandler/src/settings/index.ts';

export interface CloudProcess {
  readonly cloud: AwsCloud;
  readonly unavailable: UnavailableOfferings;
  readonly reservations: ReservationCounts;
}

/** What a process would read before it launches. */
export interface KnownAccount {
  readonly world: World;
  readonly cluster: () => AwsClusterFacts;
  readonly types: Iterable<InstanceTypeInfo>;
  readonly offered: Iterable<TypeOffering>;
  readonly reservations?: Parameters<ReservationCounts['observe']>[0];
  readonly placementGroup?: PlacementGroup | undefined;
  readonly zonalShift?: ZonalShiftReader | undefined;
}

export function cloudProcess(
  {
    world,
    cluster,
    types,
    offered,
    reservations: known = [],
    placementGroup,
    zonalShift = NO_ZONAL_SHIFT,
  }: KnownAccount,
  { ec2, records }: Pick<AwsCloudDeps, 'ec2' | 'records'>,
): CloudProcess {
  const region = cluster().region.value;
  const unavailable = new UnavailableOfferings({ clock: world.clock });
  const reservations = new ReservationCounts();
  reservations.observe(known);
  const lists = new TypeLists({
    region,
    options: {
      vmMemoryOverheadPercent: hardcoded(0.075),
      reservedEnis: hardcoded(0),
      prefixDelegation: hardcoded(false),
    },
    reservedCapacity: true,
    prices: new PriceList(region),
    unavailable,
    observedMemory: new ObservedMemory(),
    reservations,
    zonalShift,
  });
  lists.setTypes(types);
  lists.setZones(offered);
  const cloud = createAwsCloud({
    world,
    ec2,
    records,
    unavailable,
    reservations,
    zonalShift,
    placementGroupOf: () => placementGroup,
    options: () => ({ minValuesPolicy: 'Strict', reservedCapacity: true }),
    market: {
      get loaded() {
        return lists.loaded;
      },
      refreshIfDue: async () => {},
      typesFor: (nodeClass) => lists.forNodeClass(nodeClass, placementGroup),
    },
    cluster: { current: cluster },
  });
  return { cloud, unavailable, reservations };
}
