/**
 * The servers, which are never killed: an API server with stand-ins, and those of a cloud with simulated VMs, in this process and
 * on one virtual clock. Their faults are configured by the swarm.
 */
import { ADMIN } from '@chandler/apiserver';
import {
  type Fetch,
  fetchTransport,
  KubeClient,
  type KubeObject,
  type Random,
  type ResourceRef,
} from '@chandler/kube';
import { seededRandom, virtualWorld } from '@chandler/kube/testing';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { runClock } from './run-clock.ts';
import { SimMetrics } from './sim-metrics.ts';
import type { SimWorld } from './sim-world.ts';
import type { CloudStart, ServerTimes, SimulatedCloud } from './simulated-cloud.ts';

export interface Servers {
  readonly world: SimWorld;
  readonly playground: Playground;
  readonly cloud: SimulatedCloud;
  /** As an administrator, without faults. */
  readonly admin: KubeClient;
  /** The entry point for controller processes. */
  readonly kubeFetch: Fetch;
  /** Nodes that boot, and processes that start, need the new authority of the API server from now on. */
  replaceAuthority(caPem: string): void;
  apply(resource: ResourceRef, object: object): Promise<KubeObject>;
  stop(): Promise<void>;
}

export const START_MS = Date.UTC(2026, 5, 1, 8);
/** Slower than on a real node; otherwise most of a run would be heartbeats. */
const HEARTBEATS = { heartbeatMs: 40_000, nodeGraceMs: 95_000 };

export async function startServers(
  startCloud: (parts: CloudStart) => Promise<SimulatedCloud>,
  seed: number,
  times: ServerTimes,
  parts: { readonly ca: string; readonly features: readonly string[] },
): Promise<Servers> {
  const clock = runClock(START_MS);
  const { log, lines, fetch } = virtualWorld({ seed });
  const random = quickUuids(seededRandom(seed));
  const world: SimWorld = { clock, random, log, lines, fetch, metrics: new SimMetrics() };
  const playground = await clock.during(
    startPlayground({
      world,
      port: false,
      systemNodes: 0,
      standinOptions: HEARTBEATS,
      // Nothing under test reads them; without them a run has the same events and takes an eighth less time.
      managedFields: false,
    }),
  );
  const transport = fetchTransport(playground.server.fetchAs(ADMIN));
  const admin = new KubeClient({ transport });
  let { ca } = parts;
  const { features } = parts;
  const cloud = await startCloud({ world, playground, transport, ca: () => ca, times, features });
  return {
    world,
    playground,
    cloud,
    admin,
    replaceAuthority(caPem) {
      ca = caPem;
    },
    kubeFetch: playground.server.fetchAs(ADMIN),
    apply: (resource, object) => admin.create(resource, object as KubeObject),
    async stop() {
      await cloud.stop();
      await playground.stop();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** Every object has one: four random numbers each instead of thirty-two. */
function quickUuids({ next }: Random): Random {
  const word = () => (0x1_0000_0000 + Math.floor(next() * 0x1_0000_0000)).toString(16).slice(1);
  return {
    next,
    uuid() {
      const [one, two, three, four] = [word(), word(), word(), word()];
      const variant = '89ab'[Math.floor(next() * 4)];
      return `${one}-${two.slice(0, 4)}-4${two.slice(5)}-${variant}${three.slice(1, 4)}-${three.slice(4)}${four}`;
    },
  };
}
