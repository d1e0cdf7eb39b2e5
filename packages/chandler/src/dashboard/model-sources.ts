/** The stores that the rows of the page are made from. */
import type { ConfigMap, Node, Store } from '@chandler/kube';
import type { NodeClaim, NodePool } from '../api/index.ts';
import type { PodSource } from './pod-source.ts';

export interface ModelSources {
  readonly nodes: Store<Node>;
  readonly claims: Store<NodeClaim>;
  /** False if they may not be read: then nothing is known about who manages a node. */
  readonly claimsAreKnown: boolean;
  readonly pools: Store<NodePool>;
  /** Undefined: they may not be read. */
  readonly pods: PodSource | undefined;
  /** About nodes, NodeClaims and NodePools. */
  readonly events: readonly Store[];
  /** ConfigMaps that stop disruption. */
  readonly freezes: Store<ConfigMap> | undefined;
  /** ConfigMaps with commands of disruption, and with NodeClaims that failed. Undefined: they are not followed. */
  readonly kept?: readonly Store<ConfigMap>[];
}
