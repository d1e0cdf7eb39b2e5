/**
 * Which nodes could leave together, as far as the sums of CPU and memory tell. Where nodes leave one after the other, pods of the
 * first are moved to those that would be next, and a node that receives pods stays. Whether the pods really fit is not asked here.
 */
import type { ResourceAmounts } from '@chandler/kube';
import { CPU, type Pod, podRequests, ResourceProblem, Resources, type Steps } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';

/**
 * The candidates, in their order, without which the other nodes still have room for all pods. One that is too large to go is left out.
 * @param nodes all nodes: those that are no candidates have pods and room, too.
 * @param sparePercent of what pods request, the room that is left over at least: pods do not fill nodes to the end.
 * @param rooms of all these nodes.
 */
export function leavingTogether(
  candidates: readonly JudgedNode[],
  nodes: readonly JudgedNode[],
  sparePercent: number,
  rooms: Rooms,
): readonly JudgedNode[] {
  const share = 1 + sparePercent / 100;
  const left = { cpu: 0, memory: 0 };
  for (const node of nodes.filter(isOpen)) {
    const { room, moving } = rooms.get(node)!;
    left.cpu += room.cpu - moving.cpu * share;
    left.memory += room.memory - moving.memory * share;
  }
  return candidates.filter((node) => {
    const { room } = rooms.get(node)!;
    if (left.cpu < room.cpu || left.memory < room.memory) return false;
    left.cpu -= room.cpu;
    left.memory -= room.memory;
    return true;
  });
}

/** In pieces: all pods of all nodes are read. */
export function* roomsOf(nodes: readonly JudgedNode[]): Steps<Rooms> {
  const reader = new RoomReader();
  const rooms = new Map<JudgedNode, NodeRoom>();
  for (const node of nodes) {
    if (rooms.size % NODES_PER_STEP === 0) yield;
    rooms.set(node, reader.read(node));
  }
  return rooms;
}

export type Rooms = ReadonlyMap<JudgedNode, NodeRoom>;

// ---------------------------------------------------------------------------------------------------

const NODES_PER_STEP = 100;

interface Amounts {
  readonly cpu: number;
  readonly memory: number;
}

interface NodeRoom {
  /** For pods that move, with those that it has. */
  readonly room: Amounts;
  /** What its pods request that need another node. */
  readonly moving: Amounts;
}

class RoomReader {
  readonly #resources = new Resources();
  readonly #memory = this.#resources.slot('memory');

  read({ node, pods }: JudgedNode): NodeRoom {
    const moving = new Set(pods);
    const whole = this.#offered(node.node?.status?.allocatable);
    // Daemons leave with their node.
    const daemons = this.#requested(node.pods.filter((pod) => !moving.has(pod)));
    const room = { cpu: whole.cpu - daemons.cpu, memory: whole.memory - daemons.memory };
    return { room, moving: this.#requested(pods) };
  }

  #offered(amounts: ResourceAmounts | undefined): Amounts {
    return this.#amounts(() => this.#resources.offered(amounts));
  }

  #requested(pods: readonly Pod[]): Amounts {
    let cpu = 0;
    let memory = 0;
    for (const pod of pods) {
      const amounts = this.#amounts(() => podRequests(this.#resources, pod));
      cpu += amounts.cpu;
      memory += amounts.memory;
    }
    return { cpu, memory };
  }

  #amounts(amountsOf: () => readonly number[]): Amounts {
    try {
      const amounts = amountsOf();
      return { cpu: amounts[CPU] ?? 0, memory: amounts[this.#memory] ?? 0 };
    } catch (error) {
      if (error instanceof ResourceProblem) return { cpu: 0, memory: 0 };
      throw error;
    }
  }
}

/** Pods can be moved to it, and its own count. */
function isOpen({ node: { initialized, deleting } }: JudgedNode): boolean {
  return initialized && !deleting;
}
