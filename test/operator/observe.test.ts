import { DEPLOYMENTS, EVENTS, fetchTransport, LEASES, PODS } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { azureWrite } from '../../packages/chandler/src/cloud/azure/testing.ts';
import { CloudError, withCloudFence, withoutCloudWrites } from '../../packages/chandler/src/cloud/index.ts';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';
import { withoutWrites } from '../../packages/chandler/src/operator/testing.ts';

import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { recordingFetch } from '../e2e/role-use.ts';
import { type OperatorStage, operatorStage } from './operator-stage.ts';

let stage: OperatorStage;
afterEach(() => stage?.end());

async function aCluster(): Promise<void> {
  stage = await operatorStage();
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const time = '2026-01-01T00:00:00Z';
  const ready = {
    conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: time }],
  };
  const patch = { type: 'merge' as const, patch: { status: ready } };
  await stage.inTime(stage.admin.patchStatus(AKS_NODE_CLASSES, { name: 'default' }, patch));
  await stage.apply(NODE_POOLS, pool('default'));
}

/** Created by the active controller. */
async function aRunningPod(): Promise<Operator> {
  await aCluster();
  const acting = stage.operator();
  await stage.inTime(acting.start());
  await stage.apply(PODS, pod('a'));
  await stage.until('the pod runs', async () =>
    (await stage.list(PODS)).every(
      (each) => (each['status'] as { phase?: string } | undefined)?.phase === 'Running',
    ),
  );
  return acting;
}

function anObserver(args: readonly string[] = []) {
  const wire = fetchTransport(recordingFetch(stage.playground.server));
  const writes: string[] = [];
  const operator = stage.operator({
    observe: true,
    args,
    kube: {
      host: 'observer',
      transport: (request) => {
        if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
        return wire(request);
      },
    },
  });
  return { operator, writes };
}

const told = (text: string) => stage.world.lines.filter(({ message }) => message.startsWith(text));
const figure = (name: string) => stage.world.values.get(`chandler_observe_${name}`);

describe('an operator that observes', () => {
  test('reports what it would create and for which pods, and writes nothing', async () => {
    await aCluster();
    await stage.inTime(stage.admin.patchStatus(NODE_POOLS, { name: 'default' }, readyPool()));
    const { operator, writes } = anObserver();
    await stage.inTime(operator.start());
    await stage.apply(PODS, pod('a'));
    await stage.apply(
      PODS,
      pod('huge', { containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '500' } } }] }),
    );
    await stage.until('it has planned', () => told('observed: would create a nodeclaim').length > 0);
    expect(told('observed: would create a nodeclaim')[0]?.fields).toMatchObject({
      nodepool: 'default',
      pods: ['default/a'],
    });
    expect(told('observed: pods are unschedulable')[0]?.fields).toMatchObject({ pods: ['default/huge'] });
    expect(figure('planned_nodeclaims{nodepool="default"}')).toBe(1);
    expect(figure('planned_price_per_hour')).toBeCloseTo(0.1);
    expect(figure('refused_pods')).toBe(1);
    await stage.world.clock.advance(30 * 60_000);
    expect(writes).toEqual([]);
    expect(await stage.list(NODE_CLAIMS)).toEqual([]);
    expect(
      (await stage.list(EVENTS)).filter(
        (event) => (event['source'] as { component?: string }).component === 'karpenter',
      ),
    ).toEqual([]);
    expect(await stage.list(LEASES)).not.toContainEqual(
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'karpenter-leader-election' }) }),
    );
    expect(figure('refused_writes_total{target="kubernetes"}')).toBeUndefined();
    // The same plan is logged once, however often it is computed.
    expect(told('observed: computed plan for pending pods')).toHaveLength(1);
  });

  test('runs next to an active controller and reports the claims that it creates', async () => {
    await aCluster();
    const acting = stage.operator();
    await stage.inTime(acting.start());
    await stage.until('it leads', () => acting.isLeading);
    stage.cloud.bootMs = 30_000;
    const { operator, writes } = anObserver();
    await stage.inTime(operator.start());
    await stage.apply(PODS, pod('a'));
    await stage.until('the other one bought', () => (figure('nodeclaims_of_others') ?? 0) === 1);
    expect(figure('planned_nodeclaims{nodepool="default"}')).toBe(1);
    expect(told('observed: computed plan for pending pods').at(-1)?.fields).toMatchObject({ wouldCreate: 1 });
    await stage.until('the pod runs', async () =>
      (await stage.list(PODS)).every((each) => (each['status'] as { phase?: string }).phase === 'Running'),
    );
    await stage.until('nothing is left to plan', () => figure('pending_pods') === 0);
    expect(writes).toEqual([]);
    expect(operator.isLeading).toBe(false);
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
  });

  test('writes no pod-deletion-cost with the gate for it', async () => {
    await aRunningPod();
    const labels = { app: 'b' };
    const containers = [{ name: 'main', image: 'i' }];
    await stage.apply(DEPLOYMENTS, {
      metadata: { name: 'b', namespace: 'default' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
    });
    const { operator, writes } = anObserver(['--feature-gates', 'PodDeletionCostManagement=true']);
    await stage.inTime(operator.start());
    await stage.until('the pod is on the node', async () =>
      (await stage.list(PODS)).some(({ metadata, ...each }) => {
        const { nodeName } = each['spec'] as { nodeName?: string };
        return metadata.labels?.['app'] === 'b' && nodeName !== undefined;
      }),
    );
    await stage.world.clock.advance(10 * 60_000);
    expect(writes).toEqual([]);
    expect(figure('refused_writes_total{target="kubernetes"}')).toBeUndefined();
  });

  test('reports which nodes it would replace', async () => {
    await aRunningPod();
    stage.cloud.drifted = 'ImageDrift';
    const { operator, writes } = anObserver();
    await stage.inTime(operator.start());
    await stage.until('drift is told', () => figure('drifted_nodeclaims{reason="ImageDrift"}') === 1);
    expect(writes).toEqual([]);
  });

  test('reports of how many nodes it is not known', async () => {
    await aRunningPod();
    stage.cloud.drifted = new CloudError('Throttled', 'too many requests');
    const { operator } = anObserver();
    await stage.inTime(operator.start());
    await stage.until('it is reported', () => figure('drift_unknown_nodeclaims') === 1);
    expect(told('observed: it is not known').map(({ fields }) => fields)).toMatchObject([
      { count: 1, error: 'too many requests' },
    ]);
  });

  test('reports a disruption command that it would give, once, when it would have been validated', async () => {
    const acting = await aRunningPod();
    const patch = { spec: { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] } } };
    await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch }));
    const [claim] = await stage.list(NODE_CLAIMS);
    const node = `aks-${claim!.metadata.name}`;
    // The acting controller leaves its empty node alone.
    const keep = { metadata: { annotations: { 'chandler.sh/freeze': 'true' } } };
    await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch: keep }));
    const { operator, writes } = anObserver();
    await stage.inTime(operator.start());
    await stage.inTime(stage.admin.delete(PODS, { name: 'a', namespace: 'default' }));
    await stage.world.clock.advance(3 * 60_000);
    expect(told('observed: would disrupt node(s)')).toEqual([]);
    await stage.inTime(acting.stop());
    const go = { metadata: { annotations: { 'chandler.sh/freeze': null } } };
    await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch: go }));
    await stage.world.clock.advance(9_000);
    expect(told('observed: would disrupt node(s)')).toEqual([]);
    await stage.world.clock.advance(20 * 60_000);
    expect(told('observed: would disrupt node(s)').map(({ fields }) => fields)).toMatchObject([
      { reason: 'Empty', decision: 'delete', nodes: [node], replacements: 0 },
    ]);
    expect(figure('disrupted_nodes{reason="empty"}')).toBe(1);
    expect(figure('disruption_saving_per_hour')).toBeGreaterThan(0);
    expect(writes).toEqual([]);
    expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
  });

  test('reports which nodes no longer match their pool', async () => {
    await aRunningPod();
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['arm64'] }];
    const patch = { spec: { template: { spec: { requirements } } } };
    await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch }));
    const { operator, writes } = anObserver();
    await stage.inTime(operator.start());
    await stage.until(
      'drift is told',
      () => figure('drifted_nodeclaims{reason="RequirementsDrifted"}') === 1,
    );
    expect(writes).toEqual([]);
  });
});

