/**
 * A token of AKS' own tenant, for images of its shared galleries: given out by a server beside the control plane, kept
 * until it asks to be renewed or has less than five minutes to live.
 */
import { type AzureEnvironment, armScope } from '../../arm/index.ts';
import type { Fetch, World } from '../../world.ts';

export interface SigTokenOptions {
  readonly world: Pick<World, 'clock'>;
  readonly fetch: Fetch;
  /** SIG_ACCESS_TOKEN_SERVER_URL. */
  readonly url: string;
  readonly environment: AzureEnvironment;
}

const LEAST_LIFE_MS = 5 * 60_000;

export function sigToken({ world, fetch: send, url, environment }: SigTokenOptions): () => Promise<string> {
  let known: KnownToken | undefined;
  let asking: Promise<KnownToken> | undefined;
  const ask = async (): Promise<KnownToken> => {
    const where = new URL(url);
    where.searchParams.set('scope', armScope(environment));
    const answer = await send(where, { headers: { accept: 'application/json' } });
    if (answer.status !== 200)
      throw new Error(`sig-access-token-server-url: ${where.host} answered ${answer.status}`);
    return readToken(await answer.text(), where.host);
  };
  return async () => {
    const nowMs = world.clock.now();
    if (known !== undefined && nowMs < known.renewMs) return known.token;
    asking ??= ask().finally(() => {
      asking = undefined;
    });
    known = await asking;
    return known.token;
  };
}

// ---------------------------------------------------------------------------------------------------

interface KnownToken {
  readonly token: string;
  readonly renewMs: number;
}

/** The token itself never becomes part of a message. */
function readToken(text: string, host: string): KnownToken {
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw new Error(`sig-access-token-server-url: ${host} did not answer with JSON`);
  }
  const token = parsed['Token'] ?? parsed['token'] ?? parsed['accessToken'];
  const endMs = timeOf(parsed['ExpiresOn'] ?? parsed['expiresOn']);
  if (typeof token !== 'string' || token === '' || endMs === undefined)
    throw new Error(`sig-access-token-server-url: ${host} gave no token with an end`);
  const refreshMs = timeOf(parsed['RefreshOn'] ?? parsed['refreshOn']) ?? endMs;
  return { token, renewMs: Math.min(refreshMs, endMs - LEAST_LIFE_MS) };
}

function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value * 1000;
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  // Go writes a time that was never set as the year 1.
  return Number.isNaN(ms) || ms <= 0 ? undefined : ms;
}
