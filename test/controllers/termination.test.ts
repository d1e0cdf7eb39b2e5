import { afterEach, describe, expect, it } from 'vitest';
import type { ControllerContext } from '../../src/controllers/context.ts';
import { lifecycle } from '../../src/controllers/lifecycle/lifecycle.ts';
import { provisioner } from '../../src/controllers/provisioning/provisioner.ts';
import { EvictionQueue } from '../../src/controllers/termination/eviction-queue.ts';
import { termination } from '../../src/controllers/termination/termination.ts';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_POOLS,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '../../src/kube/index.ts';
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

async function aRunningPod(spec: Record<string, unknown> = {}, pool: Record<string, unknown> = {}) {
  stage = await setStage({ controllers });
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await readyPool(stage, 'general', pool);
  await stage.apply(PODS, pod('a', spec));
  await stage.until('the pod runs', async () => (await phase('a')) === 'Running');
  return (await stage.list(NODE_CLAIMS))[0]!.metadata.name!;
}
const phase = async (name: string) =>
  ((await stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;
const gone = (name: string) => async () =>
  (await stage.get(NODE_CLAIMS, name)) === undefined && (await stage.get(NODES, `aks-${name}`)) === undefined;

describe('a claim that is deleted', () => {
  it('has its node drained and its machine given back, and nothing is left', async () => {
    const name = await aRunningPod();
    await stage.admin.delete(NODE_POOLS, { name: 'general' });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.until('all is gone', gone(name));
    expect(stage.cloud.machines.size).toBe(0);
    expect(await stage.get(PODS, 'a')).toBeUndefined();
    expect((await stage.eventsOf('a')).map(({ reason }) => reason)).toContain('Evicted');
  });

  it('waits for a budget that allows no eviction, and says so on the node', async () => {
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
    expect((await stage.eventsOf(`aks-${name}`)).map(({ reason }) => reason)).toContain('FailedDraining');
    await stage.admin.delete(POD_DISRUPTION_BUDGETS, { name: 'b', namespace: 'default' });
    await stage.until('all is gone', gone(name));
  });

  it('past its grace period it takes the pod whatever the budget says', async () => {
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

  it('leaves a pod alone that asked not to be disrupted, until it may go', async () => {
    const name = await aRunningPod();
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': '5m' } } };
    await stage.admin.patch(PODS, { name: 'a', namespace: 'default' }, { type: 'merge', patch });
    await stage.admin.delete(NODE_CLAIMS, { name });
    await stage.world.clock.advance(120_000);
    expect(await phase('a')).toBe('Running');
    await stage.until('all is gone', gone(name), 300_000);
  });
});
