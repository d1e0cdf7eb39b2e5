/** Layer 7: a pod that is not ready, and no event says why. Events live an hour; the status of the pod stays. */
import {
  badContainers,
  type Cause,
  failingPod,
  isPrepared,
  seen,
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
        ({ init, started, waiting, terminated, probes }) =>
          !init &&
          started &&
          waiting === undefined &&
          terminated === undefined &&
          probes.includes('readiness'),
      );
      if (container === undefined) return undefined;
      const ageMs = evidence.ageMs(Math.max(unreadySinceMs(pod), container.runningSinceMs ?? 0));
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
    symptom: 'The pod has been in ContainerCreating for a long time, and no event says why.',
    summary:
      '{pod} has been on node {node} for {minutes} minutes, and none of its containers has been created.',
    fix: 'Check the kubelet and the container runtime of the node. Large images and slow volumes also delay the start.',
    confirm: [SHOW_POD, 'kubectl describe node {node}'],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Pending' || pod.nodeName === undefined) return undefined;
      const scheduled = pod.conditions.find(({ type }) => type === 'PodScheduled');
      const sinceMs = Date.parse(scheduled?.lastTransitionTime ?? '') || pod.createdAtMs;
      const idle = pod.containers.every(
        (container) =>
          !container.running &&
          !container.started &&
          container.restarts === 0 &&
          container.terminated === undefined &&
          isPrepared(container),
      );
      if (!idle || evidence.ageMs(sinceMs) <= EXPECTED_MS) return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const minutes = String(Math.floor(evidence.ageMs(sinceMs) / 60_000));
      return {
        facts: { pod: pod.name, namespace, podName, node: pod.nodeName, minutes },
        seen: [seen(pod, 'phase Pending, containers are not created')],
      };
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
