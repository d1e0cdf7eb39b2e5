/**
 * The servers, which are never killed: an API server with stand-ins, and an ARM server with simulated VMs,
 * both in this process and on one virtual clock. Their faults are configured by the swarm.
 */
import { ADMIN } from '@chandler/apiserver';
import {
  type ArmServer,
  ensureToken,
  type PlaygroundAzure,
  playgroundAzure,
  SIZE_FAMILIES,
  type SizeFamily,
  startArmServer,
  startVmGuests,
} from '@chandler/cloudsim/azure/testing';
import {
  type Fetch,
  fetchTransport,
  KubeClient,
  type KubeObject,
  type Random,
  type ResourceRef,
  type World,
} from '@chandler/kube';
import type { VirtualClock } from '@chandler/kube/testing';
import { seededRandom, type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import {
  type Playground,
  standinNodeHost,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { runClock } from './run-clock.ts';
import { SimMetrics } from './sim-metrics.ts';

export interface SimWorld extends World, Pick<VirtualWorld, 'lines'> {
  readonly clock: VirtualClock;
  readonly metrics: SimMetrics;
}

export interface Servers {
  readonly world: SimWorld;
  readonly playground: Playground;
  readonly arm: ArmServer;
  readonly azure: PlaygroundAzure;
  /** As an administrator, without faults. */
  readonly admin: KubeClient;
  /** The entry point for controller processes. */
  readonly kubeFetch: Fetch;
  /** The credentials that a node needs to join. */
  readonly bootstrapToken: string;
  /** The authority of the API server, as PEM. */
  readonly ca: string;
  /** Nodes that boot, and processes that start, need the new one from now on. */
  replaceAuthority(caPem: string): void;
  apply(resource: ResourceRef, object: object): Promise<KubeObject>;
  stop(): Promise<void>;
}

export interface ServerTimes {
  readonly bootMs: number;
  readonly vmCreateMs: number;
  readonly vmDeleteMs: number;
  /** The lag of Resource Graph. */
  readonly graphLagMs: number;
}

export const API_SERVER = 'faults-1234.hcp.eastus.azmk8s.io';
export const KUBERNETES_VERSION = '1.36.3';
export const START_MS = Date.UTC(2026, 5, 1, 8);
/** Slower than on a real node; otherwise most of a run would be heartbeats. */
const HEARTBEATS = { heartbeatMs: 40_000, nodeGraceMs: 95_000 };
/** The available sizes: few and small, so that listing them is fast. */
const SERIES = ['standardDSv5Family', 'standardDASv5Family', 'standardESv5Family'];
const LARGEST_CPU = 16;
const FAMILIES: readonly SizeFamily[] = SIZE_FAMILIES.filter(({ quotaFamily }) =>
  SERIES.includes(quotaFamily),
).map((family) => ({ ...family, sizes: family.sizes.filter(([, cpu]) => cpu <= LARGEST_CPU) }));

export async function startServers(
  seed: number,
  times: ServerTimes,
  parts: { readonly ca: string; readonly diskEncryption?: boolean },
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
  const azure = playgroundAzure({
    catalogue: { families: FAMILIES },
    byok: parts.diskEncryption === true ? {} : false,
  });
  const { bootMs, ...latencies } = times;
  const arm = await startArmServer({ world, listen: false, providers: azure.providers, latencies });
  const transport = fetchTransport(playground.server.fetchAs(ADMIN));
  const admin = new KubeClient({ transport });
  const bootstrapToken = await clock.during(ensureToken(admin, world.random));
  let { ca } = parts;
  const machines = startVmGuests({
    world,
    arm,
    nodeHost: standinNodeHost(playground.standins!),
    transport,
    sizes: azure.catalogue.sizes,
    cluster: {
      hosts: [API_SERVER],
      get caPem() {
        return ca;
      },
      version: KUBERNETES_VERSION,
    },
    bootTimeMs: bootMs,
  });
  return {
    world,
    playground,
    arm,
    azure,
    admin,
    bootstrapToken,
    get ca() {
      return ca;
    },
    replaceAuthority(caPem) {
      ca = caPem;
    },
    kubeFetch: playground.server.fetchAs(ADMIN),
    apply: (resource, object) => admin.create(resource, object as KubeObject),
    async stop() {
      machines.stop();
      await arm.close();
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
