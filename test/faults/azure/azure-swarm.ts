/** The faults of Azure that a swarm draws. Faults from which the controller cannot recover are not drawn. */
import { Chance } from '../../scheduling/chance.ts';
import { isKept } from '../kept-seeds.ts';
import type { CloudSwarm } from '../personality.ts';

/** OS disks are encrypted with a disk encryption set. */
export const DISK_ENCRYPTION = 'disk-encryption';

/** The faults of which every VM with a disk encryption set fails during its creation, as with a broken key. */
export const KEY_FAULTS: readonly string[] = ['key-disabled', 'key-vault-forbidden'];

export const azureSwarm: CloudSwarm = {
  drawTimes: (chance) => ({
    bootMs: chance.one([4_000, 15_000, 40_000]),
    createMs: chance.one([500, 8_000]),
    deleteMs: chance.one([300, 6_000, 20_000]),
    listLagMs: chance.one([500, 10_000, 120_000]),
  }),
  drawFaults: (chance, seed, oddities) => [
    ...firstFaults(chance),
    ...laterFaults(new Chance(seed ^ 0x1a7e)),
    ...keyFaultOf(seed),
    ...oddities,
    ...(isKept(seed, 'azure') ? [] : otherWriters(new Chance(seed ^ 0x0e1c))),
  ],
  drawOddities: (chance) => [
    ...(chance.happens(0.2) ? ['graph-pages'] : []),
    ...(chance.happens(0.1) ? ['locked@operation=DELETE virtualMachines,rate=0.5'] : []),
    ...(chance.happens(0.1) ? ['forbidden@operation=DELETE virtualMachines,rate=0.5'] : []),
    ...(chance.happens(0.1) ? ['proxy-404@rate=0.02'] : []),
  ],
  drawFeatures: (seed) => (keyFaultOf(seed).length === 0 ? [] : [DISK_ENCRYPTION]),
  calmTimes: { bootMs: 4_000, createMs: 500, deleteMs: 2_000, listLagMs: 2_000 },
};

// ---------------------------------------------------------------------------------------------------

const FAULTS: readonly string[] = [
  '500',
  '503',
  'throttle',
  'lost-response',
  'late-500',
  'truncated',
  'non-json',
  'lost-request',
  'expired-token',
  'allocation',
  'zonal-allocation',
  'overconstrained',
  'sku-not-available',
  'quota',
  'os-timeout',
  'vm-internal',
  'vm-slow',
  'delete-fails',
  'network-busy',
  'subnet-full',
  'never-register',
  'register-twice',
  'wrong-labels',
  'slow-boot',
  'kernel-panic',
  'node-unhealthy',
];

/** An unavailable size is cached for 23 hours, with all larger sizes of its family: not every family may be affected. */
function firstFaults(chance: Chance): readonly string[] {
  if (chance.happens(0.3)) return [];
  const some = chance.happens(0.5) ? 0.08 : 0.2;
  return FAULTS.filter(() => chance.happens(some)).map((name) => {
    const ofMachines = FAULTS.indexOf(name) >= FAULTS.indexOf('allocation');
    const rate = chance.one(ofMachines ? [0.1, 0.4] : [0.01, 0.05]);
    const only =
      name === 'sku-not-available' ? `,size=${rate > 0.1 ? 'Standard_D2s_v5' : 'Standard_D2as_v5'}` : '';
    return `${name}@rate=${rate}${only}`;
  });
}

/** Faults that were added later use a random source of their own, so that older seeds stay the same. */
const LATER_FAULTS: readonly string[] = [
  'cse@rate=0.3',
  'cse-oras@rate=0.3',
  'quota-regional@rate=0.5',
  'quota-spot@rate=0.5',
  'overconstrained-zonal@rate=0.3',
  'vm-start-timeout@rate=0.2',
  'never-ready@rate=0.2',
  'register-late@rate=0.4',
  'boot-hang@rate=0.2',
  'no-network@rate=0.2',
  'spot-evict@rate=0.3',
  'network-busy=RetryableError@rate=0.3',
  'network-busy=ReferencedResourceNotProvisioned@rate=0.3',
];

function laterFaults(chance: Chance): readonly string[] {
  return chance.happens(0.7) ? [] : LATER_FAULTS.filter(() => chance.happens(0.15));
}

function keyFaultOf(seed: number): readonly string[] {
  const chance = new Chance(seed ^ 0xde5);
  return chance.happens(0.9) ? [] : [`${chance.one(KEY_FAULTS)}@phase=async`];
}

/** Other clients write VMs while they are launched. */
function otherWriters(chance: Chance): readonly string[] {
  return chance.happens(0.8)
    ? []
    : [
        chance.one([
          'preempted@rate=0.3',
          'preempted=canceled@rate=0.15',
          'preempted@operation=PUT extensions',
        ]),
      ];
}
