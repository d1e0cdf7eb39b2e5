/** One HTTP exchange with a deadline on the World's clock, headers and body together, that ends when the caller aborts it. */
import { type Fetch, rethrowProgramError, type World } from '@chandler/kube';
import { AwsError, BAD_ANSWER, NO_ANSWER } from '../errors/index.ts';

export interface BoundedFetchOptions {
  readonly world: Pick<World, 'clock'>;
  readonly fetch: Fetch;
  readonly timeoutMs: number;
  /** For errors: `ec2:CreateFleet`. */
  readonly name: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

/** @throws {AwsError} NO_ANSWER, BAD_ANSWER for half an answer, or the reason of the signal. */
export async function boundedFetch(
  { world, fetch: send, timeoutMs, name }: BoundedFetchOptions,
  url: string,
  init: Omit<RequestInit, 'signal'>,
  signal: AbortSignal,
): Promise<Answer> {
  const { hostname } = new URL(url);
  const stop = new AbortController();
  const onAbort = () => stop.abort(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort);
  const late = `${name}: no response of ${hostname} within ${timeoutMs / 1000} s`;
  const timer = world.clock.after(timeoutMs, () =>
    stop.abort(new AwsError({ code: NO_ANSWER, message: late })),
  );
  let response: Response | undefined;
  try {
    response = await send(url, { ...init, redirect: 'manual', signal: stop.signal });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    rethrowProgramError(error);
    throw failure(name, hostname, error, response?.status);
  } finally {
    timer.cancel();
    signal.removeEventListener('abort', onAbort);
  }
}

// ---------------------------------------------------------------------------------------------------------------

function failure(name: string, hostname: string, error: unknown, status: number | undefined): AwsError {
  const what = error instanceof Error ? causes(error) : String(error);
  return status === undefined
    ? new AwsError({ code: NO_ANSWER, message: `${name} at ${hostname}: ${what}`, cause: error })
    : new AwsError({
        status,
        code: BAD_ANSWER,
        message: `${name}: the response of ${hostname} is truncated: ${what}`,
        cause: error,
      });
}

/** `fetch failed` says nothing; what it was caused by does. */
function causes(error: Error): string {
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
