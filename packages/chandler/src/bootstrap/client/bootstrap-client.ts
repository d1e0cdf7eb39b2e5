/**
 * The bootstrapper of mode `bootstrappingclient`: requests the custom data from a server of AKS. A token, one call, each with
 * a deadline on the World's clock; whether and when it is tried again, the caller decides by the error.
 */
import { type Clock, type Fetch, rethrowProgramError } from '@chandler/kube';
import { refuseUnsupported } from '../aks/support.ts';
import {
  BootstrapError,
  type BootstrapErrorCode,
  type Bootstrapper,
  type Rendered,
} from '../bootstrapper.ts';
import type { NodeBootstrapInput } from '../input.ts';
import { provisionValues } from './provision-values.ts';
import { readResponse } from './response.ts';

export interface BootstrapClientOptions {
  readonly clock: Clock;
  /** Must be able to send a body with GET, which the global one is not: see `get-with-body.ts`. */
  readonly fetch: Fetch;
  /** NODEBOOTSTRAPPING_SERVER_URL; https unless it says otherwise. */
  readonly serverUrl: string;
  readonly subscriptionId: string;
  /** Of the cluster, not of its nodes. */
  readonly clusterResourceGroup: string;
  readonly clusterName: string;
  /** A bearer token for ARM. */
  readonly token: () => Promise<string>;
  /** Default 30 s. */
  readonly timeoutMs?: number;
}

export function bootstrapClient(options: BootstrapClientOptions): Bootstrapper {
  const url = bootstrappingUrl(options);
  return {
    mode: 'bootstrappingclient',
    async script(input: NodeBootstrapInput): Promise<Rendered> {
      refuseUnsupported(input.nodeClass.spec, 'bootstrappingclient');
      const body = JSON.stringify(provisionValues(input));
      const authorization = `Bearer ${await withDeadline(options, TOKEN, () => options.token())}`;
      const text = await withDeadline(options, ANSWER, async (signal) => {
        const response = await options.fetch(url, {
          method: 'GET',
          headers: { authorization, 'content-type': 'application/json', accept: 'application/json' },
          body,
          signal,
        });
        const answer = await response.text();
        if (response.status !== 200) throw refusal(response.status, response.headers.get('retry-after'));
        return answer;
      });
      return readResponse(text, input.options.kubeletBootstrapToken.value);
    },
  };
}

/** @throws {BootstrapError} `invalidValue` for what is no URL. */
export function bootstrappingUrl(
  options: Pick<
    BootstrapClientOptions,
    'serverUrl' | 'subscriptionId' | 'clusterResourceGroup' | 'clusterName'
  >,
): string {
  const { subscriptionId, clusterResourceGroup, clusterName } = options;
  const given = options.serverUrl.trim();
  const base = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `https://${given}`);
  if (base === null || !['http:', 'https:'].includes(base.protocol)) {
    throw new BootstrapError('invalidValue', `"${given}" is not a server URL; use the format https://host`, {
      path: 'nodebootstrapping-server-url',
    });
  }
  const cluster = [
    ['subscriptions', subscriptionId],
    ['resourceGroups', clusterResourceGroup],
    ['providers', 'Microsoft.ContainerService'],
    ['managedclusters', clusterName],
  ].flatMap(([kind, name]) => [kind!, encodeURIComponent(name!)]);
  return `${base.origin}${base.pathname.replace(/\/+$/, '')}/${cluster.join('/')}/nodeBootstrapping`;
}

// ---------------------------------------------------------------------------------------------------

const TIMEOUT_MS = 30_000;
/** A Retry-After beyond this is taken for a mistake. */
const MAX_WAIT_MS = 10 * 60_000;
const SERVER = 'nodebootstrapping-server-url';

/** What is waited for, and the errors without it. */
interface Expected {
  readonly lateCode: BootstrapErrorCode;
  readonly late: string;
  readonly failedCode: BootstrapErrorCode;
  readonly failed: string;
}

const TOKEN: Expected = {
  lateCode: 'noToken',
  late: 'no Azure token for the bootstrapping server was issued',
  failedCode: 'noToken',
  failed: 'no Azure token for the bootstrapping server',
};
const ANSWER: Expected = {
  lateCode: 'serverTimeout',
  late: 'the bootstrapping server did not respond',
  failedCode: 'serverUnreachable',
  failed: 'the bootstrapping server cannot be reached',
};

async function withDeadline(
  { clock, timeoutMs = TIMEOUT_MS }: BootstrapClientOptions,
  expected: Expected,
  call: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const abort = new AbortController();
  const late = new BootstrapError(expected.lateCode, `${expected.late} within ${timeoutMs / 1000} s`, {
    path: SERVER,
    retryable: true,
  });
  const { promise: expired, reject } = Promise.withResolvers<never>();
  expired.catch(() => undefined);
  const timer = clock.after(timeoutMs, () => {
    reject(late);
    abort.abort(late);
  });
  try {
    return await Promise.race([call(abort.signal), expired]);
  } catch (error) {
    if (abort.signal.aborted) throw late;
    if (error instanceof BootstrapError) throw error;
    rethrowProgramError(error);
    throw new BootstrapError(expected.failedCode, `${expected.failed}: ${reason(error)}`, {
      path: SERVER,
      retryable: true,
      cause: error,
    });
  } finally {
    timer.cancel();
  }
}

/** The body of a refusal is not repeated: it is not ours and may hold anything. */
function refusal(status: number, retryAfter: string | null): BootstrapError {
  const said = `the bootstrapping server returned ${status}`;
  const options = { path: SERVER };
  if (status === 401 || status === 403) {
    return new BootstrapError(
      'serverRefused',
      `${said}: it rejected the identity of the controller`,
      options,
    );
  }
  if (status === 429) {
    const ms = Math.min(Number(retryAfter ?? Number.NaN) * 1000, MAX_WAIT_MS);
    const wait = ms >= 0 ? { retryAfterMs: ms } : {};
    return new BootstrapError('serverThrottled', `${said}: too many requests`, {
      ...options,
      ...wait,
      retryable: true,
    });
  }
  if (status >= 500) return new BootstrapError('serverFailed', said, { ...options, retryable: true });
  return new BootstrapError('serverRejected', `${said}: it rejected the values`, options);
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
