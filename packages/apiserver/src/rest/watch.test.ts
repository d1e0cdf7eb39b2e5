import { beforeEach, describe, expect, test } from 'vitest';
import {
  aConfigMap,
  CONFIG_MAPS,
  type SmallServer,
  smallServer,
  watchLines,
} from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const open = async (query: string, headers: Record<string, string> = {}) => {
  const response = await api.server.adminFetch(`https://local${CONFIG_MAPS}?watch=1&${query}`, { headers });
  return { response, lines: watchLines(response) };
};

const next = async (lines: AsyncGenerator<{ type: string; object: { metadata?: { name?: string } } }>) => {
  const { value } = await lines.next();
  return value === undefined ? 'end' : `${value.type} ${value.object.metadata?.name ?? ''}`.trim();
};

const create = (name: string, labels?: Record<string, string>) =>
  api.ask(`POST ${CONFIG_MAPS}`, aConfigMap(name, labels === undefined ? {} : { labels }));

describe('a watch', () => {
  test('without a revision starts with the existing objects and continues with changes', async () => {
    await create('a');
    const { lines } = await open('');
    expect(await next(lines)).toBe('ADDED a');
    await create('b');
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { data: { k: 'v' } });
    await api.ask(`DELETE ${CONFIG_MAPS}/b`);
    expect([await next(lines), await next(lines), await next(lines)]).toEqual([
      'ADDED b',
      'MODIFIED a',
      'DELETED b',
    ]);
    await lines.return(undefined);
  });

  test('resumes after the revision it is given, without a gap', async () => {
    await create('a');
    const { resourceVersion } = (await api.ask(`GET ${CONFIG_MAPS}`)).body.metadata;
    await create('b');
    const { lines } = await open(`resourceVersion=${resourceVersion}`);
    await create('c');
    expect([await next(lines), await next(lines)]).toEqual(['ADDED b', 'ADDED c']);
    await lines.return(undefined);
  });

  test('of a compacted revision returns one error and ends', async () => {
    const { resourceVersion } = (await api.ask(`GET ${CONFIG_MAPS}`)).body.metadata;
    await create('a');
    api.server.compact();
    const { response, lines } = await open(`resourceVersion=${resourceVersion}`);
    expect(response.status).toBe(200);
    const { value } = await lines.next();
    expect(value).toMatchObject({
      type: 'ERROR',
      object: {
        code: 410,
        reason: 'Expired',
        message: `too old resource version: ${resourceVersion} (${Number(resourceVersion) + 1})`,
      },
    });
    expect(await next(lines)).toBe('end');
  });

  test('with a selector reports objects as added and deleted as their labels change', async () => {
    const { lines } = await open('labelSelector=in%3Dyes');
    await create('a', { in: 'no' });
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { labels: { in: 'yes' } } });
    await api.ask(`PATCH ${CONFIG_MAPS}/a`, { data: { k: 'v' } });
    const left = await api.ask(`PATCH ${CONFIG_MAPS}/a`, { metadata: { labels: { in: 'no' } } });
    await api.ask(`DELETE ${CONFIG_MAPS}/a`);
    expect([await next(lines), await next(lines)]).toEqual(['ADDED a', 'MODIFIED a']);
    const { value } = await lines.next();
    expect(value).toMatchObject({
      type: 'DELETED',
      object: { metadata: { labels: { in: 'yes' }, resourceVersion: left.body.metadata.resourceVersion } },
    });
    await lines.return(undefined);
  });

  test('sees only its namespace', async () => {
    const { lines } = await open('');
    await api.ask('POST /api/v1/namespaces/kube-system/configmaps', aConfigMap('elsewhere'));
    await create('here');
    expect(await next(lines)).toBe('ADDED here');
    await lines.return(undefined);
  });

  test('as a list marks the end of the initial events', async () => {
    await create('a');
    const { lines } = await open(
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true',
    );
    expect(await next(lines)).toBe('ADDED a');
    const { value } = await lines.next();
    expect(value).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
    await lines.return(undefined);
  });

  test('gets bookmarks every minute, one before its end, and ends in time', async () => {
    const { lines } = await open('allowWatchBookmarks=true&timeoutSeconds=90&resourceVersion=1');
    await api.ask('POST /api/v1/nodes', { metadata: { name: 'n' } });
    const { resourceVersion } = (await api.ask(`GET ${CONFIG_MAPS}`)).body.metadata;
    await api.world.clock.advance(61_000);
    expect((await lines.next()).value).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { resourceVersion } },
    });
    await api.world.clock.advance(60_000);
    expect(await next(lines)).toBe('BOOKMARK');
    expect(await next(lines)).toBe('end');
  });

  test('carries rows of a Table, the columns only once', async () => {
    const { lines } = await open('', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    await create('a');
    await create('b');
    expect((await lines.next()).value?.object).toMatchObject({
      kind: 'Table',
      columnDefinitions: [{ name: 'Name' }, {}, {}],
    });
    expect((await lines.next()).value?.object).toMatchObject({
      columnDefinitions: null,
      rows: [{ cells: ['b', 0, '0s'] }],
    });
    await lines.return(undefined);
  });

  test('ends with an error on an object it cannot render, while others continue', async () => {
    const resource = api.server.catalogue.resource('', 'v1', 'configmaps')!;
    const column = resource.columns[0] as unknown as { cell: () => string };
    const { cell } = column;
    column.cell = () => {
      throw new Error('no such cell');
    };
    const { lines } = await open('', { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
    const plain = (await open('')).lines;
    await create('a');
    expect((await lines.next()).value).toMatchObject({
      type: 'ERROR',
      object: { code: 500, reason: 'InternalError' },
    });
    expect(await next(lines)).toBe('end');
    expect(await next(plain)).toBe('ADDED a');
    column.cell = cell;
    await plain.return(undefined);
  });

  test('is released when its client disconnects', async () => {
    const before = api.world.clock.pendingTimers;
    const { response } = await open('');
    expect(api.world.clock.pendingTimers).toBe(before + 1);
    await response.body?.cancel();
    expect(api.world.clock.pendingTimers).toBe(before);
  });

  test('ends with an error for its reader when the caller aborts', async () => {
    const abort = new AbortController();
    const response = await api.server.adminFetch(`https://local${CONFIG_MAPS}?watch=1`, {
      signal: abort.signal,
    });
    const reading = response.text();
    abort.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('of a slow client is ended, and its events have no gap', async () => {
    api = await smallServer({ watchQueueLimit: 20 });
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('big'));
    const { resourceVersion } = (await api.ask(`GET ${CONFIG_MAPS}/big`)).body.metadata;
    const { lines } = await open(`resourceVersion=${resourceVersion}`);
    const text = 'x'.repeat(10_000);
    for (let index = 0; index < 200; index++) {
      await api.ask(`PUT ${CONFIG_MAPS}/big`, aConfigMap('big', { data: { text, index: `${index}` } }));
    }
    const seen: number[] = [];
    for await (const { object } of lines) seen.push(Number((object['data'] as { index: string }).index));
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(200);
    expect(seen).toEqual(seen.map((_, position) => position));
  });
});
