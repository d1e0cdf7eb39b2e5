/**
 * Pods that make NodeClaims invalid: with the requirements or requests of such a pod, the API server rejects the claim
 * of any pool. Its pods are left out of the next plans, longer each time, so that other pods of the pool get nodes.
 * `claims/claim-refusals.ts` handles refusals that do not depend on the pods.
 */
import { createHash } from 'node:crypto';
import { type Clock, isApiError, type Pod, RecentMap, type Stored, withoutSecrets } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import type { PodRejection } from '../../state/index.ts';

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
  /** By the constraints of a pod: replicas of one workload share them. */
  readonly #held = new RecentMap<Held>(MAX_HELD);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Holds pods of the claim. Returns false when the claim was not rejected because of its pods. */
  refused(claim: RefusedClaim, error: Error): boolean {
    const suspects = suspectsOf(claim, error).map((pod) => ({ pod, constraints: constraintsOf(pod) }));
    if (suspects.length === 0) return false;
    const failuresOf = (constraints: string) => this.#held.get(constraints)?.failures ?? 0;
    const [first] = suspects.sort(
      (one, other) =>
        failuresOf(other.constraints) - failuresOf(one.constraints) ||
        keysOf(other.pod).size - keysOf(one.pod).size,
    );
    const { constraints } = first!;
    const known = failuresOf(constraints);
    const isAlone = suspects.every((each) => each.constraints === constraints);
    const failures = isAlone || known > 0 ? known + 1 : 0;
    const text = withoutSecrets(error.message);
    this.#held.set(constraints, {
      failures,
      untilMs: this.#clock.monotonic() + HOLD_MS[Math.min(failures, HOLD_MS.length - 1)]!,
      message: text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE)}...`,
    });
    return true;
  }

  /** Undefined when the pod may be planned. */
  of(pod: Stored<Pod>): PodRejection | undefined {
    const held = this.#held.size === 0 ? undefined : this.#held.get(constraintsOf(pod));
    if (held === undefined || held.untilMs <= this.#clock.monotonic()) return undefined;
    return { code: 'ClaimRefused', message: held.message };
  }

  accepted(pods: readonly Stored<Pod>[]): void {
    if (this.#held.size > 0) for (const pod of pods) this.#held.delete(constraintsOf(pod));
  }
}

// ---------------------------------------------------------------------------------------------------

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
