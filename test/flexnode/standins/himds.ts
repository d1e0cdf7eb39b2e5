/**
 * HIMDS: challenge, key file, token. The key files are real, are good for one use, and lie where the test wants them;
 * the tokens are signed by the token issuer. Every way in which it can be down or lie is a fault that is planned by name.
 */
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HANG_UP, type Handler } from './serve.ts';
import type { FakeTokenIssuer } from './token-issuer.ts';

export const HIMDS_FAULTS = [
  'hang-up',
  'status-500',
  'status-410',
  'no-challenge',
  'other-scheme',
  'header-upper-case',
  'quoted-realm',
  'no-realm',
  'passwd',
  'traversal',
  'subfolder',
  'no-suffix',
  'symlink',
  'too-large',
  'world-readable',
  'missing-file',
  'line-break-in-key',
  'redirect',
  'redirect-with-challenge',
  'not-json',
  'huge-answer',
  'no-token',
  'expired',
  'wrong-audience',
  'wrong-resource',
] as const;
export type HimdsFault = (typeof HIMDS_FAULTS)[number];

export interface HimdsOptions {
  readonly tokens: FakeTokenIssuer;
  /** Where key files are really written; the challenge always names the agent's own folder. */
  readonly tokensDir: string;
  readonly objectId: () => string;
  readonly tokenSeconds?: number;
}

export class HimdsStandin {
  readonly #options: HimdsOptions;
  readonly #keys = new Map<string, string>();
  /** Authorization headers of the requests. */
  readonly proofs: string[] = [];
  readonly queries: URLSearchParams[] = [];
  fault: HimdsFault | undefined;
  /** How often the fault strikes; then all is well again. */
  faultTimes = Number.POSITIVE_INFINITY;

  constructor(options: HimdsOptions) {
    this.#options = options;
    mkdirSync(options.tokensDir, { recursive: true, mode: 0o750 });
  }

  readonly handler: Handler = async (request) => {
    const url = new URL(request.url);
    const proof = request.headers.get('authorization');
    const strikes = this.fault !== undefined && this.faultTimes > 0;
    const fault = strikes ? this.fault : undefined;
    this.queries.push(url.searchParams);
    if (request.headers.get('metadata') !== 'true')
      return new Response('no Metadata header', { status: 400 });
    if (proof === null) {
      const answer = this.#challenge(fault, url);
      if (strikes && answer.status !== 401) this.faultTimes--;
      return answer;
    }
    this.proofs.push(proof);
    if (strikes) this.faultTimes--;
    const key = this.#keys.get(proof.replace(/^Basic /, ''));
    if (key === undefined) return new Response('unknown key', { status: 401 });
    this.#keys.delete(proof.replace(/^Basic /, ''));
    rmSync(key, { force: true });
    return this.#token(fault, url.searchParams.get('resource') ?? '');
  };

  #challenge(fault: HimdsFault | undefined, url: URL): Response {
    const plain = PLAIN_ANSWERS[fault ?? ''];
    if (plain !== undefined) return plain();
    const name = `${randomUUID()}.key`;
    this.#writeKey(fault, name);
    const realm = REALMS[fault ?? '']?.(name) ?? `${AGENT_FOLDER}/${name}`;
    const scheme = fault === 'other-scheme' ? 'Bearer' : 'Basic';
    const value =
      fault === 'no-realm'
        ? 'Basic'
        : fault === 'quoted-realm'
          ? `Basic realm="${realm}"`
          : `${scheme} realm=${realm}`;
    const header = fault === 'header-upper-case' ? 'WWW-AUTHENTICATE' : 'Www-Authenticate';
    const location = fault === 'redirect-with-challenge' ? { location: `${url.origin}/elsewhere` } : {};
    const status = fault === 'redirect-with-challenge' ? 302 : 401;
    return new Response('', { status, headers: { [header]: value, ...location } });
  }

  #writeKey(fault: HimdsFault | undefined, name: string): void {
    const path = join(this.#options.tokensDir, name);
    const key = fault === 'line-break-in-key' ? `a\nX-Evil: 1\n${name}` : randomUUID();
    this.#keys.set(key, path);
    if (fault === 'missing-file') return;
    if (fault === 'symlink') {
      symlinkSync('/etc/passwd', path);
      return;
    }
    writeFileSync(path, fault === 'too-large' ? 'k'.repeat(4097) : key, { mode: 0o640 });
    chmodSync(path, fault === 'world-readable' ? 0o644 : 0o640);
  }

  #token(fault: HimdsFault | undefined, resource: string): Response {
    if (fault === 'not-json') return new Response('<html></html>');
    if (fault === 'huge-answer') return new Response(`{"access_token":"${'x'.repeat(200_000)}"}`);
    if (fault === 'no-token') return Response.json({ expires_on: '9999999999' });
    const { tokens, objectId, tokenSeconds } = this.#options;
    const expiresInSeconds = fault === 'expired' ? -60 : (tokenSeconds ?? 3600);
    const aud = fault === 'wrong-audience' ? 'https://management.azure.com' : resource;
    return Response.json({
      access_token: tokens.issue({ aud, oid: objectId(), expiresInSeconds }),
      expires_on: String(tokens.nowSeconds() + expiresInSeconds),
      resource: fault === 'wrong-resource' ? 'https://management.azure.com/' : resource,
      token_type: 'Bearer',
    });
  }
}

// ---------------------------------------------------------------------------------------------------

const AGENT_FOLDER = '/var/opt/azcmagent/tokens';

const PLAIN_ANSWERS: Readonly<Record<string, () => Response>> = {
  'hang-up': () => new Response('', { headers: { [HANG_UP]: '1' } }),
  'status-500': () => Response.json({ error: 'internal' }, { status: 500 }),
  'status-410': () => new Response('', { status: 410 }),
  'no-challenge': () => Response.json({ access_token: 'given-for-nothing', expires_on: '9999999999' }),
  redirect: () => new Response('', { status: 302, headers: { location: 'http://192.0.2.1/token' } }),
};

const REALMS: Readonly<Record<string, (name: string) => string>> = {
  passwd: () => '/etc/passwd',
  traversal: () => `${AGENT_FOLDER}/../../../../etc/shadow.key`,
  subfolder: (name) => `${AGENT_FOLDER}/deep/${name}`,
  'no-suffix': () => `${AGENT_FOLDER}/secret.txt`,
};
