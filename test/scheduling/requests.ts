/**
 * Random requests to one snapshot: some nodes are removed, their pods and pods of another cluster are placed as well. The
 * plan must be that of a new input in the same state, whichever requests were made before.
 */
import type { Pod, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import type { Chance } from './chance.ts';
import { randomCluster } from './random-cluster.ts';

export interface Request {
  readonly nodes: readonly string[];
  readonly extraPods: readonly Pod[];
}

/** @param number of the request; the names of its pods are its own. */
export function randomRequest(input: SchedulingInput, chance: Chance, number: number): Request {
  const existing = input.nodes ?? [];
  const nodes =
    existing.length > 0 && chance.happens(0.7) ? chance.some(existing).map(({ name }) => name) : [];
  const others = randomCluster(chance.between(1, 1_000_000)).input.pods;
  const guests = chance.happens(0.6) ? chance.some(others).map((pod) => renamed(pod, `${number}`)) : [];
  return { nodes, extraPods: [...evicted(input, nodes), ...guests] };
}

/** The state of the cluster that the request describes. */
export function stateOf(input: SchedulingInput, { nodes, extraPods }: Request): SchedulingInput {
  return {
    ...input,
    nodes: (input.nodes ?? []).filter(({ name }) => !nodes.includes(name)),
    boundPods: (input.boundPods ?? []).filter(({ spec }) => !nodes.includes(spec.nodeName ?? '')),
    pods: [...input.pods, ...extraPods],
    leavingNodes: (input.nodes ?? []).filter(({ name }) => nodes.includes(name)),
    leavingPods: (input.boundPods ?? []).filter(({ spec }) => nodes.includes(spec.nodeName ?? '')),
  };
}

/** The pods of the nodes, to be placed again. */
export function evicted(input: SchedulingInput, nodes: readonly string[]): Pod[] {
  return (input.boundPods ?? [])
    .filter(({ spec }) => nodes.includes(spec.nodeName ?? ''))
    .map(({ spec: { nodeName: _, ...spec }, ...pod }) => ({ ...pod, spec }));
}

// ---------------------------------------------------------------------------------------------------

function renamed(pod: Pod, suffix: string): Pod {
  return { ...pod, metadata: { ...pod.metadata, name: `${pod.metadata.name}-${suffix}` } };
}
