/**
 * What could not be read, by what is wrong with a pending pod: what does not rest on it stays said; what does is suspicious at
 * most, and the answer names what was not read.
 */
import { describe, expect, test } from 'vitest';
import { dumpReader, encodeDump, openDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';
import { without } from './part-reader.ts';

const CLUSTER = {
  claims: [{}],
  nodes: [{ metadata: { labels: { 'topology.kubernetes.io/zone': 'westeurope-1' } } }],
  controller: { hosting: 'none' },
};
const ROOM = {
  on: 'Pod/shop/web',
  reason: 'FailedScheduling',
  message: '0/1 nodes are available: 1 Insufficient cpu.',
  by: 'default-scheduler',
  ago: '1m',
};
const requests = (amounts: object) => ({
  containers: [{ name: 'app', image: 'i', resources: { requests: amounts, limits: amounts } }],
});
const TAINTS = [{ key: 'team', value: 'ml', effect: 'NoSchedule' }];
const LABEL = { nodeSelector: { 'example.com/disk': 'fast' } };
const GPU = { cpu: '1', 'nvidia.com/gpu': '1' };

/** What is wrong with the pod. */
const PODS = {
  nothing: {},
  label: { spec: LABEL },
  cpus: { spec: requests({ cpu: '5k' }) },
  taint: { pool: { spec: { template: { spec: { taints: TAINTS } } } } },
  limit: { pool: { spec: { limits: { nodes: '1' } }, status: { resources: { nodes: '1' } } } },
  gpu: { spec: requests(GPU) },
  'gpu and label': { spec: { ...requests(GPU), ...LABEL } },
  'gpu and cpus': { spec: requests({ ...GPU, cpu: '5k' }) },
  'gpu misspelt': { spec: requests({ 'nvidia.com/gpus': '1' }) },
} as const;

type Wrong = keyof typeof PODS;

/** The cause where everything can be read; in brackets, what only may be one. */
const CAUSES: Readonly<Record<Wrong, string>> = {
  nothing: '(scheduling.not-launched)',
  label: 'L6.4',
  cpus: 'L6.3',
  taint: 'L6.2',
  limit: 'scheduling.limit',
  gpu: '(scheduling.not-launched)',
  'gpu and label': 'L6.4',
  'gpu and cpus': 'L6.3',
  'gpu misspelt': 'scheduling.resource-unknown',
};

/** What may not be read, its name under "Not read", and the pods of which the answer rests on it. */
const TABLE: readonly (readonly [kinds: readonly string[], name: string, rests: readonly Wrong[]])[] = [
  [['nodeclaims.karpenter.sh'], 'NodeClaims', ['nothing', 'gpu']],
  [['daemonsets.apps'], 'daemonsets', ['nothing', 'gpu']],
  [['nodeoverlays.karpenter.sh'], 'NodeOverlays', ['gpu', 'gpu misspelt']],
  [['namespaces'], 'namespaces', []],
  [['aksnodeclasses.karpenter.azure.com'], 'AKSNodeClass default', ['nothing', 'gpu', 'gpu misspelt']],
  // Nothing else shows the region.
  [['nodes'], 'Nodes', ['nothing', 'gpu', 'gpu misspelt']],
  [['nodes', 'nodeclaims.karpenter.sh'], 'Nodes', ['nothing', 'gpu', 'gpu misspelt']],
];

async function answer(kinds: readonly string[], wrong: Wrong, age: string, events: readonly object[]) {
  const { spec, pool } = PODS[wrong] as { readonly spec?: object; readonly pool?: object };
  const one = {
    file: 'here',
    title: '',
    ask: 'pod/shop/web',
    expect: {},
    ...CLUSTER,
    ...(pool === undefined ? {} : { pool }),
    pods: [{ age, ...(spec === undefined ? {} : { spec }) }],
    events,
  } as unknown as CorpusCase;
  const reader = without(dumpReader(openDump(encodeDump(dumpOf(one), false))), kinds);
  const { cause, also, verdict, unread } = await askThrough(reader, 'pod/shop/web');
  const [finding = cause] = also;
  return {
    id: cause?.id ?? `(${also.map((each) => each.id).join(' ')})`,
    summary: (cause ?? finding)?.summary,
    title: (cause ?? finding)?.title,
    verdict,
    unread: unread.map(({ what }) => what),
  };
}

const ROWS = TABLE.flatMap(([kinds, name, rests]) =>
  (Object.keys(PODS) as Wrong[]).map((wrong) => ({ kinds, name, wrong, isWithheld: rests.includes(wrong) })),
);

describe.each(ROWS)('without $kinds, and with the pod: $wrong', ({ kinds, name, wrong, isWithheld }) => {
  if (!isWithheld) {
    test('the answer stays, with and without words of the scheduler', async () => {
      for (const events of [[], [ROOM]])
        expect((await answer(kinds, wrong, '1h', events)).id).toBe(CAUSES[wrong]);
    });
    return;
  }

  test('after a launch would be over, the answer is what could not be read', async () => {
    const { title, ...rest } = await answer(kinds, wrong, '1h', []);
    expect(rest).toMatchObject({ id: 'scheduling.unexplained', verdict: 'broken' });
    expect(title).toContain('what a plan for it needs could not be read');
    expect([rest.summary, rest.unread]).toEqual([
      expect.stringContaining(name),
      expect.arrayContaining([name]),
    ]);
  });

  test('before, nothing may be wrong', async () => {
    const { id, verdict } = await answer(kinds, wrong, '5m', []);
    expect([id, verdict]).toEqual(['(scheduling.unexplained)', 'underWay']);
  });

  test('words of the scheduler are suspicious, and name what could not be read', async () => {
    for (const age of ['5m', '1h']) {
      const { id, verdict, summary, unread } = await answer(kinds, wrong, age, [ROOM]);
      expect([id, verdict]).not.toContain('broken');
      expect(id).toBe('(L6.3)');
      expect([summary, unread]).toEqual([expect.stringContaining(name), expect.arrayContaining([name])]);
    }
  });
});
