/**
 * What the disruption of a node costs, in Karpenter's units, and the order in which nodes are worth disrupting: price
 * saved per unit of disruption, ties by name. Prices are passed in.
 */
import { readDurationMs } from '@chandler/kube';
import { KarpenterAnnotation, type NodeClaim } from '../api/index.ts';
import { byCodeUnit, type Pod } from '../scheduling/index.ts';
import { isReschedulable } from './pod-blocks.ts';

/** The annotation of Kubernetes by which a ReplicaSet chooses the pods that it deletes first. */
export const POD_DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

export interface CostOptions {
  /** The controller writes pod-deletion-cost itself, so the annotation is not the user's. Default false. */
  readonly podDeletionCostManagement?: boolean;
}

/** About 1 for an ordinary pod, between -10 and 10. */
export function evictionCost(pod: Pod, { podDeletionCostManagement = false }: CostOptions = {}): number {
  const annotations = pod.metadata.annotations ?? {};
  const own = annotations[KarpenterAnnotation.disruptionCost];
  // An invalid value does not fall back to the other annotation.
  const text = own ?? (podDeletionCostManagement ? undefined : annotations[POD_DELETION_COST]);
  const annotated = (text === undefined ? undefined : parseInt32(text)) ?? 0;
  const cost = 1 + annotated / 2 ** 27 + (pod.spec.priority ?? 0) / 2 ** 25;
  return Math.min(MAX_COST, Math.max(-MAX_COST, cost));
}

/** Of a node with these pods; more than `NODE_COST` unless the node is empty. */
export function rescheduleCost(pods: readonly Pod[], options: CostOptions = {}): number {
  return pods
    .filter(isReschedulable)
    .reduce((sum, pod) => sum + Math.max(0, evictionCost(pod, options)), NODE_COST);
}

/** A node is empty when no pod adds to its cost. Pods with a cost of 0 or less do not keep a node. */
export function isEmptyCost(cost: number): boolean {
  return cost <= NODE_COST;
}

/** Of a node that is to be chosen among its like: every pod counts, also below zero, less towards the end of its life. */
export function disruptionCost(
  pods: readonly Pod[],
  claim: NodeClaim,
  nowMs: number,
  options: CostOptions = {},
): number {
  const cost = pods.reduce((sum, pod) => sum + evictionCost(pod, options), 0);
  return cost * lifetimeRemaining(claim, nowMs);
}

/** The share of its life that a claim still has: 1 just after its creation, or if it never expires. */
export function lifetimeRemaining({ metadata, spec }: NodeClaim, nowMs: number): number {
  if (spec.expireAfter === undefined) return 1;
  const lifeMs = readDurationMs(spec.expireAfter);
  const bornMs = Date.parse(metadata.creationTimestamp ?? '');
  if (lifeMs === undefined || Number.isNaN(bornMs)) return 1;
  if (lifeMs <= 0) return 0;
  return Math.min(1, Math.max(0, (lifeMs - (nowMs - bornMs)) / lifeMs));
}

/** Higher: rather disrupt this one. */
export function savingsRatio(price: number, cost: number): number {
  return price / cost;
}

/** A node in the order of savings. */
export interface Ranked {
  readonly name: string;
  readonly price: number;
  readonly cost: number;
}

/** Highest savings ratio first; then the cheaper one to disrupt, then by name. */
export function bySavings(one: Ranked, other: Ranked): number {
  return (
    savingsRatio(other.price, other.cost) - savingsRatio(one.price, one.cost) ||
    one.cost - other.cost ||
    byCodeUnit(one.name, other.name)
  );
}

// ---------------------------------------------------------------------------------------------------

/** Of a node without pods. */
const NODE_COST = 1;
const MAX_COST = 10;

/** As Go reads a decimal int32; undefined for anything else. */
function parseInt32(text: string): number | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 31 ? value : undefined;
}
