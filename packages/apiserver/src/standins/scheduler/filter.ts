/** A filter of the scheduler: prepared once for a pod, then evaluated for each node. */
import type { Pod, Stored } from '@chandler/kube';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';

/** Why a node is rejected for a pod. */
export interface Refusal {
  /** The texts kube-scheduler gives, without the number of nodes. */
  readonly reasons: readonly string[];
  /** Whether preemption could have helped. */
  readonly resolvable: boolean;
}

export type NodeCheck = (node: NodeInfo) => Refusal | undefined;

/** Why no node is feasible for the pod. */
export interface Blocked {
  readonly blocked: string;
}

/** Undefined: the pod has no such constraint, every node is feasible. */
export type Filter = (pod: Stored<Pod>, snapshot: ClusterSnapshot) => NodeCheck | Blocked | undefined;

export function unresolvable(reason: string): Refusal {
  return { reasons: [reason], resolvable: false };
}

export function resolvable(reason: string): Refusal {
  return { reasons: [reason], resolvable: true };
}
