/**
 * In which order ReplicaSets should delete pods, by node: pods of nodes that are removed first, then those of nodes that
 * disruption would remove next, so that a workload that scales down empties them. `controllers/disruption/deletion-costs.ts`
 * writes the ranks as controller.kubernetes.io/pod-deletion-cost.
 */
import {
  conditionOf,
  isOwnedByDaemonSet,
  isOwnedByNode,
  isOwnedByStatefulSet,
  ownerOf,
} from '@chandler/kube';
import type { Steps } from '../scheduling/index.ts';
import { byCodeUnit, type Pod } from '../scheduling/index.ts';
import type { BlockCode } from './block.ts';
import { BudgetLedger, budgetVerdicts } from './budgets.ts';
import { type JudgedNode, judgeNodes } from './candidates.ts';
import { POD_DELETION_COST, savingsRatio } from './costs.ts';
import type { DisruptionInput, DisruptionOptions } from './model.ts';
import { isActive } from './pod-blocks.ts';
import { PriceBook } from './price-book.ts';

export interface DeletionRank {
  readonly name: string;
  readonly nodePool: string;
  /** What the pods get; undefined: they have no deletion cost. */
  readonly cost: number | undefined;
  /** It is being removed: its pods are the first to go, and their ranks do not wait for those of other nodes. */
  readonly removed: boolean;
  /** Its pods that a ReplicaSet controls. */
  readonly pods: readonly Pod[];
}

/** Nodes with pods whose annotation differs from their rank. */
export interface ChangedRanks {
  /** To write now. */
  readonly due: readonly DeletionRank[];
  /** Later: a plan that changes in all its parts must not flood the API server. */
  readonly waiting: readonly DeletionRank[];
}

/** Of pods on nodes that are being removed: the smallest value that Kubernetes accepts. */
export const REMOVED_COST = -(2 ** 31);

/** Every managed node: those that are being removed, then those that may be disrupted in their order, then the others. */
export function* deletionRanks(
  input: DisruptionInput,
  options: DisruptionOptions,
  nowMs: number,
): Steps<readonly DeletionRank[]> {
  const prices = new PriceBook(input.pools, input.scheduling);
  const judged = yield* judgeNodes(input, prices, options, nowMs);
  const managed = judged.filter(({ node }) => node.claim !== undefined).sort(inOrder);
  yield;
  const nodes = managed.map(({ node }) => node);
  const ledger = new BudgetLedger(
    budgetVerdicts(
      input.pools.map(({ nodePool }) => nodePool),
      nodes,
      nowMs,
    ),
  );
  const removed = managed.filter(isRemoved);
  const ranked = managed.filter((node) => !isRemoved(node) && isRankable(node, prices));
  const drifted = ranked.filter((node) => isDrifted(node));
  const others = ranked.filter((node) => !isDrifted(node));
  const listed = [
    ...ledger.within(drifted.filter(mayDrift), 'Drifted'),
    ...ledger.within(others.filter(mayConsolidate), 'Underutilized'),
  ];
  const costs = new Map(listed.map(({ name }, index) => [name, index - listed.length]));
  const rest = managed.filter((node) => !isRemoved(node) && !costs.has(node.name));
  return [...removed, ...listed, ...rest].map((node) => ({
    name: node.name,
    nodePool: node.nodePool,
    cost: isRemoved(node) ? REMOVED_COST : costs.get(node.name),
    removed: isRemoved(node),
    pods: node.node.pods.filter((pod) => isActive(pod) && isOwnedByReplicaSet(pod)),
  }));
}

/** Nodes that are being removed do not wait. */
export function changedRanks(ranks: readonly DeletionRank[]): ChangedRanks {
  const changed = ranks.filter(({ pods, cost }) => pods.some((pod) => costTextOf(pod) !== costText(cost)));
  const others = changed.filter(({ removed }) => !removed);
  return {
    due: [...changed.filter(({ removed }) => removed), ...others.slice(0, MAX_CHANGED_NODES)],
    waiting: others.slice(MAX_CHANGED_NODES),
  };
}

/** The annotation of the pod. */
export function costTextOf({ metadata }: Pod): string | undefined {
  return metadata.annotations?.[POD_DELETION_COST];
}

/** The annotation that a rank asks for. */
export function costText(cost: number | undefined): string | undefined {
  return cost === undefined ? undefined : String(cost);
}

// ---------------------------------------------------------------------------------------------------

/** At a time, besides those that are being removed. As in Karpenter. */
const MAX_CHANGED_NODES = 50;

/**
 * What does not speak against a rank: it changes with every pod, and deleted pods are what makes a node empty. A rank that
 * appeared and disappeared with them would be written again and again.
 */
const PASSING: ReadonlySet<BlockCode> = new Set([
  'Nominated',
  'NotConsolidatable',
  'Empty',
  'PolicyWhenEmpty',
]);

/** Highest savings ratio first, then by name. */
function inOrder(one: JudgedNode, other: JudgedNode): number {
  return (
    savingsRatio(other.price, other.cost) - savingsRatio(one.price, one.cost) ||
    byCodeUnit(one.name, other.name)
  );
}

function isRemoved({ node }: JudgedNode): boolean {
  return node.deleting || node.command !== undefined;
}

function isDrifted({ node }: JudgedNode): boolean {
  return node.claim !== undefined && conditionOf(node.claim, 'Drifted')?.status === 'True';
}

/** Its type is known, it may be emptied at all, and no pod stays however many ReplicaSets scale down. */
function isRankable({ node, nodePool, instanceType, blocks }: JudgedNode, prices: PriceBook): boolean {
  if (prices.typesOf(nodePool)?.has(instanceType) !== true) return false;
  if (blocks.emptiness.some(({ code }) => code === 'ConsolidationDisabled')) return false;
  return !node.pods.some(staysOnNode);
}

function staysOnNode(pod: Pod): boolean {
  if (!isActive(pod) || isOwnedByNode(pod) || isOwnedByDaemonSet(pod)) return false;
  if (pod.metadata.namespace === 'kube-system') return false;
  return isOwnedByStatefulSet(pod) || ownerOf(pod) === undefined;
}

function mayDrift({ blocks, pool }: JudgedNode): boolean {
  const own = pool?.spec.replicas === undefined ? blocks.drift : blocks['static-drift'];
  return own.every(({ code }) => PASSING.has(code));
}

function mayConsolidate({ blocks }: JudgedNode): boolean {
  return blocks['single-node'].every(({ code }) => PASSING.has(code));
}

function isOwnedByReplicaSet(pod: Pod): boolean {
  const owner = ownerOf(pod);
  return owner?.kind === 'ReplicaSet' && owner.apiVersion.startsWith('apps/');
}
