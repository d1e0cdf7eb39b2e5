import { CONFIG_MAPS, type KubeObject, NODES, POD_DISRUPTION_BUDGETS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import {
  claims,
  type Disruption,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  policiesFor,
  reasonOf,
  runningWorkloads,
  runs,
  setIll,
} from './disruption.fixture.ts';
import { NODE_CLASS, pool } from './stage.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const advance = (ms: number) => full.stage.world.clock.advance(ms);
const claimOf = (node: string) => node.slice('aks-'.length);
const gates = { ...DEFAULT_SETTINGS.gates, NodeRepair: true };
const metric = (name: string) =>
  [...full.stage.world.values]
    .filter(([key]) => key.startsWith(name))
    .map(([key, value]) => `${key} ${value}`);
const history = async () => {
  const found = await full.stage.get(CONFIG_MAPS, 'chandler-disruption-history');
  const texts = Object.values((found?.['data'] ?? {}) as Record<string, string>);
  return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
};

/** One workload on one node, which has been running for a while. */
async function running(
  policy: Parameters<typeof policiesFor>[0] = {},
  disruption: Disruption = {},
  own: object = {},
): Promise<string> {
  full = await runningWorkloads(
    { a: '1500m' },
    {
      disruption: { consolidateAfter: 'Never', ...disruption },
      stage: { settings: { gates, ...own }, repairPolicies: policiesFor(policy) },
    },
  );
  await advance(MINUTE_MS);
  return nodeOf(full, 'a');
}

const isGoing = async (node: string) => {
  const claim = await full.stage.get(NODE_CLAIMS, claimOf(node));
  return claim === undefined || claim.metadata.deletionTimestamp !== undefined;
};

async function protect(): Promise<void> {
  await full.stage.apply(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'a', namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
  });
}

describe('an unhealthy node', () => {
  test('is replaced when its condition is no longer tolerated, and drained only when the new node is initialized', async () => {
    const node = await running();
    full.stage.cloud.bootMs = 40_000;
    await setIll(full, node);
    await advance(25_000);
    expect(await claims(full)).toHaveLength(1);
    await full.stage.until('a second node', async () => (await claims(full)).length === 2, 30_000);
    const claim = await full.stage.get(NODE_CLAIMS, claimOf(node));
    expect(reasonOf(claim)).toBe('Unhealthy');
    expect(claim?.metadata.deletionTimestamp).toBeUndefined();
    expect(hasTaint(await full.stage.get(NODES, node))).toBe(true);
    expect(await nodeOf(full, 'a')).toBe(node);
    await full.stage.until('it is gone', async () => !(await nodeNames(full)).includes(node));
    await full.stage.until('the pod runs again', () => runs(full, 'a'));
    expect(await history()).toMatchObject([
      { reason: 'Unhealthy', method: 'repair', decision: 'replace', nodes: [node], outcome: 'succeeded' },
    ]);
    expect(metric('karpenter_nodeclaims_unhealthy_disrupted_total')).toEqual([
      'karpenter_nodeclaims_unhealthy_disrupted_total{capacity_type="on-demand",condition="ill",image_id="paper-image-1",nodepool="general",termination_mode="graceful"} 1',
    ]);
    expect(metric('karpenter_voluntary_disruption_decisions_total')).toEqual([
      'karpenter_voluntary_disruption_decisions_total{consolidation_type="",decision="replace",reason="unhealthy"} 1',
    ]);
  });

  test('that is well again in time is kept', async () => {
    const node = await running();
    await setIll(full, node);
    await advance(20_000);
    await setIll(full, node, false);
    await advance(2 * MINUTE_MS);
    expect(await isGoing(node)).toBe(false);
    expect(await claims(full)).toHaveLength(1);
  });

  test('stays while a budget allows nothing, also one without a reason', async () => {
    const node = await running({}, { budgets: [{ nodes: '0' }] });
    await setIll(full, node);
    await advance(3 * MINUTE_MS);
    expect(await isGoing(node)).toBe(false);
    const patch = { spec: { disruption: { budgets: [{ nodes: '0', reasons: ['Drifted'] }] } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await full.stage.until('it goes', () => isGoing(node));
  });

  test('stays with the annotation do-not-repair, and has an event', async () => {
    const node = await running();
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-repair': 'true' } } };
    await full.stage.admin.patch(NODES, { name: node }, { type: 'merge', patch });
    await setIll(full, node);
    await advance(3 * MINUTE_MS);
    expect(await isGoing(node)).toBe(false);
    expect(await full.stage.eventsOf(node)).toContainEqual({
      reason: 'DisruptionBlocked',
      message: 'repair is blocked through the "karpenter.sh/do-not-repair" annotation',
    });
  });

  test('with a pod that may not be evicted stays, unless the policy bounds the drain', async () => {
    const node = await running();
    await protect();
    await setIll(full, node);
    await advance(3 * MINUTE_MS);
    expect(await isGoing(node)).toBe(false);
    expect(await full.stage.eventsOf(node)).toContainEqual({
      reason: 'DisruptionBlocked',
      message: 'repair requires a termination grace period to bypass blocking pods',
    });
  });

  test('is drained no longer than its policy says, also by a leader that comes after the deletion', async () => {
    const node = await running({ terminationGracePeriodMs: 45_000 });
    await protect();
    await setIll(full, node);
    await full.stage.until('it goes', () => isGoing(node));
    await full.restart();
    await advance(5_000);
    const { metadata } = (await full.stage.get(NODE_CLAIMS, claimOf(node))) as KubeObject;
    const deadline = metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'];
    expect(Date.parse(deadline!) - Date.parse(metadata.deletionTimestamp!)).toBe(45_000);
    await full.stage.until('it is gone', async () => !(await nodeNames(full)).includes(node));
    expect(metric('karpenter_nodeclaims_unhealthy_disrupted_total')[0]).toContain(
      'termination_mode="eventual"',
    );
  });

  test('is left alone while the gate is off, or when a controller of its own repairs', async () => {
    const node = await running({}, {}, { legacyNodeRepair: true, gates: DEFAULT_SETTINGS.gates });
    await setIll(full, node);
    await advance(3 * MINUTE_MS);
    expect(await isGoing(node)).toBe(false);
    expect(await claims(full)).toHaveLength(1);
  });

  test('that never initialized is repaired, although pods are expected on it and no budget allows anything', async () => {
    full = await runningWorkloads(
      { a: '1500m' },
      {
        disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] },
        stage: { settings: { gates }, repairPolicies: policiesFor({}) },
      },
    );
    full.stage.cloud.bootTaints = [
      { key: 'karpenter.sh/unregistered', effect: 'NoExecute' },
      { key: 'readiness.k8s.io/never', effect: 'NoSchedule' },
    ];
    const [old] = await claims(full);
    await full.stage.admin.delete(NODE_CLAIMS, { name: old!.metadata.name! });
    const registered = async () =>
      (await full.stage.list(NODES)).find(
        ({ metadata }) =>
          metadata.name !== `aks-${old!.metadata.name}` && metadata.labels?.['karpenter.sh/registered'],
      );
    await full.stage.until('another node registers', async () => (await registered()) !== undefined);
    const name = (await registered())!.metadata.name!;
    await setIll(full, name);
    await full.stage.until('it goes', () => isGoing(name));
  });
});

