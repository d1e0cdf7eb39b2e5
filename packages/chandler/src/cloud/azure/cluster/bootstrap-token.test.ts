import type { KubeObject } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { TOKEN } from '../options/options.fixture.ts';
import { BootstrapTokenWatch, parseBootstrapToken, TOKEN_EXPIRY_METRIC } from './bootstrap-token.ts';

const DAY = 24 * 3600_000;

function secretWith(fields: Record<string, string>): KubeObject {
  const all = {
    'token-id': 'abcdef',
    'token-secret': '0123456789abcdef',
    'usage-bootstrap-authentication': 'true',
    ...fields,
  };
  const data = Object.fromEntries(
    Object.entries(all).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
  return { metadata: { name: 'bootstrap-token-abcdef', namespace: 'kube-system' }, data };
}

function watch(answer: () => Promise<KubeObject | undefined>, token = TOKEN) {
  const world = virtualWorld();
  const asked: string[] = [];
  const it = new BootstrapTokenWatch({
    world,
    token: () => ({ value: token, source: 'env', path: 'KUBELET_BOOTSTRAP_TOKEN' }),
    getSecret: (namespace, name) => {
      asked.push(`${namespace}/${name}`);
      return answer();
    },
  });
  return { world, asked, watch: it };
}

const inMs = (ms: number) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();

describe('the bootstrap token', () => {
  test('its Secret is read by its id, and its expiration is a metric', async () => {
    const { world, asked, watch: it } = watch(async () => secretWith({ expiration: inMs(30 * DAY) }));
    expect(await it.check()).toEqual({ state: 'valid', expiresAtMs: Date.UTC(2026, 0, 31) });
    expect(asked).toEqual(['kube-system/bootstrap-token-abcdef']);
    expect(world.values.get(TOKEN_EXPIRY_METRIC)).toBe(Date.UTC(2026, 0, 31) / 1000);
    expect(world.lines.filter(({ level }) => level !== 'info')).toEqual([]);
  });

  test('a day before its expiration it warns once, then it is an error', async () => {
    const { world, watch: it } = watch(async () => secretWith({ expiration: inMs(2 * DAY) }));
    const stop = new AbortController();
    const running = it.run(stop.signal);
    await world.clock.advance(3 * DAY);
    stop.abort();
    await running;
    expect(world.lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'info bootstrap token is valid',
      'warn bootstrap token state changed',
      'error bootstrap token state changed',
    ]);
    expect(it.state).toEqual({ state: 'expired', expiredAtMs: Date.UTC(2026, 0, 3) });
    expect(world.clock.pendingTimers).toBe(0);
  });

  test.each<[string, () => Promise<KubeObject | undefined>, string, number | undefined]>([
    ['one without an end', async () => secretWith({}), 'valid', Number.POSITIVE_INFINITY],
    ['one that is gone', async () => undefined, 'missing', 0],
    ['one that was replaced', async () => secretWith({ 'token-secret': 'fedcba9876543210' }), 'replaced', 0],
    [
      'one for signing only',
      async () => secretWith({ 'usage-bootstrap-authentication': 'false' }),
      'unusable',
      0,
    ],
    ['an unreadable expiration', async () => secretWith({ expiration: 'soon' }), 'unusable', 0],
    ['a Secret without data', async () => ({ metadata: {} }), 'unusable', 0],
    ['no answer', () => Promise.reject(new Error('forbidden')), 'unknown', undefined],
  ])('%s', async (_, answer, state, metric) => {
    const { world, watch: it } = watch(answer);
    expect(await it.check()).toMatchObject({ state });
    expect(world.values.get(TOKEN_EXPIRY_METRIC)).toBe(metric);
    expect(JSON.stringify(world.lines)).not.toContain('0123456789abcdef');
  });

  test('one of another form is not looked up', async () => {
    const { asked, watch: it } = watch(async () => undefined, 'nodot');
    expect(await it.check()).toEqual({ state: 'malformed' });
    expect(asked).toEqual([]);
  });

  test('is split at its dot', () => {
    expect(parseBootstrapToken(TOKEN)).toEqual({ id: 'abcdef', secret: '0123456789abcdef' });
    for (const text of ['', 'a', 'a.', '.b', 'a.b.c', 'a b.c'])
      expect(parseBootstrapToken(text)).toBeUndefined();
  });
});
