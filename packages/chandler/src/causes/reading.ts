/** Where and when a record of evidence was read. */
export interface Reading {
  /** `kubernetes`, `controller`, `dump`, or the name of a cloud. */
  readonly from: string;
  /** `NodeClaim default-x7k2p`, `VM aks-default-x7k2p`: as a reader would ask for it again. */
  readonly what: string;
  readonly atMs: number;
}

export interface Read {
  readonly reading: Reading;
}
