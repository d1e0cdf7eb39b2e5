/**
 * What preferences cost: preferred affinity and soft spreads lead to other nodes than the cheapest. This states the
 * difference, and limits it. When the plan with all preferences costs too much, they are ignored for some workloads: for
 * those with the largest pods first, and for no more than necessary, as far as a few plans can tell.
 */
import type { PodClass } from './engine/pod-class.ts';
import { amountOf, type QueuedPod } from './engine/queue.ts';
import type { SchedulingInput } from './model.ts';
import type { Plan, PreferenceCost } from './plan.ts';
import { isSoft } from './pods/relaxations.ts';
import { CPU } from './resources.ts';

export interface PreferenceRequest {
  readonly input: SchedulingInput;
  /** The pods of the input. */
  readonly queue: readonly QueuedPod[];
  /** The plan with all preferences. */
  readonly plan: Plan;
  /** Plans another input. */
  readonly planOther: (input: SchedulingInput) => Plan;
}

/** The plan with the price that it would have without preferences: one more plan, if there are preferences. */
export function withPreferenceCost({ input, queue, plan, planOther }: PreferenceRequest): Plan {
  if (!queue.some(({ podClass }) => prefers(podClass))) return plan;
  return stated(plan, planOther(withoutAny(input)), 0);
}

/**
 * The plan itself if its preferences cost at most so many percent of the price without them; otherwise one that ignores the
 * preferences of some pods. It refuses no more pods than the plan without preferences.
 */
export function withinPreferenceCost(request: PreferenceRequest, maxPercent: number): Plan {
  const { input, queue, plan, planOther } = request;
  const workloads = workloadsOf(queue.filter(({ podClass }) => prefers(podClass)));
  if (workloads.length === 0) return plan;
  const none = planOther(withoutAny(input));
  const limit = none.pricePerHour * (1 + maxPercent / 100) * (1 + ROUNDING);
  const isWithin = ({ counts, pricePerHour }: Plan) =>
    counts.refused < none.counts.refused || (counts.refused === none.counts.refused && pricePerHour <= limit);
  if (isWithin(plan)) return stated(plan, none, 0);
  let best = { plan: none, kept: 0 };
  let tooMany = workloads.length;
  const ignoring = (kept: number) => workloads.slice(kept).flatMap(({ pods }) => pods);
  for (let tries = triesFor(queue.length); tries > 0 && tooMany - best.kept > 1; tries--) {
    const kept = Math.floor((best.kept + tooMany) / 2);
    const found = planOther({ ...withOptions(input, {}), withoutPreferences: ignoring(kept) });
    if (isWithin(found)) best = { plan: found, kept };
    else tooMany = kept;
  }
  return stated(best.plan, none, ignoring(best.kept).length);
}

// ---------------------------------------------------------------------------------------------------------------

const ROUNDING = 1e-9;

/** Plans to try between all preferences and none. */
function triesFor(pods: number): number {
  return pods > 5_000 ? 2 : 5;
}

function stated(plan: Plan, none: Plan, ignoredPods: number): Plan {
  if (plan.counts.refused !== none.counts.refused) return plan;
  // A plan that is cheaper with preferences shows that there is one at that price without them.
  const withoutPerHour = Math.min(none.pricePerHour, plan.pricePerHour);
  const preferenceCost: PreferenceCost = {
    withoutPerHour,
    costPerHour: plan.pricePerHour - withoutPerHour,
    ignoredPods,
  };
  return { ...plan, preferenceCost };
}

function withoutAny(input: SchedulingInput): SchedulingInput {
  return withOptions(input, { preferencePolicy: 'Ignore' });
}

function withOptions(input: SchedulingInput, options: SchedulingInput['options']): SchedulingInput {
  const plain = { maxPreferenceCost: -1, statePreferenceCost: false };
  return { ...input, options: { ...input.options, ...plain, ...options } };
}

/** By itself, or by the default constraints of the cluster. */
function prefers({ relaxations, spec }: PodClass): boolean {
  const { droppedAffinity, droppedAntiAffinity, droppedNodePreferences, spreads } = relaxations[0]!;
  return (
    spreads.some(isSoft) ||
    droppedAffinity < spec.affinity.preferred.length ||
    droppedAntiAffinity < spec.antiAffinity.preferred.length ||
    droppedNodePreferences < spec.preferredTerms.length
  );
}

interface Workload {
  /** `namespace/name`. */
  readonly pods: readonly string[];
  readonly cpu: number;
}

/** Pods that are equal to the planner; the smallest pods first. */
function workloadsOf(queue: readonly QueuedPod[]): readonly Workload[] {
  const workloads = new Map<PodClass, { pods: string[]; cpu: number }>();
  for (const { key, podClass } of queue) {
    const workload = workloads.get(podClass) ?? { pods: [], cpu: amountOf(podClass.requests, CPU) };
    workloads.set(podClass, workload);
    workload.pods.push(key);
  }
  return [...workloads.values()].sort((one, other) => one.cpu - other.cpu);
}
