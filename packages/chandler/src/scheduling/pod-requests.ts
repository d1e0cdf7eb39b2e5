/**
 * The resource requests of a pod: the sum over containers, the peak of init containers, sidecars, the
 * overhead of the runtime class, and one pod. For a pod that was resized in place, the larger of requested
 * and allocated resources counts.
 */
import type { Container, Pod, PodSpec, ResourceRequirements } from './model.ts';
import { addAmounts, maxAmounts, PODS, type Resources } from './resources.ts';

/** @throws {ResourceProblem} for an invalid amount. */
export function podRequests(resources: Resources, pod: Pick<Pod, 'spec' | 'status'>): number[] {
  const { spec } = pod;
  let sum: number[] = [];
  for (const container of spec.containers ?? []) {
    sum = addAmounts(sum, containerRequests(resources, container, pod));
  }
  if (spec.initContainers !== undefined && spec.initContainers.length > 0) {
    sum = withInitContainers(resources, spec.initContainers, sum, pod);
  }
  sum = withPodLevel(resources, spec.resources, sum);
  if (spec.overhead !== undefined) sum = addAmounts(sum, resources.wanted(spec.overhead));
  while (sum.length < PODS) sum.push(0);
  sum[PODS] = (sum[PODS] ?? 0) + 1;
  return sum;
}

/** The template of a daemon as a pod: limits are used where requests are missing. */
export function withLimitsAsRequests(spec: PodSpec): PodSpec {
  const complete = (container: Container): Container => ({
    ...container,
    resources: {
      ...container.resources,
      requests: { ...container.resources?.limits, ...container.resources?.requests },
    },
  });
  return {
    ...spec,
    containers: (spec.containers ?? []).map(complete),
    ...(spec.initContainers === undefined ? {} : { initContainers: spec.initContainers.map(complete) }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function containerRequests(resources: Resources, container: Container, pod: Pick<Pod, 'status'>): number[] {
  const asked = resources.wanted(container.resources?.requests);
  const statuses = pod.status?.containerStatuses;
  const status = statuses?.find((candidate) => candidate.name === container.name);
  if (status === undefined) return asked;
  const allocated = maxAmounts(
    resources.wanted(status.allocatedResources),
    resources.wanted(status.resources?.requests),
  );
  return maxAmounts(asked, allocated);
}

/** Sidecars (init containers that restart) keep running, so later init containers run beside them. */
function withInitContainers(
  resources: Resources,
  containers: readonly Container[],
  regular: number[],
  pod: Pick<Pod, 'status'>,
): number[] {
  let sum = regular;
  let sidecars: number[] = [];
  let peak: number[] = [];
  for (const container of containers) {
    const own = containerRequests(resources, container, pod);
    if (container.restartPolicy === 'Always') {
      sum = addAmounts(sum, own);
      sidecars = addAmounts(sidecars, own);
      peak = maxAmounts(peak, sidecars);
    } else {
      peak = maxAmounts(peak, addAmounts(sidecars, own));
    }
  }
  return maxAmounts(sum, peak);
}

/** Pod-level requests replace the sum over the containers. */
function withPodLevel(
  resources: Resources,
  level: ResourceRequirements | undefined,
  sum: number[],
): number[] {
  if (level?.requests === undefined) return sum;
  const amounts = sum.slice();
  const wanted = resources.wanted(level.requests);
  for (const name of Object.keys(level.requests)) {
    const slot = resources.slot(name);
    while (amounts.length <= slot) amounts.push(0);
    amounts[slot] = wanted[slot]!;
  }
  return amounts;
}
