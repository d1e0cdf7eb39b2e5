/** What a plan tells people: events on pods and pools, figures for dashboards. It decides nothing. */
import type { KubeObject, NodePool } from '../../api/index.ts';
import { NODE_POOLS, PODS, TokenBucket } from '../../kube/index.ts';
import { type PodRefusal, podRefusalText } from '../../scheduling/index.ts';
import { type PodObject, type PodRejection, rejectionText } from '../../state/index.ts';
import type { Counter, Gauge, Histogram } from '../../world.ts';
import { DURATION_BUCKETS } from '../buckets.ts';
import type { ControllerContext } from '../context.ts';
import type { PoolExclusion } from './planning.ts';

const FAILED_DEDUPE_MS = 5 * 60_000;
const POOL_DEDUPE_MS = 60_000;

export class ProvisioningNews {
  readonly #context: ControllerContext;
  readonly #nominations: TokenBucket;
  readonly #ignored: Gauge;
  readonly #unschedulable: Gauge;
  readonly #duration: Histogram;
  readonly #created: Counter;

  constructor(context: ControllerContext) {
    const { metrics, clock } = context.world;
    this.#context = context;
    this.#nominations = new TokenBucket(clock, { perSecond: 5, burst: 10 });
    this.#ignored = metrics.gauge({
      name: 'karpenter_scheduler_ignored_pods_count',
      help: 'Pods that are not planned for because they ask for what no node can have.',
    });
    this.#unschedulable = metrics.gauge({
      name: 'karpenter_scheduler_unschedulable_pods_count',
      help: 'Pods that the last plan found no place for.',
      labels: ['controller'],
    });
    this.#duration = metrics.histogram({
      name: 'karpenter_scheduler_scheduling_duration_seconds',
      help: 'How long one plan took.',
      labels: ['controller'],
      buckets: DURATION_BUCKETS,
    });
    this.#created = metrics.counter({
      name: 'karpenter_nodeclaims_created_total',
      help: 'NodeClaims that were created.',
      labels: ['reason', 'nodepool', 'min_values_relaxed'],
    });
  }

  planned(seconds: number): void {
    this.#duration.observe(seconds, { controller: 'provisioner' });
  }

  rejected(rejected: readonly { readonly pod: PodObject; readonly rejection: PodRejection }[]): void {
    this.#ignored.set(rejected.length);
    for (const { pod, rejection } of rejected) this.#failed(pod, rejectionText(rejection));
  }

  refused(refusals: readonly PodRefusal[], podOf: (key: string) => PodObject | undefined): void {
    let count = 0;
    for (const refusal of refusals) {
      const text = podRefusalText(refusal);
      for (const key of refusal.pods) {
        count++;
        const pod = podOf(key);
        if (pod !== undefined) this.#failed(pod, text);
      }
    }
    this.#unschedulable.set(count, { controller: 'provisioner' });
  }

  nominated(pod: PodObject, where: readonly string[]): void {
    this.#context.events.publish({
      resource: PODS,
      object: pod,
      type: 'Normal',
      reason: 'Nominated',
      message: `Pod should schedule on: ${where.join(', ')}`,
      dedupeValues: [pod.metadata.uid ?? ''],
      limiter: this.#nominations,
    });
  }

  created(nodePool: string, minValuesRelaxed: boolean): void {
    this.#created.add(1, {
      reason: 'provisioned',
      nodepool: nodePool,
      min_values_relaxed: `${minValuesRelaxed}`,
    });
  }

  /** A pool that cannot be used while pods wait. What its own conditions say is not said twice. */
  excluded(nodePool: NodePool & KubeObject, why: PoolExclusion): void {
    const { world } = this.#context;
    world.log.info('pool left out of planning', { nodepool: nodePool.metadata.name, ...why });
    if (why.code !== 'HeldBack' && why.code !== 'TypesUnknown') return;
    const text =
      why.code === 'HeldBack'
        ? `Launches are held back for ${Math.ceil(why.remainingMs / 1000)} s after repeated failures: ${why.reason}`
        : `Instance types are not known: ${why.message}`;
    this.aboutPool(nodePool, why.code === 'HeldBack' ? 'LaunchesHeldBack' : 'InstanceTypesUnknown', text);
  }

  aboutPool(nodePool: KubeObject, reason: string, message: string): void {
    const dedupeValues = [nodePool.metadata.uid ?? '', reason];
    const event = { resource: NODE_POOLS, object: nodePool, type: 'Warning' as const, reason, message };
    this.#context.events.publish({ ...event, dedupeValues, dedupeMs: POOL_DEDUPE_MS });
  }

  #failed(pod: PodObject, text: string): void {
    this.#context.events.publish({
      resource: PODS,
      object: pod,
      type: 'Warning',
      reason: 'FailedScheduling',
      message: `Failed to schedule pod, ${text}`,
      dedupeValues: [pod.metadata.uid ?? ''],
      dedupeMs: FAILED_DEDUPE_MS,
    });
  }
}
