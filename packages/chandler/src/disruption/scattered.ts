/**
 * Whether the pods of several new nodes fit on them however kube-scheduler places them. It prefers the emptier node for each pod,
 * not the node that the pod was planned for, so pods that fill their nodes exactly are left over. Only CPU and memory are
 * weighed, and only the new nodes: what is left over may still fit on others, but nobody has reserved that room.
 */
import type { ResourceAmounts } from '@chandler/kube';
import {
  CPU,
  type InstanceType,
  type Pod,
  podRequests,
  ResourceProblem,
  Resources,
} from '../scheduling/index.ts';
import type { Replacement } from './command.ts';

export function fitWhenScattered(
  replacements: readonly Replacement[],
  typeOf: (nodePool: string, type: string) => InstanceType | undefined,
  podNamed: ReadonlyMap<string, Pod>,
): boolean {
  const resources = new Resources();
  const rooms = replacements.map(({ nodePool, cheapest, claim }) =>
    roomOf(resources, typeOf(nodePool, cheapest.instanceType), claim?.daemonRequests),
  );
  const pods = replacements.flatMap((each) => each.pods.flatMap((name) => podNamed.get(name) ?? []));
  const sizes = pods.map((pod) => sizeOf(resources, pod));
  const byCpu = sizes.toSorted((one, other) => other.cpu - one.cpu);
  return [sizes, byCpu, byCpu.toReversed(), interleaved(byCpu)].every((order) => allFit(order, rooms));
}

// ---------------------------------------------------------------------------------------------------

interface Size {
  readonly cpu: number;
  readonly memory: number;
}

function allFit(pods: readonly Size[], rooms: readonly Size[]): boolean {
  const nodes = rooms.map(({ cpu, memory }) => ({ cpu, memory, freeCpu: cpu, freeMemory: memory }));
  return pods.every((pod) => {
    let best: (typeof nodes)[number] | undefined;
    let most = -1;
    for (const node of nodes) {
      if (node.freeCpu < pod.cpu || node.freeMemory < pod.memory) continue;
      const score = (node.freeCpu - pod.cpu) / node.cpu + (node.freeMemory - pod.memory) / node.memory;
      if (score <= most) continue;
      most = score;
      best = node;
    }
    if (best === undefined) return false;
    best.freeCpu -= pod.cpu;
    best.freeMemory -= pod.memory;
    return true;
  });
}

/** The largest, the smallest, the second largest, … */
function interleaved(sizes: readonly Size[]): readonly Size[] {
  return sizes.map((_, index) => sizes.at(index % 2 === 0 ? index / 2 : -(index + 1) / 2)!);
}

function roomOf(
  resources: Resources,
  type: InstanceType | undefined,
  daemons: ResourceAmounts | undefined,
): Size {
  const { kubeReserved, systemReserved, evictionThreshold } = type?.overhead ?? {};
  const whole = sizeIn(resources, resources.offered(type?.capacity));
  return [kubeReserved, systemReserved, evictionThreshold, daemons].reduce<Size>((left, amounts) => {
    const { cpu, memory } = sizeIn(resources, resources.offered(amounts));
    return { cpu: left.cpu - cpu, memory: left.memory - memory };
  }, whole);
}

function sizeIn(resources: Resources, amounts: readonly number[]): Size {
  return { cpu: amounts[CPU] ?? 0, memory: amounts[resources.slot('memory')] ?? 0 };
}

function sizeOf(resources: Resources, pod: Pod): Size {
  try {
    return sizeIn(resources, podRequests(resources, pod));
  } catch (error) {
    if (error instanceof ResourceProblem) return { cpu: 0, memory: 0 };
    throw error;
  }
}
