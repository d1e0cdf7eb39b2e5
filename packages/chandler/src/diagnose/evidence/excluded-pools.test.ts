/** Which NodePools that launch nothing for pods are the cause for a pod, by the labels that it requires. */
import { expect, test } from 'vitest';

import { excludedPools } from './excluded-pools.ts';
import type { PodShape, PoolShape } from './shapes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const WELL_KNOWN = new Set([ZONE]);
const TAINT = { key: 'db', effect: 'NoSchedule' };

const aPool = (name: string, zones: readonly string[], spec: object = {}, taints: readonly object[] = []) =>
  ({
    metadata: { name },
    spec: {
      ...spec,
      template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: zones }], taints } },
    },
  }) as unknown as PoolShape;

const aPod = (nodeSelector: Readonly<Record<string, string>>) =>
  ({ metadata: { name: 'web' }, spec: { containers: [], nodeSelector } }) as unknown as PodShape;

const DYNAMIC = aPool('default', ['2', '3']);
const asked = (pool: PoolShape, nodeSelector: Readonly<Record<string, string>>) => {
  const { refusals, pools, others } = excludedPools([DYNAMIC, pool], aPod(nodeSelector), WELL_KNOWN);
  return {
    refusals: refusals.map(({ code }) => code),
    read: pools.map(({ metadata }) => metadata.name),
    others: others.map(({ nodePool, reason }) => `${nodePool}: ${reason}`),
  };
};

test('a static NodePool is the cause for a pod that requires the zone which only it has', () => {
  const answer = asked(aPool('db', ['1'], { replicas: 3 }), { [ZONE]: '1' });
  expect(answer).toEqual({ refusals: ['PoolStatic'], read: ['db'], others: [] });
});

test('not if its taints say that it is for other pods, or if it lacks another label of the pod', () => {
  const tainted = aPool('db', ['1'], { replicas: 3 }, [TAINT]);
  const beside = { refusals: [], read: [], others: ['db: it is static'] };
  expect(asked(tainted, { [ZONE]: '1' })).toEqual(beside);
  expect(asked(aPool('db', ['1'], { replicas: 3 }), { [ZONE]: '1', team: 'paymnts' })).toEqual(beside);
});

test('of a tainted one that the pod selects by its name, the taint is the cause', () => {
  const tainted = aPool('db', ['1'], { replicas: 3 }, [TAINT]);
  expect(asked(tainted, { 'karpenter.sh/nodepool': 'db' }).refusals).toEqual(['TaintNotTolerated']);
  expect(asked(aPool('db', ['1'], { replicas: 3 }), { 'karpenter.sh/nodepool': 'db' }).refusals).toEqual([
    'PoolStatic',
  ]);
});

test('of one that the pod selects by its name, the labels that it lacks are the cause', () => {
  const db = aPool('db', ['1', '2'], { replicas: 3 });
  const ask = (labels: Readonly<Record<string, string>>, pools: readonly PoolShape[] = [DYNAMIC, db]) =>
    excludedPools(pools, aPod({ 'karpenter.sh/nodepool': 'db', ...labels }), WELL_KNOWN).refusals;
  const zone = {
    code: 'RequirementIncompatible',
    facts: { key: ZONE, wanted: '3', replicas: '3' },
    text: `the pod requires ${ZONE}=3, and it allows only 1 or 2; it is static (spec.replicas is 3)`,
    nodePool: 'db',
  };
  expect(ask({ [ZONE]: '3' })).toEqual([zone]);
  expect(ask({ [ZONE]: '3' }, [db])).toEqual([zone]);
  expect(ask({ [ZONE]: '3', team: 'payments' })).toMatchObject([
    zone,
    { code: 'LabelUndefined', text: expect.stringMatching(/^the pod requires team=payments, and its nodes/) },
  ]);
});

test('of several with a label of the pod, only one that has all its labels counts, or else the nearest', () => {
  const ofTeam = (name: string, zones: readonly string[], spec: object = { replicas: 3 }) => {
    const pool = aPool(name, zones, spec);
    Object.assign(pool.spec.template, { metadata: { labels: { team: 'db' } } });
    return pool;
  };
  const ask = (labels: Readonly<Record<string, string>>, ...pools: readonly PoolShape[]) =>
    excludedPools(pools, aPod(labels), WELL_KNOWN).refusals.map(
      ({ code, nodePool }) => `${nodePool} ${code}`,
    );
  const [one, two] = [ofTeam('db-1', ['1']), ofTeam('db-2', ['2'])];
  expect(ask({ team: 'db', [ZONE]: '1' }, DYNAMIC, one, two)).toEqual(['db-1 PoolStatic']);
  expect(ask({ team: 'db', [ZONE]: '3' }, DYNAMIC, one, two)).toEqual([
    'db-1 RequirementIncompatible',
    'db-2 RequirementIncompatible',
  ]);
  // One that launches nodes and has the label, too.
  expect(ask({ team: 'db', [ZONE]: '3' }, ofTeam('burst', ['2'], {}), one)).toEqual([]);
  // One that launches nodes is as near.
  expect(ask({ team: 'db', tier: 'x' }, DYNAMIC, one)).toEqual(['db-1 LabelUndefined']);
  const tier = aPool('tier', ['1']);
  Object.assign(tier.spec.template, { metadata: { labels: { tier: 'x' } } });
  expect(ask({ team: 'db', tier: 'x' }, tier, one)).toEqual([]);
});

