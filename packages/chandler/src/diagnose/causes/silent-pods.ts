/** Layer 7: a pod that is not ready, and no event says why. Events live an hour; the status of the pod stays. */
import { badContainers, type Cause, failingPod, seen, unreadySinceMs } from '../../causes/index.ts';

/** Time for a container to start and pass its probes. */
const EXPECTED_MS = 5 * 60_000;

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
    confirm: [
      'kubectl logs -n {namespace} {podName} -c {container}',
      'kubectl describe pod -n {namespace} {podName}',
    ],
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
    confirm: ['kubectl describe pod -n {namespace} {podName}', 'kubectl describe node {node}'],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Pending' || pod.nodeName === undefined) return undefined;
      const scheduled = pod.conditions.find(({ type }) => type === 'PodScheduled');
      const sinceMs = Date.parse(scheduled?.lastTransitionTime ?? '') || pod.createdAtMs;
      const idle = pod.containers.every(
        ({ running, started, restarts, waiting, terminated }) =>
          !running &&
          !started &&
          restarts === 0 &&
          terminated === undefined &&
          ['', 'ContainerCreating', 'PodInitializing'].includes(waiting?.reason ?? ''),
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
];
