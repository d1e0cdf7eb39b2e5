/**
 * Who may ask. A request is looked at before anything is done for it: its host and origin, so that no other page and no name that
 * somebody lets point to this machine gets an answer; how often; its token. Decisions are values; the server sends them.
 */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Clock, TokenBucket } from '@chandler/kube';
import { isToken } from '../tokens.ts';

export interface Refusal {
  readonly status: 401 | 403 | 429;
  readonly error: string;
  readonly cure?: string;
}

export interface GuardOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Values of the header Host that are ours: `127.0.0.1:8080`. */
  readonly hosts: readonly string[];
  readonly token: string;
}

export class Guard {
  readonly #options: GuardOptions;
  readonly #requests: TokenBucket;
  readonly #strangers: TokenBucket;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#requests = new TokenBucket(options.clock, { perSecond: 20, burst: 100 });
    // Who guesses tokens waits; who has one does not wait for them.
    this.#strangers = new TokenBucket(options.clock, { perSecond: 1, burst: 20 });
  }

  /** Of every request, also for the files of the app. Undefined: go on. */
  refusesPlace({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): Refusal | undefined {
    const host = headers.host?.toLowerCase() ?? '';
    const { hosts } = this.#options;
    if (!hosts.includes(host))
      return {
        status: 403,
        error: 'this name is not an address of the page',
        cure: `use http://${hosts[0]}/`,
      };
    const { origin } = headers;
    if (origin !== undefined && !hosts.some((each) => origin === `http://${each}`))
      return { status: 403, error: 'another page may not ask here' };
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none' && !isOpened(method, headers))
      return { status: 403, error: 'another page may not ask here' };
    return undefined;
  }

  /** Of requests for data. Undefined: go on. */
  refusesCaller(headers: IncomingHttpHeaders): Refusal | undefined {
    if (!isToken(this.#options.token, bearer(headers.authorization)))
      return this.#strangers.tryTake()
        ? {
            status: 401,
            error: 'the token is missing or is not that of this page',
            cure: 'open the address that the command printed, whole, with what follows the #',
          }
        : TOO_OFTEN;
    return this.#requests.tryTake() ? undefined : TOO_OFTEN;
  }
}

// ---------------------------------------------------------------------------------------------------

const TOO_OFTEN: Refusal = { status: 429, error: 'too many requests', cure: 'wait a moment and try again' };

/** By a link on another page: a tab of its own, which gets no data without the token. */
function isOpened(method: string | undefined, headers: IncomingHttpHeaders): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document' &&
    headers.authorization === undefined
  );
}

function bearer(authorization: string | undefined): string | undefined {
  return /^Bearer ([\w-]{1,128})$/i.exec(authorization ?? '')?.[1];
}
