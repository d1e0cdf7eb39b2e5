/**
 * Which nodes could leave together, as far as the sums of CPU and memory tell. Where nodes leave one after the other, pods of the
 * first are moved to those that would be next, and a node that receives pods stays. Whether the pods really fit is not asked here.
 */
import type { ResourceAmounts } from '@chandler/kube';
import { CPU, type Pod, podRequests, ResourceProblem, Resources } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';

/**
 * The candidates, in their order, without which the other nodes still have room for all pods. One that is too large to go is left out.
 * @param nodes all nodes: those that are no candidates have pods and room, too.
 * @param sparePercent of what pods request, the room that is left over at least: pods do not fill nodes to the end.
 */
export function leavingTogether(
  candidates: readonly JudgedNode[],
  nodes: readonly JudgedNode[],
  sparePercent: number,
): readonly JudgedNode[] {
  const rooms = new Rooms();
  const share = 1 + sparePercent / 100;
  const left = { cpu: 0, memory: 0 };
  for (const node of nodes.filter(isOpen)) {
    const { room, moving } = rooms.of(node);
    left.cpu += room.cpu - moving.cpu * share;
    left.memory += room.memory - moving.memory * share;
  }
  return candidates.filter((node) => {
    const { room } = rooms.of(node);
    if (left.cpu < room.cpu || left.memory < room.memory) return false;
    left.cpu -= room.cpu;
    left.memory -= room.memory;
    return true;
  });
}

// ---------------------------------------------------------------------------------------------------

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

class Rooms {
  readonly #resources = new Resources();
  readonly #memory = this.#resources.slot('memory');
  readonly #known = new Map<JudgedNode, NodeRoom>();

  of(judged: JudgedNode): NodeRoom {
    let known = this.#known.get(judged);
    if (known === undefined) {
      const { node, pods } = judged;
      const moving = this.#requested(pods);
      const all = this.#requested(node.pods);
      const whole = this.#offered(node.node?.status?.allocatable);
      // Daemons leave with their node.
      const room = {
        cpu: whole.cpu - (all.cpu - moving.cpu),
        memory: whole.memory - (all.memory - moving.memory),
      };
      known = { room, moving };
      this.#known.set(judged, known);
    }
    return known;
  }

  #offered(amounts: ResourceAmounts | undefined): Amounts {
    return this.#read(() => this.#resources.offered(amounts));
  }

  #requested(pods: readonly Pod[]): Amounts {
    let cpu = 0;
    let memory = 0;
    for (const pod of pods) {
      const amounts = this.#read(() => podRequests(this.#resources, pod));
      cpu += amounts.cpu;
      memory += amounts.memory;
    }
    return { cpu, memory };
  }

  #read(amountsOf: () => readonly number[]): Amounts {
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
