/**
 * A command of disruption as a value: which nodes go, what replaces them, what it saves and what else was considered. It
 * has a key of its own, made from what it does, so that it can be recognized. Nothing is executed here.
 */
import { createHash } from 'node:crypto';
import { byCodeUnit, type NodePlacement, type PlannedClaim } from '../scheduling/index.ts';
import type { Score } from './balanced.ts';
import { type JudgedNode, nameOf } from './candidates.ts';
import { type MethodName, methodNamed } from './methods.table.ts';
import type { DisruptionReason } from './model.ts';
import type { Rejection } from './rejection.ts';
import type { RepairDecision } from './repair-policies.ts';
import type { SurgeOwner } from './surge.ts';

export type Decision = 'delete' | 'replace' | 'terminate-first' | 'reboot';

/** Why a node is deleted before its replacement exists. */
export type TerminateFirstReason = 'no-reserved-capacity' | 'static-at-limit';

export interface Command {
  readonly key: string;
  readonly method: MethodName;
  readonly reason: DisruptionReason;
  readonly decision: Decision;
  readonly candidates: readonly CommandNode[];
  readonly replacements: readonly Replacement[];
  /** Where pods go on existing nodes. */
  readonly destinations: readonly NodePlacement[];
  /** Per hour, of the candidates. */
  readonly priceBefore: number;
  /** Per hour, of the cheapest offerings of the replacements, and of what pending pods then cost more. */
  readonly priceAfter: number;
  readonly savingPerHour: number;
  readonly podsMoved: number;
  /** Of a repair: what is wrong, and how long the drain may take; absent: without a bound. */
  readonly repair?: RepairDecision;
  readonly drainBoundMs?: number;
  /** Workloads that are rolled once the replacements are initialized: their pods on the nodes are not evicted. */
  readonly surges?: readonly SurgeOwner[];
  /** The pods wait until the capacity of the node is free. */
  readonly terminateFirst?: TerminateFirstReason;
  /** Nodes that it moves no pods to, because other commands of its pass were about to remove them. */
  readonly keptFree?: readonly string[];
  /** Of the source NodePools with policy Balanced. */
  readonly scores: readonly Score[];
  /** Other sets of candidates that were simulated on the way to this command. */
  readonly considered: readonly Attempt[];
}

export interface CommandNode {
  readonly name: string;
  readonly claim: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly zone: string | null;
  readonly capacityType: string | null;
  readonly price: number;
  /** Its pods that move, `namespace/name`. */
  readonly pods: readonly string[];
}

/** A node to launch before the candidates are removed. */
export interface Replacement
  extends Pick<PlannedClaim, 'nodePool' | 'requirements' | 'instanceTypes' | 'cheapest' | 'pods'> {
  /** As planned and narrowed; absent for a node of a static NodePool, which is launched from its template. */
  readonly claim?: PlannedClaim;
}

export interface Attempt {
  readonly nodes: readonly string[];
  readonly rejection: Rejection;
}

export interface CommandParts {
  readonly method: MethodName;
  readonly candidates: readonly JudgedNode[];
  readonly replacements?: readonly Replacement[];
  readonly destinations?: readonly NodePlacement[];
  /** What claims for pending pods cost more than before, per hour. */
  readonly pendingPrice?: number;
  readonly scores?: readonly Score[];
  readonly considered?: readonly Attempt[];
  readonly repair?: RepairDecision;
  readonly drainBoundMs?: number;
  readonly terminateFirst?: TerminateFirstReason;
  readonly keptFree?: readonly string[];
  /** The nodes are rebooted in place. */
  readonly reboot?: boolean;
}

