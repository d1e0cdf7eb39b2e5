import { CONFIG_MAPS, type KubeObject, NODES } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { commandTimeoutMs } from '../../packages/chandler/src/controllers/testing.ts';
import type { FullStage } from './all-controllers.ts';
import {
  addWorkloads,
  claims,
  commandOf,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  reasonOf,
  removeWorkload,
  runningWorkloads,
  runs,
} from './disruption.fixture.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
const NEVER = { disruption: { consolidateAfter: 'Never' } };

test.each([
  [100, 10],
  [4_000, 10],
  [10_000, 13 + 1 / 3],
  [40_000, 53 + 1 / 3],
  [80_000, 60],
  [100_000, 60],
])('%i nodes in commands: %i minutes', (nodes, minutes) => {
  expect(commandTimeoutMs(nodes)).toBeCloseTo(minutes * MINUTE_MS);
});

describe('a command', () => {
  let full: FullStage;
  afterEach(() => full.stage.end());

  const advance = (ms: number) => full.stage.world.clock.advance(ms);
  const claimOf = (node: string) => node.slice('aks-'.length);
  const marked = async (node: string) => hasTaint(await full.stage.get(NODES, node));
  const metric = (name: string) =>
    [...full.stage.world.values].flatMap(([key, value]) => (key.startsWith(name) ? [`${key} ${value}`] : []));
  const outcomes = async () => {
    const found = await full.stage.get(CONFIG_MAPS, 'chandler-disruption-history');
    const texts = Object.values((found?.['data'] ?? {}) as Record<string, string>);
    return texts.map((text) => (JSON.parse(text) as { outcome: string }).outcome);
  };
  const replacements = async (old: readonly string[]) =>
    (await claims(full)).filter(({ metadata }) => !old.includes(`aks-${metadata.name}`));

  /** The Node of the claim, whose machine did not join by itself. */
  async function join({ metadata }: KubeObject): Promise<void> {
    const { instance } = full.stage.cloud.machines.get(metadata.uid!)!;
    const { cpu, memory } = instance.capacity as Record<string, string>;
    await full.stage.playground.standins!.addNode({
      name: instance.name,
      cpu: cpu!,
      memory: memory!,
      allocatable: instance.allocatable as Record<string, string>,
      labels: { ...instance.labels, ...metadata.labels },
      taints: full.stage.cloud.bootTaints,
    });
    const patch = { spec: { providerID: instance.providerID } };
    await full.stage.admin.patch(NODES, { name: instance.name }, { type: 'merge', patch });
  }

  test('keeps its node marked while its replacement is not initialized', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until('a second claim', async () => (await claims(full)).length === 2);
    for (const minutes of [1, 4, 4]) {
      await advance(minutes * MINUTE_MS);
      expect(await marked(old)).toBe(true);
      expect(await claims(full)).toHaveLength(2);
      expect(commandOf(await full.stage.get(NODE_CLAIMS, claimOf(old)))).toBeDefined();
    }
    expect(await outcomes()).toEqual([]);
  });

  test('of consolidation counts its failure by the kind of consolidation', async () => {
    full = await runningWorkloads({ x: '9', a: '1500m' });
    full.stage.cloud.joins = false;
    await removeWorkload(full, 'x');
    await full.stage.until('it failed', async () => (await outcomes()).includes('failed'), 20 * MINUTE_MS);
    expect(metric('karpenter_voluntary_disruption_queue_failures_total')).toEqual([
      'karpenter_voluntary_disruption_queue_failures_total{consolidation_type="single",decision="replace",reason="underutilized"} 1',
    ]);
  });

  test('with two replacements waits for both', async () => {
    full = await runningWorkloads(
      { x: '9', a: '3500m', b: '2' },
      { disruption: { consolidateAfter: '30s' } },
    );
    const old = await nodeOf(full, 'a');
    expect(await nodeNames(full)).toEqual([old]);
    full.stage.cloud.joins = false;
    await removeWorkload(full, 'x');
    await full.stage.until(
      'two claims more',
      async () => (await replacements([old])).length === 2,
      10 * MINUTE_MS,
    );
    await advance(30_000);
    const [first, second] = await replacements([old]);
    await join(first!);
    await full.stage.until('the first is ready', async () =>
      isTrue(await full.stage.get(NODE_CLAIMS, first!.metadata.name!), 'Initialized'),
    );
    await advance(MINUTE_MS);
    expect(await marked(old)).toBe(true);
    expect((await full.stage.get(NODES, old))?.metadata.deletionTimestamp).toBeUndefined();
    await join(second!);
    await full.stage.until('it is gone', async () => !(await nodeNames(full)).includes(old), 5 * MINUTE_MS);
  });

  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string>>, string]>([
    ['one node', { b: '2500m', a: '1500m' }, { c: '2300m' }, 'single'],
    ['several nodes', { a: '1200m', b: '1200m', c: '1200m' }, {}, 'multi'],
  ])('of %s waits for its validation before anything is marked', async (_, first, then, type) => {
    full = await runningWorkloads(first);
    if ('c' in then) await removeWorkload(full, 'b');
    await addWorkloads(full, then);
    const count = (name: string) => metric(name).length;
    await full.stage.until(
      'it is planned',
      () => count('karpenter_consolidation_moves_total{decision="approved"') > 0,
      10 * MINUTE_MS,
    );
    await advance(13_000);
    expect((await full.stage.list(NODES)).filter(hasTaint)).toEqual([]);
    const begun = `karpenter_voluntary_disruption_decisions_total{consolidation_type="${type}"`;
    await full.stage.until('it begins', () => count(begun) > 0, 5 * MINUTE_MS);
  });

  test('of an empty node waits for its validation before anything is marked', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: '1m' } });
    const node = await nodeOf(full, 'a');
    await removeWorkload(full, 'a');
    await full.stage.until(
      'it is consolidatable',
      async () => isTrue(await full.stage.get(NODE_CLAIMS, claimOf(node)), 'Consolidatable'),
      5 * MINUTE_MS,
    );
    await advance(13_000);
    expect(await marked(node)).toBe(false);
    expect(await nodeNames(full)).toEqual([node]);
    await full.stage.until('it is gone', async () => (await nodeNames(full)).length === 0, 5 * MINUTE_MS);
  });

  test('without a replacement deletes its node at once', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    await removeWorkload(full, 'a');
    await driftAll(full);
    await full.stage.until('it is gone', async () => (await claims(full)).length === 0, 5 * MINUTE_MS);
    const reasons = (await full.stage.eventsOf(old)).map(({ reason }) => reason);
    expect(reasons).toContain('DisruptionTerminating');
    expect(
      full.stage.world.values.get(
        'karpenter_nodeclaims_created_total{min_values_relaxed="false",nodepool="general",reason="drifted"}',
      ),
    ).toBeUndefined();
  });

  test('is finished for itself: two of them end as their replacements are initialized', async () => {
    full = await runningWorkloads({ a: '1500m', b: '1500m' }, NEVER);
    const old = await nodeNames(full);
    await driftAll(full);
    await full.stage.until(
      'both have a replacement',
      async () => (await replacements(old)).length === 2,
      5 * MINUTE_MS,
    );
    await full.stage.until(
      'both are gone',
      async () => !(await nodeNames(full)).some((name) => old.includes(name)),
      20 * MINUTE_MS,
    );
    expect(await outcomes()).toEqual(['succeeded', 'succeeded']);
  });

  test('a replacement that vanishes takes the marks off the node, also the condition', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until(
      'it is marked',
      async () => (await replacements([old])).length === 1 && (await marked(old)),
    );
    expect(reasonOf(await full.stage.get(NODE_CLAIMS, claimOf(old)))).toBe('Drifted');
    const [replacement] = await replacements([old]);
    await full.stage.admin.delete(NODE_CLAIMS, { name: replacement!.metadata.name! });
    await full.stage.until('the marks are off', async () => !(await marked(old)), 10 * MINUTE_MS);
    const claim = await full.stage.get(NODE_CLAIMS, claimOf(old));
    expect([reasonOf(claim), commandOf(claim)]).toEqual([undefined, undefined]);
    expect(await nodeOf(full, 'a')).toBe(old);
  });

  test('a node that is being replaced gets one replacement: pods on it are not pending', async () => {
    full = await runningWorkloads({ a: '1500m' }, NEVER);
    const old = await nodeOf(full, 'a');
    await driftAll(full);
    let most = 0;
    await full.stage.until(
      'it is replaced',
      async () => {
        most = Math.max(most, (await claims(full)).length);
        return !(await nodeNames(full)).includes(old) && (await runs(full, 'a'));
      },
      10 * MINUTE_MS,
    );
    expect(most).toBe(2);
  });

  test('a pod that becomes pending while a node is replaced gets no node of its own', async () => {
    full = await runningWorkloads({ x: '9', a: '2500m' });
    full.stage.cloud.bootMs = 60_000;
    await removeWorkload(full, 'x');
    await full.stage.until('a replacement', async () => (await claims(full)).length === 2, 5 * MINUTE_MS);
    // It fits beside the other on the replacement.
    await addWorkloads(full, { b: '1' });
    await full.stage.until('one node', async () => (await nodeNames(full)).length === 1, 10 * MINUTE_MS);
    expect(full.stage.cloud.launches.size).toBe(2);
  });
});

function isTrue(claim: KubeObject | undefined, condition: string): boolean {
  const { conditions = [] } = (claim?.['status'] ?? {}) as {
    conditions?: readonly { type: string; status: string }[];
  };
  return conditions.some(({ type, status }) => type === condition && status === 'True');
}
