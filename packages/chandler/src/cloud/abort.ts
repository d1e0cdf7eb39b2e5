/** Ends waiting, where what is waited for is shared by several callers and must not end with one of them. */

/** @throws the signal's reason as soon as it is aborted; else what the promise brings. */
export async function unlessAborted<T>(signal: AbortSignal, shared: Promise<T>): Promise<T> {
  if (signal.aborted) {
    // The call is shared and has started; without a handler, its failure would end the process.
    shared.catch(() => undefined);
    signal.throwIfAborted();
  }
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([shared, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** After an abort the signal's reason, not the error of the aborted call: nothing failed in the cloud. */
export async function orAbortReason<T>(signal: AbortSignal, call: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
