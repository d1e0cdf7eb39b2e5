/** Actions that an identity has lost, whatever its roles or policies say. Each cloud decides what a pattern matches. */

export class WithheldActions {
  readonly #byIdentity = new Map<string, readonly string[]>();

  /** The returned function ends it. */
  add(identity: string, pattern: string): () => void {
    this.#byIdentity.set(identity, [...this.of(identity), pattern]);
    return () => {
      const left = [...this.of(identity)];
      const at = left.indexOf(pattern);
      if (at >= 0) left.splice(at, 1);
      this.#byIdentity.set(identity, left);
    };
  }

  of(identity: string): readonly string[] {
    return this.#byIdentity.get(identity) ?? [];
  }
}
