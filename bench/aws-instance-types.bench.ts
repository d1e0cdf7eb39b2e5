/**
 * The instance types of a region with 1,200 types and six zones, on demand and spot, for one node class: read, listed for the
 * first time, recomputed after all prices changed and after one launch failed, and read from the cache.
 */
import type { EC2NodeClass } from '../packages/chandler/src/api/index.ts';
import {
  AwsMarket,
  type Ec2Calls,
  ObservedMemory,
  PriceList,
} from '../packages/chandler/src/cloud/aws/index.ts';
import { offlineTypes } from '../packages/chandler/src/cloud/aws/testing.ts';
import { UnavailableOfferings } from '../packages/chandler/src/cloud/index.ts';
import { hardcoded } from '../packages/chandler/src/settings/index.ts';

import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const ROUNDS = 40;
const TYPES = 1_200;
const COLD_GOAL_MS = 300;
const UNCHANGED_GOAL_MS = 5;
const REGION = 'us-east-1';
const ZONES = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => `${REGION}${letter}`);

/** Without the first Graviton, which does not run Amazon Linux 2023. */
const types = offlineTypes()
  .filter(({ InstanceType }) => !InstanceType!.startsWith('a1.'))
  .filter(({ SupportedUsageClasses }) => SupportedUsageClasses?.includes('spot'))
  .slice(0, TYPES);
const sold = types.flatMap(({ InstanceType }) => ZONES.map((Location) => ({ InstanceType, Location })));

const world = benchWorld();
const { clock } = world;
const prices = new PriceList(REGION);
const unavailable = new UnavailableOfferings({ clock });
const PAGE = 1_000;
/** EC2 in this process: the answers of the real one, page by page. */
const ec2 = {
  describeInstanceTypes: async () => ({ InstanceTypes: types }),
  describeInstanceTypeOfferings: async ({ NextToken }: { NextToken?: string | undefined }) => {
    const from = Number(NextToken ?? 0);
    return {
      InstanceTypeOfferings: sold.slice(from, from + PAGE),
      ...(from + PAGE < sold.length ? { NextToken: String(from + PAGE) } : {}),
    };
  },
} as unknown as Pick<Ec2Calls, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>;
const market = new AwsMarket({
  world,
  ec2,
  region: REGION,
  options: {
    vmMemoryOverheadPercent: hardcoded(0.075),
    reservedEnis: hardcoded(0),
    prefixDelegation: hardcoded(false),
  },
  reservedCapacity: true,
  prices,
  unavailable,
  observedMemory: new ObservedMemory(),
  reservations: { sequence: 0, freeInstances: () => 0 },
  zonalShift: { sequence: 0, isShifted: () => false, zones: () => [] },
  placementGroups: { placementGroupOf: () => undefined },
});
const nodeClass: EC2NodeClass = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    role: 'node',
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ tags: { discovery: 'bench' } }],
    securityGroupSelectorTerms: [{ tags: { discovery: 'bench' } }],
  },
  status: {
    subnets: ZONES.map((zone, index) => ({ id: `subnet-${index}`, zone, zoneID: `use1-az${index}` })),
    amis: [{ id: 'ami-1', requirements: [] }],
  },
};

const readStart = performance.now();
await market.refreshIfDue(new AbortController().signal);
const readMs = performance.now() - readStart;
const cpuBefore = process.cpuUsage();
const coldMs = timed(() => market.typesFor(nodeClass));
const coldCpuMs = process.cpuUsage(cpuBefore).user / 1_000;
const before = market.typesFor(nodeClass);
const repricings = Array.from({ length: ROUNDS }, (_, round) => {
  prices.updateSpot(
    sold.map(({ InstanceType, Location }) => ({
      instanceType: InstanceType!,
      zone: Location!,
      price: (prices.onDemand(InstanceType!) ?? 1) * (0.3 + round / 1_000),
    })),
  );
  return timed(() => market.typesFor(nodeClass));
});
const repriced = market.typesFor(nodeClass);
const failures = Array.from({ length: ROUNDS }, (_, round) => {
  const zone = ZONES[round % ZONES.length]!;
  unavailable.mark({ instanceType: types[round]!.InstanceType!, zone, capacityType: 'spot' }, 180_000, 'ICE');
  return timed(() => market.typesFor(nodeClass));
});
const after = market.typesFor(nodeClass);
const unchangedMs = Math.max(
  ...Array.from({ length: ROUNDS }, () => timed(() => market.typesFor(nodeClass))),
);
/** Equal, but another object: as after every write to the status of the class. */
const copyMs = median(
  Array.from({ length: ROUNDS }, () => {
    const copy = structuredClone(nodeClass);
    return timed(() => market.typesFor(copy));
  }),
);

const refused = after.flatMap(({ offerings }) => offerings.filter(({ available }) => available === false));
report({
  name: 'aws-instance-types',
  figures: {
    types: before.length,
    offerings: before.reduce((sum, { offerings }) => sum + offerings.length, 0),
    readTypesMs: rounded(readMs),
    firstListMs: rounded(coldMs),
    firstListCpuMs: rounded(coldCpuMs),
    allSpotPricesAnewMs: rounded(median(repricings)),
    afterOneFailureMs: rounded(median(failures)),
    unchangedMs: rounded(unchangedMs),
    unchangedCopyOfClassMs: rounded(copyMs),
  },
  goals: {
    firstListMs: atMost(coldMs, COLD_GOAL_MS),
    unchangedMs: atMost(Math.max(unchangedMs, copyMs), UNCHANGED_GOAL_MS),
  },
  checked: [
    assertWork(before.length === TYPES, '1,200 types were resolved'),
    assertWork(
      before.every(({ offerings }) => offerings.length === ZONES.length * 2),
      'every type has offerings in six zones, on demand and spot',
    ),
    assertWork(
      before.every(
        ({ requirements, capacity }) => requirements.length >= 30 && capacity['memory'] !== undefined,
      ),
      'every type has its labels and its memory',
    ),
    assertWork(
      repriced.every(
        (type, index) => type.offerings.at(-1)!.price !== before[index]!.offerings.at(-1)!.price,
      ),
      'every type was made anew when all spot prices changed',
    ),
    assertWork(
      refused.filter(({ refusal }) => refusal?.code === 'RecentlyFailed').length === ROUNDS,
      'only the offerings that failed are not available for that reason',
    ),
    assertWork(
      after.filter((type, index) => type !== repriced[index]).length === ROUNDS,
      'only the types that failed were made anew',
    ),
    assertWork(market.typesFor(structuredClone(nodeClass)) === after, 'an equal class shares the list'),
  ],
});

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return [...values].sort((first, second) => first - second)[Math.floor(values.length / 2)]!;
}
