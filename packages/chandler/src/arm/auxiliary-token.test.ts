import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { auxiliaryTokenSource, RETRY_INTERVAL_MS } from './auxiliary-token.ts';

const HOUR = 3600_000;

function source(answer: (asked: number) => Response) {
  const { clock } = virtualWorld();
  const urls: string[] = [];
  const fetch: Fetch = async (input) => {
    urls.push(String(input));
    return answer(urls.length);
  };
  const token = auxiliaryTokenSource({
    fetch,
    clock,
    serverUrl: 'https://tokens.local/x',
    scope: 'https://arm/.default',
  });
  return { token, clock, urls };
}

describe('the token for the image gallery', () => {
  test('is fetched once for all callers, and again before it expires', async () => {
    const startMs = virtualWorld().clock.now();
    const { token, clock, urls } = source((asked) =>
      Response.json({
        Token: `t${asked}`,
        ExpiresOn: new Date(startMs + asked * HOUR).toISOString(),
        RefreshOn: '0001-01-01T00:00:00Z',
      }),
    );
    expect(await Promise.all([token(), token(), token()])).toEqual(['t1', 't1', 't1']);
    expect(urls).toEqual(['https://tokens.local/x?scope=https%3A%2F%2Farm%2F.default']);
    await clock.advance(HOUR - 5 * 60_000 - 1);
    expect(await token()).toBe('t1');
    await clock.advance(1);
    expect(await token()).toBe('t2');
  });

  test('is refreshed when its server says so', async () => {
    const startMs = virtualWorld().clock.now();
    const { token, clock } = source((asked) =>
      Response.json({
        token: `t${asked}`,
        expiresOn: new Date(startMs + 9 * HOUR).toISOString(),
        refreshOn: new Date(startMs + asked * HOUR).toISOString(),
      }),
    );
    await token();
    await clock.advance(HOUR);
    expect(await token()).toBe('t2');
  });

  test('that is still valid is used when the server gives no new one, and fetched again a minute later', async () => {
    const startMs = virtualWorld().clock.now();
    const { token, clock, urls } = source((asked) =>
      asked === 1 || asked === 4
        ? Response.json({
            token: `t${asked}`,
            expiresOn: new Date(startMs + asked * HOUR).toISOString(),
            refreshOn: new Date(startMs + HOUR / 2).toISOString(),
          })
        : new Response('down', { status: 503 }),
    );
    await token();
    await clock.advance(HOUR / 2);
    expect(await Promise.all([token(), token()])).toEqual(['t1', 't1']);
    expect(urls).toHaveLength(2);
    await clock.advance(RETRY_INTERVAL_MS - 1);
    expect(await token()).toBe('t1');
    expect(urls, 'not for every machine').toHaveLength(2);
    await clock.advance(1);
    expect(await token()).toBe('t1');
    expect(urls).toHaveLength(3);
    await clock.advance(RETRY_INTERVAL_MS);
    expect(await token()).toBe('t4');
  });

  test('that has expired is not used: the error names the answer of the server, which is called each time', async () => {
    const startMs = virtualWorld().clock.now();
    const { token, clock, urls } = source((asked) =>
      asked === 1
        ? Response.json({ token: 't', expiresOn: new Date(startMs + HOUR).toISOString() })
        : new Response('down', { status: 503 }),
    );
    await token();
    await clock.advance(HOUR - 1);
    expect(await token()).toBe('t');
    await clock.advance(1);
    for (let asked = 3; asked <= 4; asked++) {
      await expect(token()).rejects.toMatchObject({
        code: 'NoToken',
        message: expect.stringContaining('HTTP 503'),
      });
      expect(urls).toHaveLength(asked);
    }
  });

  test.each([
    ['a refusal', () => new Response('no', { status: 403 }), 'HTTP 403'],
    ['no JSON', () => new Response('<html>'), 'no token for the image gallery'],
    ['an empty answer', () => Response.json({}), 'contains no valid token or no expiry'],
    ['no end', () => Response.json({ token: 't' }), 'contains no valid token or no expiry'],
  ])('that cannot be fetched is an error, and fetched again: %s', async (_, answer, message) => {
    const { token, urls } = source(answer);
    for (let asked = 1; asked <= 2; asked++) {
      await expect(token()).rejects.toMatchObject({
        code: 'NoToken',
        message: expect.stringContaining(message),
      });
      expect(urls).toHaveLength(asked);
    }
  });
});
