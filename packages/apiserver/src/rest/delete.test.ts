import { beforeEach, describe, expect, test } from 'vitest';
import {
  aConfigMap,
  aPod,
  CONFIG_MAPS,
  PODS,
  type SmallServer,
  smallServer,
} from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer({ collector: false });
  await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'));
});

describe('deleting an object', () => {
  test('answers with what was deleted', async () => {
    const { body: before } = await api.ask(`GET ${CONFIG_MAPS}/a`);
    const { code, body } = await api.ask(`DELETE ${CONFIG_MAPS}/a`);
    expect(code).toBe(200);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Success',
      details: { name: 'a', kind: 'configmaps', uid: before.metadata.uid },
    });
    expect((await api.ask(`DELETE ${CONFIG_MAPS}/a`)).body.message).toBe('configmaps "a" not found');
  });

  test('only marks it while it has finalizers; removing the last one removes the object', async () => {
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { finalizers: ['x.io/hold'] } });
    const marked = await api.ask(`DELETE ${CONFIG_MAPS}/a`);
    expect(marked.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    const more = await api.ask(`PATCH ${CONFIG_MAPS}/a`, {
      metadata: { finalizers: ['x.io/hold', 'y.io/hold'] },
    });
    expect(more.body.message).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"y.io/hold"}',
    );
    expect((await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { finalizers: null } })).code).toBe(200);
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).code).toBe(404);
  });

  test.each([
    [
      { preconditions: { uid: 'abc' } },
      /^409 .*on ConfigMap "a": the UID in the precondition \(abc\) does not match/,
    ],
    [
      { preconditions: { resourceVersion: '1' } },
      /^409 .*the ResourceVersion in the precondition \(1\) does not match/,
    ],
    [
      { propagationPolicy: 'Foo' },
      /^422 DeleteOptions.meta.k8s.io "" is invalid: propagationPolicy: Unsupported value: "Foo": supported values: "Foreground", "Background", "Orphan", "nil"$/,
    ],
    [{ propagationPolicy: 'Orphan', orphanDependents: true }, /^422 .*cannot be both set$/],
    [
      { gracePeriodSeconds: 'a' },
      /^400 json: cannot unmarshal string into Go struct field DeleteOptions.gracePeriodSeconds/,
    ],
    [{ kind: 'Pod', apiVersion: 'v1' }, /^400 no kind "Pod" is registered for version "v1"/],
    ['{"x":', /^400 couldn't get version\/kind; json parse error: unexpected end of JSON input$/],
  ])('with options %j is rejected', async (options, expected) => {
    const { code, body } = await api.ask(`DELETE ${CONFIG_MAPS}/a`, options);
    expect(`${code} ${body.message}`).toMatch(expected);
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).code).toBe(200);
  });

  test('changes nothing in a dry run', async () => {
    expect((await api.ask(`DELETE ${CONFIG_MAPS}/a?dryRun=All`)).code).toBe(200);
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).code).toBe(200);
  });

  test('passes the propagation policy to the garbage collector with a finalizer', async () => {
    const orphaned = await api.ask(`DELETE ${CONFIG_MAPS}/a`, { propagationPolicy: 'Orphan' });
    expect(orphaned.body.metadata.finalizers).toEqual(['orphan']);
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('b'));
    const waiting = await api.ask(`DELETE ${CONFIG_MAPS}/b?propagationPolicy=Foreground`);
    expect(waiting.body.metadata.finalizers).toEqual(['foregroundDeletion']);
  });

  test('of a whole collection takes what is selected and answers with the list', async () => {
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('b', { labels: { go: 'yes' } }));
    const { body } = await api.ask(`DELETE ${CONFIG_MAPS}?labelSelector=go%3Dyes`);
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['b']);
    const left = await api.ask(`GET ${CONFIG_MAPS}`);
    expect(left.body.items.map(({ metadata }) => metadata.name)).toEqual(['a']);
  });
});

describe('deleting a pod', () => {
  const onNode = (name: string) => aPod(name, { spec: { nodeName: 'n', terminationGracePeriodSeconds: 30 } });

  test('without a node takes effect at once', async () => {
    await api.ask(`POST ${PODS}`, aPod('p'));
    const { body } = await api.ask(`DELETE ${PODS}/p`);
    expect(body.kind).toBe('Pod');
    expect((await api.ask(`GET ${PODS}/p`)).code).toBe(404);
  });

  test('on a node respects its grace period', async () => {
    await api.ask(`POST ${PODS}`, onNode('p'));
    const { body } = await api.ask(`DELETE ${PODS}/p`);
    expect(body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    const again = await api.ask(`DELETE ${PODS}/p?gracePeriodSeconds=60`);
    expect(again.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test('again can only shorten the grace period; zero removes the pod', async () => {
    await api.ask(`POST ${PODS}`, onNode('p'));
    await api.ask(`DELETE ${PODS}/p`);
    await api.world.clock.advance(5_000);
    const sooner = await api.ask(`DELETE ${PODS}/p?gracePeriodSeconds=10`);
    expect(sooner.body.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:10Z',
      deletionGracePeriodSeconds: 10,
    });
    await api.ask(`DELETE ${PODS}/p?gracePeriodSeconds=0`);
    expect((await api.ask(`GET ${PODS}/p`)).code).toBe(404);
  });
});
