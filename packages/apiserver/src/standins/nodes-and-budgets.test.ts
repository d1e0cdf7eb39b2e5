import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  StorageClass,
  Stored,
} from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { aNode, aPod } from './builders.fixture.ts';
import { budgetStatus } from './disruption-budgets.ts';
import { taintsFor, toleratedForMs } from './node-taints.ts';
import { planClaim, planVolume, type StorageLookup } from './volume-plan.ts';

const NOW = Date.parse('2026-01-01T01:00:00Z');

describe('taints from conditions', () => {
  const keys = (status: string, taints: { key: string; effect: string }[] = []) =>
    taintsFor(aNode('n', { taints, conditions: [{ type: 'Ready', status }] }), NOW)?.map(
      ({ key, effect }) => `${key}:${effect}`,
    );

  test('not-ready and unreachable nodes are tainted NoSchedule and NoExecute', () => {
    expect(keys('False')).toEqual([
      'node.kubernetes.io/not-ready:NoSchedule',
      'node.kubernetes.io/not-ready:NoExecute',
    ]);
    expect(keys('Unknown')).toEqual([
      'node.kubernetes.io/unreachable:NoSchedule',
      'node.kubernetes.io/unreachable:NoExecute',
    ]);
  });

  test('a ready node loses these taints and keeps others', () => {
    const taints = [
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
      { key: 'mine', effect: 'NoSchedule' },
    ];
    expect(keys('True', taints)).toEqual(['mine:NoSchedule']);
    expect(keys('True')).toBeUndefined();
  });

  test('a pod is evicted after its toleration time', () => {
    const taint = { key: 'x', effect: 'NoExecute', timeAdded: '2026-01-01T00:59:50Z' };
    const pod = (tolerations: object[]) => aPod('p', { spec: { tolerations } });
    expect(toleratedForMs(pod([]), [taint], NOW, NOW)).toBe(0);
    expect(
      toleratedForMs(pod([{ key: 'x', operator: 'Exists', tolerationSeconds: 30 }]), [taint], NOW, NOW),
    ).toBe(20_000);
    expect(toleratedForMs(pod([{ key: 'x', operator: 'Exists' }]), [taint], NOW, NOW)).toBe(
      Number.POSITIVE_INFINITY,
    );
  });
});

