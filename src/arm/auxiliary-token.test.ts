import { describe, expect, test } from 'vitest';
import { virtualWorld } from '../../test/world/virtual-world.ts';
import type { Fetch } from '../world.ts';
import { auxiliaryTokenSource } from './auxiliary-token.ts';

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
  test('is asked for once by all who need it, and again before it ends', async () => {
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

  test.each([
    ['a refusal', () => new Response('no', { status: 403 }), 'HTTP 403'],
    ['no JSON', () => new Response('<html>'), 'no token for the image gallery'],
    ['an empty answer', () => Response.json({}), 'holds no token'],
    ['no end', () => Response.json({ token: 't' }), 'holds no token, or not when it ends'],
  ])('that does not come is named, and asked for again: %s', async (_, answer, message) => {
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
