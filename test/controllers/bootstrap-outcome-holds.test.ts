import { NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';

import {
  aFailure,
  type BootstrapStage,
  bootstrapStage,
  IMAGE,
  withPod,
} from './bootstrap-outcome.fixture.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let own: BootstrapStage;
afterEach(() => own.stage.end());

const MINUTE_MS = 60_000;
const OTHER_IMAGE = '/CommunityGalleries/g/images/2204gen2/versions/202609.07.0';
const repeats = { state: 'failed', failure: aFailure({ deterministic: true }) } as const;
const byChance = { state: 'failed', failure: aFailure() } as const;
const launches = () => own.stage.cloud.launches.size;

async function allFail(outcome: typeof repeats | typeof byChance, pods = 1): Promise<void> {
  own = await bootstrapStage();
  own.bootstrap.says = () => outcome;
  await withPod(own, {}, pods);
}

const twoFail = async () => {
  await allFail(repeats);
  await own.stage.until('two failed', async () => (await own.failed()).length === 2);
};

/** A pool that buys machines of one architecture. */
const onArch = (arch: string, nodeClass = 'default') => ({
  template: {
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: nodeClass },
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: [arch] }],
    },
  },
});

describe('a failure that will repeat', () => {
  test('is retried once at once, then after one minute, five, fifteen, thirty', async () => {
    await allFail(repeats);
    await own.stage.world.clock.advance(90_000);
    expect(launches()).toBe(3);
    await own.stage.world.clock.advance(60 * MINUTE_MS);
    expect(launches()).toBe(6);
    const told = (await own.stage.eventsOf('general')).find(({ reason }) => reason === 'LaunchesHeldBack');
    expect(told?.message).toContain('CSE exit code 50 (ERR_OUTBOUND_CONN_FAIL)');
  });

  test('holds back other pools of the same class too, and not those of another class', async () => {
    await twoFail();
    own.bootstrap.says = () => undefined;
    own.stage.cloud.joins = true;
    await own.stage.apply(NODE_POOLS, pool('second', { weight: 50 }));
    await own.stage.world.clock.advance(20_000);
    expect(await own.stage.list(NODES)).toEqual([]);
    await own.stage.apply(AKS_NODE_CLASSES, { ...NODE_CLASS, metadata: { name: 'other' } });
    await own.stage.apply(NODE_POOLS, pool('third', onArch('amd64', 'other')));
    await own.stage.until('there is a node', async () => (await own.stage.list(NODES)).length === 1, 25_000);
  });

  test('ends with another image in the status of the class', async () => {
    await twoFail();
    own.bootstrap.says = () => undefined;
    own.stage.cloud.joins = true;
    await own.publish([{ id: OTHER_IMAGE, requirements: [] }]);
    await own.stage.until('there is a node', async () => (await own.stage.list(NODES)).length === 1, 25_000);
  });

  test('ends with an edit of the class', async () => {
    await twoFail();
    own.bootstrap.says = () => undefined;
    own.stage.cloud.joins = true;
    const patch = { spec: { osDiskSizeGB: 200 } };
    await own.stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch });
    await own.stage.until('there is a node', async () => (await own.stage.list(NODES)).length === 1, 25_000);
  });

  test('does not hold back a pool that would not use that image', async () => {
    await twoFail();
    own.bootstrap.says = () => undefined;
    own.stage.cloud.joins = true;
    const arm = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }];
    await own.publish([
      { id: IMAGE, requirements: arm },
      { id: OTHER_IMAGE, requirements: [] },
    ]);
    await own.stage.apply(NODE_POOLS, pool('second', onArch('amd64')));
    await own.stage.until('there is a node', async () => (await own.stage.list(NODES)).length === 1, 25_000);
  });

  test('is one failure when ten instances of one plan fail alike', async () => {
    own = await bootstrapStage();
    own.bootstrap.says = () => repeats;
    await own.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await own.stage.apply(NODE_POOLS, pool('general'));
    const host = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'a' } } };
    const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [host] } };
    for (let index = 0; index < 10; index++) await own.stage.apply(PODS, pod(`p${index}`, { affinity }));
    // All of the first plan, and all of the second: it was not held back.
    await own.stage.until('twenty were tried', () => launches() === 20, 60_000);
    await own.stage.world.clock.advance(30_000);
    expect(launches()).toBe(20);
  });

  test('is reset when a node of that class and image registers', async () => {
    await twoFail();
    own.bootstrap.says = () => undefined;
    own.stage.cloud.joins = true;
    await own.stage.until('there is a node', async () => (await own.stage.list(NODES)).length === 1);
    own.stage.cloud.joins = false;
    own.bootstrap.says = () => repeats;
    const before = launches();
    await own.stage.apply(
      PODS,
      pod('big', { containers: [{ name: 'main', image: 'i', resources: { requests: { cpu: '3' } } }] }),
    );
    // Two in a row again, since the first costs nothing.
    await own.stage.until('it is tried twice', () => launches() === before + 2, 40_000);
  });
});

describe('a failure that may not repeat', () => {
  test('is retried three times at once, and then less often', async () => {
    await allFail(byChance);
    await own.stage.world.clock.advance(50_000);
    expect(launches()).toBe(4);
    await own.stage.world.clock.advance(60_000);
    expect(launches()).toBe(5);
  });
});

describe('a static pool', () => {
  test('replaces a failed claim at once, and does not shrink because of it', async () => {
    own = await bootstrapStage({ settings: { gates: { ...DEFAULT_SETTINGS.gates, StaticCapacity: true } } });
    let failed: string | undefined;
    own.bootstrap.says = ({ metadata }) => {
      failed ??= metadata.name;
      return metadata.name === failed ? repeats : undefined;
    };
    await own.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await own.stage.apply(NODE_POOLS, pool('fixed', { replicas: 2, limits: { nodes: '2' } }));
    await own.stage.until('a claim failed', async () => (await own.failed()).length === 1);
    own.stage.cloud.joins = true;
    await own.stage.until('it is replaced', () => launches() === 3, 10_000);
    await own.stage.world.clock.advance(2 * MINUTE_MS);
    expect(await own.claims()).toHaveLength(3);
    expect(launches()).toBe(3);
  });
});