describe('a disruption budget', () => {
  const ready = ['a', 'b', 'c'].map((name) => aPod(name, { node: 'n', ready: true }));
  const budget = (
    spec: NonNullable<PodDisruptionBudget['spec']>,
    status: NonNullable<PodDisruptionBudget['status']> = {},
  ): Stored<PodDisruptionBudget> =>
    stored({ metadata: { name: 'b', namespace: 'default', generation: 1 }, spec, status });
  const scale = () => ({ uid: 'web', replicas: 4 });

  test.each([
    [
      'a number that must be available',
      { minAvailable: 2 },
      { expectedPods: 3, desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
    [
      'a share that must be available, of the size wanted',
      { minAvailable: '50%' },
      { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
    [
      'a number that may be missing',
      { maxUnavailable: 1 },
      { expectedPods: 4, desiredHealthy: 3, disruptionsAllowed: 0 },
    ],
    [
      'a share that may be missing, rounded up',
      { maxUnavailable: '30%' },
      { expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 1 },
    ],
  ])('%s', (_, spec, expected) => {
    expect(budgetStatus(budget(spec), ready, scale, NOW).status).toMatchObject(expected);
  });

  test('a pod whose eviction was granted is not counted until its timeout', () => {
    const disrupted = (since: string) => budget({ minAvailable: 1 }, { disruptedPods: { a: since } });
    const fresh = budgetStatus(disrupted('2026-01-01T00:59:00Z'), ready, scale, NOW);
    expect(fresh.status).toMatchObject({ currentHealthy: 2, disruptedPods: { a: '2026-01-01T00:59:00Z' } });
    expect(fresh.requeueAfterMs).toBe(60_001);
    const stale = budgetStatus(disrupted('2026-01-01T00:50:00Z'), ready, scale, NOW);
    expect(stale.status).toMatchObject({ currentHealthy: 3 });
    expect(stale.status).not.toHaveProperty('disruptedPods');
  });

  test('without pods nothing is allowed', () => {
    expect(budgetStatus(budget({ maxUnavailable: 1 }), [], scale, NOW).status).toMatchObject({
      disruptionsAllowed: 0,
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
  });
});

describe('claims and volumes', () => {
  const lazy: Stored<StorageClass> = stored({
    metadata: { name: 'std' },
    provisioner: 'disk',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  const eager: Stored<StorageClass> = { ...lazy, volumeBindingMode: 'Immediate' };
  const claim = (annotations = {}, spec = {}): Stored<PersistentVolumeClaim> =>
    stored({
      metadata: { name: 'c', namespace: 'default', uid: 'uid-c', annotations },
      spec: { storageClassName: 'std', resources: { requests: { storage: '2Gi' } }, ...spec },
    });
  const volume = (name: string, size: string, more: object = {}): Stored<PersistentVolume> =>
    stored({
      metadata: { name },
      spec: { storageClassName: 'std', capacity: { storage: size }, ...more },
    });
  const zoned = aNode('n', { labels: { 'topology.kubernetes.io/zone': 'a' } });
  const lookup = (
    storageClass: Stored<StorageClass>,
    volumes: Stored<PersistentVolume>[] = [],
  ): StorageLookup => ({
    storageClass: () => storageClass,
    volume: (name) => volumes.find(({ metadata }) => metadata.name === name),
    volumes: () => volumes,
    node: () => zoned,
    nodes: () => [zoned],
    isShared: (driver) => driver === 'file-shares',
  });

  test('a claim with WaitForFirstConsumer is bound once its pod has a node', () => {
    expect(planClaim(claim(), lookup(lazy))).toEqual({ action: 'wait', phase: 'Pending' });
    const plan = planClaim(claim({ 'volume.kubernetes.io/selected-node': 'n' }), lookup(lazy));
    expect(plan).toMatchObject({
      action: 'provision',
      volume: { metadata: { name: 'pvc-uid-c' }, spec: { claimRef: { uid: 'uid-c' } } },
    });
    expect(JSON.stringify(plan)).toContain('"values":["a"]');
  });

  test('a claim with immediate binding gets the smallest sufficient volume, or a new one', () => {
    const volumes = [volume('large', '8Gi'), volume('fits', '4Gi'), volume('small', '1Gi')];
    expect(planClaim(claim(), lookup(eager, volumes))).toMatchObject({
      action: 'bind',
      volume: { metadata: { name: 'fits' } },
    });
    expect(planClaim(claim(), lookup(eager))).toMatchObject({ action: 'provision' });
  });

  test('a volume that any node can mount belongs to no zone', () => {
    const shares = { ...eager, provisioner: 'file-shares' };
    const plan = planClaim(claim(), lookup(shares));
    expect(plan).toMatchObject({ action: 'provision', volume: { spec: { csi: { driver: 'file-shares' } } } });
    expect(JSON.stringify(plan)).not.toContain('nodeAffinity');
  });

  test('a claim whose volume was deleted is Lost', () => {
    const bound = { ...claim({}, { volumeName: 'gone' }), status: { phase: 'Bound' } };
    expect(planClaim(bound, lookup(lazy))).toEqual({ action: 'wait', phase: 'Lost' });
  });

  test('a volume is deleted or released after its claim, by its reclaim policy', () => {
    const claimRef = { namespace: 'default', name: 'c', uid: 'uid-c' };
    expect(planVolume(volume('v', '1Gi'), undefined)).toEqual({ phase: 'Available' });
    expect(planVolume(volume('v', '1Gi', { claimRef }), claim({}, { volumeName: 'v' }))).toEqual({
      phase: 'Bound',
    });
    expect(
      planVolume(volume('v', '1Gi', { claimRef, persistentVolumeReclaimPolicy: 'Delete' }), undefined),
    ).toEqual({ remove: true });
    expect(
      planVolume(volume('v', '1Gi', { claimRef, persistentVolumeReclaimPolicy: 'Retain' }), undefined),
    ).toEqual({ phase: 'Released' });
  });
});
