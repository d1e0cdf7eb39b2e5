import type { LabelSelector, PodDisruptionBudget } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import {
  blockingBudgets,
  budgetsOf,
  doNotDisruptOf,
  isEvicted,
  isFullyBlocked,
  isProtected,
  isReschedulable,
} from './pod-blocks.ts';

const NAMESPACE = 'shop';

function aBudget(name: string, spec: PodDisruptionBudget['spec'], allowed = 0): PodDisruptionBudget {
  const selector = { matchLabels: { app: 'a' } };
  return {
    metadata: { name, namespace: NAMESPACE },
    spec: { selector, ...spec },
    status: { disruptionsAllowed: allowed },
  };
}

const labelled = aPod('p', { labels: { app: 'a' } });

describe('the annotation do-not-disrupt', () => {
  const annotated = (value: string, startTime?: string): Pod => ({
    ...labelled,
    metadata: { ...labelled.metadata, annotations: { 'karpenter.sh/do-not-disrupt': value } },
    status: { phase: 'Running', ...(startTime === undefined ? {} : { startTime }) },
  });
  const now = Date.parse('2026-01-01T04:00:00Z');

  test.each([
    ['true', undefined, true],
    ['4h', '2026-01-01T01:00:00Z', true],
    ['2h', '2026-01-01T01:00:00Z', false],
    ['4h', undefined, true],
    ['soon', undefined, false],
    ['-1h', undefined, false],
    ['false', undefined, false],
  ])('%s, pod started %s: protected %s', (value, started, expected) => {
    expect(isProtected(annotated(value, started), now)).toBe(expected);
  });

  test('with an invalid value is returned for the event', () => {
    expect(doNotDisruptOf(annotated('soon'))).toEqual({ state: 'invalid', text: 'soon' });
  });
});

describe('PodDisruptionBudgets', () => {
  test.each([
    ['one that allows none', [{ maxUnavailable: 0 }], true],
    ['one that wants all', [{ minAvailable: '100%' }], true],
    ['one that allows some', [{ maxUnavailable: 1 }], false],
    ['two', [{ maxUnavailable: 1 }, { maxUnavailable: 1 }], true],
    [
      'one that spares the unhealthy',
      [{ maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' }],
      false,
    ],
  ])('%s: fully blocked', (_, specs, expected) => {
    const budgets = specs.map((spec, index) => aBudget(`b${index}`, spec));
    expect(isFullyBlocked(labelled, budgets)).toBe(expected);
  });

  test('block an eviction while they allow no disruption, and only in their namespace', () => {
    const names = (budgets: PodDisruptionBudget[]) =>
      blockingBudgets(labelled, budgets).map(({ metadata }) => metadata.name);
    expect(names([aBudget('none', { maxUnavailable: 1 }, 0)])).toEqual(['none']);
    expect(names([aBudget('some', { maxUnavailable: 1 }, 1)])).toEqual([]);
    expect(names([aBudget('x', { maxUnavailable: 1 }, 1), aBudget('y', { maxUnavailable: 1 }, 1)])).toEqual([
      'x',
      'y',
    ]);
    const elsewhere = {
      ...aBudget('other', {}, 0),
      metadata: { name: 'other', namespace: 'bank' },
    };
    expect(names([elsewhere])).toEqual([]);
  });

  test('without a status allow nothing yet', () => {
    const { metadata, spec } = aBudget('new', { maxUnavailable: 1 });
    expect(blockingBudgets(labelled, [{ metadata, ...(spec ? { spec } : {}) }])).toHaveLength(1);
  });

  test('the selector of a disruption budget is compiled once, not for each pod', () => {
    let reads = 0;
    const selector: LabelSelector = {
      get matchLabels() {
        reads++;
        return { app: 'a' };
      },
    };
    const budget = { metadata: { name: 'b', namespace: NAMESPACE }, spec: { selector } };
    const found = ['a', 'a', 'b'].map((app) => {
      const before = reads;
      const { length } = budgetsOf(aPod(app, { labels: { app } }), [budget]);
      return { length, compiled: reads > before };
    });
    expect(found).toEqual([
      { length: 1, compiled: true },
      { length: 1, compiled: false },
      { length: 0, compiled: false },
    ]);
  });
});

describe('a pod', () => {
  const terminating = (pod: Pod): Pod => ({
    ...pod,
    metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' },
  });

  test.each([
    ['of a ReplicaSet', aPod('p', { owner: 'ReplicaSet' }), true, true],
    ['of a DaemonSet', aPod('p', { owner: 'DaemonSet' }), false, true],
    ['of the kubelet', aPod('p', { owner: 'Node' }), false, false],
    ['that is terminating', terminating(aPod('p', { owner: 'ReplicaSet' })), false, false],
    ['of a StatefulSet that is terminating', terminating(aPod('p', { owner: 'StatefulSet' })), true, false],
    ['that succeeded', { ...aPod('p'), status: { phase: 'Succeeded' } }, false, false],
    [
      'that tolerates the taint of disrupted nodes',
      aPod('p', { tolerations: [{ key: 'karpenter.sh/disrupted', operator: 'Exists' }] }),
      true,
      false,
    ],
  ])('%s: moves %s, is evicted %s', (_, pod, moves, evicted) => {
    expect([isReschedulable(pod), isEvicted(pod)]).toEqual([moves, evicted]);
  });
});
