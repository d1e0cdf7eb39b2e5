import { isReady } from '@chandler/apiserver/testing';
import { DAEMON_SETS, DEPLOYMENTS, JOBS, NODES, PODS, REPLICA_SETS } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aCluster, aTemplate, podsOf, statusOf, until } from './cluster.ts';

const inDefault = (name: string) => ({ namespace: 'default', name });

function aDeployment(name: string, replicas: number, spec: object = {}) {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: aTemplate(name), ...spec },
  } as never;
}

describe('workloads on the playground', () => {
  test('a Deployment gets ready pods, spread over the nodes, and is complete', async () => {
    const { client, errors } = await aCluster();
    await client.create(DEPLOYMENTS, aDeployment('web', 6));
    const status = await until('six replicas are available', async () => {
      const found = await statusOf(client, DEPLOYMENTS, inDefault('web'));
      return found['availableReplicas'] === 6 && found;
    });
    expect(status).toMatchObject({
      observedGeneration: 1,
      replicas: 6,
      updatedReplicas: 6,
      readyReplicas: 6,
    });
    const pods = await podsOf(client, 'web');
    expect(pods.map((pod) => pod.spec.nodeName).sort()).toEqual(
      ['system-1', 'system-2', 'system-3'].flatMap((name) => [name, name]),
    );
    await until('the rollout is over', async () => {
      const { conditions } = await statusOf(client, DEPLOYMENTS, inDefault('web'));
      return (conditions as { reason: string }[]).some(({ reason }) => reason === 'NewReplicaSetAvailable');
    });
    expect(errors()).toEqual([]);
  });

  test('a new image rolls out within maxUnavailable, and the old ReplicaSet is kept for a rollback', async () => {
    const { client } = await aCluster();
    const strategy = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    await client.create(DEPLOYMENTS, aDeployment('web', 3, { strategy }));
    const isAvailable = async () =>
      (await statusOf(client, DEPLOYMENTS, inDefault('web')))['availableReplicas'] === 3;
    await until('it runs', isAvailable);
    let lowest = 3;
    const containers = [{ name: 'main', image: 'nginx:2' }];
    const patch = { spec: { template: { spec: { containers } } } };
    await client.patch(DEPLOYMENTS, inDefault('web'), { type: 'strategic', patch });
    await until('the new image runs everywhere', async () => {
      const pods = await podsOf(client, 'web');
      lowest = Math.min(lowest, pods.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length);
      return (
        pods.length === 3 && pods.every((pod) => pod.spec.containers[0]?.image === 'nginx:2' && isReady(pod))
      );
    });
    expect(lowest).toBe(3);
    const sets = (await client.list(REPLICA_SETS, { namespace: 'default' })).items;
    const revisions = sets
      .map((set) => set.metadata.annotations?.['deployment.kubernetes.io/revision'])
      .sort();
    expect(revisions).toEqual(['1', '2']);
    expect(sets.map((set) => set.spec.replicas).sort()).toEqual([0, 3]);
  });

  test('deleting a Deployment deletes its pods', async () => {
    const { client } = await aCluster();
    await client.create(DEPLOYMENTS, aDeployment('web', 2));
    await until('there are pods', async () => (await podsOf(client, 'web')).length === 2);
    await client.delete(DEPLOYMENTS, inDefault('web'), { propagationPolicy: 'Background' });
    await until('they are gone', async () => (await client.list(PODS)).items.length === 0);
  });

  test('a DaemonSet follows nodes that are added and deleted', async () => {
    const { client, standins } = await aCluster();
    await client.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'default' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: aTemplate('agent') },
    });
    const nodesWithAgent = async () =>
      (await podsOf(client, 'agent'))
        .filter(isReady)
        .map((pod) => pod.spec.nodeName)
        .sort();
    await until('each node has one', async () => (await nodesWithAgent()).length === 3);
    await standins.addNode({ name: 'late', cpu: 2, memory: '4Gi' });
    await until('the new node has one', async () => (await nodesWithAgent()).includes('late'));
    expect(await statusOf(client, DAEMON_SETS, inDefault('agent'))).toMatchObject({
      desiredNumberScheduled: 4,
    });
    await standins.removeNode('system-1');
    await until('the pod of the lost node is gone', async () => {
      const names = await nodesWithAgent();
      return names.length === 3 && !names.includes('system-1');
    });
    await client.patch(
      NODES,
      { name: 'late' },
      {
        type: 'merge',
        patch: { spec: { taints: [{ key: 'mine', effect: 'NoExecute' }] } },
      },
    );
    await until(
      'a node that drives pods off has none',
      async () => !(await nodesWithAgent()).includes('late'),
    );
  });

  test('a Job completes when enough pods succeed, and fails after too many failures', async () => {
    const { client } = await aCluster();
    const job = (name: string, spec: object, annotations: Record<string, string>) =>
      ({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, namespace: 'default' },
        spec: { template: aTemplate(name, { restartPolicy: 'Never' }, annotations), ...spec },
      }) as never;
    await client.create(JOBS, job('good', { completions: 3, parallelism: 2 }, {}));
    await client.create(JOBS, job('bad', { backoffLimit: 0 }, { 'chandler.sh/playground-exit-code': '3' }));
    const good = await until('the good one is complete', async () => {
      const status = await statusOf(client, JOBS, inDefault('good'));
      return status['completionTime'] !== undefined && status;
    });
    expect(good).toMatchObject({ succeeded: 3 });
    const bad = await until('the bad one has failed', async () => {
      const status = await statusOf(client, JOBS, inDefault('bad'));
      return (
        (status['conditions'] as { type: string }[] | undefined)?.some(({ type }) => type === 'Failed') &&
        status
      );
    });
    expect(bad).toMatchObject({ failed: 1 });
    expect((await podsOf(client, 'bad')).map((pod) => pod.status?.phase)).toEqual(['Failed']);
  });

  test('pods report failures as on a real node', async () => {
    const { client } = await aCluster();
    const pod = (name: string, image: string) =>
      ({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: { containers: [{ name: 'main', image }] },
      }) as never;
    await client.create(PODS, pod('no-image', 'registry.local/image-not-found:1'));
    await client.create(PODS, pod('crashes', 'crash:1'));
    await client.create(PODS, { ...(pod('big', 'nginx') as object), spec: hugeSpec } as never);
    const reasonOf = async (name: string) => {
      const found = await client.get(PODS, inDefault(name));
      const state = found.status?.containerStatuses?.[0]?.state as
        | { waiting?: { reason: string } }
        | undefined;
      return state?.waiting?.reason;
    };
    await until('the image is missing', async () => (await reasonOf('no-image')) === 'ImagePullBackOff');
    await until('the container crashed', async () => (await reasonOf('crashes')) === 'CrashLoopBackOff');
    const message = await until('the big one waits', async () => {
      const found = await client.get(PODS, inDefault('big'));
      return found.status?.conditions?.find(({ reason }) => reason === 'Unschedulable')?.message;
    });
    expect(message).toBe(
      '0/3 nodes are available: 3 Insufficient cpu. ' +
        'no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
    );
  });
});

const hugeSpec = { containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '64' } } }] };
