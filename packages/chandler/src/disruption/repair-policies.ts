/**
 * Which repair a node needs now, by the policies of the cloud. A condition is matched by its type and status; the policies of
 * that pair whose regex finds the reason apply, and without one the fallback does. Several matches are merged into one
 * decision. The rules are those of Karpenter v1.15. Whether the repair is allowed is decided in `repair.ts`.
 */
import { conditionOf, type Node } from '@chandler/kube';
import { ChandlerAnnotation, type NodeClaim } from '../api/index.ts';

export type RepairAction = 'ReplaceNode' | 'RebootNode';

/** A node that shows this condition for `tolerationMs` is repaired. */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  /** Searched for in the reason of the condition. Absent: any reason. */
  readonly reasonRegex?: string;
  readonly tolerationMs: number;
  /** Bounds the drain: 0 skips it. Absent: as the claim says. */
  readonly terminationGracePeriodMs?: number;
  /** 0 to 100. Default 0. */
  readonly priority?: number;
  readonly action: RepairAction;
  /** Used for every listed condition whose reason no other policy names. */
  readonly fallback?: boolean;
}

export interface RepairOptions {
  readonly policies: readonly RepairPolicy[];
  /** For these NodePools, which are of another cloud, instead of `policies`. Default: none. */
  readonly byNodePool?: ReadonlyMap<string, readonly RepairPolicy[]>;
}

export interface RepairDecision {
  readonly action: RepairAction;
  /** The condition that governs. */
  readonly conditionType: string;
  readonly conditionStatus: string;
  readonly conditionReason: string;
  readonly eligibleAtMs: number;
  /** The shortest bound of the drain of all matches; absent: as the claim says. */
  readonly drainBoundMs?: number;
  /** Higher: repaired first. */
  readonly score: number;
  /** It was rebooted too often, so it is replaced. */
  readonly escalated: boolean;
}

/** An unhealthy condition that is not repaired yet. */
export interface ToleratedCondition {
  readonly conditionType: string;
  readonly conditionStatus: string;
  readonly untilMs: number;
}

interface MatchedNode {
  readonly node?: Node | undefined;
  readonly claim?: NodeClaim | undefined;
}

/** The policies of each NodePool. */
export class PoolRepairPolicies {
  readonly #options: RepairOptions;
  readonly #compiled = new Map<readonly RepairPolicy[], RepairPolicies>();

  constructor(options: RepairOptions) {
    this.#options = options;
  }

  of(nodePool: string): RepairPolicies {
    const policies = this.#options.byNodePool?.get(nodePool) ?? this.#options.policies;
    const known = this.#compiled.get(policies) ?? new RepairPolicies(policies);
    this.#compiled.set(policies, known);
    return known;
  }
}

/** So many reboots in 24 hours; the next repair replaces the node. */
export const MAX_REBOOTS = 2;

export class RepairPolicies {
  readonly #policies: readonly CompiledPolicy[];
  readonly #fallback: CompiledPolicy | undefined;

