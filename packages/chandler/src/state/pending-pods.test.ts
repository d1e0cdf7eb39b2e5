import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { AZURE_LABEL_RULES } from '../api/index.ts';
import { isProvisionable, rejectionOf, rejectionText, wantsNoPool } from './pending-pods.ts';
import { aPod, handmade } from './state.fixture.ts';

const owner = (kind: string) => ({
  metadata: {
    name: 'p',
    namespace: 'default',
    ownerReferences: [
      { apiVersion: kind === 'Node' ? 'v1' : 'apps/v1', kind, name: 'o', uid: 'o', controller: true },
    ],
  },
});
const pod = (more: Record<string, unknown> = {}) => aPod('p', more) as unknown as Stored<Pod>;
const containers: never[] = [];

describe('a pod is provisionable', () => {
  test('when kube-scheduler marked it unschedulable', () => {
    expect(isProvisionable(pod())).toBe(true);
  });

  test.each([
    ['is bound', { spec: { containers, nodeName: 'n' } }],
    ['was not looked at yet', { status: { phase: 'Pending' } }],
    ['preempts others', { status: { ...aPod('p').status, nominatedNodeName: 'n' } }],
    ['belongs to a DaemonSet', owner('DaemonSet')],
    ['belongs to a Node', owner('Node')],
    ['is being deleted', { metadata: { name: 'p', deletionTimestamp: '2026-01-01T00:00:00Z' } }],
    [
      'waits at a gate',
      { status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] } },
    ],
  ])('but not when it %s', (_, more) => {
    expect(isProvisionable(pod(more))).toBe(false);
  });
});

describe('a pod is not planned for', () => {
  const affinity = (term: object) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  });
  test.each([
    ['asks for a host name', { nodeSelector: { 'kubernetes.io/hostname': 'n' } }, 'RestrictedLabel'],
    [
      "asks for one of the product's own labels",
      { nodeSelector: { 'karpenter.sh/initialized': 'true' } },
      'RestrictedLabel',
    ],
    [
      'uses matchFields',
      { affinity: affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }) },
      'MatchFields',
    ],
    [
      'mounts a claim that does not exist',
      { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'gone' } }] },
      'VolumeClaim',
    ],
  ])('when it %s', (_, spec, code) => {
    const { stores } = handmade();
    const rejection = rejectionOf(pod({ spec: { containers, ...spec } }), stores, AZURE_LABEL_RULES)!;
    expect(rejection.code).toBe(code);
    expect(rejectionText(rejection)).not.toContain('undefined');
  });

  test('when its volume binds at once or its class is missing, but not when it waits for the pod', () => {
    const { stores, put } = handmade();
    const spec = { containers, volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] };
    put(stores.volumeClaims, {
      metadata: { name: 'c', namespace: 'default' },
      spec: { storageClassName: 's' },
    });
    const outcome = () => rejectionOf(pod({ spec }), stores, AZURE_LABEL_RULES);
    expect(outcome()).toMatchObject({ problem: 'storage class missing', name: 's' });
    put(stores.storageClasses, {
      metadata: { name: 's' },
      provisioner: 'disk',
      volumeBindingMode: 'Immediate',
    });
    expect(outcome()).toMatchObject({ problem: 'binds at once' });
    put(stores.storageClasses, {
      metadata: { name: 's' },
      provisioner: 'disk',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    expect(outcome()).toBeUndefined();
  });

  test('without an event, when it requires no NodePool', () => {
    const term = { matchExpressions: [{ key: 'karpenter.sh/nodepool', operator: 'DoesNotExist' }] };
    const given = pod({ spec: { containers, affinity: affinity(term) } });
    expect(wantsNoPool(given)).toBe(true);
    expect(rejectionOf(given, handmade().stores, AZURE_LABEL_RULES)).toBeUndefined();
  });
});
