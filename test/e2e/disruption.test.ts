/** Disruption over the wire: the whole operator, an API server, and Azure behind ARM, in virtual time. */
import { DEPLOYMENTS, type KubeObject, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CostMeter } from '../../packages/chandler/src/playground/index.ts';
import { NODE_CLASS, pool } from '../controllers/stage.ts';
import { mortal } from '../operator/mortal.ts';
import { inFull } from '../part.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

const DISRUPTION = { consolidateAfter: '5s', budgets: [{ nodes: '100%' }] };
const LABELS = { app: 'web' };

async function cluster(replicas: number): Promise<void> {
  await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await ground.apply(NODE_POOLS, pool('default', { disruption: DISRUPTION }));
  await ground.apply(DEPLOYMENTS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: {
        metadata: { labels: LABELS },
        spec: { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '1500m' } } }] },
      },
    },
  });
  await ground.apply(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'web', namespace: 'default' },
    spec: { maxUnavailable: 1, selector: { matchLabels: LABELS } },
  });
  await ground.stage.until('all pods are ready', async () => (await readyPods()) === replicas, 600_000);
}

async function readyPods(): Promise<number> {
  const pods = await ground.list(PODS);
  return pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod)).length;
}

function isReady(object: KubeObject): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

const scale = (replicas: number) =>
  ground.stage.inTime(
    ground.stage.admin.patch(
      DEPLOYMENTS,
      { name: 'web', namespace: 'default' },
      { type: 'merge', patch: { spec: { replicas } } },
    ),
  );
const price = () => new CostMeter(ground.stage.playground.cloud!).read().perHour;

describe('after a scale-down', () => {
  test.runIf(inFull('an hour of consolidation after a scale-down'))(
    'nodes go by themselves: the price falls, and no more pods are missing than the PodDisruptionBudget allows',
    async () => {
      ground = await embeddedGround({ quiet: true });
      await ground.startOperator();
      await cluster(12);
      const before = price();
      await scale(3);
      await ground.stage.until('three pods', async () => (await ground.list(PODS)).length === 3);
      let least = 3;
      await ground.stage.until(
        'the price has fallen',
        async () => {
          least = Math.min(least, await readyPods());
          return price() < before / 2 && (await ground.list(NODES)).every((node) => isReady(node));
        },
        600_000,
      );
      expect(least).toBeGreaterThanOrEqual(2);
      await ground.stage.until('all pods are ready', async () => (await readyPods()) === 3);
      expect(price()).toBeGreaterThan(0);
      const refused = ground.asked.filter(({ status }) => status === 401 || status === 403);
      expect(refused).toEqual([]);
    },
  );
});

describe('a leader that is killed during a command', () => {
  test('is followed by one that completes it: one replacement, and the old node goes', async () => {
    ground = await embeddedGround({ quiet: true });
    const { stage } = ground;
    const process = mortal(stage.world, ground.transport);
    await ground.startOperator({ transport: process.transport, world: process.world });
    await cluster(1);
    const [old] = await ground.list(NODE_CLAIMS);
    const patch = { spec: { template: { metadata: { labels: { version: '2' } } } } };
    await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch }));
    await stage.until('a replacement', async () => (await ground.list(NODE_CLAIMS)).length === 2);
    process.kill();
    const [replacement] = (await ground.list(NODE_CLAIMS)).filter(
      ({ metadata }) => metadata.uid !== old!.metadata.uid,
    );
    await stage.world.clock.advance(60_000);
    await ground.startOperator();
    await stage.until(
      'the old node is gone',
      async () => {
        const claims = await ground.list(NODE_CLAIMS);
        return claims.length === 1 && claims[0]!.metadata.uid === replacement!.metadata.uid;
      },
      900_000,
    );
    await stage.until('the pod is ready', async () => (await readyPods()) === 1);
    const created = stage.arm.resources
      .calls()
      .filter(
        ({ method, path, status }) =>
          method === 'PUT' && status === 201 && /virtualMachines\/[^/]+$/.test(path),
      );
    expect(created).toHaveLength(2);
  });
});
