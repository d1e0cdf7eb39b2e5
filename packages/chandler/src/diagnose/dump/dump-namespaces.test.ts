/** A dump has events of a limited number of namespaces: it says so, and answers from it do, too. */
import { EVENTS, POD_DISRUPTION_BUDGETS } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { ListFilter, ObjectReader, ReadObject } from '../../causes/index.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';
import { gather } from '../evidence/gather.ts';
import { explain } from '../explain.ts';
import { encodeDump } from './dump.ts';
import { dumpReader } from './dump-reader.ts';
import { openDump } from './dump-view.ts';
import { makeDump } from './make-dump.ts';

const cloud = azureDiagnosis();
const NOW_MS = Date.UTC(2026, 0, 1);
const before = (ms: number) => new Date(NOW_MS - ms).toISOString();
const spaceOf = (index: number) => `team-${String(index).padStart(2, '0')}`;

/** In each namespace a pod that waits for a volume, with an event that says so. */
function cluster(count: number): ObjectReader {
  const spaces = Array.from({ length: count }, (_, index) => spaceOf(index));
  const data: Readonly<Record<string, readonly ReadObject[]>> = {
    pods: spaces.map((namespace) => ({
      metadata: { name: 'web', namespace, uid: namespace, creationTimestamp: before(600_000) },
      spec: { nodeName: 'n1', containers: [{ name: 'a', image: 'x' }] },
      status: {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: before(600_000) }],
        containerStatuses: [
          { name: 'a', started: false, restartCount: 0, state: { waiting: { reason: 'ContainerCreating' } } },
        ],
      },
    })),
    events: [
      ...spaces.map((namespace) => ({
        metadata: { name: 'web.1', namespace },
        involvedObject: { kind: 'Pod', name: 'web', namespace, uid: namespace },
        reason: 'FailedMount',
        type: 'Warning',
        message: 'MountVolume.SetUp failed for volume "s" : secret "db" not found',
        lastTimestamp: before(5_000),
      })),
      { metadata: { name: 'n1.1', namespace: 'default' }, involvedObject: { kind: 'Node', name: 'n1' } },
    ],
    nodes: [
      {
        metadata: { name: 'n1', creationTimestamp: before(9_000_000) },
        spec: {},
        status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: before(9_000_000) }] },
      },
    ],
  };
  const list = (plural: string, { namespace, fields = {} }: ListFilter = {}) =>
    (data[plural] ?? []).filter(
      (object) =>
        (namespace === undefined || object.metadata.namespace === namespace) &&
        Object.entries(fields).every(([path, value]) => valueAt(object, path) === value),
    );
  return {
    from: 'kubernetes',
    atMs: NOW_MS,
    kept: { records: [], unread: [] },
    get: async ({ plural }, { name, namespace = '' }) => {
      const found = list(plural).find(
        ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
      );
      return found === undefined ? { why: 'notFound' } : { found };
    },
    list: async ({ plural }, filter) => ({ found: list(plural, filter) }),
    async *pages({ plural }, filter) {
      yield { found: list(plural, filter) };
    },
    log: async () => ({ why: 'notFound' }),
  };
}

function valueAt(object: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], object);
}

async function answer(reader: ObjectReader, namespace: string) {
  const gathered = await gather({ kind: 'pod', name: 'web', namespace }, { reader, cloud });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  const { cause, unread } = explain(gathered.subject, gathered.evidence, cloud);
  return { cause: cause?.id, unread: unread.filter(({ kind }) => kind === 'events').map(({ why }) => why) };
}

test('a dump of many namespaces says of how many it has events, and why says where they are missing', async () => {
  const dump = await makeDump({ reader: cluster(40), cloud, madeBy: 'test' });
  expect(dump.kinds['pods']!.objects).toHaveLength(40);
  expect(dump.kinds['events']!.cut).toBe(
    'of 40 namespaces with pods in the dump, it has events, volume claims, services and budgets of 30; name others with -n',
  );
  for (const reader of [dumpReader(dump), dumpReader(openDump(encodeDump(dump, false)))]) {
    expect(await answer(reader, spaceOf(5))).toEqual({ cause: 'volumes.mount-failed', unread: [] });
    expect((await answer(reader, spaceOf(35))).unread).toEqual(['notInDump']);
    // The events of nodes are those of one namespace, which the dump has whole.
    expect(await reader.list(EVENTS, { namespace: 'default' })).not.toHaveProperty('partial');
    expect(await reader.list(POD_DISRUPTION_BUDGETS, { namespace: spaceOf(5) })).toEqual({ found: [] });
    expect(await reader.list(POD_DISRUPTION_BUDGETS, { namespace: spaceOf(35) })).toEqual({
      found: [],
      partial: true,
    });
  }
});

