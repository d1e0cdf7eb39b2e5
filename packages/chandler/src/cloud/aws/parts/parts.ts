/**
 * The AWS cloud and everything that keeps it informed, made from options and a way into AWS. What the parts decide is in
 * `cloud/aws/`; here is only who knows whom.
 */
import type { KubeClient, World } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import {
  type BackgroundTask,
  type CloudControllerContext,
  type CloudParts,
  type CloudStores,
  type CloudWires,
  refreshTasks,
  settledWithin,
  UnavailableOfferings,
} from '../../index.ts';
import { type AwsCloud, createAwsCloud } from '../aws-cloud.ts';
import {
  AwsClusterDetector,
  type AwsClusterReaders,
  awsClusterReaders,
  prepareCluster,
} from '../cluster/index.ts';
import {
  awsPermissions,
  marketControllers,
  nodeClassControllers,
  zonalShiftEvents,
} from '../controllers/index.ts';
import { AwsError, BAD_ANSWER } from '../errors/index.ts';
import { ImageReader } from '../images/index.ts';
import { InstanceProfiles } from '../instance-profiles/index.ts';
import { ObservedMemory } from '../instance-types/index.ts';
import { KubeLaunchRecords, type LaunchOptions } from '../instances/index.ts';
import { AwsMarket, PriceRefresh } from '../market/index.ts';
import {
  CapacityReservations,
  PlacementGroups,
  ReservationCounts,
  SecurityGroups,
  Subnets,
} from '../network/index.ts';
import { AwsNodeClassStatus, classPools, DryRuns } from '../node-class/index.ts';
import { NO_ZONAL_SHIFT, type ZonalShiftReader } from '../offerings/index.ts';
import type { AwsControllerValues } from '../options/index.ts';
import { PriceList } from '../prices/index.ts';
import { ZonalShifts } from '../zonal-shift/index.ts';
import type { AwsAccess } from './access.ts';

export interface AwsPartsOptions {
  readonly world: World;
  readonly access: AwsAccess;
  /** Of the cluster. */
  readonly region: string;
  /** Of this moment: options marked live change. */
  readonly values: () => AwsControllerValues;
  readonly client: KubeClient;
  readonly clusterCaPem: CloudWires['clusterCaPem'];
  /** Only reads; then what is due is read in the background, since no controller runs. Default false. */
  readonly observe?: boolean;
}

export interface AwsParts extends CloudParts {
  readonly cloud: AwsCloud;
  readonly detector: AwsClusterDetector;
  readonly market: AwsMarket;
  readonly prices: PriceRefresh;
  readonly unavailable: UnavailableOfferings;
  readonly nodeClassStatus: AwsNodeClassStatus;
}

