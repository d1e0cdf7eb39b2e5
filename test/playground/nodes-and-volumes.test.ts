import { isReady, nameOf } from '@chandler/apiserver/testing';
import {
  conditionOf,
  DEPLOYMENTS,
  evict,
  isApiError,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  STATEFUL_SETS,
  VOLUME_ATTACHMENTS,
} from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aCluster, aTemplate, podsOf, statusOf, until } from './cluster.ts';

const inDefault = (name: string) => ({ namespace: 'default', name });

describe('nodes and volumes on the playground', () => {
  test('draining a node waits for the budget, and continues when other pods are ready', async () => {
    const { client } = await aCluster({ systemNodes: 2 });
    await client.create(DEPLOYMENTS, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web', namespace: 'default' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: aTemplate('web', {}, { 'chandler.sh/playground-ready-seconds': '4' }),
      },
    });
    await client.create(POD_DISRUPTION_BUDGETS, {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name: 'web', namespace: 'default' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } } },
    });
    await until(
      'one may go',
      async () =>
        (await statusOf(client, POD_DISRUPTION_BUDGETS, inDefault('web')))['disruptionsAllowed'] === 1,
    );
    const [first, second] = await podsOf(client, 'web');
    expect(first!.spec.nodeName).not.toBe(second!.spec.nodeName);
    await client.patch(
      NODES,
      { name: first!.spec.nodeName! },
      { type: 'merge', patch: { spec: { unschedulable: true } } },
    );
    await evict(client, inDefault(nameOf(first!)));
    const refused = await evict(client, inDefault(nameOf(second!))).catch((error: unknown) => error);
    expect(isApiError(refused, 'tooManyRequests')).toBe(true);
    await until('the second may go as well', async () => {
      await evict(client, inDefault(nameOf(second!)));
      return true;
    });
    await until('both run on the other node', async () => {
      const pods = await podsOf(client, 'web');
      return (
        pods.length === 2 && pods.every((pod) => isReady(pod) && pod.spec.nodeName === second!.spec.nodeName)
      );
    });
  });

  test('a node without heartbeats becomes Unknown, is tainted, and recovers', async () => {
    const { client, standins } = await aCluster({ standinOptions: { heartbeatMs: 50, nodeGraceMs: 400 } });
    const taintsNow = async () =>
      ((await client.get(NODES, { name: 'system-2' })).spec?.taints ?? []).map(
        ({ key, effect }) => `${key}:${effect}`,
      );
    await until('it is ready for pods', async () => (await taintsNow()).length === 0);
    standins.stopNode('system-2');
    await until('it is unreachable', async () => (await taintsNow()).length === 2);
    expect((await taintsNow()).sort()).toEqual([
      'node.kubernetes.io/unreachable:NoExecute',
      'node.kubernetes.io/unreachable:NoSchedule',
    ]);
    const node = await client.get(NODES, { name: 'system-2' });
    expect(conditionOf(node, 'Ready')).toMatchObject({ status: 'Unknown', reason: 'NodeStatusUnknown' });
    await standins.resumeNode('system-2');
    await until('it is well again', async () => (await taintsNow()).length === 0);
  });

  test('a pod is evicted from a tainted node after its tolerationSeconds', async () => {
    const { client } = await aCluster({ systemNodes: 1 });
    const pod = (name: string, tolerations: object[]) =>
      ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { containers: [{ name: 'main', image: 'nginx' }], tolerations },
      }) as never;
    await client.create(PODS, pod('stays', [{ key: 'mine', operator: 'Exists' }]));
    await client.create(
      PODS,
      pod('leaves', [{ key: 'mine', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 1 }]),
    );
    await client.create(PODS, pod('flees', []));
    await until('all run', async () => (await client.list(PODS)).items.filter(isReady).length === 3);
    const taints = [{ key: 'mine', effect: 'NoExecute' }];
    await client.patch(NODES, { name: 'system-1' }, { type: 'merge', patch: { spec: { taints } } });
    const names = async () => (await client.list(PODS)).items.map(nameOf).sort();
    await until('one has fled', async () => !(await names()).includes('flees'));
    expect(await names()).toContain('leaves');
    await until('the other has left', async () => (await names()).join() === 'stays');
  });

  test('a StatefulSet starts in order, and each pod keeps its volume', async () => {
    const { client, standins, errors } = await aCluster();
    await client.create(STATEFUL_SETS, {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default' },
      spec: {
        replicas: 2,
        serviceName: 'db',
        selector: { matchLabels: { app: 'db' } },
        template: aTemplate('db'),
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      },
    } as never);
    await until(
      'both are ready',
      async () => (await statusOf(client, STATEFUL_SETS, inDefault('db')))['readyReplicas'] === 2,
    );
    const pods = await podsOf(client, 'db');
    expect(pods.map(nameOf)).toEqual(['db-0', 'db-1']);
    expect(pods[0]!.metadata.creationTimestamp! <= pods[1]!.metadata.creationTimestamp!).toBe(true);
    const claims = (await client.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'default' })).items;
    expect(claims.map((claim) => [nameOf(claim), claim.status?.phase])).toEqual([
      ['data-db-0', 'Bound'],
      ['data-db-1', 'Bound'],
    ]);
    expect((await client.list(PERSISTENT_VOLUMES)).items).toHaveLength(2);
    await until('both volumes are attached', async () => {
      const attached = (await client.list(VOLUME_ATTACHMENTS)).items;
      return attached.length === 2 && attached.every(({ status }) => status?.attached);
    });
    // The volume is in one zone: the pod is rescheduled there, or not at all.
    const home = pods[0]!.spec.nodeName!;
    await client.patch(NODES, { name: home }, { type: 'merge', patch: { spec: { unschedulable: true } } });
    await client.delete(PODS, inDefault('db-0'));
    await until('it waits for its zone', async () => {
      const pod = await client.get(PODS, inDefault('db-0'));
      return conditionOf(pod, 'PodScheduled')?.message?.includes(
        "didn't match PersistentVolume's node affinity",
      );
    });
    await client.patch(NODES, { name: home }, { type: 'merge', patch: { spec: { unschedulable: false } } });
    await until('it is back', async () => (await client.get(PODS, inDefault('db-0'))).spec.nodeName === home);
    expect(standins.scheduler?.waiting).toBe(0);
    expect(errors()).toEqual([]);
  });
});
