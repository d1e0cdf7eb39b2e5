/** A pending pod whose affinity or spread counts pods: those of the right namespaces are read, or no plan is made. */
import { PODS, resourceName } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  type Dump,
  dumpReader,
  encodeDump,
  makeDump,
  openDump,
} from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, dumpOf } from './corpus.ts';

const CLOUD = azureDiagnosis();
const ZONE = 'topology.kubernetes.io/zone';

const TERM = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'db' } } };
const near = (term: object) => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, ...term }] } },
});
const awayFrom = (term: object) => ({
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ ...TERM, ...term }] } },
});
const SPREAD = {
  topologySpreadConstraints: [
    {
      ...TERM,
      maxSkew: 1,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'web' } },
    },
  ],
};

/** A pod in the namespace shop, and a database in the namespace data, in the only zone of the pool. */
function clusterOf(spec: object, more: Partial<CorpusCase> = {}, age = '5m'): Dump {
  return dumpOf({
    file: 'here',
    title: '',
    ask: 'pod/shop/web',
    expect: {},
    pool: {
      spec: {
        template: { spec: { requirements: [{ key: ZONE, operator: 'In', values: ['westeurope-1'] }] } },
      },
    },
    claims: [{}],
    nodes: [{ metadata: { labels: { [ZONE]: 'westeurope-1' } } }],
    pods: [
      { age, metadata: { labels: { app: 'web' } }, spec },
      { name: 'db', namespace: 'data', node: 'aks-default-x7k2p', metadata: { labels: { app: 'db' } } },
    ],
    objects: [
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop', labels: { tier: 'front' } } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'data', labels: { tier: 'back' } } },
    ],
    ...more,
  } as unknown as CorpusCase);
}

async function answer(dump: Dump, change: (reader: ObjectReader) => ObjectReader = (reader) => reader) {
  const reader = change(dumpReader(openDump(encodeDump(dump, false))));
  const { verdict, cause, unread } = await askThrough(reader, 'pod/shop/web');
  return { said: [verdict, cause?.id], unread };
}

const PLANNED = ['underWay', undefined];
const REFUSED = ['broken', 'scheduling.topology'];
/** After the time that a launch may take. */
const LATE = '1h';
const NO_PLAN = ['broken', 'scheduling.unexplained'];

describe('pods that an affinity counts are read', () => {
  test.each([
    ['in the namespaces that it names', near({ namespaces: ['data'] }), PLANNED],
    ['in no other', near({ namespaces: ['shop'] }), REFUSED],
    ['in its own without a name', near({}), REFUSED],
    [
      'in the namespaces that its selector matches',
      near({ namespaceSelector: { matchLabels: { tier: 'back' } } }),
      PLANNED,
    ],
    ['in all for an empty selector', near({ namespaceSelector: {} }), PLANNED],
    [
      'in none that its selector does not match',
      near({ namespaceSelector: { matchLabels: { tier: 'no' } } }),
      REFUSED,
    ],
    [
      'in namespaces of both',
      near({ namespaces: ['data'], namespaceSelector: { matchLabels: { tier: 'no' } } }),
      PLANNED,
    ],
    ['for an anti-affinity too', awayFrom({ namespaces: ['data'] }), REFUSED],
  ])('%s', async (_, spec, expected) => {
    expect((await answer(clusterOf(spec))).said).toEqual(expected);
  });
});

describe('no plan is made', () => {
  test('if the pods of a namespace may not be read', async () => {
    const forbidden = (reader: ObjectReader): ObjectReader => ({
      ...reader,
      async *pages(resource, filter) {
        if (resource === PODS && filter?.namespace === 'data')
          yield { why: 'forbidden', permission: 'list pods in namespace data' };
        else yield* reader.pages(resource, filter);
      },
    });
    const { said, unread } = await answer(clusterOf(near({ namespaces: ['data'] }), {}, LATE), forbidden);
    expect(said).toEqual(NO_PLAN);
    expect(unread).toContainEqual(
      expect.objectContaining({ kind: 'plan', what: 'pods in namespace data', why: 'forbidden' }),
    );
  });

  test.each(['nodes', 'namespaces'])('if %s may not be read', async (kind) => {
    const forbidden = (reader: ObjectReader): ObjectReader => ({
      ...reader,
      list: async (resource, filter) =>
        resourceName(resource) === kind ? { why: 'forbidden' } : reader.list(resource, filter),
    });
    const spec = near({ namespaceSelector: { matchLabels: { tier: 'back' } } });
    expect((await answer(clusterOf(spec, {}, LATE), forbidden)).said).toEqual(NO_PLAN);
  });

  test('if there are too many pods to read', async () => {
    const pods = Array.from({ length: 5_001 }, (_, index) => ({ name: `p${index}`, namespace: 'data' }));
    const whole = clusterOf(near({ namespaces: ['data'] }), {
      pods: [
        { age: LATE, metadata: { labels: { app: 'web' } }, spec: near({ namespaces: ['data'] }) },
        ...pods,
      ],
    } as Partial<CorpusCase>);
    const { said, unread } = await answer(whole);
    expect(said).toEqual(NO_PLAN);
    expect(unread).toContainEqual(expect.objectContaining({ kind: 'plan', why: 'tooLarge' }));
  });
});

describe('from a dump', () => {
  const pods = (age: string) => [
    { age, metadata: { labels: { app: 'web' } }, spec: SPREAD },
    { name: 'web-2', node: 'aks-default-x7k2p', metadata: { labels: { app: 'web' } } },
  ];
  const spread = (namespaces: readonly string[], age: string) =>
    makeDump({
      reader: dumpReader(clusterOf({}, { pods: pods(age) } as Partial<CorpusCase>)),
      cloud: CLOUD,
      madeBy: 'test',
      namespaces,
    });

  test('that has only the unhealthy pods of the namespace, no plan is made', async () => {
    const { said, unread } = await answer(await spread([], LATE));
    expect(said).toEqual(NO_PLAN);
    expect(unread).toContainEqual(
      expect.objectContaining({ kind: 'plan', what: 'pods in namespace shop', why: 'notInDump' }),
    );
  });

  test('that has all pods of the namespace, a plan is made', async () => {
    expect((await answer(await spread(['shop'], '5m'))).said).toEqual(PLANNED);
  });
});
