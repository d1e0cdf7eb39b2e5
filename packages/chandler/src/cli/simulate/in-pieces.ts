/** Does work piece by piece, with a pause after each. */
export async function inPieces<T>(
  steps: Iterator<undefined, T>,
  pause: () => Promise<void> | undefined,
): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause();
  }
}
