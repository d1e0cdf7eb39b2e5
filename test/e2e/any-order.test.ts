import { EVENTS, type KubeObject, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';
import { conditionOf } from './story.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;
afterEach(() => ground.end());

const PIECES: Readonly<Record<string, readonly [ResourceRef, object]>> = {
  class: [AKS_NODE_CLASSES, NODE_CLASS],
  pool: [NODE_POOLS, pool('default')],
  pod: [PODS, pod('a')],
};
const STEP_MS = 100;
/** The window in which pods are collected, and a step to look: no second attempt fits into it. */
const ONE_RECONCILE_MS = 1_000 + STEP_MS;

async function begin(): Promise<void> {
  ground = await embeddedGround({ quiet: true, stepMs: STEP_MS });
  await ground.startOperator();
}

const bring = (piece: string) => ground.apply(...PIECES[piece]!);
const later = (ms: number) => ground.stage.world.clock.advance(ms);
const claims = () => ground.list(NODE_CLAIMS);
const nodeClassReady = async () =>
  conditionOf(await ground.find(NODE_POOLS, 'default'), 'NodeClassReady') ?? {};

/** How long from now until there is a claim. */
async function untilClaimed(): Promise<number> {
  const fromMs = ground.nowMs();
  while ((await claims()).length === 0) {
    if (ground.nowMs() - fromMs > 60_000) return Number.POSITIVE_INFINITY;
    await ground.pause();
  }
  return ground.nowMs() - fromMs;
}

async function eventsOn(name: string): Promise<readonly string[]> {
  const events = await ground.list(EVENTS);
  const about = (event: KubeObject) =>
    ((event['regarding'] ?? event['involvedObject']) as { name?: string } | undefined)?.name === name;
  return events.filter(about).map((event) => `${event['reason']}: ${event['note'] ?? event['message']}`);
}

describe('[000-S9] NodeClass, NodePool and pods may be created in any order', () => {
  test.each([
    ['class', 'pool', 'pod'],
    ['class', 'pod', 'pool'],
    ['pool', 'class', 'pod'],
    ['pool', 'pod', 'class'],
    ['pod', 'class', 'pool'],
    ['pod', 'pool', 'class'],
  ])('%s, %s, %s: one claim, within one reconcile of the last', async (first, second, third) => {
    await begin();
    await bring(first);
    await later(25_000);
    await bring(second);
    await later(25_000);
    expect(await claims()).toEqual([]);
    await bring(third);
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
    await later(30_000);
    expect(await claims()).toHaveLength(1);
    expect(ground.arm.resources.vms()).toHaveLength(1);
  });

  test('a pool without its class reports that it waits for it, and so does the pending pod', async () => {
    await begin();
    await bring('pod');
    await later(25_000);
    expect(await eventsOn('a')).toContainEqual(
      expect.stringMatching(/^FailedScheduling: .*no dynamic nodepools found/),
    );
    await bring('pool');
    await later(5_000);
    expect(await nodeClassReady()).toMatchObject({
      status: 'False',
      reason: 'NodeClassNotFound',
      message: expect.stringContaining('NodeClass not found'),
    });
    expect(conditionOf(await ground.find(NODE_POOLS, 'default'), 'Ready')).toMatchObject({ status: 'False' });
    // The event of a pod is repeated after five minutes at the latest.
    await later(301_000);
    expect(await eventsOn('a')).toContainEqual(
      expect.stringContaining('its AKSNodeClass default does not exist'),
    );
    await bring('class');
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
    expect(await nodeClassReady()).toMatchObject({ status: 'True' });
  });
});

describe('[000-S9] a NodeClass that is deleted and created again', () => {
  test('makes its pool not ready, and the claim is created when it exists again', async () => {
    await begin();
    await bring('class');
    await bring('pool');
    await later(5_000);
    await ground.remove(AKS_NODE_CLASSES, 'default');
    await later(5_000);
    expect(await ground.list(AKS_NODE_CLASSES)).toEqual([]);
    expect(await nodeClassReady()).toMatchObject({ status: 'False', reason: 'NodeClassNotFound' });
    await bring('pod');
    await later(25_000);
    expect(await claims()).toEqual([]);
    await bring('class');
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
  });

  test('is kept while claims use it; meanwhile the pool reports that and launches nothing', async () => {
    await begin();
    for (const piece of ['class', 'pool', 'pod']) await bring(piece);
    await ground.stage.until('a claim is launched', async () =>
      (await claims()).some((claim) => conditionOf(claim, 'Initialized')?.status === 'True'),
    );
    const [before] = await claims();
    await ground.remove(AKS_NODE_CLASSES, 'default');
    await later(5_000);
    expect(await nodeClassReady()).toMatchObject({ status: 'False', reason: 'NodeClassTerminating' });
    const { spec } = pod('huge') as { spec: { containers: { resources: { requests: object } }[] } };
    spec.containers[0]!.resources.requests = { cpu: '7' };
    await ground.apply(PODS, pod('huge', spec));
    await later(25_000);
    expect((await claims()).map(({ metadata }) => metadata.name)).toEqual([before!.metadata.name]);
    await ground.remove(NODE_CLAIMS, before!.metadata.name!);
    await ground.stage.until(
      'the class is gone',
      async () => (await ground.list(AKS_NODE_CLASSES)).length === 0,
    );
    expect(await claims()).toEqual([]);
    await bring('class');
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
  });

  test('while a claim is being launched: the claim is deleted, and its pods get another when the class exists again', async () => {
    await begin();
    ground.arm.faults.add('slow-boot=600000');
    for (const piece of ['class', 'pool', 'pod']) await bring(piece);
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
    const [first] = await claims();
    await ground.remove(AKS_NODE_CLASSES, 'default');
    await ground.remove(NODE_CLAIMS, first!.metadata.name!);
    await ground.stage.until(
      'class and claim are gone',
      async () => (await ground.list(AKS_NODE_CLASSES)).length + (await claims()).length === 0,
    );
    await bring('class');
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
    await later(10_000);
    expect(ground.arm.resources.vms()).toHaveLength(1);
  });
});

describe('[000-S9] a NodePool that is deleted and created again', () => {
  test('gets its claim at once, from the existing class', async () => {
    await begin();
    await bring('class');
    await bring('pool');
    await later(5_000);
    await ground.remove(NODE_POOLS, 'default');
    await bring('pod');
    await later(25_000);
    expect(await claims()).toEqual([]);
    await bring('pool');
    expect(await untilClaimed()).toBeLessThanOrEqual(ONE_RECONCILE_MS);
  });
});
