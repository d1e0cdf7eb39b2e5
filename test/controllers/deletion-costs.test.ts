import { DEPLOYMENTS, type KubeObject, NODES, PODS, type Transport } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import type { FullStage } from './all-controllers.ts';
import { driftAll, nodeOf, podOf, runningWorkloads } from './disruption.fixture.ts';
import type { StageOptions } from './stage.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const COST = 'controller.kubernetes.io/pod-deletion-cost';
const MINUTE_MS = 60_000;
/** Nodes are ranked and not consolidated. */
const SETTLED = { consolidateAfter: '12h' };
const gates = { ...DEFAULT_SETTINGS.gates, PodDeletionCostManagement: true };

let full: FullStage;
afterEach(() => full.stage.end());

const costOf = (pod: KubeObject | undefined) => pod?.metadata.annotations?.[COST];
const podWrites = () => full.stage.writes.filter((write) => /^PATCH .*\/pods\/[^/]+$/.test(write));
const metric = (name: string) =>
  [...full.stage.world.values].flatMap(([key, value]) => (key.startsWith(name) ? [`${key} ${value}`] : []));
const running = (
  cpus: Readonly<Record<string, string>>,
  disruption: Record<string, unknown> = SETTLED,
  stage: Omit<StageOptions, 'controllers'> = {},
) => runningWorkloads(cpus, { disruption, stage: { settings: { gates }, ...stage } });

async function annotate(name: string, value: string): Promise<void> {
  const { metadata } = (await podOf(full, name))!;
  const patch = { metadata: { annotations: { [COST]: value } } };
  await full.stage.admin.patch(
    PODS,
    { name: metadata.name!, namespace: 'default' },
    { type: 'merge', patch },
  );
}

/** The API server answers the first so many writes of pods with this status. */
function refusing(code: number, reason: string, times: number): (send: Transport) => Transport {
  let left = times;
  return (send) => async (request) => {
    const hits = request.method === 'PATCH' && /\/pods\/[^/]+$/.test(request.path) && left-- > 0;
    if (!hits) return send(request);
    const text = JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      code,
      reason,
      message: `no: ${reason}`,
    });
    return {
      status: code,
      headers: { 'content-type': 'application/json' },
      text: async () => text,
      async *chunks() {
        yield new TextEncoder().encode(text);
      },
      cancel: () => undefined,
    };
  };
}

describe('with the gate PodDeletionCostManagement', () => {
  test('a Deployment that scales down deletes its oldest pod, if that empties the node that may be disrupted', async () => {
    full = await running({ a: '1500m' });
    const { stage } = full;
    const [oldest, node] = [(await podOf(full, 'a'))!.metadata.name!, await nodeOf(full, 'a')];
    const scale = (replicas: number) =>
      stage.admin.patch(
        DEPLOYMENTS,
        { name: 'a', namespace: 'default' },
        { type: 'merge', patch: { spec: { replicas } } },
      );
    const pods = async () =>
      (await stage.list(PODS)).filter((pod) => (pod['status'] as { phase?: string }).phase === 'Running');
    // No other pod fits on the first node.
    await stage.admin.patch(
      NODES,
      { name: node },
      { type: 'merge', patch: { spec: { unschedulable: true } } },
    );
    await scale(2);
    await stage.until('two pods run', async () => (await pods()).length === 2);
    const other = (await pods()).find(({ metadata }) => metadata.name !== oldest)!;
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' };
    const { nodeName } = other['spec'] as { nodeName: string };
    expect(nodeName).not.toBe(node);
    await stage.admin.patch(
      NODES,
      { name: nodeName },
      { type: 'merge', patch: { metadata: { annotations } } },
    );
    await stage.until('only the first node is ranked', async () => {
      const costs = new Map((await pods()).map((pod) => [pod.metadata.name, costOf(pod)]));
      return costs.get(oldest) === '-1' && costs.get(other.metadata.name) === undefined;
    });
    await scale(1);
    await stage.until('one pod is left', async () => (await pods()).length === 1);
    expect((await pods())[0]!.metadata.name).toBe(other.metadata.name);
  });

  test('nothing is written while nothing changes, and a value of someone else is replaced', async () => {
    full = await running({ a: '1500m' });
    const ranked = async () => costOf(await podOf(full, 'a')) === '-1';
    await full.stage.until('it is ranked', ranked);
    await full.stage.world.clock.advance(30 * MINUTE_MS);
    expect(podWrites()).toHaveLength(1);
    await annotate('a', '100');
    await full.stage.until('it is ranked again', ranked, 6 * MINUTE_MS);
    expect(podWrites()).toHaveLength(2);
    expect(metric('karpenter_pod_deletion_cost_pod_annotation_writes_total')).toContainEqual(
      expect.stringMatching(/updated.* 2$/),
    );
  });

  test('the value is removed when the node is no longer ranked', async () => {
    full = await running({ a: '1500m' });
    await full.stage.until('it is ranked', async () => costOf(await podOf(full, 'a')) === '-1');
    const patch = { spec: { disruption: { consolidateAfter: 'Never' } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await full.stage.until('it has none', async () => costOf(await podOf(full, 'a')) === undefined);
  });

  test('pods on a node that is being removed are the first to go', async () => {
    full = await running({ a: '1500m' });
    const name = (await podOf(full, 'a'))!.metadata.name!;
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until(
      'it is marked',
      async () => costOf(await full.stage.get(PODS, name)) === '-2147483648',
    );
  });

  test('a value of a user does not count as the cost of the disruption', async () => {
    full = await running({ a: '1500m' }, { consolidateAfter: '0s', budgets: [{ nodes: '0' }] });
    await annotate('a', '-2147483648');
    await full.stage.world.clock.advance(MINUTE_MS);
    // With this cost the node would count as empty, and the budget would be asked for that.
    expect(metric('karpenter_voluntary_disruption_eligible_nodes')).toContainEqual(
      expect.stringMatching(/empty.* 0$/),
    );
  });

  test('a conflict is skipped, and the pod is written a minute later', async () => {
    full = await running({ a: '1500m' }, SETTLED, { wire: refusing(409, 'Conflict', 1) });
    await full.stage.until(
      'it is ranked',
      async () => costOf(await podOf(full, 'a')) === '-1',
      3 * MINUTE_MS,
    );
    expect(metric('karpenter_pod_deletion_cost_pod_annotation_writes_total')).toContainEqual(
      expect.stringMatching(/skipped_conflict.* 1$/),
    );
  });

  test('without the permission a log line names the role, once a minute, and few writes are tried', async () => {
    const wire = refusing(403, 'Forbidden', Number.POSITIVE_INFINITY);
    full = await running({ a: '1500m', b: '1500m', c: '1500m', d: '1500m', e: '1500m' }, SETTLED, { wire });
    await full.stage.world.clock.advance(MINUTE_MS);
    const before = podWrites().length;
    await full.stage.world.clock.advance(10 * MINUTE_MS);
    const written = podWrites().length - before;
    expect([written > 0, written <= 50]).toEqual([true, true]);
    const lines = full.stage.world.lines.filter(
      ({ message }) => message === 'pod-deletion-cost was not written',
    );
    expect(JSON.stringify(lines[0])).toContain('deploy/rbac-pod-deletion-cost.yaml');
  });
});

test('without the gate no pod is written', async () => {
  full = await runningWorkloads({ a: '1500m' }, { disruption: SETTLED });
  await annotate('a', '7');
  await full.stage.world.clock.advance(10 * MINUTE_MS);
  expect([podWrites(), costOf(await podOf(full, 'a'))]).toEqual([[], '7']);
});
