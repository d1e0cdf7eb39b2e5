/**
 * Pods whose NodeClaims the API server rejects: their requirements or requests make the claim invalid, or admission rejects
 * it. They are not planned for that pool, longer each time, so that they use another pool and other pods of the pool
 * get nodes. `claims/claim-refusals.ts` handles refusals that do not depend on the pods.
 */
import { createHash } from 'node:crypto';
import { type Clock, isApiError, type Pod, RecentMap, type Stored, withoutSecrets } from '@chandler/kube';
import { KarpenterLabel, type NodePool } from '../../api/index.ts';
import type { PodRejection } from '../../state/index.ts';
import { PoolSuspects } from './pool-suspects.ts';

/** By the number of refusals that these pods alone explain. 0: another pod of the claim may be the cause. */
const HOLD_MS: readonly number[] = [30_000, 60_000, 5 * 60_000, 15 * 60_000, 30 * 60_000];
/** Of the CRD of NodeClaims. */
const MAX_REQUIREMENTS = 100;
const MAX_HELD = 10_000;
const MAX_MESSAGE = 500;

/** A claim that was rejected. */
export interface RefusedClaim {
  readonly nodePool: Stored<NodePool>;
  readonly requirements: readonly { readonly key: string }[];
  readonly pods: readonly Stored<Pod>[];
}

interface Held {
  readonly failures: number;
  readonly untilMs: number;
  readonly message: string;
}

