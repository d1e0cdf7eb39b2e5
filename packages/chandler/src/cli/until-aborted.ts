/** Waits for the end that somebody else decides. */
export function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((done) => {
    if (signal.aborted) done(undefined);
    else signal.addEventListener('abort', () => done(undefined), { once: true });
  });
}
