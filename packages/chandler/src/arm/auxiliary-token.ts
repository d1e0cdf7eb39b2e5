/**
 * The second token on VM writes, for images in AKS' own galleries: another tenant owns them, and a token server of AKS
 * vouches for us there. Kept until its time to refresh, or five minutes before it expires; fetched once, however many
 * need it. One that has not ended is used for as long as the server gives no other.
 */
import { type Clock, type Fetch, rethrowProgramError } from '@chandler/kube';
import { ArmError, NO_TOKEN } from './arm-error.ts';

export interface AuxiliaryTokenOptions {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** `sig-access-token-server-url`. */
  readonly serverUrl: string;
  /** As for ARM: `https://management.azure.com/.default`. */
  readonly scope: string;
}

export const REFRESH_BEFORE_MS = 5 * 60_000;
/** After the server gave none, while the one we have is good. */
export const RETRY_INTERVAL_MS = 60_000;
const RESPONSE_TIMEOUT_MS = 30_000;

/** For `createArmClients({ auxiliaryToken })`. Throws `NoToken` with what the server said. */
export function auxiliaryTokenSource(options: AuxiliaryTokenOptions): () => Promise<string> {
  let known: Token | undefined;
  let asking: Promise<Token> | undefined;
  let notBeforeMs = 0;
  return async () => {
    const nowMs = options.clock.now();
    if (known !== undefined && nowMs < Math.max(known.refreshMs, notBeforeMs) && nowMs < known.expiresMs)
      return known.text;
    asking ??= ask(options).finally(() => {
      asking = undefined;
    });
    try {
      known = await asking;
      notBeforeMs = 0;
    } catch (error) {
      rethrowProgramError(error);
      const failedMs = options.clock.now();
      if (known === undefined || failedMs >= known.expiresMs) throw error;
      notBeforeMs = failedMs + RETRY_INTERVAL_MS;
    }
    return known.text;
  };
}

// ---------------------------------------------------------------------------------------------------

interface Token {
  readonly text: string;
  readonly refreshMs: number;
  readonly expiresMs: number;
}

async function ask(options: AuxiliaryTokenOptions): Promise<Token> {
  const url = new URL(options.serverUrl);
  url.searchParams.set('scope', options.scope);
  const stop = new AbortController();
  const timer = options.clock.after(RESPONSE_TIMEOUT_MS, () => stop.abort(new Error('timeout')));
  try {
    const answer = await options.fetch(url, { signal: stop.signal, redirect: 'manual' });
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status}`);
    return read((await answer.json()) as Record<string, unknown>);
  } catch (error) {
    if (!stop.signal.aborted) rethrowProgramError(error);
    const said = error instanceof Error ? error.message : String(error);
    const message = `no token for the image gallery from ${url.origin}${url.pathname}: ${said}`;
    throw new ArmError({ code: NO_TOKEN, message });
  } finally {
    timer.cancel();
  }
}

/** The server writes the fields as Go does, in capitals; any case is read. */
function read(body: Record<string, unknown>): Token {
  const fields = new Map(Object.entries(body).map(([name, value]) => [name.toLowerCase(), value]));
  const text = fields.get('token');
  const expiresMs = Date.parse(String(fields.get('expireson')));
  if (typeof text !== 'string' || text === '' || Number.isNaN(expiresMs)) {
    throw new Error('the response contains no valid token or no expiry');
  }
  const refreshMs = Date.parse(String(fields.get('refreshon') ?? ''));
  const latestMs = expiresMs - REFRESH_BEFORE_MS;
  // Go writes a time that was never set as the year 1.
  return { text, expiresMs, refreshMs: refreshMs > 0 ? Math.min(refreshMs, latestMs) : latestMs };
}
