/** An error that the user of a playground can fix; the message says how. */
export class PlaygroundError extends Error {
  override readonly name = 'PlaygroundError';
}
