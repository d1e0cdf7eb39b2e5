/** Turns errors of a playground that cannot start or stop into messages that say what to do. */
import { Failure } from '../verb.ts';

export function startFailure(error: unknown, at: { port: number; host: string }): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'SnapshotError') {
    return new Failure(
      `${error.message}; move the file away to start with an empty cluster, or name another file with --snapshot`,
    );
  }
  const advice = LISTEN_ADVICE[(error as NodeJS.ErrnoException).code ?? ''];
  return advice === undefined ? error : new Failure(advice(at));
}

/** Compares by name, because the class is loaded only when a playground starts. */
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
      `port ${port} on ${host} is in use; choose another port with --port, or omit --port to use a free one`,
    EACCES: ({ port }) => `this user may not listen on port ${port}; choose a port above 1023 with --port`,
    EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine; use --host 127.0.0.1`,
    ENOTFOUND: ({ host }) => `${host} cannot be resolved; use --host 127.0.0.1`,
  };
