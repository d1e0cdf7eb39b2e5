/** Reports a plan: events on pods and pools, metrics. It decides nothing. */
import type { Stored } from '@chandler/kube';
import { type Counter, type Gauge, type Histogram, PODS, type Pod } from '@chandler/kube';
import { NODE_POOLS, type NodePool } from '../../api/index.ts';
import { DURATION_BUCKETS } from '../../cloud/index.ts';
import {
  type PlannedClaim,
  type PodRefusal,
  type PoolRefusal,
  podRefusalText,
} from '../../scheduling/index.ts';
import { type PodRejection, rejectionText } from '../../state/index.ts';
import { CLAIM_REFUSED } from '../claims/claim-refusals.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { effectiveZone } from './effective-zone.ts';
import { EventDeduper } from './event-deduper.ts';
import { heldText } from './held-text.ts';
import { heldPodText, holdText, type Judged, poolsOf } from './launch-guard.ts';
import type { PoolExclusion, PoolsToPlan } from './planning.ts';

const FAILED_DEDUPE_MS = 5 * 60_000;
/** Longer than a launch takes: repeated events for the first pods would use up the rate limit of the others. */
const NOMINATED_DEDUPE_MS = 20 * 60_000;
/** An object gets 25 events, then one in five minutes; one reason must not use them up. */
const POOL_DEDUPE_MS = 5 * 60_000;
/** As upstream. */
const NO_TYPES_DEDUPE_MS = 60_000;
const NO_TYPES = 'NodePool requirements filtered out all compatible available instance types';

/** The pods that a plan leaves without a node, and why. */
export interface UnplacedPods {
  readonly refusals: readonly PodRefusal[];
  readonly excluded: PoolsToPlan['excluded'];
  readonly judged: Pick<Judged<PlannedClaim>, 'held' | 'why'>;
}

interface RunningPlan {
  readonly labels: { readonly controller: string; readonly scheduling_id: string };
  readonly beganMs: number;
  readonly pods: number;
}

export class ProvisioningReporter {
  readonly #context: ControllerContext;
  readonly #ignored: Gauge;
  readonly #unschedulable: Gauge;
  readonly #duration: Histogram;
  readonly #created: Counter;
  readonly #byZone: Gauge;
  readonly #deduper = new EventDeduper();
  /** Series exist only while the plan is computed, and are read at the scrape. */
  readonly #plans = new Set<RunningPlan>();
  #zones: readonly string[] = [];

