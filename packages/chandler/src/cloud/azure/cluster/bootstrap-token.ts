/**
 * Watches the bootstrap token: one token lets every new node in, and when it has expired none gets in, without a word
 * anywhere. Its Secret in kube-system says until when; that becomes a metric and a log line before it is too late.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type Gauge, type KubeObject, rethrowProgramError, type World } from '@chandler/kube';
import type { Sourced } from '../../../settings/index.ts';

export const TOKEN_EXPIRY_METRIC = 'chandler_bootstrap_token_expiry_timestamp_seconds';

export type TokenState =
  /** Good until then; without an end when absent. */
  | { readonly state: 'valid'; readonly expiresAtMs?: number }
  | { readonly state: 'expired'; readonly expiredAtMs: number }
  /** There is no Secret of that id. */
  | { readonly state: 'missing' }
  /** The Secret holds another secret part: the token was replaced. */
  | { readonly state: 'replaced' }
  /** The Secret is there and does not let a node in. */
  | { readonly state: 'unusable'; readonly message: string }
  /** Not of the form id.secret. */
  | { readonly state: 'malformed' }
  /** Nothing is known: it may not be read, or the API server did not answer. */
  | { readonly state: 'unknown'; readonly message: string };

export interface TokenWatchOptions {
  readonly world: Pick<World, 'clock' | 'log' | 'metrics'>;
  readonly token: () => Sourced<string>;
  /** The Secret of that name, or undefined. */
  readonly getSecret: (namespace: string, name: string) => Promise<KubeObject | undefined>;
  /** Default 5 min. */
  readonly everyMs?: number;
  /** From when on the end is announced. Default 24 h. */
  readonly warnBeforeMs?: number;
}

export class BootstrapTokenWatch {
  readonly #options: TokenWatchOptions;
  readonly #expiry: Gauge;
  #last: TokenState = { state: 'unknown', message: 'has not been read yet' };
  #said = '';

  constructor(options: TokenWatchOptions) {
    this.#options = options;
    this.#expiry = options.world.metrics.gauge({
      name: TOKEN_EXPIRY_METRIC,
      help: 'When the bootstrap token of new nodes expires, in seconds since the epoch; +Inf if it never expires, 0 if it is invalid',
    });
  }

  get state(): TokenState {
    return this.#last;
  }

  async check(): Promise<TokenState> {
    const { world, token, getSecret } = this.#options;
    const { value } = token();
    const parsed = parseBootstrapToken(value);
    if (parsed === undefined) return this.#note({ state: 'malformed' });
    try {
      const secret = await getSecret('kube-system', `bootstrap-token-${parsed.id}`);
      return this.#note(tokenState(parsed, secret, world.clock.now()));
    } catch (error) {
      rethrowProgramError(error);
      return this.#note({
        state: 'unknown',
        message: error instanceof Error ? error.message : String(error),
      });
    }
  }

  /** Checks until the signal says stop. */
  async run(signal: AbortSignal): Promise<void> {
    const { world, everyMs = 5 * 60_000 } = this.#options;
    while (!signal.aborted) {
      await this.check();
      await world.clock.sleep(everyMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  #note(state: TokenState): TokenState {
    const { world, token, warnBeforeMs = 24 * 3600_000 } = this.#options;
    this.#last = state;
    const seconds = METRIC_OF[state.state](state as never);
    if (seconds !== undefined) this.#expiry.set(seconds);
    const soon =
      state.state === 'valid' &&
      state.expiresAtMs !== undefined &&
      state.expiresAtMs - world.clock.now() <= warnBeforeMs;
    const word = soon ? 'expires soon' : state.state;
    if (word === this.#said) return state;
    this.#said = word;
    if (word === 'valid') world.log.info('bootstrap token is valid', { ...state });
    else {
      const level = word === 'expires soon' || word === 'unknown' ? 'warn' : 'error';
      const { source, path } = token();
      world.log[level]('bootstrap token state changed', {
        state: word,
        ...timesOf(state),
        source,
        path,
        fix: FIX,
      });
    }
    return state;
  }
}

export interface BootstrapToken {
  readonly id: string;
  readonly secret: string;
}

export function parseBootstrapToken(text: string): BootstrapToken | undefined {
  const match = /^([^\s.]+)\.([^\s.]+)$/.exec(text.trim());
  return match === null ? undefined : { id: match[1]!, secret: match[2]! };
}

/** What the Secret says about the token. */
export function tokenState(token: BootstrapToken, secret: KubeObject | undefined, nowMs: number): TokenState {
  if (secret === undefined) return { state: 'missing' };
  const held = field(secret, 'token-secret');
  if (held === undefined) return { state: 'unusable', message: 'its Secret has no token-secret' };
  if (!sameText(held, token.secret)) return { state: 'replaced' };
  if (field(secret, 'usage-bootstrap-authentication') !== 'true') {
    return { state: 'unusable', message: 'its Secret does not have usage-bootstrap-authentication: true' };
  }
  const expiration = field(secret, 'expiration');
  if (expiration === undefined || expiration === '') return { state: 'valid' };
  const endMs = Date.parse(expiration);
  // Kubernetes treats an invalid expiration as expired.
  if (Number.isNaN(endMs))
    return { state: 'unusable', message: `its Secret has the invalid expiration "${expiration}"` };
  return endMs > nowMs ? { state: 'valid', expiresAtMs: endMs } : { state: 'expired', expiredAtMs: endMs };
}

// ---------------------------------------------------------------------------------------------------

const FIX =
  'use a token that does not expire soon; KUBELET_BOOTSTRAP_TOKEN_FILE is reloaded without a restart';

const METRIC_OF: {
  readonly [S in TokenState['state']]: (state: Extract<TokenState, { state: S }>) => number | undefined;
} = {
  valid: ({ expiresAtMs }) => (expiresAtMs === undefined ? Number.POSITIVE_INFINITY : expiresAtMs / 1000),
  expired: ({ expiredAtMs }) => expiredAtMs / 1000,
  missing: () => 0,
  replaced: () => 0,
  unusable: () => 0,
  malformed: () => 0,
  // What was known last is still the best guess.
  unknown: () => undefined,
};

function timesOf(state: TokenState): Record<string, unknown> {
  if (state.state === 'valid' && state.expiresAtMs !== undefined) {
    return { expiresAt: new Date(state.expiresAtMs).toISOString() };
  }
  if (state.state === 'expired') return { expiredAt: new Date(state.expiredAtMs).toISOString() };
  return 'message' in state ? { detail: state.message } : {};
}

function field(secret: KubeObject, name: string): string | undefined {
  const data = secret['data'] as Readonly<Record<string, unknown>> | undefined;
  const encoded = data?.[name];
  return typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
}

function sameText(a: string, b: string): boolean {
  const [left, right] = [a, b].map((text) => createHash('sha256').update(text).digest());
  return timingSafeEqual(left!, right!);
}
