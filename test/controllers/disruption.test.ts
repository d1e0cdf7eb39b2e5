import { CONFIG_MAPS, type KubeObject, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
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

let full: FullStage;
afterEach(() => full.stage.end());

const advance = (ms: number) => full.stage.world.clock.advance(ms);
const claimOf = (node: string) => node.slice('aks-'.length);
const history = async () => {
  const found = await full.stage.get(CONFIG_MAPS, 'chandler-disruption-history');
  const texts = Object.values((found?.['data'] ?? {}) as Record<string, string>);
  return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
};
const logged = (message: string) => full.stage.world.lines.filter((line) => line.message === message);
const metric = (name: string) =>
  [...full.stage.world.values]
    .filter(([key]) => key.startsWith(name))
    .map(([key, value]) => `${key} ${value}`);

describe('an empty node', () => {
  test('is deleted after the validation time, with events, and the command is kept', async () => {
    full = await runningWorkloads({ a: '1500m', b: '1500m' });
    const node = await nodeOf(full, 'a');
    const other = await nodeOf(full, 'b');
    await advance(60_000);
    await removeWorkload(full, 'a');
    await full.stage.until('it is deleted', async () => (await claims(full)).length === 1);
    expect(await full.stage.eventsOf(claimOf(node))).toContainEqual({
      reason: 'DisruptionTerminating',
      message: 'Disrupting NodeClaim: Empty',
    });
    expect(await full.stage.eventsOf(node)).toContainEqual({
      reason: 'DisruptionTerminating',
      message: 'Disrupting Node: Empty',
    });
    expect(await history()).toMatchObject([
      { reason: 'Empty', method: 'emptiness', decision: 'delete', nodes: [node], outcome: 'succeeded' },
    ]);
    expect(await nodeOf(full, 'b')).toBe(other);
    expect(metric('karpenter_voluntary_disruption_decisions_total')).toEqual([
      'karpenter_voluntary_disruption_decisions_total{consolidation_type="empty",decision="delete",reason="empty"} 1',
    ]);
    expect(metric('karpenter_nodeclaims_disrupted_total')).toEqual([
      'karpenter_nodeclaims_disrupted_total{capacity_type="on-demand",consolidation_policy="when_empty_or_underutilized",nodepool="general",reason="empty",termination_mode="graceful"} 1',
    ]);
  });

  test('stays when a pod is bound to it within the validation time, and is not tainted', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: '30s' } });
    const node = await nodeOf(full, 'a');
    await advance(60_000);
    await removeWorkload(full, 'a');
    await full.stage.until(
      'the command waits',
      async () =>
        reasonOf(await full.stage.get(NODE_CLAIMS, claimOf(node))) === undefined && isConsolidatable(node),
    );
    await advance(11_000);
    const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1' } } }];
    await full.stage.apply(PODS, {
      metadata: { name: 'b', namespace: 'default' },
      spec: { containers, nodeName: node },
    });
    await advance(120_000);
    expect(await nodeNames(full)).toEqual([node]);
    expect(hasTaint(await full.stage.get(NODES, node))).toBe(false);
    expect(logged('disruption command rejected')).toMatchObject([
      { fields: { reason: 'churn', nodes: [node] } },
    ]);
    expect(metric('karpenter_voluntary_disruption_failed_validations_total')).toContain(
      'karpenter_voluntary_disruption_failed_validations_total{consolidation_type="empty"} 1',
    );
  });

  test('stays while a setting of its pool cannot be read, and the pool says which', async () => {
    full = await runningWorkloads({ a: '1500m' });
    await advance(60_000);
    const patch = { metadata: { annotations: { 'chandler.sh/min-node-age': 'soon' } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await removeWorkload(full, 'a');
    await advance(120_000);
    expect(await nodeNames(full)).toHaveLength(1);
    const [event] = (await full.stage.eventsOf('general')).filter(
      ({ reason }) => reason === 'InvalidDisruptionSettings',
    );
    expect(event?.message).toMatch(
      /^No node is disrupted until this is repaired: metadata.annotations\[chandler.sh\/min-node-age\]: "soon": /,
    );
  });

  test('stays while the budget of its pool allows no disruption, and the pool has an event', async () => {
    full = await runningWorkloads({ a: '1500m', b: '1500m' }, { disruption: { budgets: [{ nodes: '0' }] } });
    await advance(60_000);
    await removeWorkload(full, 'a');
    await advance(120_000);
    expect(await nodeNames(full)).toHaveLength(2);
    expect(await full.stage.eventsOf('general')).toContainEqual({
      reason: 'DisruptionBlocked',
      message: 'No allowed disruptions for disruption reason Empty due to blocking budget',
    });
    expect(metric('karpenter_nodepools_allowed_disruptions')).toContain(
      'karpenter_nodepools_allowed_disruptions{nodepool="general",reason="empty"} 0',
    );
  });
});

