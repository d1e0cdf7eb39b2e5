import { NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { FullStage } from './all-controllers.ts';
import {
  addWorkloads,
  type Disruption,
  driftAll,
  nodeNames,
  nodeOf,
  podOf,
  removeWorkload,
  runningWorkloads,
} from './disruption.fixture.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const sampleOf = (name: string) => full.stage.world.values.get(name);
const DECISIONS = 'karpenter_voluntary_disruption_decisions_total';
const BY_POOL = 'karpenter_voluntary_disruption_decisions_by_nodepool_total';
const eligible = (reason: string) =>
  sampleOf(`karpenter_voluntary_disruption_eligible_nodes{reason="${reason}"}`);

test('nodes that may be disrupted are counted by reason', async () => {
  full = await runningWorkloads({ a: '1500m' });
  const { stage } = full;
  const { name, namespace } = (await podOf(full, 'a'))!.metadata;
  const annotate = (value: string | null) =>
    stage.admin.patch(
      PODS,
      { name: name!, namespace: namespace! },
      { type: 'merge', patch: { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } } },
    );
  await annotate('true');
  await stage.until('none', () => eligible('underutilized') === 0, 5 * MINUTE_MS);
  expect([eligible('drifted'), eligible('empty')]).toEqual([0, 0]);
  await annotate(null);
  await stage.until('underutilized', () => eligible('underutilized') === 1, 5 * MINUTE_MS);
  expect([eligible('drifted'), eligible('empty')]).toEqual([0, 0]);
  await driftAll(full);
  await stage.until('drifted', () => eligible('drifted') === 1, 5 * MINUTE_MS);
  await stage.until('its replacement runs', async () => (await nodeNames(full)).length === 1, 10 * MINUTE_MS);
  await removeWorkload(full, 'a');
  await stage.until('empty', () => eligible('empty') === 1, 5 * MINUTE_MS);
});

describe('a command counts by decision, reason and kind of consolidation', () => {
  const counted = async (labels: string) => {
    await full.stage.until(
      'the command is in progress',
      () => (sampleOf(`${DECISIONS}{${labels}}`) ?? 0) > 0,
      10 * MINUTE_MS,
    );
    const [type, decision, reason] = labels.split(',');
    expect(sampleOf(`${DECISIONS}{${labels}}`)).toBe(1);
    expect(sampleOf(`${BY_POOL}{${type},${decision},nodepool="general",${reason}}`)).toBe(1);
  };

  test('empty nodes', async () => {
    full = await runningWorkloads({ x: '9', y: '9' });
    await removeWorkload(full, 'x');
    await removeWorkload(full, 'y');
    await counted('consolidation_type="empty",decision="delete",reason="empty"');
  });

  test('a drifted node that is replaced', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    await driftAll(full);
    await counted('consolidation_type="",decision="replace",reason="drifted"');
  });

  test('a drifted node whose pods fit elsewhere', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const { stage } = full;
    const old = await nodeOf(full, 'a');
    const protect = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    await stage.admin.patch(NODES, { name: old }, { type: 'merge', patch: protect });
    await driftAll(full);
    await stage.world.clock.advance(MINUTE_MS);
    // A new node, which has not drifted, with room for the pod.
    await addWorkloads(full, { x: '9' });
    const free = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } };
    await stage.admin.patch(NODES, { name: old }, { type: 'merge', patch: free });
    await counted('consolidation_type="",decision="delete",reason="drifted"');
  });

  test('several underutilized nodes that are deleted', async () => {
    full = await runningWorkloads({ a: '1500m', b: '1500m', x: '9' });
    await counted('consolidation_type="multi",decision="delete",reason="underutilized"');
  });

  test('several underutilized nodes that are replaced', async () => {
    full = await runningWorkloads({ a: '1200m', b: '1200m', c: '1200m' });
    await counted('consolidation_type="multi",decision="replace",reason="underutilized"');
  });
});

describe('a NodePool with the policy Balanced', () => {
  const BALANCED: Disruption = { consolidationPolicy: 'Balanced' };
  const moves = (decision: string) =>
    sampleOf(
      `karpenter_consolidation_moves_total{decision="${decision}",nodepool="general",policy="Balanced"}`,
    );

  test('an approved move of a Balanced NodePool has an event and counts', async () => {
    full = await runningWorkloads({ x: '9', a: '3500m', y: '9', b: '3500m' }, { disruption: BALANCED });
    await removeWorkload(full, 'x');
    await removeWorkload(full, 'y');
    await full.stage.until('it is approved', () => (moves('approved') ?? 0) > 0, 5 * MINUTE_MS);
    const objects = ['general', ...(await nodeNames(full))];
    const events = (await Promise.all(objects.map((name) => full.stage.eventsOf(name)))).flat();
    const approved = events.filter(({ reason }) => reason === 'ConsolidationApproved');
    expect(approved.length).toBeGreaterThan(0);
    expect(approved[0]!.message).toMatch(/^score \d\.\d\d >= threshold 0\.50 \(k: 2, /);
  });

  test('a rejected move of a Balanced NodePool has no event of approval', async () => {
    // One node for three would save a third of the price and disrupt everything.
    full = await runningWorkloads({ a: '1200m', b: '1200m', c: '1200m' }, { disruption: BALANCED });
    await full.stage.world.clock.advance(5 * MINUTE_MS);
    expect(await nodeNames(full)).toHaveLength(3);
    expect(moves('approved')).toBeUndefined();
    const events = (
      await Promise.all(['general', ...(await nodeNames(full))].map((name) => full.stage.eventsOf(name)))
    ).flat();
    expect(events.filter(({ reason }) => reason === 'ConsolidationApproved')).toEqual([]);
  });
});
