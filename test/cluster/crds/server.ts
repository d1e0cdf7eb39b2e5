/**
 * The API server of a cluster test, as the environment names it: CHANDLER_TEST_SERVER (its URL), CHANDLER_TEST_TOKEN
 * (a bearer token) and CHANDLER_TEST_CA (a file; without it the certificate is not checked).
 */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'undici';
import type { Answer, Send } from './cases.ts';

export interface TestServer {
  readonly send: Send;
  close(): Promise<void>;
}

/** Nothing when no server is named. */
export function serverFromEnvironment(environment: NodeJS.ProcessEnv): TestServer | undefined {
  const url = environment['CHANDLER_TEST_SERVER'];
  if (url === undefined || url === '') return undefined;
  const caFile = environment['CHANDLER_TEST_CA'];
  const tls = caFile === undefined ? { rejectUnauthorized: false } : { ca: readFileSync(caFile) };
  const dispatcher = new Agent({ connect: tls });
  const authorization = `Bearer ${environment['CHANDLER_TEST_TOKEN'] ?? ''}`;
  const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
    const patch = method === 'PATCH';
    const answer = await request(`${url}${path}`, {
      dispatcher,
      method,
      headers: { authorization, 'content-type': patch ? 'application/apply-patch+yaml' : 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const warning = [answer.headers['warning'] ?? []].flat().join(' ');
    return { code: answer.statusCode, warning, body: (await answer.body.json()) as Answer['body'] };
  };
  return { send, close: () => dispatcher.close() };
}