export function awsParts(options: AwsPartsOptions): AwsParts {
  const { world, access, values } = options;
  const { ec2 } = access.calls;
  const { clock } = world;
  const { client, clusterCaPem } = options;
  const readers = awsClusterReaders({ calls: access.calls, region: access.region, client, clusterCaPem });
  const detector = new AwsClusterDetector({ world, options: values, readers });
  const unavailable = new UnavailableOfferings({ clock });
  const counts = new ReservationCounts();
  const network = networkOf(options, counts, (subnets) => cloud.subnetsRead(subnets));
  const shifts = zonalShiftsOf(options, readers);
  const zonalShift = shifts ?? NO_ZONAL_SHIFT;
  const shop = shopOf(options, {
    detector,
    unavailable,
    counts,
    groups: network.placementGroups,
    zonalShift,
  });
  let context: CloudControllerContext | undefined;
  const records = new KubeLaunchRecords({
    // Nothing is launched before the controllers are made.
    client: () => context?.client ?? client,
    claims: () => context?.stores.claims.store ?? [],
  });
  const placementGroupOf = (nodeClass: EC2NodeClass) =>
    network.placementGroups.known(nodeClass.spec?.placementGroupSelector);
  const cloud = createAwsCloud({
    world,
    ec2,
    cluster: detector,
    market: shop.market,
    unavailable,
    records,
    placementGroupOf,
    reservations: counts,
    zonalShift,
    options: () => ({
      minValuesPolicy: values().minValuesPolicy.value as LaunchOptions['minValuesPolicy'],
      reservedCapacity: hasReservedCapacity(values()),
    }),
  });
  const classes = classesOf(options, { detector, cloud, network, market: shop.market });
  const { market, prices, observedMemory } = shop;
  return {
    cloud,
    detector,
    market,
    prices,
    unavailable,
    nodeClassStatus: classes.status,
    prepare: async (signal) => {
      // A failed read is logged, and reported by the background task that reads again.
      const priced = settledWithin(world, PRICES_WAIT_MS, prices.refreshIfDue(signal));
      await prepareCluster({ calls: access.calls, readers, detector }, signal);
      await shifts?.start(signal);
      await market.refreshIfDue(signal);
      if (!market.loaded) throw new Error('the instance types of the region have not been read yet');
      await priced;
    },
    background: [
      { name: 'cluster values', run: (signal) => detector.run(signal) },
      // A replica that becomes leader decides by prices and zonal shifts at once.
      ...refreshTasks(world, {
        ...(options.observe === true ? { 'instance types': market } : {}),
        prices,
        ...(shifts === undefined ? {} : { 'zonal shifts': shifts }),
      }),
    ] satisfies BackgroundTask[],
    controllers(given) {
      context = given;
      classes.use(given.stores);
      return [
        ...nodeClassControllers(given, {
          ...classes,
          ec2,
          cluster: detector,
          removeLaunchTemplates: (name, signal) => cloud.templates.deleteOfClass(name, signal),
          templateProfiles: () => cloud.templates.profiles,
          isolatedVpc: () => values().isolatedVpc.value,
        }),
        ...marketControllers(given, {
          calls: access.calls,
          market,
          prices,
          observedMemory,
          marks: { offerings: unavailable, reservations: { markFull: (id) => counts.markFull(id) } },
          settings: {
            clusterName: () => detector.current().name.value,
            interruptionQueue: values().interruptionQueue.value,
            replaceOnRebalance: () => values().rebalanceRecommendations.value === 'replace',
            place: () => placeOf(detector),
            zonalShift,
          },
          garbage: { launchTemplates: (signal) => cloud.collectTemplates(signal) },
        }),
        ...(shifts === undefined ? [] : [zonalShiftEvents(given, shifts)]),
        awsPermissions(given, access.denied),
      ];
    },
  };
}

// ---------------------------------------------------------------------------------------------------

type Network = ReturnType<typeof networkOf>;

function networkOf(
  { world: { clock }, access, values }: AwsPartsOptions,
  counts: ReservationCounts,
  onSubnets: AwsCloud['subnetsRead'],
) {
  const { ec2 } = access.calls;
  return {
    subnets: new Subnets({
      clock,
      ec2,
      refreshIntervalMs: () => values().subnetRefreshInterval.value,
      onRead: onSubnets,
    }),
    securityGroups: new SecurityGroups({ clock, ec2 }),
    reservations: new CapacityReservations({ clock, ec2, onRead: (list) => counts.observe(list) }),
    placementGroups: new PlacementGroups({ clock, ec2 }),
  };
}

interface ShopParts {
  readonly detector: AwsClusterDetector;
  readonly unavailable: UnavailableOfferings;
  readonly counts: ReservationCounts;
  readonly groups: PlacementGroups;
  readonly zonalShift: ZonalShiftReader;
}

