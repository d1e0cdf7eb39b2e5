/** Layer 7: a pod that is not well, and no event says why. Events live an hour; what the pod shows stays. */
import { badContainers, type Cause, failingPod, seen } from '../../causes/index.ts';

/** Time for a container to start and pass its probes. */
const EXPECTED_MS = 5 * 60_000;

export const SILENT_PODS: readonly Cause[] = [
  {
    id: 'pods.not-ready',
    layer: 'readiness',
    specificity: 'general',
    point: 'L7.3',
    title: 'The container runs and does not become ready',
    symptom:
      'The container runs with a readiness probe, is not Ready for long, and no event tells of its probe.',
    summary:
      'Container {container} of {pod} runs, and its readiness probe has not passed in {minutes} minutes.',
    fix: 'Ask the address of the probe from inside the container, and read what the program says about itself.',
    confirm: [
      'kubectl logs -n {namespace} {podName} -c {container}',
      'kubectl describe pod -n {namespace} {podName}',
    ],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Running' || evidence.ageMs(pod.createdAtMs) <= EXPECTED_MS)
        return undefined;
      const container = badContainers(pod).find(
        ({ init, started, waiting, terminated, probes }) =>
          !init &&
          started &&
          waiting === undefined &&
          terminated === undefined &&
          probes.includes('readiness'),
      );
      if (container === undefined) return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const minutes = String(Math.floor(evidence.ageMs(pod.createdAtMs) / 60_000));
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
    title: 'The pod is on its node and does not start',
    symptom: 'The pod is ContainerCreating for long, and no event tells why.',
    summary: '{pod} is on node {node} since {minutes} minutes, and none of its containers has been created.',
    fix: 'Look at the kubelet and the container runtime of the node; large images and slow volumes take long too.',
    confirm: ['kubectl describe pod -n {namespace} {podName}', 'kubectl describe node {node}'],
    recognise: (evidence) => {
      const pod = failingPod(evidence);
      if (pod === undefined || pod.phase !== 'Pending' || pod.nodeName === undefined) return undefined;
      const scheduled = pod.conditions.find(({ type }) => type === 'PodScheduled');
      const sinceMs = Date.parse(scheduled?.lastTransitionTime ?? '') || pod.createdAtMs;
      const idle = pod.containers.every(
        ({ started, restarts, waiting, terminated }) =>
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
