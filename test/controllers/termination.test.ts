import {
  EVENTS,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  VOLUME_ATTACHMENTS,
} from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import {
  type ControllerContext,
  EvictionQueue,
  lifecycle,
  provisioner,
  termination,
} from '../../packages/chandler/src/controllers/index.ts';

import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

let queue: EvictionQueue;
const controllers = [
  provisioner,
  lifecycle,
  (context: ControllerContext) => {
    queue = new EvictionQueue(context);
    return queue.controller;
  },
  (context: ControllerContext) => termination(context, queue),
];

async function aRunningPod(
  spec: Record<string, unknown> = {},
  pool: Record<string, unknown> = {},
  prepare: () => Promise<Record<string, unknown>> = async () => ({}),
) {
  stage = await setStage({ controllers });
  const more = await prepare();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general', pool);
  await stage.apply(PODS, pod('a', { ...spec, ...more }));
  await stage.until('the pod runs', async () => (await phase('a')) === 'Running');
  return (await stage.list(NODE_CLAIMS))[0]!.metadata.name!;
}
const phase = async (name: string) =>
  ((await stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;
const annotatePod = (value: string) => {
  const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } };
  return stage.admin.patch(PODS, { name: 'a', namespace: 'default' }, { type: 'merge', patch });
};
const drainProblem = async (claim: string) =>
  (await stage.eventsOf(`aks-${claim}`))
    .filter(({ reason }) => reason === 'FailedDraining')
    .map(({ message }) => message);
const gone = (name: string) => async () =>
  (await stage.get(NODE_CLAIMS, name)) === undefined && (await stage.get(NODES, `aks-${name}`)) === undefined;

const VOLUME = {
  metadata: { name: 'v' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    csi: { driver: 'disk.example.com', volumeHandle: 'v' },
    claimRef: { namespace: 'default', name: 'data' },
  },
};
const VOLUME_CLAIM = {
  metadata: {
    name: 'data',
    namespace: 'default',
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage: '1Gi' } },
    volumeName: 'v',
    storageClassName: '',
  },
};

describe('a claim that is deleted', () => {
  test('has its node drained and its instance terminated, and nothing is left', async () => {
    const name = await aRunningPod();
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('all is gone', gone(name));
    expect(stage.cloud.machines.size).toBe(0);
    expect(await stage.get(PODS, 'a')).toBeUndefined();
    expect((await stage.eventsOf('a')).map(({ reason }) => reason)).toContain('Evicted');
  });

  test('waits for a PodDisruptionBudget that allows no eviction, with an event on the node', async () => {
    const name = await aRunningPod();
    await stage.apply(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'b', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
    });
    await stage.world.clock.advance(2_000);
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(60_000);
    expect(await phase('a')).toBe('Running');
    expect(stage.cloud.machines.size).toBe(1);
    expect(await drainProblem(name)).toEqual([
      "Failed to drain node, 1 pod(s) are waiting to be evicted: default/a (Cannot evict pod as it would violate the pod's disruption budget.)",
    ]);
    await stage.admin.delete(POD_DISRUPTION_BUDGETS, { name: 'b', namespace: 'default' });
    await stage.until('all is gone', gone(name));
  });

  test('deletes the pod past the termination grace period despite the PodDisruptionBudget', async () => {
    const template = {
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        requirements: [],
        terminationGracePeriod: '2m',
      },
    };
    const name = await aRunningPod({ terminationGracePeriodSeconds: 20 }, { template });
    await stage.apply(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'b', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
    });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(90_000);
    expect(await stage.get(PODS, 'a')).toBeDefined();
    await stage.until('all is gone', gone(name), 90_000);
  });

  test('does not evict a do-not-disrupt pod until its duration has passed', async () => {
    const name = await aRunningPod();
    await annotatePod('5m');
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(120_000);
    expect(await phase('a')).toBe('Running');
    await stage.until('all is gone', gone(name), 300_000);
  });

  test('publishes one event on the node for a do-not-disrupt pod', async () => {
    const name = await aRunningPod();
    await annotatePod('true');
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(600_000);
    expect(await phase('a')).toBe('Running');
    expect(await drainProblem(name)).toEqual([
      'Failed to drain node, 1 pod(s) are waiting to be evicted: default/a (do-not-disrupt)',
    ]);
    const events = (await stage.list(EVENTS)).filter((event) => event['reason'] === 'FailedDraining');
    expect(events[0]!['count']).toBeLessThanOrEqual(5);
  });

  test('publishes no event while its pods terminate normally', async () => {
    const name = await aRunningPod({ terminationGracePeriodSeconds: 60 });
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('all is gone', gone(name), 180_000);
    expect(await drainProblem(name)).toEqual([]);
  });
});

describe('a node whose kubelet is dead', () => {
  test('is terminated although the volume of a pod that hangs in termination is still attached', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const name = await aRunningPod({}, {}, async () => {
      await stage.apply(PERSISTENT_VOLUMES, VOLUME);
      await stage.apply(PERSISTENT_VOLUME_CLAIMS, VOLUME_CLAIM);
      return { volumes };
    });
    await stage.apply(VOLUME_ATTACHMENTS, {
      metadata: { name: 'held' },
      spec: { attacher: 'disk.example.com', nodeName: `aks-${name}`, source: { persistentVolumeName: 'v' } },
    });
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    stage.playground.standins!.stopNode(`aks-${name}`);
    await stage.world.clock.advance(60_000);
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('all is gone', gone(name), 300_000);
  });

  test('and whose claim and instance are gone has its finalizer removed, despite its pods', async () => {
    const name = await aRunningPod({
      tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists' }],
    });
    await annotatePod('true');
    await stage.start([]);
    stage.cloud.machines.clear();
    stage.playground.standins!.stopNode(`aks-${name}`);
    const patch = { metadata: { finalizers: null } };
    await stage.admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(60_000);
    expect((await stage.get(NODES, `aks-${name}`))!.metadata.deletionTimestamp).toBeDefined();
    await stage.start(controllers);
    await stage.until('all is gone', gone(name));
  });
});
