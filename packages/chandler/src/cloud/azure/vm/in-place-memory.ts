/**
 * Which parts of a VM have been brought to a goal: Azure accepted the write. What differs afterwards, Azure itself
 * changed (a policy), and another write would not help. Lost with the process, which costs one more round of writes.
 */
export type InPlacePart = 'vm' | 'networkInterface' | `extension ${string}`;

/** More than updates in flight; the oldest is dropped. */
const MAX_CLAIMS = 20_000;

export class InPlaceMemory {
  readonly #goals = new Map<string, { readonly hash: string; readonly sent: Set<InPlacePart> }>();

  /** The parts that were sent for this goal; another goal starts from nothing. */
  sent(claimUid: string, hash: string): Set<InPlacePart> {
    const known = this.#goals.get(claimUid);
    if (known?.hash === hash) return known.sent;
    const sent = new Set<InPlacePart>();
    this.#goals.delete(claimUid);
    this.#goals.set(claimUid, { hash, sent });
    const [oldest] = this.#goals.keys();
    if (this.#goals.size > MAX_CLAIMS && oldest !== undefined) this.#goals.delete(oldest);
    return sent;
  }

  forget(claimUid: string): void {
    this.#goals.delete(claimUid);
  }
}
