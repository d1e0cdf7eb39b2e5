/** The API server of the environment, for the player. */
import { readFileSync } from 'node:fs';
import type { Fetch } from '@chandler/kube';
import { Agent, fetch as undiciFetch } from 'undici';
import { ALICE_TOKEN } from '../cluster/control-plane/launch.ts';
import type { Server } from './player.ts';

export function realServer(env: NodeJS.ProcessEnv): Server {
  const { CHANDLER_TEST_SERVER: url, CHANDLER_TEST_TOKEN: token, CHANDLER_TEST_CA: caFile } = env;
  if (url === undefined || token === undefined) {
    throw new Error(
      'CHANDLER_TEST_SERVER and CHANDLER_TEST_TOKEN name the server to ask; `npm run test:cluster` sets them',
    );
  }
  const ca = caFile === undefined ? undefined : readFileSync(caFile, 'utf8');
  const dispatcher = new Agent({
    connect: ca === undefined ? { rejectUnauthorized: false } : { ca },
    pipelining: 1,
    bodyTimeout: 30_000,
    headersTimeout: 30_000,
  });
  const send = (input: string, init: RequestInit) =>
    undiciFetch(input, { ...(init as object), dispatcher }) as unknown as Promise<Response>;
  return { url, tokens: { admin: token, alice: ALICE_TOKEN }, fetch: send as Fetch };
}