function isConsolidatable(node: string): boolean {
  const claim = full.stage.context.stores.claims.store.get({ name: claimOf(node) });
  return (claim?.status?.conditions ?? []).some(({ type }) => type === 'Consolidatable');
}

describe('a drifted node', () => {
  test('is replaced first and deleted then, and its pod moves', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const old = await nodeOf(full, 'a');
    await advance(60_000);
    await driftAll(full);
    await full.stage.until('a second node', async () => (await claims(full)).length === 2);
    const oldClaim = await full.stage.get(NODE_CLAIMS, claimOf(old));
    expect(hasTaint(await full.stage.get(NODES, old))).toBe(true);
    expect(reasonOf(oldClaim)).toBe('Drifted');
    expect(commandOf(oldClaim)).toContain('"reason":"Drifted"');
    expect(oldClaim?.metadata.deletionTimestamp).toBeUndefined();
    const [replacement] = (await claims(full)).filter(({ metadata }) => metadata.name !== claimOf(old));
    await full.stage.until('the old node is gone', async () => !(await nodeNames(full)).includes(old));
    await full.stage.until('the pod runs again', () => runs(full, 'a'));
    expect(await nodeOf(full, 'a')).toBe(`aks-${replacement!.metadata.name}`);
    await advance(60_000);
    expect(await claims(full)).toHaveLength(1);
    const reasons = (await full.stage.eventsOf(replacement!.metadata.name!)).map(({ reason }) => reason);
    expect(reasons).toContain('DisruptionLaunching');
    expect(reasons).toContain('DisruptionWaitingReadiness');
    expect(await history()).toMatchObject([
      {
        reason: 'Drifted',
        decision: 'replace',
        replacements: [replacement!.metadata.name],
        outcome: 'succeeded',
      },
    ]);
  });

  test('is drained only after its replacement is initialized', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const old = await nodeOf(full, 'a');
    await advance(60_000);
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until('a second node', async () => (await claims(full)).length === 2);
    await advance(120_000);
    expect((await full.stage.get(NODES, old))?.metadata.deletionTimestamp).toBeUndefined();
    expect(await nodeOf(full, 'a')).toBe(old);
  });

  test('keeps its pods when the replacement is never initialized: the marks are removed for a minute', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const old = await nodeOf(full, 'a');
    await advance(60_000);
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until('a second node', async () => (await claims(full)).length === 2);
    await full.stage.until('it failed', async () => (await history()).length === 1, 15 * 60_000);
    expect(await history()).toMatchObject([{ outcome: 'failed', message: 'not finished after 601 s' }]);
    const claim = await full.stage.get(NODE_CLAIMS, claimOf(old));
    expect(hasTaint(await full.stage.get(NODES, old))).toBe(false);
    expect(reasonOf(claim)).toBeUndefined();
    expect(commandOf(claim)).toBeUndefined();
    expect(await nodeOf(full, 'a')).toBe(old);
    expect(metric('karpenter_voluntary_disruption_queue_failures_total')).toEqual([
      'karpenter_voluntary_disruption_queue_failures_total{consolidation_type="",decision="replace",reason="drifted"} 1',
    ]);
    await advance(50_000);
    expect(hasTaint(await full.stage.get(NODES, old))).toBe(false);
    await advance(30_000);
    expect(hasTaint(await full.stage.get(NODES, old))).toBe(true);
  });

  test('waits for its turn: at no moment are more nodes disrupted than the budget allows', async () => {
    full = await runningWorkloads(
      { a: '1500m', b: '1500m', c: '1500m', d: '1500m' },
      { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '2' }] } },
    );
    const old = await nodeNames(full);
    await advance(60_000);
    await driftAll(full);
    let most = 0;
    await full.stage.until(
      'all are replaced',
      async () => {
        const left = (await claims(full)).filter(
          (claim) => old.includes(`aks-${claim.metadata.name}`) && !isTerminating(claim),
        );
        const nodes = await full.stage.list(NODES);
        const disrupted = left.filter(({ metadata }) =>
          hasTaint(nodes.find((node) => node.metadata.name === `aks-${metadata.name}`)),
        );
        most = Math.max(most, disrupted.length);
        return left.length === 0;
      },
      20 * 60_000,
    );
    expect(most).toBe(2);
    await full.stage.until('all pods run', async () => {
      const running = await Promise.all(['a', 'b', 'c', 'd'].map((name) => runs(full, name)));
      return running.every(Boolean);
    });
  });

  test('is not evicted against a PodDisruptionBudget', async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const old = await nodeOf(full, 'a');
    await full.stage.apply(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'a', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
    });
    await advance(60_000);
    await driftAll(full);
    await advance(120_000);
    expect(await nodeNames(full)).toEqual([old]);
    expect(hasTaint(await full.stage.get(NODES, old))).toBe(false);
    expect(await full.stage.eventsOf(old)).toContainEqual({
      reason: 'DisruptionBlocked',
      message: 'Pdb prevents pod evictions (PodDisruptionBudget=[default/a])',
    });
  });
});

