/** The nodes of a NodePool, as evidence. */
export interface PoolNodes {
  /** Of a static NodePool: `spec.replicas`. */
  readonly wanted: number | undefined;
  /** NodeClaims that are not being deleted. Undefined: not all could be read. */
  readonly claims: number | undefined;
  /** Names of NodeClaims. */
  readonly terminatingForLong: readonly string[];
  /** Names of nodes that are not Ready, but were. Undefined: nodes could not be read. */
  readonly unready: readonly string[] | undefined;
  readonly isUnreadyForLong: boolean;
  /** No more nodes than this were read. */
  readonly cutAt: number | undefined;
}

/** Of a static NodePool that has fewer nodes than it should. */
export interface MissingNodes {
  readonly nodePool: string;
  /** That are Ready. */
  readonly nodes: number;
  /** `spec.replicas`. */
  readonly wanted: number;
  /** Nodes of its NodeClaims that are not Ready, lack disk, memory or process IDs, or do not exist any more. */
  readonly unusable?: readonly string[];
}
