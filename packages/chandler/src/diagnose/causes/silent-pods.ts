/** Layer 7: a pod that is not ready, and no event says why. Events live an hour; the status of the pod stays. */
import {
  badContainers,
  type Cause,
  currentPull,
  type EvidenceSet,
  failingPod,
  type ImagePull,
  isUncreated,
  type Match,
  type PodEvidence,
  PULL_EXPECTED_MS,
  probedSinceMs,
  scheduledMs,
  seen,
  stepSinceMs,
  unreadySinceMs,
} from '../../causes/index.ts';
import { containerFacts, SHOW_LOG, SHOW_POD } from './container-row.ts';

/** Time for a container to start and pass its probes. */
const EXPECTED_MS = 5 * 60_000;

/** Init containers wait for others, and migrate data. */
const INIT_EXPECTED_MS = 10 * 60_000;

export const SILENT_PODS: readonly Cause[] = [
  {
    id: 'pods.not-ready',
    layer: 'readiness',
    specificity: 'general',
    point: 'L7.3',
    title: 'The container runs but does not become ready',
    symptom:
      'The container has a readiness probe and has not been Ready for a long time. No event reports a failed probe.',
    summary:
      'Container {container} of {pod} runs, but its readiness probe has not passed for {minutes} minutes.',
    fix: 'Call the address of the probe from inside the container, and read the log of the container.',
    confirm: [SHOW_LOG, SHOW_POD],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Running') return undefined;
      const container = badContainers(pod).find(
        ({ init, ready, started, waiting, terminated, probes }) =>
          !init &&
          !ready &&
          started &&
          waiting === undefined &&
          terminated === undefined &&
          probes.includes('readiness'),
      );
      if (container === undefined) return undefined;
      const ageMs = evidence.ageMs(Math.max(unreadySinceMs(pod), probedSinceMs(evidence, pod, container)));
      if (ageMs <= EXPECTED_MS) return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const minutes = String(Math.floor(ageMs / 60_000));
      return {
        facts: { pod: pod.name, namespace, podName, container: container.name, minutes },
        seen: [seen(pod, `${container.name}: running, not ready`)],
      };
    },
  },
  {
    id: 'pods.not-started',
    layer: 'readiness',
    specificity: 'general',
    title: 'The containers of the pod are not created',
    symptom:
      'The pod has been in ContainerCreating or PodInitializing for more than five minutes, and no event shows a known cause. Or the last event, Pulling, is older than 20 minutes.',
    summary:
      '{pod} has been on node {node} for {minutes} minutes, and none of its containers has been created.',
    fix: 'Check the kubelet and the container runtime of the node. Large images and slow volumes also delay the start.',
    confirm: [SHOW_POD, 'kubectl describe node {node}'],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Pending' || pod.nodeName === undefined) return undefined;
      const pull = currentPull(evidence, pod);
      return pull === undefined ? notCreated(evidence, pod) : stillPulled(evidence, pod, pull);
    },
  },
  {
    id: 'pods.init-running',
    layer: 'readiness',
    specificity: 'general',
    title: 'An init container does not end',
    symptom: 'An init container has been running for a long time. The other containers wait for it.',
    summary:
      'Init container {container} of {pod} has been running since {since} ({minutes} minutes). The other containers start only after it ends.',
    fix: 'Read the log of the init container: it may wait for a Service, a lock or data.',
    confirm: [SHOW_LOG, SHOW_POD],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      const container = pod && badContainers(pod).find(({ init, running }) => init && running);
      if (pod === undefined || container?.runningSinceMs === undefined) return undefined;
      const ageMs = evidence.ageMs(container.runningSinceMs);
      if (ageMs <= INIT_EXPECTED_MS) return undefined;
      const since = new Date(container.runningSinceMs).toISOString();
      const minutes = String(Math.floor(ageMs / 60_000));
      return {
        facts: { ...containerFacts(pod, container), since, minutes },
        seen: [seen(pod, `${container.name}: running since ${since}`)],
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

/** Of the pod as a whole, or of what comes after containers that were created. */
function notCreated(evidence: EvidenceSet, pod: PodEvidence): Match | undefined {
  const [container, ...others] = badContainers(pod);
  const sinceMs = stepSinceMs(evidence, pod);
  if (container === undefined || ![container, ...others].every(isUncreated)) return undefined;
  if (evidence.ageMs(sinceMs) <= EXPECTED_MS) return undefined;
  const isFirst = pod.containers.every(isUncreated);
  const assignedMs = Math.max(pod.createdAtMs, scheduledMs(pod));
  const minutes = minutesSince(evidence, isFirst ? assignedMs : sinceMs);
  return {
    facts: { ...containerFacts(pod, container), minutes },
    seen: [seen(pod, 'phase Pending, containers are not created'), ...warningSince(evidence, pod, sinceMs)],
    ...(isFirst
      ? {}
      : {
          title: 'A container of the pod is not created',
          summary:
            'Container {container} of {pod} has not been created for {minutes} minutes, although those before it were.',
        }),
  };
}

/** The newest warning of the present step: no cause knows it, but it may say why. */
function warningSince(evidence: EvidenceSet, { name }: PodEvidence, sinceMs: number): Match['seen'] {
  const event = evidence
    .events(`Pod/${name}`)
    .findLast(
      ({ object, type, lastMs }) => object === `Pod/${name}` && type === 'Warning' && lastMs >= sinceMs,
    );
  if (event === undefined) return [];
  return [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }];
}

function stillPulled(
  evidence: EvidenceSet,
  pod: PodEvidence,
  { container, image, event }: ImagePull,
): Match | undefined {
  const ageMs = evidence.ageMs(event.lastMs);
  if (ageMs <= EXPECTED_MS) return undefined;
  const isUsual = ageMs <= PULL_EXPECTED_MS;
  return {
    ...(isUsual ? { weight: 'suspicious' } : {}),
    facts: { ...containerFacts(pod, container), image, minutes: minutesSince(evidence, event.lastMs) },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
    title: 'An image is still being pulled',
    summary:
      'The kubelet has been pulling the image {image} of container {container} of {pod} for {minutes} minutes.',
    fix: isUsual ? `Wait: large images need time. ${FASTER}` : `${HANGS} ${FASTER}`,
  };
}

const HANGS =
  'Check the size of the image, the network from the node to the registry, and the disk of the node: the log of the container runtime shows whether the pull goes on.';
const FASTER =
  'A kubelet with serializeImagePulls pulls one image after another, so that it may also wait for one of another pod. A smaller image, a registry in the region of the node and a faster disk shorten it.';

function minutesSince({ atMs }: EvidenceSet, sinceMs: number): string {
  return String(Math.floor((atMs - sinceMs) / 60_000));
}
