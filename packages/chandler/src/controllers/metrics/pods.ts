/**
 * The state of pods, how long they take to be bound and to run, and how long pending pods have been waiting: since
 * their creation, and since they are considered schedulable. `pod-times.ts` holds what the provisioner did.
 */
import type {
  Controller,
  Histogram,
  MetricLabels,
  Pod,
  Series,
  Stored,
  Summary,
  World,
} from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { DURATION_BUCKETS } from '../../cloud/index.ts';
import { conditionOf } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import { type ObservedGauge, observer } from './observer.ts';
import { PodSteps } from './pod-steps.ts';
import type { PodTimes } from './pod-times.ts';

export function podMetrics(context: ControllerContext): Controller {
  const { world, stores, podTimes } = context;
  const steps = measured(durationsOf(world.metrics), podTimes);
  return observer({
    name: 'metrics.pod',
    world,
    synced: [stores.pods.synced, stores.nodes.synced],
    listen() {
      for (const object of stores.pods.store.values()) steps.on({ type: 'added', object });
      return [stores.pods.store.subscribe((change) => steps.on(change))];
    },
    gauges: gaugesOf(context, steps),
  });
}

// ---------------------------------------------------------------------------------------------------

/** Pods that do not run yet; their series end when they run. */
function measured(durations: Durations, times: PodTimes): PodSteps {
  const bornMs = ({ metadata }: Stored<Pod>) => Date.parse(metadata.creationTimestamp ?? '');
  const schedulableMs = ({ metadata }: Stored<Pod>) => times.schedulableSinceMs(metadata.uid);
  return new PodSteps({
    bound(pod, at = '') {
      observe(durations.bound, bornMs(pod), Date.parse(at), claiming(pod));
      observe(durations.provisioningBound, schedulableMs(pod), Date.parse(at), claiming(pod));
    },
    started(pod, at = '') {
      observe(durations.started, bornMs(pod), Date.parse(at));
      observe(durations.provisioningStarted, schedulableMs(pod), Date.parse(at));
    },
    done: (uid) => times.forget(uid),
  });
}

interface Durations {
  readonly bound: Histogram;
  readonly provisioningBound: Histogram;
  readonly started: Summary;
  readonly provisioningStarted: Histogram;
}

function durationsOf(metrics: World['metrics']): Durations {
  const histogram = (name: string, help: string, labels: readonly string[] = []) =>
    metrics.histogram({ name: `karpenter_pods_${name}`, help, labels, buckets: DURATION_BUCKETS });
  return {
    bound: histogram('bound_duration_seconds', 'From the creation of a pod until it is bound.', CLAIMING),
    provisioningBound: histogram(
      'provisioning_bound_duration_seconds',
      'From when we first held that a pod can run until it is bound.',
      CLAIMING,
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

function observe(
  instrument: Histogram | Summary,
  fromMs: number | undefined,
  untilMs: number,
  labels: MetricLabels = {},
): void {
  const seconds = (untilMs - (fromMs ?? Number.NaN)) / 1000;
  if (!Number.isNaN(seconds)) instrument.observe(seconds, labels);
}

const CLAIMING = ['dynamic_resources'];

/** Whether the pod waits for a device of a ResourceClaim. */
function claiming({ spec }: Stored<Pod>): MetricLabels {
  return { dynamic_resources: `${(spec.resourceClaims ?? []).length > 0}` };
}

function nameOf({ metadata }: Stored<Pod>): { name: string; namespace: string } {
  return { name: metadata.name, namespace: metadata.namespace };
}

function gaugesOf(context: ControllerContext, steps: PodSteps): readonly ObservedGauge[] {
  const { stores, world, podTimes } = context;
  const bornMs = ({ metadata }: Stored<Pod>) => Date.parse(metadata.creationTimestamp ?? '');
  const schedulableMs = ({ metadata }: Stored<Pod>) => podTimes.schedulableSinceMs(metadata.uid);
  const waiting = (
    name: string,
    help: string,
    pods: () => Iterable<Stored<Pod>>,
    sinceOf: (pod: Stored<Pod>) => number | undefined,
    more: readonly string[] = [],
  ): ObservedGauge => ({
    spec: { name: `karpenter_pods_${name}`, help, labels: ['name', 'namespace', ...more] },
    *observe(): Generator<Series> {
      for (const pod of [...pods()]) {
        const seconds = (world.clock.now() - (sinceOf(pod) ?? Number.NaN)) / 1000;
        const labels = more.length === 0 ? nameOf(pod) : { ...nameOf(pod), ...claiming(pod) };
        if (!Number.isNaN(seconds)) yield [seconds, labels];
      }
    },
  });
  const unbound = () => steps.unbound.values();
  const unstarted = () => steps.unstarted.values();
  const planned = 'since we first held that it can run';
  return [
    {
      spec: {
        name: 'karpenter_pods_state',
        help: 'Always 1; the labels say where a pod is.',
        labels: STATE_LABELS,
      },
      *observe() {
        // A pod that is recreated during the scrape must not appear twice.
        for (const pod of [...stores.pods.store.values()]) yield [1, stateLabels(context, pod)];
      },
    },
    waiting('unbound_time_seconds', 'How long a pod has not been bound.', unbound, bornMs, CLAIMING),
    waiting('unstarted_time_seconds', 'How long a pod has not run.', unstarted, bornMs),
    waiting(
      'provisioning_unbound_time_seconds',
      `How long a pod has not been bound ${planned}.`,
      unbound,
      schedulableMs,
      CLAIMING,
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
      ({ metadata }) => podTimes.undecidedSinceMs(metadata.uid),
    ),
  ];
}

const STATE_LABELS = [
  ...['name', 'namespace', 'owner', 'node', 'scheduled', 'nodepool', 'zone', 'arch', 'capacity_type'],
  ...['instance_type', 'phase', 'ready', 'managed'],
];

function stateLabels({ stores }: ControllerContext, pod: Stored<Pod>): MetricLabels {
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

function ownerPath({ metadata }: Stored<Pod>): string {
  const owner = metadata.ownerReferences?.[0];
  if (owner === undefined) return '';
  return `/apis/${owner.apiVersion}/namespaces/${metadata.namespace}/${owner.kind.toLowerCase()}s/${owner.name}`;
}
