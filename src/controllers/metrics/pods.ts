/**
 * Where pods are, how long they take to be bound and to run, and how long those that wait have waited: since they were
 * made, and since we first held that they can run. What we did about them is in `pod-times.ts`.
 */
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import type { Controller, StoreChange } from '../../kube/index.ts';
import { conditionOf, isTerminal, type PodObject } from '../../state/index.ts';
import type { Histogram, MetricLabels, Series, Summary, World } from '../../world.ts';
import { DURATION_BUCKETS } from '../buckets.ts';
import type { ControllerContext } from '../context.ts';
import { type ObservedGauge, observer } from './observer.ts';
import type { PodTimes } from './pod-times.ts';

export function podMetrics(context: ControllerContext): Controller {
  const { world, stores, podTimes } = context;
  const watch = new PodWatch(world, podTimes);
  return observer({
    name: 'metrics.pod',
    world,
    synced: [stores.pods.synced, stores.nodes.synced],
    listen() {
      for (const object of stores.pods.store.values()) watch.on({ type: 'added', object, initial: true });
      return [stores.pods.store.subscribe((change) => watch.on(change))];
    },
    gauges: gaugesOf(context, watch),
  });
}

// ---------------------------------------------------------------------------------------------------

/** Pods that are on their way: what is measured of them ends when they run. */
class PodWatch {
  readonly #durations: Durations;
  readonly #times: PodTimes;
  readonly #log: World['log'];
  /** By UID. */
  readonly unbound = new Map<string, PodObject>();
  readonly unstarted = new Map<string, PodObject>();

  constructor({ metrics, log }: Pick<World, 'metrics' | 'log'>, times: PodTimes) {
    this.#durations = durationsOf(metrics);
    this.#times = times;
    this.#log = log;
  }

  on({ type, object: pod }: StoreChange<PodObject>): void {
    const uid = pod.metadata.uid ?? '';
    if (type === 'deleted' || isTerminal(pod)) {
      this.#end(uid);
      return;
    }
    const bound = conditionOf(pod, 'PodScheduled');
    const ready = conditionOf(pod, 'Ready');
    if (bound?.status === 'True' || pod.spec.nodeName) this.#bound(pod, bound?.lastTransitionTime);
    else this.unbound.set(uid, pod);
    if (ready?.status === 'True') this.#started(pod, ready.lastTransitionTime);
    else if (pod.status?.phase === 'Pending' || this.unstarted.has(uid)) this.unstarted.set(uid, pod);
  }

