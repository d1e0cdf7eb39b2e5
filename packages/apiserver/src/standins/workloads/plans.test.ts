import type { DaemonSet, Job, Pod, ReplicaSet, StatefulSet, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aNode, aPod } from '../builders.fixture.ts';
import { daemonPodSpec, daemonStatus, planDaemon, REVISION_LABEL, revisionOf } from './daemon-plan.ts';
import { planJob } from './job-plan.ts';
import { planReplicas, replicaSetStatus } from './replica-set.ts';
import { claimsFor, planStateful, revisionName, statefulStatus } from './stateful-plan.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');
const template = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};
const metadata = (name: string) => ({
  name,
  namespace: 'default',
  uid: `uid-${name}`,
  resourceVersion: '1',
});
const names = (pods: readonly Pod[]) => pods.map((pod) => pod.metadata.name);

describe('a replica set', () => {
  const set = (replicas: number): Stored<ReplicaSet> => ({
    metadata: metadata('web'),
    spec: { replicas, selector: {}, template },
  });

  test('creates missing pods; finished and terminating pods do not count', () => {
    const pods = [aPod('a', { node: 'n' }), aPod('b', { phase: 'Failed' }), aPod('c', { terminating: true })];
    expect(planReplicas(set(3), pods)).toEqual({ create: 2, remove: [] });
  });

  test('deletes pods in the order of Kubernetes', () => {
    const pods = [
      aPod('ready', { node: 'n1', ready: true }),
      aPod('cheap', {
        node: 'n2',
        ready: true,
        annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' },
      }),
      aPod('starting', { node: 'n3', ready: false }),
      aPod('homeless'),
    ];
    expect(names(planReplicas(set(1), pods).remove)).toEqual(['homeless', 'starting', 'cheap']);
  });

  test('a pod is available after minReadySeconds', () => {
    const pods = [aPod('a', { node: 'n', ready: true })];
    const slow = { ...set(1), spec: { ...set(1).spec, minReadySeconds: 7200 } };
    expect(replicaSetStatus(set(1), pods, NOW)).toMatchObject({ readyReplicas: 1, availableReplicas: 1 });
    expect(replicaSetStatus(slow, pods, NOW)).not.toHaveProperty('availableReplicas');
  });
});

describe('a stateful set', () => {
  const set = (spec: Partial<StatefulSet['spec']> = {}): Stored<StatefulSet> => ({
    metadata: metadata('db'),
    spec: { replicas: 3, selector: { matchLabels: { app: 'db' } }, template, ...spec },
  });
  const pod = (ordinal: number, ready = true, revision = revisionName(set())) =>
    aPod(`db-${ordinal}`, { node: 'n', ready, labels: { 'controller-revision-hash': revision } });

  test('starts one after the other', () => {
    expect(planStateful(set(), [], NOW).create).toEqual([0]);
    expect(planStateful(set(), [pod(0, false)], NOW)).toEqual({ create: [], remove: [] });
    expect(planStateful(set(), [pod(0)], NOW).create).toEqual([1]);
  });

  test('starts all pods at once with the policy Parallel', () => {
    expect(planStateful(set({ podManagementPolicy: 'Parallel' }), [pod(1)], NOW).create).toEqual([0, 2]);
  });

  test('scales down and updates from the highest ordinal', () => {
    expect(names(planStateful(set({ replicas: 1 }), [pod(0), pod(1), pod(2)], NOW).remove)).toEqual(['db-2']);
    const old = [pod(0, true, 'old'), pod(1, true, 'old'), pod(2)];
    expect(names(planStateful(set(), old, NOW).remove)).toEqual(['db-1']);
    const partition = { updateStrategy: { rollingUpdate: { partition: 2 } } };
    expect(planStateful(set(partition), old, NOW).remove).toEqual([]);
  });

  test('its status shows when an update is complete', () => {
    const before = { ...set(), status: { currentRevision: 'old' } };
    const half = statefulStatus(before, [pod(0, true, 'old'), pod(1), pod(2)], NOW);
    expect(half).toMatchObject({ currentRevision: 'old', updatedReplicas: 2, readyReplicas: 3 });
    const all = statefulStatus(before, [pod(0), pod(1), pod(2)], NOW);
    expect(all['currentRevision']).toBe(all['updateRevision']);
  });

  test('claims are named by template, set and ordinal', () => {
    const withClaims = set({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }] });
    expect(claimsFor(withClaims, 2).map((claim) => claim.metadata.name)).toEqual(['data-db-2']);
  });
});