describe('a static NodePool at its limit of nodes', () => {
  const spec = { replicas: 1, limits: { nodes: '1' } };
  const drifted = async (gate: boolean) => {
    full = await fullStage({
      settings: { gates: { ...DEFAULT_SETTINGS.gates, StaticCapacity: true, TerminateFirstDrift: gate } },
    });
    await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await full.stage.apply(
      NODE_POOLS,
      pool('general', { ...spec, disruption: { budgets: [{ nodes: '1' }] } }),
    );
    await full.stage.until('its node', async () => (await nodeNames(full)).length === 1);
    await advance(MINUTE_MS);
    const [node] = await nodeNames(full);
    await driftAll(full);
    return node!;
  };

  test('keeps its drifted node, with an event, while the gate is off', async () => {
    const node = await drifted(false);
    await advance(2 * MINUTE_MS);
    expect(await nodeNames(full)).toEqual([node]);
    expect(await full.stage.eventsOf(node)).toContainEqual({
      reason: 'DisruptionBlocked',
      message: 'static NodePool is at its node limit and cannot stage a replacement',
    });
  });

  test('deletes it first with the gate TerminateFirstDrift, and launches another then', async () => {
    const node = await drifted(true);
    let most = 0;
    await full.stage.until(
      'another node',
      async () => {
        const names = await nodeNames(full);
        most = Math.max(most, names.length);
        return names.length === 1 && names[0] !== node;
      },
      5 * MINUTE_MS,
    );
    expect(most).toBe(1);
    await full.stage.until('it is written down', async () => (await history()).length > 0);
    expect(await history()).toMatchObject([
      { reason: 'Drifted', decision: 'terminate-first', nodes: [node], outcome: 'succeeded' },
    ]);
    expect(metric('karpenter_voluntary_disruption_terminate_first_decisions_total')).toEqual([
      'karpenter_voluntary_disruption_terminate_first_decisions_total{nodepool="general",reason="drifted",terminate_first_reason="static-at-limit"} 1',
    ]);
  });
});
