/**
 * One JSON request to the API server of a cluster. It trusts only the CA of the cluster, follows no redirects, and uses
 * the proxy of the config, if any. `create-cluster-client.ts` decides which requests are made.
 */
import type { World } from '@chandler/kube';
import type { Dispatcher } from 'undici';
import { httpsProxyOf, isInNoProxyRange, noProxyList } from '../artifacts/proxy-fetch.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { ClusterAddress, ClusterCredential } from './cluster-client.ts';
import { retryCall } from './retry-call.ts';

export interface ApiCall {
  readonly address: ClusterAddress;
  readonly credential?: ClusterCredential;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ApiServerOptions {
  readonly proxy?: FlexConfig['proxy'];
  /** Timeout of one attempt. Default 30 s. */
  readonly timeoutMs?: number;
  /** Timeout of all attempts together. Default one minute. */
  readonly budgetMs?: number;
}

export type CallApiServer = (call: ApiCall, signal: AbortSignal) => Promise<ApiResponse>;

/** Retries on 429 and 5xx. Every other response is returned, and the caller interprets it. */
export function apiServer(world: World, options: ApiServerOptions = {}): CallApiServer {
  return async (call, signal) => {
    const once = async () => {
      const answer = await exchange(world, options, call, signal);
      if (answer.status === 429 || answer.status >= 500)
        throw new TransientError(call, `HTTP ${answer.status}`, answer);
      return answer;
    };
    const retryDecision = (error: unknown) => (error instanceof TransientError ? {} : undefined);
    return retryCall(world, once, retryDecision, signal, {
      budgetMs: options.budgetMs ?? 60_000,
      firstWaitMs: 1_000,
    });
  };
}

/** The message of the returned Status, or the HTTP status code. */
export function messageOf(answer: ApiResponse): string {
  const message = answer.body['message'];
  return typeof message === 'string' ? message : `HTTP ${answer.status}`;
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_TIMEOUT_MS = 30_000;
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;

/** Possibly transient: the request is retried. */
class TransientError extends FlexError {
  constructor(call: ApiCall, said: string, answer?: ApiResponse) {
    super({
      class: 'network',
      code: 'cluster.unreachable',
      message: `${call.method} ${originOf(call.address)}${call.path}: ${answer === undefined ? said : messageOf(answer)}`,
      remedy: 'Check DNS, proxy and firewall between this machine and the API server.',
    });
  }
}

async function exchange(
  world: World,
  options: ApiServerOptions,
  call: ApiCall,
  signal: AbortSignal,
): Promise<ApiResponse> {
  const dispatcher = await dispatcherFor(options, call);
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const timer = world.clock.after(timeoutMs, () =>
    stop.abort(new Error(`no response within ${timeoutMs / 1000} s`)),
  );
  try {
    const answer = await dispatcher.request({
      origin: originOf(call.address),
      path: pathOf(call),
      method: call.method,
      headers: headersOf(call),
      body: call.body === undefined ? null : JSON.stringify(call.body),
      signal: stop.signal,
    });
    return { status: answer.statusCode, body: parse(await limited(answer.body)) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw failureOf(stop.signal.aborted ? stop.signal.reason : error, call);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
    await dispatcher.destroy().catch(() => undefined);
  }
}

async function dispatcherFor(options: ApiServerOptions, call: ApiCall): Promise<Dispatcher> {
  const { credential } = call;
  const tls = {
    ca: Buffer.from(call.address.caData, 'base64').toString('utf8'),
    ...(credential?.kind === 'certificate'
      ? { cert: credential.certificatePem, key: credential.keyPem }
      : {}),
  };
  const undici = await import('../lazy/undici.ts');
  const shared = { connect: tls, headersTimeout: 0, bodyTimeout: 0 };
  const { proxy } = options;
  if (proxy === undefined || httpsProxyOf(proxy) === undefined) return new undici.Agent(shared);
  if (isInNoProxyRange(proxy.noProxy)(new URL(call.address.server).hostname)) return new undici.Agent(shared);
  return new undici.EnvHttpProxyAgent({
    ...shared,
    requestTls: tls,
    httpProxy: proxy.http ?? '',
    httpsProxy: httpsProxyOf(proxy) ?? '',
    noProxy: noProxyList(proxy),
  });
}

function originOf(address: ClusterAddress): string {
  return new URL(address.server).origin;
}

/** The server URL may have a path, for example behind Rancher. */
function pathOf(call: ApiCall): string {
  return `${new URL(call.address.server).pathname.replace(/\/+$/, '')}${call.path}`;
}

function headersOf(call: ApiCall): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'chandler-flexnode',
    ...(call.body === undefined
      ? {}
      : { 'content-type': call.method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }),
    ...(call.credential?.kind === 'token' ? { authorization: `Bearer ${call.credential.token}` } : {}),
  };
}

async function limited(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES)
      throw new Error(`the response is larger than ${MAX_RESPONSE_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** An invalid certificate is not transient. */
function failureOf(error: unknown, call: ApiCall): FlexError {
  const inner = error instanceof Error ? ((error.cause as Error | undefined) ?? error) : undefined;
  const said = inner?.message ?? String(error);
  const code = (inner as NodeJS.ErrnoException | undefined)?.code ?? '';
  if (!/CERT|TLS|SSL|ISSUER|SIGNATURE/.test(code)) return new TransientError(call, said);
  return new FlexError({
    class: 'network',
    code: 'cluster.certificate',
    message: `the certificate of the API server at ${originOf(call.address)} cannot be verified: ${said}`,
    remedy: 'Check whether a proxy intercepts TLS. If the cluster has a new CA, run bootstrap again.',
  });
}