test('an object that is not in a namespace that the dump has whole does not exist', async () => {
  const dump = await makeDump({ reader: cluster(40), cloud, madeBy: 'test' });
  const looked = (namespace: string) =>
    dumpReader(dump).get(POD_DISRUPTION_BUDGETS, { namespace, name: 'web' });
  expect(await looked(spaceOf(5))).toEqual({ why: 'notFound' });
  expect(await looked(spaceOf(35))).toEqual({ why: 'notInDump' });
});

test('a cluster that does not answer is asked twice, and not once for each kind', async () => {
  const asked: string[] = [];
  const pages: ObjectReader['pages'] = async function* ({ plural }) {
    asked.push(plural);
    yield { why: 'unreachable', message: 'no answer from 10.0.0.4:443' };
  };
  const dump = await makeDump({ reader: { ...cluster(1), pages }, cloud, madeBy: 'test' });
  expect(asked).toHaveLength(2);
  expect(Object.values(dump.kinds).map(({ objects, unread }) => [objects.length, unread?.why])).toEqual([
    [0, 'unreachable'],
    [0, 'unreachable'],
  ]);
});

test('a cluster that answers about one kind is asked about all', async () => {
  const asked: string[] = [];
  const reader = cluster(1);
  const pages: ObjectReader['pages'] = async function* (resource, filter) {
    asked.push(resource.plural);
    if (resource.plural === 'pods') yield* reader.pages(resource, filter);
    // Empty, and read.
    else if (asked.length === 1) yield { found: [] };
    else yield { why: 'unreachable' };
  };
  const dump = await makeDump({ reader: { ...reader, pages }, cloud, madeBy: 'test' });
  expect(asked.length).toBeGreaterThan(10);
  expect(dump.kinds['pods']!.objects).toHaveLength(1);
});

test('a cluster that cannot read its custom resources is asked about all else', async () => {
  const reader = cluster(1);
  const pages: ObjectReader['pages'] = async function* (resource, filter) {
    if (resource.group === 'karpenter.sh')
      yield { why: 'unreachable', message: 'conversion webhook for karpenter.sh/v1beta1 failed' };
    else yield* reader.pages(resource, filter);
  };
  const dump = await makeDump({ reader: { ...reader, pages }, cloud, madeBy: 'test' });
  expect(dump.kinds['pods']!.objects).toHaveLength(1);
  expect(dump.kinds['nodepools.karpenter.sh']!.unread?.message).toContain('conversion webhook');
});

test('namespaces that are named come first', async () => {
  const options = { reader: cluster(40), cloud, madeBy: 'test', namespaces: [spaceOf(35)] };
  const reader = dumpReader(await makeDump(options));
  expect(await answer(reader, spaceOf(35))).toEqual({ cause: 'volumes.mount-failed', unread: [] });
});

test('a dump of few namespaces has nothing to say about them', async () => {
  const dump = await makeDump({ reader: cluster(3), cloud, madeBy: 'test' });
  expect(dump.kinds['events']).toMatchObject({
    wholeNamespaces: ['default', spaceOf(0), spaceOf(1), spaceOf(2)],
  });
  expect(dump.kinds['events']).not.toHaveProperty('cut');
});

test('a namespace whose events cannot be read is not one without events', async () => {
  const reader = cluster(2);
  const pages: ObjectReader['pages'] = async function* (resource, filter) {
    if (resource === EVENTS && filter?.namespace === spaceOf(1)) yield { why: 'forbidden' };
    else yield* reader.pages(resource, filter);
  };
  const dump = await makeDump({ reader: { ...reader, pages }, cloud, madeBy: 'test' });
  expect(dump.kinds['events']!.wholeNamespaces).toEqual(['default', spaceOf(0)]);
  expect((await answer(dumpReader(dump), spaceOf(1))).unread).toEqual(['notInDump']);
});
