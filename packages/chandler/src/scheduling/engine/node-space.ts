/**
 * The free resources of existing nodes during a run, and the pods that were placed on them. Only touched
 * nodes are restored.
 */
import type { HostPort } from '../host-ports.ts';
import type { Requests } from '../resources.ts';
import type { NodeEntry, NodeTable } from './nodes.ts';
import type { PodClass } from './pod-class.ts';

interface Touched {
  readonly free: number[];
  readonly ports: number;
  readonly shared: string[];
}

export class NodeSpace {
  /** By node: the pods placed there, by queue index. */
  readonly placed = new Map<number, number[]>();
  readonly #nodes: NodeTable;
  readonly #stride: number;
  readonly #touched = new Map<number, Touched>();

  constructor(nodes: NodeTable, stride: number) {
    this.#nodes = nodes;
    this.#stride = stride;
  }

  /** A slot without enough room on a node without negative amounts; -1 when the pod fits. */
  short(node: NodeEntry, podClass: PodClass): number {
    const { free } = node;
    const { slots, amounts } = podClass.requests;
    for (let index = 0; index < slots.length; index++) {
      if (amounts[index]! > (free[slots[index]!] ?? 0)) return slots[index]!;
    }
    if (podClass.volumes.shared.length === 0) return -1;
    return this.#lackingShared(node, podClass);
  }

  add(node: NodeEntry, pod: number, podClass: PodClass, ports: readonly HostPort[]): void {
    let touched = this.#touched.get(node.index);
    if (touched === undefined) {
      touched = { free: node.free, ports: node.ports.length, shared: [] };
      // The table of another snapshot may share the list.
      node.free = node.free.slice();
      this.#touched.set(node.index, touched);
      this.placed.set(node.index, []);
    }
    this.placed.get(node.index)!.push(pod);
    take(node.free, podClass.requests, this.#stride);
    node.ports.push(...ports);
    for (const { slot, claim } of podClass.volumes.shared) {
      if (node.shared.has(claim)) continue;
      node.shared.add(claim);
      touched.shared.push(claim);
      node.free[slot]! -= 1;
    }
  }

  undo(): void {
    for (const [index, { free, ports, shared }] of this.#touched) {
      const node = this.#nodes.all[index]!;
      node.free = free;
      node.ports.length = ports;
      for (const claim of shared) node.shared.delete(claim);
    }
    this.#touched.clear();
  }

  #lackingShared(node: NodeEntry, podClass: PodClass): number {
    const needed = new Map<number, number>();
    for (const { slot, claim } of podClass.volumes.shared) {
      if (!node.shared.has(claim)) needed.set(slot, (needed.get(slot) ?? 0) + 1);
    }
    const own = podClass.requests;
    for (const [slot, count] of needed) {
      const at = own.slots.indexOf(slot);
      if (count + (at < 0 ? 0 : own.amounts[at]!) > (node.free[slot] ?? 0)) return slot;
    }
    return -1;
  }
}

// ---------------------------------------------------------------------------------------------------------------

function take(free: number[], { slots, amounts }: Requests, stride: number): void {
  while (free.length < stride) free.push(0);
  for (let index = 0; index < slots.length; index++) free[slots[index]!]! -= amounts[index]!;
}
