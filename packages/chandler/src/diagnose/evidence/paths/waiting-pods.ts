/**
 * Pods that wait for a NodePool in question and do not fit: it may be Ready, and nothing may fail, while pods that it is
 * meant for stay Pending. One of them is evidence, with its plan: one that selects the NodePool, or of the most that wait.
 * Pods that no change of the NodePool would help say nothing about it.
 */
import { PODS, type Pod, type Stored } from '@chandler/kube';
import { isFound, type LookupFailure, type ReadObject } from '../../../causes/index.ts';
import { isProvisionable, wantsNoPool } from '../../../state/index.ts';
import { isDynamic } from '../excluded-pools.ts';
import type { GatherContext } from '../gather-context.ts';
import { mayTake } from '../may-take.ts';
import { type PlansForPool, plansFor } from '../plan.ts';
import { readPod } from '../pods.ts';
import { fullName, type PodShape, timeMs } from '../shapes.ts';
import { poolsWithClasses } from './pools-with-classes.ts';

/** A plan each; more would take too long. */
const MAX_PLANS = 8;
/** The controller has created a NodeClaim for a pod by then. */
const LAUNCHED_MS = 5 * 60_000;

/** For one NodePool. What is read, is read once. */
export class WaitingPods {
  readonly #context: GatherContext;
  readonly #pool: string;
  #pending: Promise<Pending> | undefined;
  #candidates: Promise<Candidates | 'none' | 'unknown'> | undefined;

  constructor(context: GatherContext, pool: string) {
    this.#context = context;
    this.#pool = pool;
  }

  /** Known only if all Pending pods can be read. */
  async areNone(): Promise<boolean> {
    const { pods, isWhole } = await this.#allPending();
    if (!isWhole || pods.length === 0) return isWhole;
    const candidates = await this.#all();
    if (candidates === 'none') return true;
    if (candidates === 'unknown' || candidates.pods.length > MAX_PLANS) return false;
    for (const pod of candidates.pods) if (await candidates.plans.concerns(pod)) return false;
    return true;
  }

  /**
   * Adds a pod and its plan to the evidence: one that the NodePool refuses, or one that it would take and that has been
   * pending for long, unless nodes are being launched. Returns what is not known about the others.
   */
  async read(isLaunching: boolean): Promise<readonly string[]> {
    const { recorder } = this.#context;
    const { failure } = await this.#allPending();
    if (failure !== undefined) {
      recorder.addUnread('plan', 'Pending pods', failure);
      return ['Pending pods could not be read'];
    }
    const candidates = await this.#all();
    if (candidates === 'none') return [];
    if (candidates === 'unknown') return ['whether pods are pending for it is not known'];
    const unknown: PodShape[] = [];
    let taken: (() => Promise<void>) | undefined;
    for (const pod of candidates.pods.slice(0, MAX_PLANS)) {
      const answer = await candidates.plans.answerTo(pod);
      if (answer.state === 'unknown') unknown.push(pod);
      if (answer.state !== 'refused' && answer.state !== 'taken') continue;
      const add = async () => {
        await readPod(this.#context, pod);
        answer.add();
      };
      if (answer.state === 'refused') {
        await add();
        return [];
      }
      const ageMs = recorder.atMs - (timeMs(pod.metadata.creationTimestamp) ?? recorder.atMs);
      if (ageMs > LAUNCHED_MS && !isLaunching) taken ??= add;
    }
    await taken?.();
    return unknownTexts(unknown, candidates.pods.length - MAX_PLANS);
  }

  #allPending(): Promise<Pending> {
    this.#pending ??= unschedulablePods(this.#context);
    return this.#pending;
  }

  #all(): Promise<Candidates | 'none' | 'unknown'> {
    this.#candidates ??= this.#find();
    return this.#candidates;
  }

  async #find(): Promise<Candidates | 'none' | 'unknown'> {
    const { pods } = await this.#allPending();
    if (pods.length === 0) return 'none';
    const pools = await poolsWithClasses(this.#context);
    const own = pools?.find(({ pool }) => pool.metadata.name === this.#pool)?.pool;
    if (pools === undefined || own === undefined) return 'unknown';
    // Pods do not wait for one that is static, or is being deleted.
    if (!isDynamic(own)) return 'none';
    const plans = plansFor(this.#context, pools, this.#pool);
    if (plans === undefined) return pods.some((pod) => mayTake(own, pod)) ? 'unknown' : 'none';
    const groups = oneOfEach(
      pods.filter((pod) => plans.mayWait(pod)),
      plans,
    );
    const isOffered = await Promise.all(groups.map((pod) => plans.offers(pod)));
    // What it certainly cannot take is planned last: its plan only says so.
    return {
      plans,
      pods: [true, false].flatMap((is) => groups.filter((_, index) => isOffered[index] === is)),
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

function unknownTexts(unknown: readonly PodShape[], more: number): readonly string[] {
  const [first, ...rest] = unknown;
  const named =
    first === undefined ? '' : `Pod ${fullName(first)}${rest.length === 0 ? '' : ` and ${rest.length} more`}`;
  const verb = more === 1 ? 'workload with Pending pods was' : 'workloads with Pending pods were';
  return [
    ...(named === ''
      ? []
      : [`whether ${named} ${rest.length === 0 ? 'is' : 'are'} pending for it is not known`]),
    ...(more > 0 ? [`${more} more ${verb} not checked`] : []),
  ];
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