describe('a daemon set', () => {
  const set = (spec: Partial<DaemonSet['spec']> = {}): Stored<DaemonSet> => ({
    metadata: metadata('agent'),
    spec: { selector: {}, template, ...spec },
  });
  const pod = (name: string, node: string, revision = revisionOf(set())) =>
    aPod(name, { node, ready: true, labels: { [REVISION_LABEL]: revision } });

  test('needs a pod on every eligible node, including cordoned ones', () => {
    const nodes = [
      aNode('a'),
      aNode('b', {
        unschedulable: true,
        taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
      }),
      aNode('c', { taints: [{ key: 'mine', effect: 'NoSchedule' }] }),
    ];
    expect(planDaemon(set(), nodes, [], NOW).create).toEqual(['a', 'b']);
    expect(daemonStatus(set(), nodes, [pod('p', 'a')], NOW)).toMatchObject({
      desiredNumberScheduled: 2,
      currentNumberScheduled: 1,
      numberUnavailable: 1,
    });
  });

  test('a running pod is kept on a node with a NoSchedule taint', () => {
    const soft = aNode('a', { taints: [{ key: 'mine', effect: 'NoSchedule' }] });
    const hard = aNode('a', { taints: [{ key: 'mine', effect: 'NoExecute' }] });
    expect(planDaemon(set(), [soft], [pod('p', 'a')], NOW).remove).toEqual([]);
    expect(names(planDaemon(set(), [hard], [pod('p', 'a')], NOW).remove)).toEqual(['p']);
  });

  test('its pods have affinity to their node and the tolerations of daemons', () => {
    const spec = daemonPodSpec(set(), 'a');
    expect(
      spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    ).toEqual([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] }]);
    expect(spec.tolerations).toContainEqual({
      key: 'node.kubernetes.io/not-ready',
      operator: 'Exists',
      effect: 'NoExecute',
    });
  });

  test('an update replaces one after the other', () => {
    const nodes = [aNode('a'), aNode('b')];
    expect(planDaemon(set(), nodes, [pod('p', 'a', 'old'), pod('q', 'b', 'old')], NOW).remove).toHaveLength(
      1,
    );
  });
});

describe('a job', () => {
  const job = (spec: Partial<Job['spec']> = {}, status: Job['status'] = {}): Stored<Job> => ({
    metadata: metadata('work'),
    spec: { completions: 3, parallelism: 2, template, ...spec },
    status,
  });
  const conditions = (plan: ReturnType<typeof planJob>) => plan.status.conditions?.map(({ type }) => type);

  test('runs as many pods at once as parallelism allows, and no more than are needed', () => {
    expect(planJob(job(), [], NOW).create).toHaveLength(2);
    const pods = [aPod('a', { phase: 'Succeeded' }), aPod('b', { phase: 'Succeeded' })];
    expect(planJob(job(), pods, NOW).create).toHaveLength(1);
  });

  test('is complete when enough have succeeded', () => {
    const pods = ['a', 'b', 'c'].map((name) => aPod(name, { phase: 'Succeeded' }));
    const plan = planJob(job(), pods, NOW);
    expect(plan.status).toMatchObject({ succeeded: 3, completionTime: '2026-01-01T01:00:00Z' });
    expect(conditions(plan)).toEqual(['SuccessCriteriaMet', 'Complete']);
  });

  test('fails after too many failures, once running pods have stopped', () => {
    const pods = [aPod('a', { phase: 'Failed' }), aPod('b', { node: 'n' })];
    const stopping = planJob(job({ backoffLimit: 0 }), pods, NOW);
    expect(names(stopping.remove)).toEqual(['b']);
    expect(conditions(stopping)).toEqual(['FailureTarget']);
    expect(conditions(planJob(job({ backoffLimit: 0 }), pods.slice(0, 1), NOW))).toEqual([
      'FailureTarget',
      'Failed',
    ]);
  });

  test('an indexed job runs every index once', () => {
    const done = aPod('a', {
      phase: 'Succeeded',
      annotations: { 'batch.kubernetes.io/job-completion-index': '0' },
    });
    const plan = planJob(job({ completionMode: 'Indexed' }), [done], NOW);
    expect(plan.create).toEqual([1, 2]);
    expect(plan.status.completedIndexes).toBe('0');
  });

  test('a suspended job stops its pods', () => {
    const plan = planJob(job({ suspend: true }), [aPod('a', { node: 'n' })], NOW);
    expect(names(plan.remove)).toEqual(['a']);
    expect(conditions(plan)).toEqual(['Suspended']);
  });

  test('a finished job is deleted after its TTL', () => {
    const complete = { type: 'Complete', status: 'True', lastTransitionTime: '2026-01-01T00:59:00Z' };
    expect(planJob(job({ ttlSecondsAfterFinished: 30 }, { conditions: [complete] }), [], NOW).expired).toBe(
      true,
    );
    expect(
      planJob(job({ ttlSecondsAfterFinished: 90 }, { conditions: [complete] }), [], NOW).requeueAfterMs,
    ).toBe(30_000);
  });
});
