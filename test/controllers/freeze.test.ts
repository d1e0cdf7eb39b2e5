import { CONFIG_MAPS, type KubeObject } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { FullStage } from './all-controllers.ts';
import { addWorkloads, nodeNames, removeWorkload, runningWorkloads } from './disruption.fixture.ts';
import { pool } from './stage.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const advance = (ms: number) => full.stage.world.clock.advance(ms);
const conditionOf = async (name: string, wanted: string) => {
  const { conditions = [] } = ((await full.stage.get(NODE_POOLS, name))?.['status'] ?? {}) as {
    conditions?: readonly { type: string; status: string; message: string }[];
  };
  return conditions.find(({ type }) => type === wanted);
};
const freeze = (data: Record<string, string>) =>
  full.stage.apply(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'chandler-freeze', namespace: 'kube-system' },
    data,
  });
const thaw = () =>
  full.stage.admin.delete(CONFIG_MAPS, { name: 'chandler-freeze', namespace: 'kube-system' });
const annotate = (value: string | null) => {
  const patch = { metadata: { annotations: { 'chandler.sh/min-node-age': value } } };
  return full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
};

describe('a freeze in the ConfigMap', () => {
  test('keeps empty nodes until it is removed, and every NodePool says so', async () => {
    full = await runningWorkloads({ a: '1500m' });
    await advance(MINUTE_MS);
    await freeze({ freeze: 'true', by: 'ops', reason: 'launch day' });
    await removeWorkload(full, 'a');
    await advance(3 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(1);
    expect(await conditionOf('general', 'DisruptionFrozen')).toMatchObject({
      status: 'True',
      message: 'disruption is frozen by ops: launch day (ConfigMap kube-system/chandler-freeze)',
    });
    expect(await conditionOf('general', 'Ready')).toMatchObject({ status: 'True' });
    await thaw();
    await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 0);
    expect(await conditionOf('general', 'DisruptionFrozen')).toBeUndefined();
  });

  test('ends by itself at its time', async () => {
    full = await runningWorkloads({ a: '1500m' });
    await advance(MINUTE_MS);
    const until = new Date(full.stage.world.clock.now() + 90_000).toISOString();
    await freeze({ freeze: until });
    await removeWorkload(full, 'a');
    await advance(80_000);
    expect(await nodeNames(full)).toHaveLength(1);
    await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 0, MINUTE_MS);
    expect(await conditionOf('general', 'DisruptionFrozen')).toBeUndefined();
  });

  test('within the validation time stops a command that waits', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: '30s' } });
    await advance(MINUTE_MS);
    await removeWorkload(full, 'a');
    await advance(40_000);
    expect(await nodeNames(full)).toHaveLength(1);
    await freeze({ 'general.freeze': 'true' });
    await advance(2 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(1);
  });

  test('of another NodePool does not matter, and one that cannot be read freezes', async () => {
    full = await runningWorkloads({ a: '1500m', b: '3' });
    await advance(MINUTE_MS);
    await freeze({ 'other.freeze': 'true' });
    await removeWorkload(full, 'a');
    await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 1);
    const patch = { data: { 'other.freeze': null, freeze: 'soon' } };
    const key = { name: 'chandler-freeze', namespace: 'kube-system' };
    await full.stage.admin.patch(CONFIG_MAPS, key, { type: 'merge', patch });
    await removeWorkload(full, 'b');
    await advance(3 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(1);
    expect((await conditionOf('general', 'DisruptionFrozen'))?.message).toContain('data[freeze]: "soon"');
  });

  test('keeps an expired node', async () => {
    const template = {
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
        requirements: [],
        expireAfter: '5m',
      },
    };
    full = await runningWorkloads(
      { a: '1500m' },
      { disruption: { consolidateAfter: 'Never' }, pool: { template } },
    );
    const before = await nodeNames(full);
    await freeze({ freeze: 'true' });
    await advance(20 * MINUTE_MS);
    expect(await nodeNames(full)).toEqual(before);
  });
});

describe('a NodePool with settings that cannot be read', () => {
  test('has a condition with field and value, is left alone while others go on, and is well when they are repaired', async () => {
    full = await runningWorkloads({ a: '1500m' });
    const other = pool('other', {
      disruption: { budgets: [{ nodes: '100%' }], consolidateAfter: '0s' },
      weight: 50,
    }) as KubeObject;
    await full.stage.apply(NODE_POOLS, other);
    await full.stage.until(
      'it is ready',
      async () => (await conditionOf('other', 'Ready'))?.status === 'True',
    );
    await addWorkloads(full, { b: '3' });
    await advance(MINUTE_MS);
    const [first] = await nodeNames(full);
    await annotate('soon');
    await full.stage.until('the condition', async () =>
      Boolean(await conditionOf('general', 'DisruptionSettingsInvalid')),
    );
    expect((await conditionOf('general', 'DisruptionSettingsInvalid'))?.message).toContain(
      'metadata.annotations[chandler.sh/min-node-age]: "soon": ',
    );
    expect(await conditionOf('other', 'DisruptionSettingsInvalid')).toBeUndefined();
    await removeWorkload(full, 'a');
    await removeWorkload(full, 'b');
    await full.stage.until(
      'the node of the other pool goes',
      async () => (await nodeNames(full)).length === 1,
    );
    await advance(2 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(1);
    expect(first).toBeDefined();
    await annotate(null);
    await full.stage.until('all are gone', async () => (await nodeNames(full)).length === 0);
    expect(await conditionOf('general', 'DisruptionSettingsInvalid')).toBeUndefined();
  });

  test('names a budget with a cron that makes no sense, and one in a zone that does not exist', async () => {
    const budgets = [
      { nodes: '1', schedule: '0 25 * * *', duration: '1h' },
      { nodes: '1', schedule: 'CRON_TZ=Mars/Base 0 9 * * *', duration: '1h' },
    ];
    full = await runningWorkloads({ a: '1500m' }, { disruption: { budgets } });
    const { message } = (await conditionOf('general', 'DisruptionSettingsInvalid'))!;
    expect(message).toContain('spec.disruption.budgets[0].schedule: "0 25 * * *": ');
    expect(message).toContain('spec.disruption.budgets[1].schedule: "CRON_TZ=Mars/Base 0 9 * * *": ');
  });
});

test('an empty node of a NodePool with windows goes when the next one opens, without any other change', async () => {
  full = await runningWorkloads({ a: '1500m' });
  await advance(MINUTE_MS);
  const opens = new Date(full.stage.world.clock.now() + 4 * MINUTE_MS);
  const windows = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * * 10m`;
  const patch = { metadata: { annotations: { 'chandler.sh/disruption-windows': windows } } };
  await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
  await removeWorkload(full, 'a');
  await advance(2.5 * MINUTE_MS);
  expect(await nodeNames(full)).toHaveLength(1);
  await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 0, 3 * MINUTE_MS);
});

describe('thresholds for all NodePools', () => {
  const saving = { minSavingPerMonth: 0, minSavingPercent: 0, costPerEvictedPod: 0, minNodeAgeMs: 0 };

  test('keep young nodes, unless the NodePool has an annotation of its own', async () => {
    full = await runningWorkloads(
      { a: '1500m' },
      { stage: { settings: { saving: { ...saving, minNodeAgeMs: 3_600_000 } } } },
    );
    await advance(MINUTE_MS);
    await removeWorkload(full, 'a');
    await advance(3 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(1);
    await annotate('1m');
    await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 0);
  });
});
