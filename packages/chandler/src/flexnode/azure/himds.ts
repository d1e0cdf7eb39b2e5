/**
 * Gets a token of the machine identity from the Arc agent (HIMDS). To protect against an impersonated HIMDS, it allows
 * loopback only, no proxy, no redirect, only key files of the agent as challenge, and limits time and size. Expired
 * tokens are rejected, and tokens are never logged.
 */
import type { World } from '@chandler/kube';
import { FlexError } from '../flex-error.ts';
import { AKS_SERVER_APP_ID } from './audience.ts';
import { type ChallengeFiles, readChallenge } from './challenge-file.ts';
import { type LoopbackGet, type LoopbackResponse, loopbackGet } from './loopback-get.ts';
import { retryCall } from './retry-call.ts';

export interface HimdsRequest {
  readonly files: ChallengeFiles;
  /** Default: the API servers of AKS. */
  readonly resource?: string;
  /** `IDENTITY_ENDPOINT`, or the origin of `IMDS_ENDPOINT`. Default: port 40342. */
  readonly endpoint?: string;
  readonly signal?: AbortSignal;
  /** Default: a plain GET over loopback. */
  readonly get?: LoopbackGet;
}

export interface NodeToken {
  readonly token: string;
  readonly expiresOnMs: number;
  /** Unexpected properties of the response that are not errors. */
  readonly warnings: readonly string[];
}

export const HIMDS_ENDPOINT = 'http://127.0.0.1:40342/metadata/identity/oauth2/token';
export const HIMDS_API_VERSION = '2019-11-01';

type Time = Pick<World, 'clock' | 'random'>;

export async function himdsToken(world: Time, request: HimdsRequest): Promise<NodeToken> {
  const resource = request.resource ?? AKS_SERVER_APP_ID;
  const url = himdsUrl(request.endpoint ?? HIMDS_ENDPOINT, resource);
  const get = request.get ?? loopbackGet(world.clock);
  const signal = request.signal ?? new AbortController().signal;
  const once = async (): Promise<NodeToken> => {
    const challenge = await reach(get, url, { metadata: 'true' }, signal);
    if (challenge.status !== 401) throw wrongStatus(challenge, 'requesting a challenge', 401);
    const key = await readChallenge(request.files, challenge.headers['www-authenticate']);
    const headers = { metadata: 'true', authorization: `Basic ${key}` };
    const answer = await reach(get, url, headers, signal);
    if (answer.status !== 200) throw wrongStatus(answer, 'requesting a token', 200);
    return readToken(answer.body, resource, world.clock.now());
  };
  return retryCall(world, once, retryDecision, signal, { tries: 4, firstWaitMs: 500, budgetMs: 30_000 });
}

/** From what systemd gives every service once the agent is installed. */
export function himdsEndpointOf(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['IDENTITY_ENDPOINT']) return env['IDENTITY_ENDPOINT'];
  if (!env['IMDS_ENDPOINT']) return undefined;
  return `${env['IMDS_ENDPOINT'].replace(/\/+$/, '')}/metadata/identity/oauth2/token`;
}

// ---------------------------------------------------------------------------------------------------

function himdsUrl(endpoint: string, resource: string): URL {
  const url = URL.parse(endpoint);
  const loopback = url !== null && /^(?:127(?:\.\d{1,3}){3}|localhost|\[::1\])$/.test(url.hostname);
  if (!loopback || url.protocol !== 'http:' || url.username !== '' || url.password !== '') {
    throw new FlexError({
      class: 'auth',
      code: 'himds.not-loopback',
      message: `the endpoint of HIMDS must be a loopback address${url === null ? '' : `, not ${url.origin}`}`,
      remedy: 'Check the environment variables IDENTITY_ENDPOINT and IMDS_ENDPOINT.',
      where: 'IDENTITY_ENDPOINT',
    });
  }
  url.searchParams.set('api-version', HIMDS_API_VERSION);
  url.searchParams.set('resource', resource);
  return url;
}

/** A transient failure, for the retry. */
class TransientFailure extends FlexError {}

const retryDecision = (error: unknown) => (error instanceof TransientFailure ? {} : undefined);

async function reach(
  get: LoopbackGet,
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<LoopbackResponse> {
  try {
    return await get(url, headers, signal);
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    // A bug, not an answer. Written out, because this file must not load `@chandler/kube`: kubelet waits for it.
    if (error instanceof ReferenceError || (error instanceof TypeError && !('code' in error))) throw error;
    throw new TransientFailure({
      class: 'auth',
      code: 'himds.unreachable',
      message: `HIMDS does not respond at ${url.origin}: ${error instanceof Error ? error.message : 'no response'}`,
      remedy: 'Check systemctl status himdsd and azcmagent show.',
    });
  }
}

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([404, 410, 429]);

function wrongStatus({ status, headers }: LoopbackResponse, when: string, wanted: number): FlexError {
  const redirect = status >= 300 && status < 400;
  const elsewhere = redirect && headers['location'] !== undefined ? ' (redirects are not followed)' : '';
  const facts = {
    class: 'auth' as const,
    code: redirect ? 'himds.redirect' : 'himds.bad-status',
    message: `HIMDS returned ${status} instead of ${wanted} when ${when}${elsewhere}`,
    remedy: 'Check systemctl status himdsd, azcmagent show and azcmagent logs.',
  };
  return TRANSIENT_STATUSES.has(status) || status >= 500 ? new TransientFailure(facts) : new FlexError(facts);
}

function readToken(body: string, resource: string, nowMs: number): NodeToken {
  const answer = parse(body);
  const token = answer?.['access_token'];
  // kubelet sends it in a header.
  if (typeof token !== 'string' || !/^[\x21-\x7e]+$/.test(token)) throw badToken('contains no valid token');
  const expiresOnMs = Number(answer?.['expires_on']) * 1000;
  if (!(expiresOnMs > 0)) throw badToken('contains no valid expiry');
  if (expiresOnMs <= nowMs)
    throw badToken(`contains a token that expired at ${new Date(expiresOnMs).toISOString()}`);
  return { token, expiresOnMs, warnings: audienceWarnings(token, answer?.['resource'], resource) };
}

/** The original document itself shows another `resource` than the requested one, so a difference is not an error. */
function audienceWarnings(token: string, answered: unknown, asked: string): readonly string[] {
  const claims = parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  const audience = claims?.['aud'];
  const warnings: string[] = [];
  if (typeof answered === 'string' && !sameResource(answered, asked)) {
    warnings.push(`HIMDS returned a token for ${answered.slice(0, 100)}; requested was ${asked}`);
  }
  if (typeof audience === 'string' && !sameResource(audience, asked)) {
    warnings.push(`the audience of the token is ${audience.slice(0, 100)}; requested was ${asked}`);
  }
  return warnings;
}

function sameResource(one: string, other: string): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/^(spn:|api:\/\/)/, '')
      .replace(/\/+$/, '');
  return plain(one) === plain(other);
}

function badToken(what: string): FlexError {
  return new FlexError({
    class: 'auth',
    code: 'himds.bad-token',
    message: `the response of HIMDS ${what}`,
    remedy: 'Check the clock of this machine (timedatectl), then run systemctl restart himdsd.',
  });
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