test('a name in one term of an affinity does not count for a pod that is as near to another NodePool', () => {
  const term = (...pairs: readonly (readonly [string, string])[]) => ({
    matchExpressions: pairs.map(([key, value]) => ({ key, operator: 'In', values: [value] })),
  });
  const pod = aPod({});
  const nodeSelectorTerms = [term(['karpenter.sh/nodepool', 'db'], [ZONE, '3']), term([ZONE, '9'])];
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
  Object.assign(pod.spec, { affinity: { nodeAffinity } });
  const { refusals, others } = excludedPools([DYNAMIC, aPool('db', ['1'], { replicas: 3 })], pod, WELL_KNOWN);
  expect({ refusals, others }).toMatchObject({ refusals: [], others: [{ nodePool: 'db' }] });
});

test('of one that is being deleted, what else keeps the pod from it is said as well', () => {
  const leaving = aPool('db', ['1'], {}, [TAINT]);
  Object.assign(leaving.metadata, { deletionTimestamp: '2026-06-01T09:00:00Z' });
  const pod = aPod({ 'karpenter.sh/nodepool': 'db', [ZONE]: '3' });
  expect(excludedPools([DYNAMIC, leaving], pod, WELL_KNOWN).refusals).toMatchObject([
    {
      code: 'PoolDeleting',
      text: `the pod selects it, and it is being deleted: it launches no more nodes; and the pod did not tolerate taint (taint=db:NoSchedule); and the pod requires ${ZONE}=3, and it allows only 1`,
    },
  ]);
});

test('nothing is read about one that is being deleted', () => {
  const leaving = aPool('db', ['1']);
  Object.assign(leaving.metadata, { deletionTimestamp: '2026-06-01T09:00:00Z' });
  expect(asked(leaving, { [ZONE]: '1' })).toEqual({ refusals: ['PoolDeleting'], read: [], others: [] });
});

test('a NodePool that launches nodes and has a taint which the pod does not tolerate is no rival', () => {
  const labels = { requirements: [{ key: 'team', operator: 'In', values: ['db'] }] };
  const ofTeam = (name: string, spec: object, taints: readonly object[]) =>
    ({
      metadata: { name },
      spec: { ...spec, template: { spec: { ...labels, taints } } },
    }) as unknown as PoolShape;
  const ask = (taints: readonly object[]) =>
    excludedPools(
      [ofTeam('burst', {}, taints), ofTeam('db', { replicas: 3 }, [])],
      aPod({ team: 'db' }),
      WELL_KNOWN,
    ).refusals.map(({ nodePool }) => nodePool);
  expect(ask([TAINT])).toEqual(['db']);
  expect(ask([])).toEqual([]);
});

test('a pod that may also run elsewhere by another term of its affinity is not meant for a static one', () => {
  const term = (key: string, value: string) => ({
    matchExpressions: [{ key, operator: 'In', values: [value] }],
  });
  const ask = (zone: string) => {
    const pod = aPod({});
    const nodeSelectorTerms = [term('karpenter.sh/nodepool', 'db'), term(ZONE, zone)];
    const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } };
    Object.assign(pod.spec, { affinity: { nodeAffinity } });
    return excludedPools([DYNAMIC, aPool('db', ['1'], { replicas: 3 })], pod, WELL_KNOWN).refusals;
  };
  expect(ask('2')).toEqual([]);
  expect(ask('1')).toMatchObject([{ code: 'PoolStatic', nodePool: 'db' }]);
});

test('where no NodePool launches nodes, a static one that no label and no taint keeps the pod from is meant', () => {
  const ask = (taints: readonly object[]) =>
    excludedPools([aPool('db', ['1'], { replicas: 3 }, taints)], aPod({}), WELL_KNOWN);
  expect(ask([]).refusals).toMatchObject([{ code: 'PoolStatic', nodePool: 'db' }]);
  expect(ask([TAINT])).toMatchObject({ refusals: [], others: [{ nodePool: 'db' }] });
});