export function commandOf(parts: CommandParts): Command {
  const {
    method,
    candidates,
    replacements = [],
    destinations = [],
    pendingPrice = 0,
    scores = [],
    considered = [],
  } = parts;
  const { reason } = methodNamed(method);
  const priceBefore = candidates.reduce((sum, { price }) => sum + price, 0);
  // A node that is rebooted, or whose capacity is used again, costs what it did.
  const stays = parts.reboot === true || parts.terminateFirst !== undefined;
  const launched = replacements.reduce((sum, { cheapest }) => sum + cheapest.price, pendingPrice);
  const priceAfter = stays ? priceBefore : launched;
  const nodes = candidates.map(nodeOf);
  const surges = surgesOf(method, candidates);
  return {
    key: keyOf(reason, candidates, replacements),
    method,
    reason,
    decision: decisionOf(parts),
    candidates: nodes,
    replacements,
    destinations,
    priceBefore,
    priceAfter,
    savingPerHour: priceBefore - priceAfter,
    podsMoved: nodes.reduce((sum, { pods }) => sum + pods.length, 0),
    ...(parts.repair === undefined ? {} : { repair: parts.repair }),
    ...(parts.drainBoundMs === undefined ? {} : { drainBoundMs: parts.drainBoundMs }),
    ...(parts.terminateFirst === undefined ? {} : { terminateFirst: parts.terminateFirst }),
    ...(surges.length === 0 ? {} : { surges }),
    ...(parts.keptFree === undefined ? {} : { keptFree: parts.keptFree }),
    scores,
    considered,
  };
}

/** As Karpenter's events have it: `replace: [a, b] -> [1 replacement]`. */
export function commandText({ decision, candidates, replacements }: Command): string {
  const nodes = candidates.map(({ name }) => name).join(', ');
  return `${decision}: [${nodes}]${arrow(replacements)}`;
}

/** As Karpenter logs it, with reason, key, NodePools and savings. */
export function commandLogText(command: Command): string {
  const { reason, key, decision, candidates, replacements, savingPerHour } = command;
  const pools = [...new Set(candidates.map(({ nodePool }) => nodePool))].join(',');
  const nodes = candidates.map(({ name }) => name).join(', ');
  return `${reason}/${key}: ${decision}: nodepools=[${pools}]: [${nodes}]${arrow(replacements)} (savings: $${savingPerHour.toFixed(2)})`;
}

/** From the view of one node: a command with many nodes does not list them. */
export function commandTextFor(command: Command, node: string): string {
  const { decision, candidates } = command;
  if (candidates.length === 1) return commandText(command);
  return `${decision}: [${node}] (part of ${candidates.length}-node consolidation)`;
}

/** `Deployment shop/web`. */
export function ownerText({ kind, namespace, name }: SurgeOwner): string {
  return `${kind} ${namespace}/${name}`;
}

// ---------------------------------------------------------------------------------------------------

/** Each workload once, by name. */
function surgesOf(method: MethodName, candidates: readonly JudgedNode[]): readonly SurgeOwner[] {
  if (methodNamed(method).surges !== true) return [];
  const owners = candidates.flatMap(({ surges }) => surges.map(({ owner }) => owner));
  const byUid = new Map(owners.map((owner) => [owner.uid, owner]));
  return [...byUid.values()].sort((one, other) => byCodeUnit(ownerText(one), ownerText(other)));
}

function decisionOf({ replacements = [], terminateFirst, reboot }: CommandParts): Decision {
  if (reboot === true) return 'reboot';
  if (terminateFirst !== undefined) return 'terminate-first';
  return replacements.length === 0 ? 'delete' : 'replace';
}

function nodeOf({
  name,
  node,
  nodePool,
  instanceType,
  zone,
  capacityType,
  price,
  pods,
}: JudgedNode): CommandNode {
  return {
    name,
    claim: node.claim?.metadata.name ?? '',
    nodePool,
    instanceType,
    zone: zone ?? null,
    capacityType: capacityType ?? null,
    price,
    pods: pods.map(nameOf),
  };
}

function keyOf(
  reason: DisruptionReason,
  candidates: readonly JudgedNode[],
  replacements: readonly Replacement[],
): string {
  const claims = candidates.map(({ node, name }) => node.claim?.metadata.uid ?? name).sort();
  const launched = replacements.map(({ nodePool, instanceTypes }) => [nodePool, instanceTypes]);
  const text = JSON.stringify([reason, claims, launched]);
  return `${reason.toLowerCase()}-${createHash('sha256').update(text).digest('hex').slice(0, 10)}`;
}

function arrow({ length }: readonly Replacement[]): string {
  return length === 0 ? '' : ` -> [${length} ${length === 1 ? 'replacement' : 'replacements'}]`;
}
