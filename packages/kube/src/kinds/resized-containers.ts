/**
 * Which containers of a pod have other resources than the pod requests: those that are being resized in place. Since
 * Kubernetes 1.33 the status of every running container has its resources, so most of them say nothing new.
 */
import type { ContainerStatus } from './pod.ts';

/** What of a container decides; the amounts may be malformed. */
interface Requesting {
  readonly name?: string;
  readonly resources?: { readonly requests?: object };
}

/** The statuses with other amounts, each with nothing else. @throws {TypeError} for parts of another shape. */
export function resizedContainers(
  containers: readonly Requesting[],
  statuses: readonly ContainerStatus[] | undefined,
): ContainerStatus[] {
  const resized: ContainerStatus[] = [];
  for (const { name, allocatedResources, resources } of statuses ?? []) {
    if (allocatedResources === undefined && resources?.requests === undefined) continue;
    const asked = containers.find((container) => container.name === name)?.resources?.requests;
    if (!differs(asked, allocatedResources) && !differs(asked, resources?.requests)) continue;
    resized.push({
      name,
      ...(allocatedResources === undefined ? {} : { allocatedResources }),
      ...(resources?.requests === undefined ? {} : { resources: { requests: resources.requests } }),
    });
  }
  return resized;
}

// ------------------------------------------------------------------------------------------------

/** By the text of the amounts: the API server writes equal ones alike. A resource that is not given is not less. */
function differs(asked: object | undefined, given: object | undefined): boolean {
  if (given === undefined) return false;
  if (typeof given !== 'object') return true;
  for (const name in given) {
    if ((given as Amounts)[name] !== (asked as Amounts | undefined)?.[name]) return true;
  }
  return false;
}

type Amounts = Readonly<Record<string, unknown>>;