  #bound(pod: PodObject, at: string | undefined): void {
    const uid = pod.metadata.uid ?? '';
    if (!this.unbound.delete(uid)) return;
    const atMs = Date.parse(at ?? '');
    observe(this.#durations.bound, Date.parse(pod.metadata.creationTimestamp ?? ''), atMs);
    observe(this.#durations.provisioningBound, this.#times.schedulableSinceMs(uid), atMs);
    this.#log.debug('pod bound', { ...nameOf(pod), node: pod.spec.nodeName });
  }

  #started(pod: PodObject, at: string | undefined): void {
    const uid = pod.metadata.uid ?? '';
    if (this.unstarted.delete(uid)) {
      const atMs = Date.parse(at ?? '');
      observe(this.#durations.started, Date.parse(pod.metadata.creationTimestamp ?? ''), atMs);
      observe(this.#durations.provisioningStarted, this.#times.schedulableSinceMs(uid), atMs);
      this.#log.debug('pod ready', { ...nameOf(pod), node: pod.spec.nodeName });
    }
    this.#times.forget(uid);
  }

  #end(uid: string): void {
    this.unbound.delete(uid);
    this.unstarted.delete(uid);
    this.#times.forget(uid);
  }
}

interface Durations {
  readonly bound: Histogram;
  readonly provisioningBound: Histogram;
  readonly started: Summary;
  readonly provisioningStarted: Histogram;
}

function durationsOf(metrics: World['metrics']): Durations {
  const histogram = (name: string, help: string) =>
    metrics.histogram({ name: `karpenter_pods_${name}`, help, buckets: DURATION_BUCKETS });
  return {
    bound: histogram('bound_duration_seconds', 'From the creation of a pod until it is bound.'),
    provisioningBound: histogram(
      'provisioning_bound_duration_seconds',
      'From when we first held that a pod can run until it is bound.',
    ),
    started: metrics.summary({
      name: 'karpenter_pods_startup_duration_seconds',
      help: 'From the creation of a pod until it runs.',
    }),
    provisioningStarted: histogram(
      'provisioning_startup_duration_seconds',
      'From when we first held that a pod can run until it runs.',
    ),
  };
}

function observe(instrument: Histogram | Summary, fromMs: number | undefined, untilMs: number): void {
  const seconds = (untilMs - (fromMs ?? Number.NaN)) / 1000;
  if (!Number.isNaN(seconds)) instrument.observe(seconds);
}

function nameOf({ metadata }: PodObject): { name: string; namespace: string } {
  return { name: metadata.name ?? '', namespace: metadata.namespace ?? '' };
}

function gaugesOf(context: ControllerContext, watch: PodWatch): readonly ObservedGauge[] {
  const { stores, world, podTimes } = context;
  const bornMs = ({ metadata }: PodObject) => Date.parse(metadata.creationTimestamp ?? '');
  const schedulableMs = ({ metadata }: PodObject) => podTimes.schedulableSinceMs(metadata.uid ?? '');
  const waiting = (
    name: string,
    help: string,
    pods: () => Iterable<PodObject>,
    sinceOf: (pod: PodObject) => number | undefined,
  ): ObservedGauge => ({
    spec: { name: `karpenter_pods_${name}`, help, labels: ['name', 'namespace'] },
    *observe(): Generator<Series> {
      for (const pod of [...pods()]) {
        const seconds = (world.clock.now() - (sinceOf(pod) ?? Number.NaN)) / 1000;
        if (!Number.isNaN(seconds)) yield [seconds, nameOf(pod)];
      }
    },
  });
  const unbound = () => watch.unbound.values();
  const unstarted = () => watch.unstarted.values();
  const planned = 'since we first held that it can run';
  return [
    {
      spec: {
        name: 'karpenter_pods_state',
        help: 'Always 1; the labels say where a pod is.',
        labels: STATE_LABELS,
      },
      *observe() {
        // What comes back under the same name on the way must not be there twice.
        for (const pod of [...stores.pods.store.values()]) yield [1, stateLabels(context, pod)];
      },
    },
    waiting('unbound_time_seconds', 'How long a pod has not been bound.', unbound, bornMs),
    waiting('unstarted_time_seconds', 'How long a pod has not run.', unstarted, bornMs),
    waiting(
      'provisioning_unbound_time_seconds',
      `How long a pod has not been bound ${planned}.`,
      unbound,
      schedulableMs,
    ),
    waiting(
      'provisioning_unstarted_time_seconds',
      `How long a pod has not run ${planned}.`,
      unstarted,
      schedulableMs,
    ),
    waiting(
      'provisioning_scheduling_undecided_time_seconds',
      'How long nothing has been decided about a pod that waits.',
      unbound,
      ({ metadata }) => podTimes.undecidedSinceMs(metadata.uid ?? ''),
    ),
  ];
}

const STATE_LABELS = [
  ...['name', 'namespace', 'owner', 'node', 'scheduled', 'nodepool', 'zone', 'arch', 'capacity_type'],
  ...['instance_type', 'phase', 'ready', 'managed'],
];

function stateLabels({ stores }: ControllerContext, pod: PodObject): MetricLabels {
  const node = pod.spec.nodeName ?? '';
  const labels = stores.nodes.store.get({ name: node })?.metadata.labels ?? {};
  const nodepool = labels[KarpenterLabel.nodePool] ?? '';
  return {
    ...nameOf(pod),
    owner: ownerPath(pod),
    node,
    scheduled: `${node !== ''}`,
    nodepool,
    zone: labels[KubernetesLabel.zone] ?? '',
    arch: labels[KubernetesLabel.arch] ?? '',
    capacity_type: labels[KarpenterLabel.capacityType] ?? '',
    instance_type: labels[KubernetesLabel.instanceType] ?? '',
    phase: pod.status?.phase ?? '',
    ready: `${conditionOf(pod, 'Ready')?.status === 'True'}`,
    managed: `${nodepool !== ''}`,
  };
}

function ownerPath({ metadata }: PodObject): string {
  const owner = metadata.ownerReferences?.[0];
  if (owner === undefined) return '';
  return `/apis/${owner.apiVersion}/namespaces/${metadata.namespace}/${owner.kind.toLowerCase()}s/${owner.name}`;
}
