import { NODES, PODS, type Transport, TransportError } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS, snakeCase } from '../../packages/chandler/src/controllers/testing.ts';

import { type FullStage, fullStage, settledPod, UNDISRUPTED } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const settings = { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true }, legacyNodeRepair: true };
const MINUTE_MS = 60_000;
const isGoing = async (name: string) => {
  const claim = await full.stage.get(NODE_CLAIMS, name);
  return claim === undefined || claim.metadata.deletionTimestamp !== undefined;
};

/** It falls silent; within a minute it is Unknown, which the paper cloud tolerates for ten. */
async function fallIll(node: string) {
  full.stage.playground.standins!.stopNode(node);
  await full.stage.world.clock.advance(MINUTE_MS);
}

/** Pods so large that each has a node of its own. */
async function pods(count: number): Promise<readonly string[]> {
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '9' } } }];
  for (let at = 0; at < count; at++) await stage.apply(PODS, pod(`p${at}`, { containers }));
  await stage.until('all have a node', async () => (await stage.list(NODES)).length === count);
  return (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.name!);
}

describe('an unhealthy node, with the repair of before v1.15', () => {
  test('is replaced after the toleration duration of the repair policy, without waiting for its pods', async () => {
    full = await fullStage({ settings });
    const { stage } = full;
    const name = await settledPod(full, { pod: { terminationGracePeriodSeconds: 3600 } });
    await fallIll(`aks-${name}`);
    await stage.world.clock.advance(8 * MINUTE_MS);
    expect(await isGoing(name)).toBe(false);
    await stage.until('it goes', () => isGoing(name), 3 * MINUTE_MS);
    await stage.until(
      'it is gone',
      async () => (await stage.get(NODE_CLAIMS, name)) === undefined,
      3 * MINUTE_MS,
    );
    const labels =
      'capacity_type="on-demand",condition="ready",image_id="paper-image-1",nodepool="general",termination_mode="forceful"';
    expect(stage.world.values.get(`karpenter_nodeclaims_unhealthy_disrupted_total{${labels}}`)).toBe(1);
    const disrupted =
      'capacity_type="on-demand",consolidation_policy="",nodepool="general",reason="unhealthy",termination_mode="graceful"';
    expect(stage.world.values.get(`karpenter_nodeclaims_disrupted_total{${disrupted}}`)).toBe(1);
  });

  test('whose claim could not be deleted, and that recovers, keeps no deadline in the past', async () => {
    let rejects = true;
    const wire =
      (send: Transport): Transport =>
      async (request) => {
        if (rejects && request.method === 'DELETE' && request.path.includes('/nodeclaims/'))
          throw new TransportError('unreachable', 'connection reset');
        return send(request);
      };
    full = await fullStage({ settings, wire });
    const { stage } = full;
    const name = await settledPod(full, { pool: UNDISRUPTED });
    await fallIll(`aks-${name}`);
    await stage.world.clock.advance(11 * MINUTE_MS);
    await stage.playground.standins!.resumeNode(`aks-${name}`);
    await stage.world.clock.advance(2 * MINUTE_MS);
    rejects = false;
    await stage.world.clock.advance(2 * MINUTE_MS);
    const claim = await stage.get(NODE_CLAIMS, name);
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    expect(claim?.metadata.annotations).not.toHaveProperty(['karpenter.sh/nodeclaim-termination-timestamp']);
  });

  test('that recovers in time is kept', async () => {
    full = await fullStage({ settings });
    const name = await settledPod(full, { pool: UNDISRUPTED });
    await fallIll(`aks-${name}`);
    await full.stage.world.clock.advance(5 * MINUTE_MS);
    await full.stage.playground.standins!.resumeNode(`aks-${name}`);
    await full.stage.world.clock.advance(20 * MINUTE_MS);
    expect(await isGoing(name)).toBe(false);
  });

  test('is kept, with an event, when more than a fifth of its pool is unhealthy', async () => {
    full = await fullStage({ settings });
    const [first, second] = await pods(4);
    await fallIll(`aks-${first}`);
    await fallIll(`aks-${second}`);
    await full.stage.world.clock.advance(20 * MINUTE_MS);
    expect(await isGoing(first!)).toBe(false);
    expect(await isGoing(second!)).toBe(false);
    const events = await full.stage.eventsOf(`aks-${first}`);
    expect(events.find(({ reason }) => reason === 'NodeRepairBlocked')?.message).toBe(
      'more than 20% nodes are unhealthy in the nodepool',
    );
    await full.stage.playground.standins!.resumeNode(`aks-${second}`);
    await full.stage.until('the first goes', () => isGoing(first!), 6 * MINUTE_MS);
  });

  test('is left alone while the gate is off', async () => {
    full = await fullStage();
    const name = await settledPod(full);
    await fallIll(`aks-${name}`);
    await full.stage.world.clock.advance(30 * MINUTE_MS);
    expect(await isGoing(name)).toBe(false);
  });
});

test('names of conditions become labels as upstream makes them', async () => {
  full = await fullStage();
  expect(['Ready', 'KernelDeadlock', 'PIDPressure'].map(snakeCase)).toEqual([
    'ready',
    'kernel_deadlock',
    'pid_pressure',
  ]);
});
