import { describe, expect, test } from 'vitest';
import { errorFromAnswer } from './api-error.ts';
import { KubeClient } from './client.ts';
import { CONFIG_MAPS } from './resources.table.ts';
import { fetchTransport } from './transport.ts';

describe('an answer without a Status', () => {
  test.each([
    [400, 'malformed'],
    [403, 'malformed'],
    [405, 'malformed'],
    [407, 'malformed'],
    [408, 'timeout'],
    [409, 'malformed'],
    [413, 'malformed'],
    [418, 'malformed'],
    [421, 'unavailable'],
    [422, 'malformed'],
    [425, 'timeout'],
    [431, 'malformed'],
    [499, 'timeout'],
    [502, 'internal'],
    [503, 'unavailable'],
  ])('of a proxy with code %i is no decision of the API server: %s', (code, kind) => {
    expect(errorFromAnswer('POST /x', code, '<html>').kind).toBe(kind);
  });
});

describe('a 404', () => {
  const key = { namespace: 'a', name: 'n' };
  const clientOf = (body: string) =>
    new KubeClient({ transport: fetchTransport(async () => new Response(body, { status: 404 })) });
  const status = (details: object) =>
    JSON.stringify({
      kind: 'Status',
      status: 'Failure',
      reason: 'NotFound',
      message: 'm',
      code: 404,
      details,
    });

  test.each([
    ['of a load balancer', '404 page not found'],
    ['about a kind that is not served', status({})],
  ])('%s does not say that the object of a write is gone', async (_, body) => {
    const client = clientOf(body);
    for (const write of [
      client.patch(CONFIG_MAPS, key, { type: 'merge', patch: {} }),
      client.delete(CONFIG_MAPS, key),
    ])
      await expect(write).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(client.find(CONFIG_MAPS, key)).rejects.toMatchObject({ kind: 'notFound' });
  });

  test('that names the object does', async () => {
    const client = clientOf(status({ name: 'n', kind: 'configmaps' }));
    await expect(client.delete(CONFIG_MAPS, key)).rejects.toMatchObject({ kind: 'notFound' });
    expect(await client.find(CONFIG_MAPS, key)).toBeUndefined();
  });
});
