/**
 * The faults of a run: a random subset of all faults at random rates, so that every seed is a different
 * combination. This is swarm testing: disabling some faults lets the others go deeper.
 */
import { Chance } from '../scheduling/chance.ts';
import { isKept } from './kept-seeds.ts';
import { type ConnectionProxy, type NetworkFaults, NO_FAULTS, type Server } from './network.ts';
import type { Personality } from './personality.ts';
import type { ServerTimes } from './simulated-cloud.ts';

export interface Swarm {
  readonly times: ServerTimes;
  readonly network: Readonly<Record<Server, NetworkFaults>>;
  readonly proxy?: ConnectionProxy;
  /** Whether watches have bookmarks. Default true. */
  readonly bookmarks?: boolean;
  /** Faults of the servers of the cloud, such as `allocation,rate=0.1`. */
  readonly cloud: readonly string[];
  /** What the account has from the beginning, by names that the cloud knows. Default: nothing. */
  readonly features?: readonly string[];
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

export function drawSwarm({ name, swarm }: Personality, seed: number, endMs: number): Swarm {
  const chance = new Chance(seed ^ 0xfa17);
  const replicas = chance.happens(0.3) ? 2 : 1;
  const kept = isKept(seed, name);
  const proxy = proxyOf(new Chance(seed ^ 0x9c07), kept ? [35_000, 60_000] : [60_000, 90_000]);
  const oddities = kept ? NO_ODDITIES : odditiesOf(swarm, new Chance(seed ^ 0x0dd5));
  return {
    times: swarm.drawTimes(chance),
    network: {
      kube: { ...networkFaults(chance), ...oddities.kube },
      cloud: { ...networkFaults(chance), ...oddities.cloud },
    },
    ...(proxy === undefined ? {} : { proxy }),
    bookmarks: oddities.bookmarks,
    cloud: swarm.drawFaults(chance, seed, oddities.faults),
    features: swarm.drawFeatures(seed),
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

interface Oddities {
  readonly kube: Partial<NetworkFaults>;
  readonly cloud: Partial<NetworkFaults>;
  readonly faults: readonly string[];
  readonly bookmarks: boolean;
}

const NO_ODDITIES: Oddities = { kube: {}, cloud: {}, faults: [], bookmarks: true };

/** What a server does that is allowed and unkind, or that others do to it. */
function odditiesOf(swarm: Personality['swarm'], chance: Chance): Oddities {
  const foreign = () => (chance.happens(0.15) ? { foreignNotFound: chance.one([0.005, 0.02]) } : {});
  return {
    kube: { ...foreign(), ...(chance.happens(0.15) ? { deniedDeletion: 0.5 } : {}) },
    cloud: foreign(),
    faults: swarm.drawOddities(chance),
    bookmarks: !chance.happens(0.25),
  };
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
    const server = chance.happens(0.6) ? 'kube' : 'cloud';
    return { what: 'cut', ...at, server, forMs: chance.between(2, 60) * 1000 };
  });
}