  constructor(policies: readonly RepairPolicy[]) {
    const priorities = [...new Set(policies.map(({ priority = 0 }) => priority))].sort((a, b) => a - b);
    this.#policies = policies.map((policy) => ({
      ...policy,
      priority: policy.priority ?? 0,
      rank: priorities.indexOf(policy.priority ?? 0),
      regex: policy.reasonRegex === undefined ? undefined : new RegExp(policy.reasonRegex, 'u'),
    }));
    this.#fallback = this.#policies.find(({ fallback }) => fallback === true);
  }

  /** Whether it shows a condition that some policy is about, however short the time. */
  isUnhealthy(node: Node): boolean {
    return (node.status?.conditions ?? []).some(({ type, status }) => this.#listed(type, status).length > 0);
  }

  /** What to do now; undefined: the node is healthy, or its conditions are tolerated still. */
  decide({ node, claim }: MatchedNode, nowMs: number): RepairDecision | undefined {
    const due = this.#times({ node, claim }).filter(({ eligibleAtMs }) => eligibleAtMs <= nowMs);
    if (due.length === 0) return undefined;
    const { policy, condition, eligibleAtMs } = due.reduce(governing);
    const bounds = due.flatMap((each) => each.policy.terminationGracePeriodMs ?? []);
    const { length: reboots } = claim === undefined ? [] : rebootsOfDay(claim, nowMs);
    const escalated = policy.action === 'RebootNode' && reboots >= MAX_REBOOTS;
    return {
      action: escalated ? 'ReplaceNode' : policy.action,
      conditionType: condition.type,
      conditionStatus: condition.status,
      conditionReason: condition.reason ?? '',
      eligibleAtMs,
      ...(bounds.length === 0 ? {} : { drainBoundMs: Math.min(...bounds) }),
      score: Math.max(...due.map((each) => each.policy.rank + (nowMs - each.eligibleAtMs) / RANK_MS)),
      escalated,
    };
  }

  /** The unhealthy condition that is due next, if none is due yet. */
  tolerated(node: MatchedNode, nowMs: number): ToleratedCondition | undefined {
    const times = this.#times(node);
    if (times.length === 0 || times.some(({ eligibleAtMs }) => eligibleAtMs <= nowMs)) return undefined;
    const { condition, eligibleAtMs } = times.reduce((one, other) =>
      other.eligibleAtMs < one.eligibleAtMs ? other : one,
    );
    return {
      conditionType: condition.type,
      conditionStatus: condition.status,
      untilMs: eligibleAtMs,
    };
  }

  /** Every match, with the time from which it is repaired. */
  #times({ node, claim }: MatchedNode): Due[] {
    if (node === undefined) return [];
    const rebooted = claim === undefined ? undefined : conditionOf(claim, 'Rebooting');
    const rebootedMs =
      rebooted?.status === 'False' ? timeOf(rebooted.lastTransitionTime) : Number.NEGATIVE_INFINITY;
    return this.#matches(node).map(({ policy, condition, sinceMs }) => {
      const eligibleAtMs = Math.max(sinceMs, rebootedMs) + policy.tolerationMs;
      return { policy, condition, eligibleAtMs };
    });
  }

  #matches(node: Node): Match[] {
    const createdMs = timeOf(node.metadata.creationTimestamp);
    return (node.status?.conditions ?? []).flatMap((condition) => {
      const listed = this.#listed(condition.type, condition.status);
      if (listed.length === 0) return [];
      // A condition is not older than its node.
      const sinceMs = Math.max(timeOf(condition.lastTransitionTime), createdMs);
      const named = listed.filter(
        ({ regex, fallback }) =>
          fallback !== true && (regex === undefined || regex.test(condition.reason ?? '')),
      );
      const applied = named.length > 0 ? named : [this.#fallback ?? []].flat();
      return applied.map((policy) => ({ policy, condition, sinceMs }));
    });
  }

  #listed(type: string, status: string): readonly CompiledPolicy[] {
    return this.#policies.filter(
      (policy) => policy.conditionType === type && policy.conditionStatus === status,
    );
  }
}

/** When the claim was rebooted in the last 24 hours (ms since the epoch). */
export function rebootsOfDay({ metadata }: Pick<NodeClaim, 'metadata'>, nowMs: number): readonly number[] {
  return (metadata.annotations?.[ChandlerAnnotation.reboots] ?? '')
    .split(',')
    .map((text) => Date.parse(text))
    .filter((ms) => ms > nowMs - DAY_MS);
}

// ---------------------------------------------------------------------------------------------------

const DAY_MS = 24 * 60 * 60_000;

/** Waiting so long counts as much as one more step of priority. */
const RANK_MS = 30 * 60_000;

interface CompiledPolicy extends RepairPolicy {
  readonly priority: number;
  /** Of its priority among all of them, from 0. */
  readonly rank: number;
  readonly regex: RegExp | undefined;
}

interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

interface Match {
  readonly policy: CompiledPolicy;
  readonly condition: NodeCondition;
  readonly sinceMs: number;
}

interface Due {
  readonly policy: CompiledPolicy;
  readonly condition: NodeCondition;
  readonly eligibleAtMs: number;
}

/** The more disruptive action; then the higher priority, the earlier one, the name of the condition. */
function governing(one: Due, other: Due): Due {
  const replaces = ({ policy }: Due) => Number(policy.action === 'ReplaceNode');
  const order =
    replaces(other) - replaces(one) ||
    other.policy.priority - one.policy.priority ||
    one.eligibleAtMs - other.eligibleAtMs ||
    (one.condition.type < other.condition.type ? -1 : 1);
  return order <= 0 ? one : other;
}

/** A missing time is no bound. */
function timeOf(text: string | undefined): number {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? 0 : ms;
}
