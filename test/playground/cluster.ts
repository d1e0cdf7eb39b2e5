/** A playground inside the test's process, fast, without a socket, and ways to look at it. */
import type { Standins } from '@chandler/apiserver/standins';
import { nameOf } from '@chandler/apiserver/testing';
import {
  fetchTransport,
  KubeClient,
  type KubeObject,
  type ObjectKey,
  PODS,
  type Pod,
  type ResourceRef,
  type Stored,
  systemClock,
  systemFetch,
  type World,
} from '@chandler/kube';
import { type LogLine, seededRandom, virtualWorld } from '@chandler/kube/testing';
import { afterEach } from 'vitest';
import {
  type Playground,
  type PlaygroundOptions,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';

export interface TestCluster {
  readonly playground: Playground;
  readonly standins: Standins;
  readonly client: KubeClient;
  /** What was logged as an error. */
  readonly errors: () => LogLine[];
}

const running: Playground[] = [];

afterEach(async () => {
  for (const playground of running.splice(0)) await playground.stop();
});

/** Twenty times as fast as for people; stopped after the test. */
export async function aCluster(options: Partial<PlaygroundOptions> = {}): Promise<TestCluster> {
  const { world, lines } = realTimeWorld();
  const playground = await startPlayground({
    world,
    port: false,
    speed: 20,
    standinOptions: { orphanMs: 100 },
    ...options,
  });
  running.push(playground);
  const client = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
  const errors = () => lines.filter((line) => line.level === 'error');
  return { playground, standins: playground.standins!, client, errors };
}

export function realTimeWorld(): { world: World; lines: LogLine[] } {
  const { log, metrics, lines } = virtualWorld();
  return { world: { clock: systemClock, random: seededRandom(7), fetch: systemFetch, log, metrics }, lines };
}

/** Looks until the answer is something, and gives it. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const endMs = Date.now() + 10_000;
  let last: unknown;
  while (Date.now() < endMs) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    await systemClock.sleep(10);
  }
  throw new Error(`timed out waiting until ${what}${last === undefined ? '' : `: ${String(last)}`}`);
}

export async function podsOf(client: KubeClient, app: string, namespace = 'default'): Promise<Stored<Pod>[]> {
  const { items } = await client.list(PODS, { namespace, labelSelector: `app=${app}` });
  return items.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

export async function statusOf(
  client: KubeClient,
  resource: ResourceRef,
  key: ObjectKey,
): Promise<Record<string, unknown>> {
  const object = (await client.get(resource, key)) as KubeObject & { status?: Record<string, unknown> };
  return object.status ?? {};
}

/** A pod template with one container. */
export function aTemplate(app: string, spec: object = {}, annotations: Record<string, string> = {}) {
  return {
    metadata: { labels: { app }, annotations },
    spec: {
      containers: [
        { name: 'main', image: 'nginx', resources: { requests: { cpu: '100m', memory: '64Mi' } } },
      ],
      ...spec,
    },
  };
}