/** The cloud has accepted the deletion: it no longer counts. */
function isTerminating(claim: KubeObject): boolean {
  const { conditions = [] } = (claim['status'] ?? {}) as { conditions?: readonly { type: string }[] };
  return conditions.some(({ type }) => type === 'InstanceTerminating');
}

describe('marks of disruption', () => {
  test('that no command set are removed', async () => {
    full = await runningWorkloads({ a: '1500m' });
    const node = await nodeOf(full, 'a');
    await advance(60_000);
    const patch = { spec: { taints: [{ key: 'karpenter.sh/disrupted', effect: 'NoSchedule' }] } };
    await full.stage.admin.patch(NODES, { name: node }, { type: 'merge', patch });
    await advance(30_000);
    expect(hasTaint(await full.stage.get(NODES, node))).toBe(false);
    expect(logged('removed marks of a disruption that no command continues')).toHaveLength(1);
  });
});

describe('an underutilized node', () => {
  test('is removed when its pods fit on another node, after the validation time', async () => {
    full = await runningWorkloads({ b: '2500m', a: '1500m' });
    const nodes = [await nodeOf(full, 'a'), await nodeOf(full, 'b')];
    expect(nodes[0]).not.toBe(nodes[1]);
    await advance(120_000);
    // 1.5 and 2.5 cores do not fit on 3.9.
    expect(await nodeNames(full)).toHaveLength(2);
    await removeWorkload(full, 'b');
    await addWorkloads(full, { c: '2300m' });
    await full.stage.until('one node', async () => (await nodeNames(full)).length === 1, 300_000);
    await full.stage.until('a runs', () => runs(full, 'a'));
    expect(await nodeOf(full, 'a')).toBe(await nodeOf(full, 'c'));
    expect(await history()).toMatchObject([{ reason: 'Underutilized', decision: 'delete', podsMoved: 1 }]);
  });
});
