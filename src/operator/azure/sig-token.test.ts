import { describe, expect, test } from 'vitest';
import { virtualWorld } from '../../../test/world/virtual-world.ts';
import { AZURE_PUBLIC_CLOUD } from '../../arm/index.ts';
import { sigToken } from './sig-token.ts';

const HOUR_MS = 3600_000;

function aServer(answer: (nowMs: number) => Response) {
  const world = virtualWorld();
  const asked: string[] = [];
  const token = sigToken({
    world,
    url: 'http://token-server/token',
    environment: AZURE_PUBLIC_CLOUD,
    fetch: async (input) => {
      asked.push(String(input));
      return answer(world.clock.now());
    },
  });
  return { world, token, asked };
}

const at = (ms: number) => new Date(ms).toISOString();

describe('the token of the shared galleries', () => {
  test('is asked for with its scope, and kept until less than five minutes are left', async () => {
    const { world, token, asked } = aServer(
      (nowMs) => new Response(JSON.stringify({ Token: `t${asked.length}`, ExpiresOn: at(nowMs + HOUR_MS) })),
    );
    expect(await token()).toBe('t1');
    expect(asked[0]).toBe('http://token-server/token?scope=https%3A%2F%2Fmanagement.azure.com%2F.default');
    await world.clock.advance(54 * 60_000);
    expect(await token()).toBe('t1');
    await world.clock.advance(2 * 60_000);
    expect(await token()).toBe('t2');
  });

  test('is renewed when it asks to be', async () => {
    const { world, token, asked } = aServer(
      (nowMs) =>
        new Response(
          JSON.stringify({ Token: 't', ExpiresOn: at(nowMs + HOUR_MS), RefreshOn: at(nowMs + HOUR_MS / 2) }),
        ),
    );
    await token();
    await world.clock.advance(HOUR_MS / 2 + 1);
    await token();
    expect(asked).toHaveLength(2);
  });

  test('is asked for once by many', async () => {
    const { token, asked } = aServer(
      (nowMs) => new Response(JSON.stringify({ Token: 't', ExpiresOn: at(nowMs + HOUR_MS) })),
    );
    await Promise.all([token(), token(), token()]);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['a refusal', new Response('no', { status: 403 }), 'token-server answered 403'],
    ['nonsense', new Response('<html>'), 'did not answer with JSON'],
    ['a token without an end', new Response('{"Token":"secret"}'), 'gave no token with an end'],
  ])('%s names the option and no secret', async (_, answer, message) => {
    const { token } = aServer(() => answer);
    const error = await token().catch((thrown: Error) => thrown);
    expect(String(error)).toContain('sig-access-token-server-url');
    expect(String(error)).toContain(message);
    expect(String(error)).not.toContain('secret');
  });
});
