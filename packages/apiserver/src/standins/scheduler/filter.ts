/** What a filter of the scheduler is: prepared once for a pod, then asked about one node after the other. */
import type { Pod } from '../kinds.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';

/** Why a node does not take a pod. */
export interface Refusal {
  /** The texts kube-scheduler gives, without the number of nodes. */
  readonly reasons: readonly string[];
  /** Could taking other pods away have helped? */
  readonly resolvable: boolean;
}

export type NodeCheck = (node: NodeInfo) => Refusal | undefined;

/** Why no node at all can take the pod. */
export interface Blocked {
  readonly blocked: string;
}

/** Undefined: the pod asks nothing of this kind, every node will do. */
export type Filter = (pod: Pod, snapshot: ClusterSnapshot) => NodeCheck | Blocked | undefined;

export function unresolvable(reason: string): Refusal {
  return { reasons: [reason], resolvable: false };
}

export function resolvable(reason: string): Refusal {
  return { reasons: [reason], resolvable: true };
}
