/** Where and when a record of evidence was read. */
export interface Reading {
  /** `kubernetes`, `controller`, `dump`, or the name of a cloud. */
  readonly from: string;
  /** `NodeClaim default-x7k2p`, `VM aks-default-x7k2p`: as a reader would ask for it again. */
  readonly what: string;
  readonly atMs: number;
  /** When it happened, where the record is about an event of the past. */
  readonly happenedAtMs?: number;
  /** Nothing shows that it still goes on: a cause that only such records show is suspicious. */
  readonly isOver?: true;
}

export interface Read {
  readonly reading: Reading;
}
