/**
 * Credentials that are kept until shortly before they expire, on the World's clock. Fetched once for all who ask at the same time. While
 * a new fetch fails, those that are still valid are used.
 */
import type { World } from '@chandler/kube';
import { type AwsError, toAwsError } from '../../errors/index.ts';
import type { AwsCredentialSource, AwsCredentials } from '../credential-source.ts';
import { fetchCredentials } from './chain.ts';
import type { FetchedCredentials, ProviderOptions } from './providers.ts';

/** Before they expire, so that no call is signed with what is expired when it arrives. */
export const REFRESH_BEFORE_MS = 5 * 60_000;

/** After a failed fetch, however often somebody asks, and after a fetch whose result AWS refuses. */
export const REFETCH_INTERVAL_MS = 10_000;

export function createCredentials(options: ProviderOptions): AwsCredentialSource {
  return new CachedCredentials(options.world, (signal) => fetchCredentials(options, signal));
}

// ---------------------------------------------------------------------------------------------------------------

type Fetched = { readonly source: string; readonly credentials: FetchedCredentials };

class CachedCredentials implements AwsCredentialSource {
  readonly #world: World;
  readonly #fetch: (signal: AbortSignal) => Promise<Fetched>;
  #kept: FetchedCredentials | undefined;
  #keptAtMs = 0;
  #source: string | undefined;
  #inFlight: Promise<FetchedCredentials> | undefined;
  #refused = false;
  #lastFetchMs = Number.NEGATIVE_INFINITY;
  /** Of the last fetch; given to everybody who asks until the next one. */
  #failure: AwsError | undefined;

  constructor(world: World, fetch: (signal: AbortSignal) => Promise<Fetched>) {
    this.#world = world;
    this.#fetch = fetch;
  }

  async get(signal?: AbortSignal): Promise<AwsCredentials> {
    signal?.throwIfAborted();
    const kept = this.#kept;
    if (this.#failure !== undefined && this.#isPaused()) throw this.#failure;
    if (kept !== undefined && !this.#isDue(kept)) return kept;
    this.#inFlight ??= this.#refresh().finally(() => {
      this.#inFlight = undefined;
    });
    return orAborted(this.#inFlight, signal);
  }

  invalidate(): void {
    this.#refused = true;
  }

  #isDue({ expiresAtMs = Number.POSITIVE_INFINITY }: FetchedCredentials): boolean {
    const { clock } = this.#world;
    const isExpiring = clock.now() >= expiresAtMs - REFRESH_BEFORE_MS;
    if (!isExpiring && !this.#refused) return false;
    // Those that arrived expired may be fetched again soon, but not with every call.
    const hasExpired = clock.now() >= expiresAtMs && this.#keptAtMs < expiresAtMs;
    return hasExpired || !this.#isPaused();
  }

  #isPaused(): boolean {
    return this.#world.clock.monotonic() < this.#lastFetchMs + REFETCH_INTERVAL_MS;
  }

  /** No caller aborts it for the others: every step of it has a deadline. */
  async #refresh(): Promise<FetchedCredentials> {
    const { clock, log } = this.#world;
    this.#lastFetchMs = clock.monotonic();
    try {
      const { credentials, source } = await this.#fetch(new AbortController().signal);
      if (source !== this.#source) log.info('AWS credentials found', { source });
      this.#source = source;
      this.#kept = credentials;
      this.#keptAtMs = clock.now();
      this.#refused = false;
      this.#failure = undefined;
      return credentials;
    } catch (error) {
      const aws = toAwsError(error);
      const kept = this.#kept;
      if (kept === undefined || clock.now() >= (kept.expiresAtMs ?? Number.POSITIVE_INFINITY)) {
        this.#failure = aws;
        throw aws;
      }
      log.warn('AWS credentials could not be renewed; those that are still valid are used', {
        error: aws.message,
      });
      return kept;
    }
  }
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