  constructor(context: ControllerContext) {
    const { metrics, clock } = context.world;
    this.#context = context;
    this.#ignored = metrics.gauge({
      name: 'karpenter_scheduler_ignored_pods_count',
      help: 'Pods that are ignored because no node can satisfy them.',
    });
    this.#unschedulable = metrics.gauge({
      name: 'karpenter_scheduler_unschedulable_pods_count',
      help: 'Pods that the last plan could not place.',
      labels: ['controller'],
    });
    this.#duration = metrics.histogram({
      name: 'karpenter_scheduler_scheduling_duration_seconds',
      help: 'Duration of one plan.',
      labels: ['controller'],
      buckets: DURATION_BUCKETS,
    });
    this.#created = metrics.counter({
      name: 'karpenter_nodeclaims_created_total',
      help: 'NodeClaims that were created.',
      labels: ['reason', 'nodepool', 'min_values_relaxed'],
    });
    const ofPlans = (name: string, help: string, amount: (plan: RunningPlan) => number) =>
      metrics.observableGauge({ name, help, labels: ['controller', 'scheduling_id'] }, () =>
        [...this.#plans].map((plan) => [amount(plan), plan.labels] as const),
      );
    ofPlans(
      'karpenter_scheduler_queue_depth',
      'Pods in the plan that is being computed.',
      ({ pods }) => pods,
    );
    ofPlans(
      'karpenter_scheduler_unfinished_work_seconds',
      'Time since the start of the plan that is being computed.',
      ({ beganMs }) => (clock.monotonic() - beganMs) / 1000,
    );
    this.#byZone = metrics.gauge({
      name: 'karpenter_scheduler_pending_pods_by_effective_zone_count',
      help: 'Pending pods by the zone they are bound to; flexible: several zones are possible, none: no zone is.',
      labels: ['controller', 'zone'],
    });
  }

  /** Computes and measures the plan for these pods. Its series end with it, also when it throws. */
  async measured<T>(pods: readonly Stored<Pod>[], compute: () => Promise<T>): Promise<T> {
    const { world, stores } = this.#context;
    const beganMs = world.clock.monotonic();
    const labels = { controller: 'provisioner', scheduling_id: world.random.uuid() };
    const plan: RunningPlan = { labels, beganMs, pods: pods.length };
    this.#plans.add(plan);
    this.#countZones(pods.map((pod) => effectiveZone(pod, stores)));
    try {
      return await compute();
    } finally {
      this.#plans.delete(plan);
      this.#duration.observe((world.clock.monotonic() - beganMs) / 1000, { controller: 'provisioner' });
    }
  }

  #countZones(zones: readonly string[]): void {
    const counts = new Map<string, number>();
    for (const zone of zones) counts.set(zone, (counts.get(zone) ?? 0) + 1);
    for (const zone of this.#zones)
      if (!counts.has(zone)) this.#byZone.remove({ controller: 'provisioner', zone });
    for (const [zone, count] of counts) this.#byZone.set(count, { controller: 'provisioner', zone });
    this.#zones = [...counts.keys()];
  }

  /** No pod is pending. */
  idle(): void {
    this.#countZones([]);
    this.refused({ refusals: [], excluded: [], judged: { held: [] } }, () => undefined);
  }

  rejected(rejected: readonly { readonly pod: Stored<Pod>; readonly rejection: PodRejection }[]): void {
    this.#ignored.set(rejected.length);
    for (const { pod, rejection } of rejected) this.#failed(pod, rejectionText(rejection));
  }

  /**
   * Pods that get no node now. Excluded pools are part of the message, since the plan might differ with them. Pods of
   * held claims fit a pool, but their claim is not created yet.
   */
  refused(
    { refusals, excluded, judged }: UnplacedPods,
    podOf: (key: string) => Stored<Pod> | undefined,
  ): void {
    let count = 0;
    const report = (keys: readonly string[], text: string) => {
      count += keys.length;
      for (const key of keys) {
        const pod = podOf(key);
        if (pod !== undefined) this.#failed(pod, text);
      }
    };
    const leftOut = excluded.map(({ nodePool, why }) => exclusionText(nodePool.metadata.name, why));
    for (const refusal of refusals) report(refusal.pods, podRefusalText(refusal, leftOut));
    const { held, why } = judged;
    if (why !== undefined) for (const { pods, nodePool } of held) report(pods, heldPodText(nodePool, why));
    this.#unschedulable.set(count, { controller: 'provisioner' });
  }

  /** Pools whose claims the guard holds. */
  heldUp({ held, why }: UnplacedPods['judged'], poolNamed: (name: string) => Stored | undefined): void {
    if (why === undefined) return;
    for (const name of poolsOf(held)) {
      const nodePool = poolNamed(name);
      if (nodePool !== undefined) this.aboutPool(nodePool, why.code, holdText(why));
    }
  }

  nominated(pod: Stored<Pod>, where: readonly string[]): void {
    const message = `Pod should schedule on: ${where.join(', ')}`;
    this.#context.events.publish({
      resource: PODS,
      object: pod,
      type: 'Normal',
      reason: 'Nominated',
      message,
      expendable: true,
      dedupeValues: this.#deduper.about(pod.metadata.uid, message),
      dedupeMs: NOMINATED_DEDUPE_MS,
    });
  }

  created(nodePool: string, minValuesRelaxed: boolean): void {
    this.#created.add(1, {
      reason: 'provisioned',
      nodepool: nodePool,
      min_values_relaxed: `${minValuesRelaxed}`,
    });
  }

  /** A pool that is excluded while pods are pending. Reasons that are in its conditions get no event. */
  excluded({ world }: ReconcileScope, nodePool: Stored<NodePool>, why: PoolExclusion): void {
    // A pool of another cloud is for the controller of that cloud: nothing to say with every plan.
    const level = why.code === 'NodeClassUnknown' ? 'debug' : 'info';
    world.log[level]('nodepool excluded from scheduling', { nodepool: nodePool.metadata.name, ...why });
    if (why.code === 'ClaimRefused') this.aboutPool(nodePool, CLAIM_REFUSED, why.message);
    if (why.code !== 'HeldBack' && why.code !== 'TypesUnknown') return;
    const text =
      why.code === 'HeldBack'
        ? heldText(why, world.clock.now())
        : `Instance types are not known: ${why.message}`;
    this.aboutPool(nodePool, why.code === 'HeldBack' ? 'LaunchesHeldBack' : 'InstanceTypesUnknown', text);
  }

  /** Pools whose own requirements leave no instance type, or too few of them. */
  withoutTypes(
    refusals: readonly PodRefusal[],
    poolNamed: (name: string) => Stored | undefined,
    lacksVariety: (name: string) => boolean,
  ): void {
    const codes = new Map<string, PoolRefusal['refusal']['code']>();
    for (const { nodePool, refusal } of refusals.flatMap(({ pools }) => pools))
      if (refusal.code === 'PoolWithoutTypes' || refusal.code === 'MinValuesUnmet')
        codes.set(nodePool, refusal.code);
    for (const [name, code] of codes) {
      const nodePool = poolNamed(name);
      const scarce = code === 'MinValuesUnmet';
      if (nodePool === undefined || (scarce && !lacksVariety(name))) continue;
      const message = scarce ? `${NO_TYPES} due to minValues incompatibility` : NO_TYPES;
      this.aboutPool(nodePool, 'NoCompatibleInstanceTypes', message, NO_TYPES_DEDUPE_MS);
    }
  }

  aboutPool(nodePool: Stored, reason: string, message: string, dedupeMs = POOL_DEDUPE_MS): void {
    const dedupeValues = [nodePool.metadata.uid, reason];
    const event = { resource: NODE_POOLS, object: nodePool, type: 'Warning' as const, reason, message };
    this.#context.events.publish({ ...event, dedupeValues, dedupeMs });
  }

  #failed(pod: Stored<Pod>, text: string): void {
    const message = `Failed to schedule pod, ${text}`;
    this.#context.events.publish({
      resource: PODS,
      object: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message,
      dedupeValues: this.#deduper.about(pod.metadata.uid, message),
      dedupeMs: FAILED_DEDUPE_MS,
    });
  }
}

// ---------------------------------------------------------------------------------------------------

/** Without times and counts: the same state gives the same text. */
function exclusionText(nodePool: string, why: PoolExclusion): string {
  const name = `nodepool ${JSON.stringify(nodePool)} is left out`;
  switch (why.code) {
    case 'NodeClassMissing':
      return `${name}, its ${why.reference.kind} ${why.reference.name} does not exist`;
    case 'NodeClassUnknown':
      return `${name}, a ${why.reference.kind} (${why.reference.group}) is not run here`;
    case 'NodeClassTerminating':
      return `${name}, its ${why.reference.kind} ${why.reference.name} is being deleted`;
    case 'NodeClassNotReady':
      return `${name}, its ${why.reference.kind} ${why.reference.name} is not ready${why.message === '' ? '' : ` (${why.message})`}`;
    case 'ClaimRefused':
      return `${name}, ${why.message}`;
    case 'NotReady':
      return `${name}, it is not ready${why.message === '' ? '' : ` (${why.message})`}`;
    case 'HeldBack':
      return `${name}, launches are held back after repeated failures (${why.reason})`;
    case 'TypesUnknown':
      return `${name}, its instance types are not known`;
  }
}
