/**
 * The faults of a run: a random subset of all faults at random rates, so that every seed is a different
 * combination. This is swarm testing: disabling some faults lets the others go deeper.
 */
import { Chance } from '../scheduling/chance.ts';
import { isKept } from './kept-seeds.ts';
import { type ConnectionProxy, type NetworkFaults, NO_FAULTS, type Server } from './network.ts';
import type { ServerTimes } from './servers.ts';

export interface Swarm {
  readonly times: ServerTimes;
  readonly network: Readonly<Record<Server, NetworkFaults>>;
  readonly proxy?: ConnectionProxy;
  /** Whether watches have bookmarks. Default true. */
  readonly bookmarks?: boolean;
  /** Faults of the ARM server, such as `allocation,rate=0.1`. */
  readonly azure: readonly string[];
  /** OS disks are encrypted with a disk encryption set. Default false. */
  readonly diskEncryption?: boolean;
  readonly replicas: 1 | 2;
  /** Without leader election there is one process. */
  readonly election: boolean;
  /** Between two renewals of the lease; its duration and deadline grow with it. Default: as in production. */
  readonly renewalMs?: number;
  readonly processFaults: readonly ProcessFault[];
  /** The delay between the end of a process and the start of the next. */
  readonly restartMs: number;
}

/** A fault of one controller process. */
export type ProcessFault =
  /** Killed this many effects after `atMs`. */
  | { readonly what: 'kill'; readonly atMs: number; readonly victim: number; readonly effects: number }
  | { readonly what: 'freeze'; readonly atMs: number; readonly victim: number; readonly forMs: number }
  | {
      readonly what: 'cut';
      readonly atMs: number;
      readonly victim: number;
      readonly server: Server;
      readonly forMs: number;
    };

export function drawSwarm(seed: number, endMs: number): Swarm {
  const chance = new Chance(seed ^ 0xfa17);
  const replicas = chance.happens(0.3) ? 2 : 1;
  const proxy = proxyOf(new Chance(seed ^ 0x9c07), isKept(seed) ? [35_000, 60_000] : [60_000, 90_000]);
  const keyFault = keyFaultOf(new Chance(seed ^ 0xde5));
  const oddities = isKept(seed) ? NO_ODDITIES : odditiesOf(new Chance(seed ^ 0x0dd5));
  return {
    times: {
      bootMs: chance.one([4_000, 15_000, 40_000]),
      vmCreateMs: chance.one([500, 8_000]),
      vmDeleteMs: chance.one([300, 6_000, 20_000]),
      graphLagMs: chance.one([500, 10_000, 120_000]),
    },
    network: {
      kube: { ...networkFaults(chance), ...oddities.kube },
      arm: { ...networkFaults(chance), ...oddities.arm },
    },
    ...(proxy === undefined ? {} : { proxy }),
    bookmarks: oddities.bookmarks,
    azure: [
      ...azureFaults(chance),
      ...laterFaults(new Chance(seed ^ 0x1a7e)),
      ...keyFault,
      ...oddities.azure,
      ...(isKept(seed) ? [] : otherWriters(new Chance(seed ^ 0x0e1c))),
    ],
    ...(keyFault.length === 0 ? {} : { diskEncryption: true }),
    replicas,
    election: replicas === 2 || chance.happens(0.3),
    processFaults: processFaults(chance, endMs),
    restartMs: chance.between(500, 15_000),
    // Otherwise most of a run would be renewals.
    renewalMs: chance.happens(0.1) ? 2_000 : 6_000,
  };
}

/** For how long a process may be unaware of a change, or late with what it decided: with these faults, and without. */
export function unseenMs({ network: { kube }, proxy, processFaults }: Swarm): {
  readonly faulty: number;
  readonly calm: number;
} {
  const calm = proxy === undefined ? 3_000 : 13_000;
  const { watchLagMs, slow, hang, conflict, ...others } = kube;
  const fails = conflict > 0 || Object.values(others).some((rate) => rate > 0);
  const pauses = processFaults.map((fault) => ('forMs' in fault ? fault.forMs : 0));
  const lateMs = fails || slow > 0 || hang > 0 ? LATEST_START_MS : 0;
  return { calm, faulty: calm + watchLagMs + lateMs + Math.max(0, ...pauses) };
}