/** What EC2 sells and for how much. */
function shopOf({ world, access, values, region }: AwsPartsOptions, parts: ShopParts) {
  const { ec2, pricing } = access.calls;
  const list = new PriceList(region);
  const observedMemory = new ObservedMemory();
  const prices = new PriceRefresh({
    world,
    region,
    isolatedVpc: () => values().isolatedVpc.value,
    pricing,
    ec2,
    prices: list,
  });
  const market = new AwsMarket({
    world,
    ec2,
    region,
    observedMemory,
    placementGroups: {
      placementGroupOf: (nodeClass) => parts.groups.known(nodeClass.spec?.placementGroupSelector),
    },
    prices: list,
    unavailable: parts.unavailable,
    reservations: parts.counts,
    zonalShift: parts.zonalShift,
    get reservedCapacity() {
      return hasReservedCapacity(values());
    },
    options: {
      get vmMemoryOverheadPercent() {
        return values().vmMemoryOverheadPercent;
      },
      get reservedEnis() {
        return values().reservedEnis;
      },
      get prefixDelegation() {
        return parts.detector.prefixDelegation();
      },
      get kubeletExpressions() {
        return evaluatesExpressions(values());
      },
    },
  });
  return { market, prices, observedMemory };
}

/** Undefined without the option, which does not change at runtime. */
function zonalShiftsOf(
  { world, access, values }: AwsPartsOptions,
  readers: Pick<AwsClusterReaders, 'cluster'>,
): ZonalShifts | undefined {
  if (!values().enableZonalShift.value) return undefined;
  const clusterName = () => values().clusterName.value;
  return new ZonalShifts({
    world,
    calls: access.calls['arc-zonal-shift'],
    clusterName,
    async clusterArn(signal) {
      const { arn } = await readers.cluster(clusterName(), signal);
      if (arn !== undefined) return arn;
      throw new AwsError({ code: BAD_ANSWER, message: 'eks:DescribeCluster: the cluster has no ARN' });
    },
  });
}

interface ClassParts {
  readonly detector: AwsClusterDetector;
  readonly cloud: AwsCloud;
  readonly network: Network;
  readonly market: Pick<AwsMarket, 'expressionProblem'>;
}

/** What keeps the status of node classes true. */
function classesOf(
  { world, access, values, region }: AwsPartsOptions,
  { detector, cloud, network, market }: ClassParts,
) {
  const { ec2, iam, ssm } = access.calls;
  const { clock } = world;
  let pools: CloudStores['pools'] | undefined;
  const images = new ImageReader({
    clock,
    ec2,
    ssm,
    refreshIntervalMs: () => values().amiRefreshInterval.value,
  });
  const profiles = new InstanceProfiles({
    world,
    iam,
    scope: () => ({ region, clusterName: values().clusterName.value }),
  });
  const dryRuns = new DryRuns({
    clock,
    ec2,
    requests: (nodeClass, pools, signal) => cloud.dryRunRequests(nodeClass, pools, signal),
  });
  const status = new AwsNodeClassStatus({
    world,
    cluster: detector,
    images,
    profiles,
    dryRuns,
    ...network,
    isolatedVpc: () => values().isolatedVpc.value,
    dryRunDisabled: () => values().disableDryRun.value,
    kubeletExpressions: {
      isOpen: () => evaluatesExpressions(values()),
      problem: (nodeClass) => market.expressionProblem(nodeClass),
    },
    reservedCapacity: () => hasReservedCapacity(values()),
    poolsOf: (className) => classPools(pools?.store.values() ?? [], className),
  });
  return {
    status,
    images,
    profiles,
    dryRuns,
    use(stores: Pick<CloudStores, 'pools'>) {
      pools = stores.pools;
    },
  };
}

function evaluatesExpressions({ awsFeatureGates }: AwsControllerValues): boolean {
  return awsFeatureGates.value['NodeClassCEL'] === true;
}

function hasReservedCapacity({ featureGates }: AwsControllerValues): boolean {
  return (featureGates.value as Readonly<Record<string, boolean>>)['ReservedCapacity'] === true;
}

function placeOf(detector: AwsClusterDetector): string {
  const { accountId, region } = detector.current();
  return `${accountId.value === '' ? 'the account of the controller' : `account ${accountId.value}`} in ${region.value}`;
}

/** How long the start waits for prices, without which there are only the built-in ones. */
const PRICES_WAIT_MS = 20_000;
