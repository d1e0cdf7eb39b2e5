/** What keeps a playground from starting or ending well and that its user can put right; the message says how. */
export class PlaygroundError extends Error {
  override readonly name = 'PlaygroundError';
}
