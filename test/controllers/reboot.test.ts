import { type KubeObject, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import type { FullStage } from './all-controllers.ts';
import {
  claims,
  nodeOf,
  podOf,
  policiesFor,
  reasonOf,
  runningWorkloads,
  runs,
  setIll,
} from './disruption.fixture.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const advance = (ms: number) => full.stage.world.clock.advance(ms);
const claimOf = (node: string) => node.slice('aks-'.length);
const metric = (name: string) =>
  [...full.stage.world.values]
    .filter(([key]) => key.startsWith(name))
    .map(([key, value]) => `${key} ${value}`);

/** One workload on one node, with a policy that reboots. */
async function running(policy: Parameters<typeof policiesFor>[0] = {}): Promise<string> {
  full = await runningWorkloads(
    { a: '1500m' },
    {
      disruption: { consolidateAfter: 'Never' },
      stage: {
        settings: { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true } },
        repairPolicies: policiesFor({ action: 'RebootNode', ...policy }),
      },
    },
  );
  await advance(MINUTE_MS);
  return nodeOf(full, 'a');
}

const claim = (node: string) => full.stage.get(NODE_CLAIMS, claimOf(node));
const conditionOf = (object: KubeObject | undefined, wanted: string) =>
  (
    (object?.['status'] as { conditions?: { type: string; status: string; reason: string }[] } | undefined)
      ?.conditions ?? []
  ).find(({ type }) => type === wanted);
const rebooting = async (node: string) => {
  const { status, reason } = conditionOf(await claim(node), 'Rebooting') ?? {};
  return status === undefined ? '' : `${status}/${reason}`;
};
const hasRebootTaint = async (node: string) => {
  const { taints = [] } = ((await full.stage.get(NODES, node))?.['spec'] ?? {}) as {
    taints?: { key: string }[];
  };
  return taints.some(({ key }) => key === 'karpenter.sh/rebooting');
};