// ---------------------------------------------------------------------------------------------------

/** After this time a command is not begun any more; and the requests that are still on their way. */
const LATEST_START_MS = 90_000;

const RATES = [0.005, 0.02, 0.06];

function networkFaults(chance: Chance): NetworkFaults {
  if (chance.happens(0.35)) return NO_FAULTS;
  const rate = () => (chance.happens(0.35) ? chance.one(RATES) : 0);
  return {
    lostRequest: rate(),
    lostAnswer: rate(),
    serverError: rate(),
    lateServerError: rate(),
    tooMany: rate(),
    conflict: rate(),
    foreignNotFound: 0,
    deniedDeletion: 0,
    slow: rate(),
    hang: chance.happens(0.15) ? 0.01 : 0,
    cutWatch: rate(),
    repeatEvent: rate(),
    watchLagMs: chance.happens(0.3) ? chance.one([500, 5_000, 30_000]) : 0,
  };
}

/** Faults of the ARM server's table. Faults from which the controller cannot recover are not drawn. */
const AZURE_FAULTS: readonly string[] = [
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
function azureFaults(chance: Chance): readonly string[] {
  if (chance.happens(0.3)) return [];
  const some = chance.happens(0.5) ? 0.08 : 0.2;
  return AZURE_FAULTS.filter(() => chance.happens(some)).map((name) => {
    const ofMachines = AZURE_FAULTS.indexOf(name) >= AZURE_FAULTS.indexOf('allocation');
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

/** The faults of which every VM with a disk encryption set fails during its creation, as with a broken key. */
export const KEY_FAULTS: readonly string[] = ['key-disabled', 'key-vault-forbidden'];

function keyFaultOf(chance: Chance): readonly string[] {
  return chance.happens(0.9) ? [] : [`${chance.one(KEY_FAULTS)}@phase=async`];
}

interface Oddities {
  readonly kube: Partial<NetworkFaults>;
  readonly arm: Partial<NetworkFaults>;
  readonly azure: readonly string[];
  readonly bookmarks: boolean;
}

const NO_ODDITIES: Oddities = { kube: {}, arm: {}, azure: [], bookmarks: true };

/** What a server does that is allowed and unkind, or that others do to it. */
function odditiesOf(chance: Chance): Oddities {
  const foreign = () => (chance.happens(0.15) ? { foreignNotFound: chance.one([0.005, 0.02]) } : {});
  return {
    kube: { ...foreign(), ...(chance.happens(0.15) ? { deniedDeletion: 0.5 } : {}) },
    arm: foreign(),
    azure: [
      ...(chance.happens(0.2) ? ['graph-pages'] : []),
      ...(chance.happens(0.1) ? ['locked@operation=DELETE virtualMachines,rate=0.5'] : []),
      ...(chance.happens(0.1) ? ['forbidden@operation=DELETE virtualMachines,rate=0.5'] : []),
      ...(chance.happens(0.1) ? ['proxy-404@rate=0.02'] : []),
    ],
    bookmarks: !chance.happens(0.25),
  };
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

/** Each cut opens every watch again, which is most of the traffic of a quiet cluster. */
function proxyOf(chance: Chance, maximums: readonly number[]): ConnectionProxy | undefined {
  if (chance.happens(0.5)) return undefined;
  return { maxConnectionMs: chance.one(maximums), how: chance.one(['close', 'reset']) };
}

function processFaults(chance: Chance, endMs: number): readonly ProcessFault[] {
  const count = chance.happens(0.35) ? 0 : chance.between(1, 6);
  return Array.from({ length: count }, (): ProcessFault => {
    const at = { atMs: chance.between(2_000, endMs - 5_000), victim: chance.between(0, 1) };
    const dice = chance.next();
    if (dice < 0.65) return { what: 'kill', ...at, effects: chance.between(1, 60) };
    if (dice < 0.85) return { what: 'freeze', ...at, forMs: chance.between(1, 60) * 1000 };
    const server = chance.happens(0.6) ? 'kube' : 'arm';
    return { what: 'cut', ...at, server, forMs: chance.between(2, 60) * 1000 };
  });
}