describe('the connections of an observer', () => {
  test('every write to Kubernetes is rejected and counted', async () => {
    const world = virtualWorld();
    const sent: string[] = [];
    const transport = withoutWrites(async (request) => {
      sent.push(request.method);
      return {
        status: 200,
        headers: {},
        text: async () => '',
        chunks: async function* () {},
        cancel: () => undefined,
      };
    }, world.metrics);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const)
      await expect(transport({ method, path: '/api/v1/pods' })).rejects.toThrow('in observe mode');
    await transport({ method: 'GET', path: '/api/v1/pods' });
    expect(sent).toEqual(['GET']);
    expect(world.values.get('chandler_observe_refused_writes_total{target="kubernetes"}')).toBe(4);
  });

  test('Azure is read, queried and signed in to, and never written', async () => {
    const world = virtualWorld();
    const send = withoutCloudWrites(async () => new Response('{}'), azureWrite, world.metrics, 'azure');
    const vm =
      'https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v';
    for (const method of ['PUT', 'PATCH', 'DELETE', 'POST', 'put'])
      await expect(send(vm, { method })).rejects.toThrow('in observe mode');
    await expect(send(new Request(vm, { method: 'DELETE' }))).rejects.toThrow('in observe mode');
    await send(vm);
    await send('https://management.azure.com/providers/Microsoft.ResourceGraph/resources?api-version=1', {
      method: 'POST',
    });
    await send('https://login.microsoftonline.com/t/oauth2/v2.0/token', { method: 'POST' });
  });
});

test('a replica without the lease reads Azure and writes nothing, also when it had the lease a moment ago', async () => {
  const fence = { isOpen: false };
  const sent: string[] = [];
  const send = withCloudFence(
    async (_, init) => {
      sent.push(init?.method ?? 'GET');
      return new Response('{}');
    },
    azureWrite,
    fence,
  );
  const vm =
    'https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/v';
  await send(vm);
  await expect(send(vm, { method: 'PUT' })).rejects.toThrow('does not hold the lease');
  fence.isOpen = true;
  await send(vm, { method: 'PUT' });
  fence.isOpen = false;
  await expect(send(vm, { method: 'DELETE' })).rejects.toThrow('does not hold the lease');
  await send('https://login.microsoftonline.com/t/oauth2/v2.0/token', { method: 'POST' });
  expect(sent).toEqual(['GET', 'PUT', 'POST']);
});

// ---------------------------------------------------------------------------------------------------

function readyPool() {
  const time = '2026-01-01T00:00:00Z';
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: time };
  return { type: 'merge' as const, patch: { status: { conditions: [ready] } } };
}
