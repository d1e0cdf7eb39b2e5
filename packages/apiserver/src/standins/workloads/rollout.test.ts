import type { Deployment, ReplicaSet, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { deploymentStatus, findCurrent, firstSize, forgotten, planSizes } from './rollout.ts';

const NOW = Date.parse('2026-01-01T00:00:00Z');
const template = (image: string) => ({
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image }] },
});

function aDeployment(
  spec: Partial<Deployment['spec']> = {},
  status: Deployment['status'] = {},
): Stored<Deployment> {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'uid-web', resourceVersion: '1', generation: 2 },
    spec: { replicas: 10, selector: {}, template: template('v2'), ...spec },
    status,
  };
}

function aSet(name: string, image: string, size: number, available = size): Stored<ReplicaSet> {
  const { metadata, spec } = template(image);
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-${name}`,
      resourceVersion: '1',
      annotations: { 'deployment.kubernetes.io/revision': image.slice(1) },
    },
    spec: {
      replicas: size,
      selector: {},
      template: { metadata: { labels: { ...metadata.labels, 'pod-template-hash': name } }, spec },
    },
    status: { replicas: size, readyReplicas: available, availableReplicas: available },
  };
}

const surge = (maxSurge: number | string, maxUnavailable: number | string) => ({
  strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } },
});
const sizes = (plan: ReadonlyMap<ReplicaSet, number>) =>
  Object.fromEntries([...plan].map(([set, size]) => [set.metadata.name, size]));

describe('a rolling update', () => {
  test('the current set is the one with the template, whatever its hash', () => {
    const [old, current] = [aSet('old', 'v1', 10), aSet('new', 'v2', 0)];
    expect(findCurrent(aDeployment(), [old, current])).toBe(current);
    expect(findCurrent(aDeployment(), [old])).toBeUndefined();
  });

  test('a new set begins with the surge', () => {
    expect(firstSize(aDeployment(surge(3, 2)), [aSet('old', 'v1', 10)])).toBe(3);
    expect(firstSize(aDeployment(surge('25%', 0)), [aSet('old', 'v1', 10)])).toBe(3);
    expect(firstSize(aDeployment(), [])).toBe(10);
  });

  test('the old set shrinks to what must be available, the new one grows within the surge', () => {
    const deployment = aDeployment(surge(3, 2));
    const old = aSet('old', 'v1', 10);
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 3, 0), [old]))).toEqual({ old: 8 });
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 3, 0), [aSet('old', 'v1', 8)]))).toEqual({ new: 5 });
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 5, 0), [aSet('old', 'v1', 8)]))).toEqual({});
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 5, 5), [aSet('old', 'v1', 8)]))).toEqual({ old: 3 });
  });

  test('unavailable old pods are deleted first', () => {
    const deployment = aDeployment({ replicas: 4, ...surge(1, 0) });
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 1, 1), [aSet('old', 'v1', 4, 2)]))).toEqual({
      old: 3,
    });
  });

  test('without surge and unavailability one pod at a time is replaced', () => {
    const deployment = aDeployment({ replicas: 2, ...surge(0, 0) });
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 0), [aSet('old', 'v1', 2)]))).toEqual({ old: 1 });
  });

  test('Recreate empties the old before it fills the new', () => {
    const deployment = aDeployment({ strategy: { type: 'Recreate' } });
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 0), [aSet('old', 'v1', 10)]))).toEqual({ old: 0 });
    const leaving = { ...aSet('old', 'v1', 0), status: { replicas: 0, terminatingReplicas: 3 } };
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 0), [leaving]))).toEqual({});
    expect(sizes(planSizes(deployment, aSet('new', 'v2', 0), [aSet('old', 'v1', 0)]))).toEqual({ new: 10 });
  });

  test('history keeps the newest old sets', () => {
    const old = [aSet('a', 'v1', 0), aSet('b', 'v3', 0), aSet('c', 'v2', 0)];
    const names = forgotten(aDeployment({ revisionHistoryLimit: 1 }), old).map((set) => set.metadata.name);
    expect(names).toEqual(['a', 'c']);
  });
});

describe('the status of a deployment', () => {
  const reasons = (
    deployment: Stored<Deployment>,
    current: Stored<ReplicaSet>,
    old: Stored<ReplicaSet>[],
    nowMs = NOW,
  ) =>
    deploymentStatus(deployment, current, old, nowMs).conditions?.map(
      ({ type, status, reason }) => `${type}=${status} ${reason}`,
    );

  test('in progress, complete, and timed out', () => {
    const deployment = aDeployment({ replicas: 2 });
    expect(reasons(deployment, aSet('new', 'v2', 1, 0), [aSet('old', 'v1', 2)])).toEqual([
      'Available=True MinimumReplicasAvailable',
      'Progressing=True ReplicaSetUpdated',
    ]);
    const done = deploymentStatus(deployment, aSet('new', 'v2', 2), [aSet('old', 'v1', 0)], NOW);
    expect(done).toMatchObject({
      observedGeneration: 2,
      replicas: 2,
      updatedReplicas: 2,
      availableReplicas: 2,
    });
    expect(done.conditions?.at(-1)).toMatchObject({ reason: 'NewReplicaSetAvailable' });
    const stuck = deploymentStatus(deployment, aSet('new', 'v2', 2, 0), [], NOW);
    expect(reasons(aDeployment({ replicas: 2 }, stuck), aSet('new', 'v2', 2, 0), [], NOW + 601_000)).toEqual([
      'Available=False MinimumReplicasUnavailable',
      'Progressing=False ProgressDeadlineExceeded',
    ]);
  });
});
