/** A playground that cannot start: what the user can do about it. */
import { Failure } from '../verb.ts';

export function startFailure(error: unknown, at: { port: number; host: string }): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'SnapshotError') {
    return new Failure(`${error.message}; move it away to start afresh, or name another with --snapshot`);
  }
  const advice = LISTEN_ADVICE[(error as NodeJS.ErrnoException).code ?? ''];
  return advice === undefined ? error : new Failure(advice(at));
}

/** By name: the class is loaded only when a playground is started. */
export function asFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'PlaygroundError' ? new Failure(error.message) : error;
}

export function stopFailure(error: unknown): unknown {
  return error instanceof Error && error.name === 'SnapshotError' ? new Failure(error.message) : error;
}

// ---------------------------------------------------------------------------------------------------

const LISTEN_ADVICE: Readonly<Record<string, ((at: { port: number; host: string }) => string) | undefined>> =
  {
    EADDRINUSE: ({ port, host }) =>
      `port ${port} on ${host} is in use; choose another with --port, or leave it out to get a free one`,
    EACCES: ({ port }) => `port ${port} may not be used by this user; choose one above 1023 with --port`,
    EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine; --host 127.0.0.1 always is`,
    ENOTFOUND: ({ host }) => `${host} is not a known host; --host 127.0.0.1 always works`,
  };
