/**
 * Pods that wait for a NodePool in question and do not fit: it may be Ready, and nothing may fail, while pods that it is
 * meant for stay Pending. One of them is evidence, with its plan: one that selects the NodePool, or of the most that wait.
 * Pods that no change of the NodePool would help say nothing about it.
 */
import { PODS, type Pod, type Stored } from '@chandler/kube';
import { isFound, type LookupFailure, type ReadObject } from '../../../causes/index.ts';
import { isProvisionable, wantsNoPool } from '../../../state/index.ts';

import type { GatherContext } from '../gather-context.ts';
import { type PlansForPool, plansFor } from '../plan.ts';
import { readPod } from '../pods.ts';
import { type PodShape, timeMs } from '../shapes.ts';
import { poolsWithClasses } from './pools-with-classes.ts';

/** A plan each; more would take too long. */
const MAX_PLANS = 8;

/** For one NodePool. What is read, is read once. */
export class WaitingPods {
  readonly #context: GatherContext;
  readonly #pool: string;
  #pending: Promise<Pending> | undefined;
  #candidates: Promise<Candidates | undefined> | undefined;

  constructor(context: GatherContext, pool: string) {
    this.#context = context;
    this.#pool = pool;
  }

  /** Known only if all Pending pods can be read. */
  async areNone(): Promise<boolean> {
    const { pods, isWhole } = await this.#allPending();
    if (!isWhole || pods.length === 0) return isWhole;
    const candidates = await this.#all();
    if (candidates === undefined || candidates.pods.length > MAX_PLANS) return false;
    for (const pod of candidates.pods) if (await candidates.plans.concerns(pod)) return false;
    return true;
  }

  /** Adds the pod and its plan to the evidence. */
  async read(): Promise<void> {
    if (this.#context.planner === undefined) return;
    const { failure } = await this.#allPending();
    if (failure !== undefined) this.#context.recorder.addUnread('plan', 'Pending pods', failure);
    const candidates = await this.#all();
    for (const pod of candidates?.pods.slice(0, MAX_PLANS) ?? []) {
      const addRefusal = await candidates!.plans.refusal(pod);
      if (addRefusal === undefined) continue;
      await readPod(this.#context, pod);
      addRefusal();
      return;
    }
  }

  #allPending(): Promise<Pending> {
    this.#pending ??= unschedulablePods(this.#context);
    return this.#pending;
  }

  #all(): Promise<Candidates | undefined> {
    this.#candidates ??= this.#find();
    return this.#candidates;
  }

  async #find(): Promise<Candidates | undefined> {
    const { pods } = await this.#allPending();
    if (this.#context.planner === undefined || pods.length === 0) return undefined;
    const plans = plansFor(this.#context, (await poolsWithClasses(this.#context)) ?? [], this.#pool);
    if (plans === undefined) return undefined;
    return {
      plans,
      pods: oneOfEach(
        pods.filter((pod) => plans.mayWait(pod)),
        plans,
      ),
    };
  }
}

// ---------------------------------------------------------------------------------------------------

interface Pending {
  readonly pods: readonly PodShape[];
  readonly isWhole: boolean;
  readonly failure?: LookupFailure;
}

interface Candidates {
  readonly plans: PlansForPool;
  /** The best first. */
  readonly pods: readonly PodShape[];
}

/** A dump that does not have all pods has those that wait. */
async function unschedulablePods({ reader }: GatherContext): Promise<Pending> {
  const found: PodShape[] = [];
  let isWhole = true;
  for await (const page of reader.pages(PODS, { fields: { 'status.phase': 'Pending' } })) {
    if (!isFound(page)) return { pods: [], isWhole: false, failure: page };
    if (page.partial === true) isWhole = false;
    const pods = page.found as readonly ReadObject[] as readonly Stored<Pod>[];
    const waiting = pods.filter((pod) => isProvisionable(pod) && !wantsNoPool(pod));
    found.push(...(waiting as readonly unknown[] as PodShape[]));
  }
  return { pods: found, isWhole };
}

/** The oldest of each owner, or of those that ask for the same: first those that select the NodePool, then the most. */
function oneOfEach(pods: readonly PodShape[], plans: PlansForPool): readonly PodShape[] {
  const groups = [...Map.groupBy(pods.toSorted(byAge), groupOf).values()];
  return groups
    .map((all) => ({ pod: all[0]!, count: all.length, isSelected: plans.isSelectedBy(all[0]!) }))
    .sort(
      (one, other) =>
        Number(other.isSelected) - Number(one.isSelected) ||
        other.count - one.count ||
        byAge(one.pod, other.pod),
    )
    .map(({ pod }) => pod);
}

function groupOf({ metadata: { namespace = '', ownerReferences = [] }, spec }: PodShape): string {
  const [owner] = ownerReferences;
  if (owner !== undefined) return owner.uid;
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints, volumes } = spec;
  const requests = spec.containers.map(({ resources }) => resources);
  return JSON.stringify([
    namespace,
    nodeSelector,
    affinity,
    tolerations,
    topologySpreadConstraints,
    volumes,
    requests,
  ]);
}

function byAge({ metadata: one }: PodShape, { metadata: other }: PodShape): number {
  const difference = (timeMs(one.creationTimestamp) ?? 0) - (timeMs(other.creationTimestamp) ?? 0);
  return difference || (one.name < other.name ? -1 : 1);
}