describe('a node that a policy reboots', () => {
  test('is tainted, drained, rebooted and initialized again; its pod waits for it, and no other node is launched', async () => {
    const node = await running();
    const { uid } = (await claim(node))!.metadata;
    await setIll(full, node);
    await full.stage.until('a reboot is requested', async () => (await rebooting(node)) !== '');
    expect(await rebooting(node)).toBe('True/RebootRequested');
    expect(reasonOf(await claim(node))).toBe('Unhealthy');
    await full.stage.until('it is tainted', () => hasRebootTaint(node), 5_000);
    await full.stage.until('it reboots', async () => (await rebooting(node)) === 'True/RebootIssued');
    expect(await runs(full, 'a')).toBe(false);
    expect(conditionOf(await claim(node), 'Initialized')).toMatchObject({
      status: 'Unknown',
      reason: 'Rebooting',
    });
    expect((await full.stage.get(NODES, node))?.metadata.labels).not.toHaveProperty([
      'karpenter.sh/initialized',
    ]);
    await setIll(full, node, false);
    await full.stage.until('it is back', async () => (await rebooting(node)) === 'False/RebootSucceeded');
    await full.stage.until('the pod runs again', () => runs(full, 'a'));
    expect(await nodeOf(full, 'a')).toBe(node);
    const after = await claim(node);
    expect(after?.metadata.uid).toBe(uid);
    expect(conditionOf(after, 'Initialized')?.status).toBe('True');
    expect(reasonOf(after)).toBeUndefined();
    expect(Object.keys(after?.metadata.annotations ?? {}).filter((key) => key.includes('/reboot-'))).toEqual(
      [],
    );
    expect(await hasRebootTaint(node)).toBe(false);
    expect(await claims(full)).toHaveLength(1);
    expect(full.stage.cloud.reboots.size).toBe(1);
    expect(metric('karpenter_nodes_reboots_total')).toEqual([
      'karpenter_nodes_reboots_total{result="succeeded"} 1',
    ]);
    expect(metric('karpenter_voluntary_disruption_decisions_total')).toEqual([
      'karpenter_voluntary_disruption_decisions_total{consolidation_type="",decision="reboot",reason="unhealthy"} 1',
    ]);
    expect((await full.stage.eventsOf(claimOf(node))).map(({ reason }) => reason)).toContain(
      'RebootObserved',
    );
  });

  test('is replaced when two reboots within a day have not helped, also after a restart of the controller', async () => {
    const node = await running({ terminationGracePeriodMs: 0 });
    await setIll(full, node);
    await full.stage.until('two reboots', () => full.stage.cloud.reboots.size === 2, 10 * MINUTE_MS);
    await full.restart();
    await full.stage.until('it goes', async () => (await claim(node)) === undefined, 10 * MINUTE_MS);
    expect(full.stage.cloud.reboots.size).toBe(2);
  });

  test('is rebooted once when the controller ends at any moment', async () => {
    const node = await running();
    await setIll(full, node);
    await full.stage.until('a reboot is requested', async () => (await rebooting(node)) !== '');
    for (let at = 0; at < 12; at++) {
      await full.restart();
      await advance(4_000);
    }
    await setIll(full, node, false);
    await full.stage.until('it is back', async () => (await rebooting(node)) === 'False/RebootSucceeded');
    expect(full.stage.cloud.reboots.size).toBe(1);
    expect(await claims(full)).toHaveLength(1);
  });

  test('keeps pods that may not be evicted when the time of the drain is over: they stay on the node', async () => {
    const node = await running({ terminationGracePeriodMs: 20_000 });
    await full.stage.apply(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'a', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
    });
    const before = (await podOf(full, 'a'))!.metadata.uid;
    await setIll(full, node);
    await full.stage.until('it reboots', async () => (await rebooting(node)) === 'True/RebootIssued');
    await full.stage.admin.delete(POD_DISRUPTION_BUDGETS, { name: 'a', namespace: 'default' });
    await setIll(full, node, false);
    await full.stage.until('it is back', async () => (await rebooting(node)) === 'False/RebootSucceeded');
    await advance(MINUTE_MS);
    expect((await full.stage.list(PODS)).map(({ metadata }) => metadata.uid)).toEqual([before]);
  });

  test('is left as it is when its pods cannot be evicted, and the drain has no bound', async () => {
    const node = await running();
    await full.stage.apply(POD_DISRUPTION_BUDGETS, {
      metadata: { name: 'a', namespace: 'default' },
      spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
    });
    const { conditions } = (await claim(node))!['status'] as { conditions: object[] };
    const requested = {
      type: 'Rebooting',
      status: 'True',
      reason: 'RebootRequested',
      message: '',
      lastTransitionTime: new Date(full.stage.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
    };
    await full.stage.admin.patch(
      NODE_CLAIMS,
      { name: claimOf(node) },
      { type: 'merge', patch: { status: { conditions: [...conditions, requested] } } },
      { subresource: 'status' },
    );
    await full.stage.until('it is tainted', () => hasRebootTaint(node), 5_000);
    await advance(15 * MINUTE_MS);
    expect(await rebooting(node)).toBe('True/RebootRequested');
    await full.stage.until(
      'it failed',
      async () => (await rebooting(node)) === 'False/RebootFailed',
      10 * MINUTE_MS,
    );
    await full.stage.until('the taint is gone', async () => !(await hasRebootTaint(node)));
    await full.stage.admin.delete(POD_DISRUPTION_BUDGETS, { name: 'a', namespace: 'default' });
    const before = (await podOf(full, 'a'))!.metadata.uid;
    await advance(5 * MINUTE_MS);
    expect((await podOf(full, 'a'))!.metadata.uid).toBe(before);
    expect(full.stage.cloud.reboots.size).toBe(0);
  });

  test('has the whole timeout to become Ready again, also when it was not initialized before', async () => {
    const node = await running({ terminationGracePeriodMs: 0 });
    full.stage.cloud.rebootMs = 60 * MINUTE_MS;
    await setIll(full, node);
    await full.stage.until('it reboots', async () => (await rebooting(node)) === 'True/RebootIssued');
    // As if it had not been initialized for hours before the reboot.
    const long = new Date(full.stage.world.clock.now() - 3 * 60 * MINUTE_MS)
      .toISOString()
      .replace(/\.\d+Z$/, 'Z');
    const now = (await claim(node))!['status'] as { conditions: { type: string }[] };
    const patch = {
      status: {
        conditions: now.conditions.map((each) =>
          each.type === 'Initialized' ? { ...each, lastTransitionTime: long } : each,
        ),
      },
    };
    await full.stage.admin.patch(
      NODE_CLAIMS,
      { name: claimOf(node) },
      { type: 'merge', patch },
      { subresource: 'status' },
    );
    await advance(10 * MINUTE_MS);
    expect((await claim(node))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('is deleted when the cloud cannot reboot it, with an event', async () => {
    const node = await running();
    full.stage.cloud.unrebootable = new CloudError('RebootNotImplemented', 'not on paper');
    await setIll(full, node);
    await full.stage.until('it goes', async () => (await claim(node)) === undefined, 5 * MINUTE_MS);
    expect(await full.stage.eventsOf(claimOf(node))).toContainEqual({
      reason: 'RebootFailed',
      message: 'the cloud does not reboot its instance: not on paper',
    });
    expect(metric('karpenter_nodes_reboots_total')).toEqual([
      'karpenter_nodes_reboots_total{result="provider_error"} 1',
    ]);
    await full.stage.until('the pod runs again', () => runs(full, 'a'));
  });

  test('is rebooted later when the cloud does not answer for a while', async () => {
    const node = await running();
    full.stage.cloud.unrebootable = new CloudError('Unreachable', 'no answer');
    await setIll(full, node);
    await full.stage.until('a reboot is requested', async () => (await rebooting(node)) !== '');
    await advance(2 * MINUTE_MS);
    expect(await rebooting(node)).toBe('True/RebootRequested');
    full.stage.cloud.unrebootable = undefined;
    await full.stage.until(
      'it reboots',
      async () => (await rebooting(node)) === 'True/RebootIssued',
      300_000,
    );
  });

  test('is deleted when its node is not Ready within the timeout', async () => {
    const node = await running();
    full.stage.cloud.rebootMs = 60 * MINUTE_MS;
    await setIll(full, node);
    await full.stage.until('it reboots', async () => (await rebooting(node)) === 'True/RebootIssued');
    await advance(15 * MINUTE_MS);
    expect((await claim(node))?.metadata.deletionTimestamp).toBeUndefined();
    await full.stage.until('it goes', async () => (await claim(node)) === undefined, 10 * MINUTE_MS);
    expect(metric('karpenter_nodes_reboots_total')).toEqual([
      'karpenter_nodes_reboots_total{result="recovery_timeout"} 1',
    ]);
  });

  test('is left as it is when the request cannot be read', async () => {
    const node = await running();
    full.stage.cloud.unrebootable = new CloudError('Unreachable', 'no answer');
    await setIll(full, node);
    await full.stage.until('a reboot is requested', async () => (await rebooting(node)) !== '');
    const key = 'karpenter.sh/reboot-termination-grace-period';
    const patch = { metadata: { annotations: { [key]: 'soon' } } };
    await full.stage.admin.patch(NODE_CLAIMS, { name: claimOf(node) }, { type: 'merge', patch });
    await full.stage.until('it failed', async () => (await rebooting(node)) === 'False/RebootFailed');
    await setIll(full, node, false);
    await full.stage.until('the taint is gone', async () => !(await hasRebootTaint(node)));
    expect((await claim(node))?.metadata.deletionTimestamp).toBeUndefined();
    expect(metric('karpenter_nodes_reboots_total')).toEqual([
      'karpenter_nodes_reboots_total{result="invalid_request"} 1',
    ]);
  });
});