export class PodRefusals {
  readonly #clock: Clock;
  /** By pool and the constraints of a pod: replicas of one workload share them. */
  readonly #held = new RecentMap<Held>(MAX_HELD);
  /** The pools that may hold pods, by the constraints. */
  readonly #pools = new RecentMap<Set<string>>(MAX_HELD);
  readonly #suspects = new PoolSuspects();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds pods of the claim. Returns false when the claim was not rejected because of its pods. */
  refused(claim: RefusedClaim, error: Error): boolean {
    const pool = claim.nodePool.metadata.name;
    const suspects = suspectsOf(claim, error).map((pod) => ({ pod, constraints: constraintsOf(pod) }));
    if (suspects.length === 0) {
      const groups = new Set(claim.pods.map(constraintsOf));
      if (!isAdmission(error) || !this.#suspects.refused(pool, groups)) return false;
      for (const constraints of groups)
        this.#hold(pool, constraints, this.#failuresOf(pool, constraints) + 1, error);
      return true;
    }
    const failuresOf = (constraints: string) => this.#failuresOf(pool, constraints);
    const [first] = suspects.sort(
      (one, other) =>
        failuresOf(other.constraints) - failuresOf(one.constraints) ||
        keysOf(other.pod).size - keysOf(one.pod).size,
    );
    const { constraints } = first!;
    const known = failuresOf(constraints);
    const isAlone = suspects.every((each) => each.constraints === constraints);
    this.#hold(pool, constraints, isAlone || known > 0 ? known + 1 : 0, error);
    return true;
  }

  /** Undefined when the pod may be planned for one of these pools. */
  of(pod: Stored<Pod>, pools: readonly string[]): PodRejection | undefined {
    if (this.#held.size === 0) return undefined;
    const constraints = constraintsOf(pod);
    const held = pools.map((pool) => this.#holding(pool, constraints));
    const [first] = held;
    if (first === undefined || held.includes(undefined)) return undefined;
    return { code: 'ClaimRefused', message: first.message };
  }

  /** The pods as they are planned: not for the pools that rejected their claims. */
  planned(pods: readonly Stored<Pod>[]): readonly Stored<Pod>[] {
    if (this.#held.size === 0 && !this.#suspects.any) return pods;
    const groups = new Map(pods.map((pod) => [pod, constraintsOf(pod)]));
    const waiting = this.#suspects.waiting(new Set(groups.values()));
    return pods.map((pod) => {
      const constraints = groups.get(pod)!;
      const held = [...(this.#pools.get(constraints) ?? [])].filter(
        (pool) => this.#holding(pool, constraints) !== undefined,
      );
      const excluded = new Set([...held, ...(waiting.get(constraints) ?? [])]);
      return excluded.size === 0 ? pod : withoutPools(pod, [...excluded]);
    });
  }

  accepted(nodePool: Stored<NodePool>, pods: readonly Stored<Pod>[]): void {
    const { name } = nodePool.metadata;
    const groups = this.#held.size === 0 && !this.#suspects.any ? [] : pods.map(constraintsOf);
    for (const constraints of groups) this.#held.delete(keyOf(name, constraints));
    this.#suspects.accepted(name, groups);
  }

  /** Deleted pools are forgotten. */
  retain(pools: ReadonlySet<string>): void {
    this.#suspects.retain(pools);
  }

  #failuresOf(pool: string, constraints: string): number {
    return this.#held.get(keyOf(pool, constraints))?.failures ?? 0;
  }

  #holding(pool: string, constraints: string): Held | undefined {
    const held = this.#held.get(keyOf(pool, constraints));
    return held === undefined || held.untilMs <= this.#clock.monotonic() ? undefined : held;
  }

  #hold(pool: string, constraints: string, failures: number, error: Error): void {
    const text = withoutSecrets(error.message);
    this.#pools.set(constraints, new Set([...(this.#pools.get(constraints) ?? []), pool]));
    this.#held.set(keyOf(pool, constraints), {
      failures,
      untilMs: this.#clock.monotonic() + HOLD_MS[Math.min(failures, HOLD_MS.length - 1)]!,
      message: text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}...`,
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function keyOf(pool: string, constraints: string): string {
  return `${pool} ${constraints}`;
}

/** Rejected by a policy, webhook or quota, not by validation or a missing role. */
function isAdmission(error: Error): boolean {
  return isApiError(error) && ADMISSION.test(error.message);
}

const ADMISSION = /denied (?:the )?request|(?:exceeded|failed) quota/;

/** With a term that no node of these pools meets. */
function withoutPools(pod: Stored<Pod>, pools: string[]): Stored<Pod> {
  const { affinity } = pod.spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const term = { key: KarpenterLabel.nodePool, operator: 'NotIn' as const, values: pools };
  const nodeSelectorTerms = (required?.nodeSelectorTerms ?? [{}]).map((each) => ({
    ...each,
    matchExpressions: [...(each.matchExpressions ?? []), term],
  }));
  const nodeAffinity = {
    ...affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms },
  };
  return { ...pod, spec: { ...pod.spec, affinity: { ...affinity, nodeAffinity } } };
}

/** The pods that may be the cause; none when a cause lies elsewhere. */
function suspectsOf(claim: RefusedClaim, error: Error): Stored<Pod>[] {
  if (isApiError(error, 'tooLarge')) return claim.pods.filter((pod) => keysOf(pod).size > 0);
  if (!isApiError(error, 'invalid')) return [];
  const fields = (error.status?.details?.causes ?? []).flatMap(({ field }) =>
    field === undefined || field === '<nil>' ? [] : [field],
  );
  const found = fields.map((field) => podsOfField(claim, field));
  return found.some((pods) => pods.length === 0) ? [] : [...new Set(found.flat())];
}

function podsOfField({ nodePool, requirements, pods }: RefusedClaim, field: string): readonly Stored<Pod>[] {
  if (field.startsWith('spec.resources')) return pods;
  const [, index] = /^spec\.requirements(?:\[(\d+)\].*)?$/.exec(field) ?? [undefined, 'none'];
  if (index !== undefined) {
    const key = requirements[Number(index)]?.key;
    return key === undefined ? [] : pods.filter((pod) => keysOf(pod).has(key));
  }
  const { metadata, spec } = nodePool.spec.template;
  const ofPool = new Set([
    ...Object.keys(metadata?.labels ?? {}),
    ...(spec.requirements ?? []).map(({ key }) => key),
  ]);
  const ownKeys = (pod: Stored<Pod>) => [...keysOf(pod)].filter((key) => !ofPool.has(key));
  const added = new Set(pods.flatMap(ownKeys));
  const remaining = requirements.filter(({ key }) => !added.has(key)).length;
  return remaining > MAX_REQUIREMENTS ? [] : pods.filter((pod) => ownKeys(pod).length > 0);
}

/** The labels that a pod requires or prefers of its node. */
function keysOf({ spec }: Stored<Pod>): Set<string> {
  const { nodeAffinity } = spec.affinity ?? {};
  const terms = [
    ...(nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []),
    ...(nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ preference }) => preference,
    ),
  ];
  return new Set([
    ...Object.keys(spec.nodeSelector ?? {}),
    ...terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key)),
    ...(spec.topologySpreadConstraints ?? []).map(({ topologyKey }) => topologyKey),
  ]);
}

function constraintsOf({ metadata, spec }: Stored<Pod>): string {
  const resourcesOf = (containers: Pod['spec']['containers'] | undefined) =>
    (containers ?? []).map(({ resources }) => resources);
  const parts = [
    metadata.namespace,
    spec.nodeSelector,
    spec.affinity,
    spec.topologySpreadConstraints,
    resourcesOf(spec.containers),
    resourcesOf(spec.initContainers),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
