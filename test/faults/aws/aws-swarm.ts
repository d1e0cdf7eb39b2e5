/** The faults of AWS that a swarm draws. Faults from which the controller cannot recover are not drawn. */
import { Chance } from '../../scheduling/chance.ts';
import type { CloudSwarm } from '../personality.ts';

/** There is a capacity reservation, and node classes select it. */
export const RESERVATION = 'reservation';
/** The account has EC2's documented rate limits. */
export const THROTTLED = 'throttled';
/** The cluster is shifted away from a zone for a while; EC2 does not show its instances, and cannot end them. */
export const ZONAL_SHIFT = 'zonal shift';

export const awsSwarm: CloudSwarm = {
  drawTimes: (chance) => ({
    bootMs: chance.one([4_000, 15_000, 40_000]),
    createMs: chance.one([500, 8_000]),
    deleteMs: chance.one([300, 6_000, 40_000]),
    listLagMs: chance.one([500, 5_000, 30_000]),
  }),
  drawFaults: (chance, seed, oddities) => [
    ...requestFaults(chance),
    ...capacityFaults(new Chance(seed ^ 0xa3c2)),
    ...machineFaults(new Chance(seed ^ 0xa3c3)),
    ...messageFaults(new Chance(seed ^ 0xa3c4)),
    ...oddities,
  ],
  drawOddities: (chance) => [
    ...(chance.happens(0.2) ? ['short-pages@rate=0.3'] : []),
    ...(chance.happens(0.1) ? ['forbidden@operation=TerminateInstances,rate=0.5'] : []),
    ...(chance.happens(0.1) ? ['forbidden@operation=CreateTags,rate=0.5'] : []),
    ...(chance.happens(0.1) ? ['expired-token@rate=0.05'] : []),
  ],
  drawFeatures: (seed) => {
    const chance = new Chance(seed ^ 0xa3c5);
    return [
      ...(chance.happens(0.5) ? [THROTTLED] : []),
      ...(chance.happens(0.15) ? [RESERVATION] : []),
      ...(chance.happens(0.2) ? [ZONAL_SHIFT] : []),
    ];
  },
  calmTimes: { bootMs: 4_000, createMs: 500, deleteMs: 2_000, listLagMs: 2_000 },
};

// ---------------------------------------------------------------------------------------------------

const REQUEST_FAULTS: readonly string[] = [
  '500',
  '503',
  'throttle',
  'slow',
  'timeout',
  'lost-request',
  'expired-token',
  'lost-response',
  'late-500',
  'truncated',
  'wrong-content',
];

/** Some of them only of the calls that launch and terminate. */
function requestFaults(chance: Chance): readonly string[] {
  if (chance.happens(0.3)) return [];
  const some = chance.happens(0.5) ? 0.1 : 0.25;
  return REQUEST_FAULTS.filter(() => chance.happens(some)).map((name) => {
    const only = chance.one([
      '',
      '',
      ',operation=CreateFleet',
      ',operation=TerminateInstances',
      ',operation=sqs',
      ',operation=iam',
    ]);
    return `${name}@rate=${chance.one(only === '' ? [0.01, 0.05] : [0.1, 0.3])}${only}`;
  });
}

/** Not all types at once: a type counts as unavailable for minutes. */
const CAPACITY_FAULTS: readonly string[] = [
  'capacity@rate=0.4',
  'capacity@zone=a',
  'capacity@size=m5.*',
  'capacity@size=c5.large,zone=b',
  'capacity@capacity=spot,rate=0.6',
  'launch-error=UnfulfillableCapacity@rate=0.3',
  'launch-error=MaxSpotInstanceCountExceeded@capacity=spot,rate=0.5',
  'launch-error=InsufficientFreeAddressesInSubnet@zone=c,rate=0.5',
  'launch-error=VcpuLimitExceeded@rate=0.3',
  'quota=8',
  'quota=16',
  'spot-quota=4',
  'subnet-full=a',
  'subnet-full=abc',
];

function capacityFaults(chance: Chance): readonly string[] {
  return chance.happens(0.5) ? [] : CAPACITY_FAULTS.filter(() => chance.happens(0.12));
}

const MACHINE_FAULTS: readonly string[] = [
  'slow-boot=90000@rate=0.3',
  'boot-failure@rate=0.2',
  'boot-hang@rate=0.2',
  'no-network@rate=0.2',
  'no-dns@rate=0.2',
  'never-register@rate=0.2',
  'register-late@rate=0.4',
  'wrong-labels@rate=0.2',
  'never-ready@rate=0.2',
  'kernel-panic@rate=0.3',
  'system-impaired@rate=0.3',
  'spot-interrupt=5000@rate=0.4',
  'rebalance=5000@rate=0.4',
  'scheduled-change=5000@rate=0.2',
  'access-entry',
];

function machineFaults(chance: Chance): readonly string[] {
  return chance.happens(0.4) ? [] : MACHINE_FAULTS.filter(() => chance.happens(0.12));
}

const MESSAGE_FAULTS: readonly string[] = [
  'message-late=60000@rate=0.5',
  'message-doubled@rate=0.4',
  'message-twice@rate=0.4',
];

function messageFaults(chance: Chance): readonly string[] {
  return chance.happens(0.5) ? [] : MESSAGE_FAULTS.filter(() => chance.happens(0.5));
}
