/** 5,000 nodes with 150,000 pods, and as many changes as are asked for. */
import type { PodRow } from '../../../packages/chandler/src/dashboard/wire.ts';
import { AGENTS, POOL_SHAPES, WORKLOADS } from './shapes.table.ts';
import { World } from './world.ts';

export interface HugeOptions {
  readonly nodes?: number;
  readonly podsPerNode?: number;
  readonly seed?: number;
}

export class HugeWorld extends World {
  readonly #names: string[] = [];
  /** Every pod by its place, so that one can be drawn without going over all of them. */
  readonly #slots: PodRow[] = [];

  constructor({ nodes = 5000, podsPerNode = 30, seed = 11 }: HugeOptions = {}) {
    super(seed);
    for (let at = 0; at < nodes; at++) {
      const pool = POOL_SHAPES[at % POOL_SHAPES.length]!;
      const name = `node-${String(at).padStart(5, '0')}`;
      const type = this.random.one(pool.types);
      this.setNode(this.aNode(pool, type, { name, node: name, claim: `${pool.row.name}-${at}` }));
      this.#names.push(name);
      for (let pod = 0; pod < podsPerNode; pod++) this.#addPod(name, pod);
    }
    this.takeChanges();
  }

  /** Makes `count` changes or one more: most are of pods, some of nodes. */
  change(count: number): void {
    for (let made = 0; made < count; ) {
      const chance = this.random.next();
      if (chance < 0.1) {
        const node = this.nodes.get(this.random.one(this.#names))!;
        const ready = node.phase === 'ready';
        this.setNode({
          ...node,
          phase: ready ? 'disrupting' : 'ready',
          phaseText: ready ? 'disrupting' : 'Ready',
        });
        made++;
      } else if (chance < 0.6) {
        made += this.#replace();
      } else {
        const slot = this.random.below(this.#slots.length);
        const [namespace, name, node, phase, cpu, memory, workload] = this.#slots[slot]!;
        this.#put(slot, [namespace, name, node, phase === 'r' ? 'l' : 'r', cpu, memory, workload]);
        made++;
      }
    }
  }

  #replace(): number {
    const slot = this.random.below(this.#slots.length);
    const old = this.#slots[slot]!;
    this.removePod(old);
    const shape = WORKLOADS.find(({ workload }) => workload === old[6]) ?? AGENTS[0]!;
    this.#put(slot, this.aPod(shape, this.random.one(this.#names), 'c'));
    return 2;
  }

  #addPod(node: string, at: number): void {
    const shape = AGENTS[at] ?? WORKLOADS[this.random.below(2) + 6]!;
    const name = `${shape.workload.split('/')[1]}-${this.#slots.length.toString(36)}`;
    const row: PodRow = [
      shape.namespace,
      name,
      node,
      'r',
      shape.cpuMillis,
      shape.memoryBytes,
      shape.workload,
    ];
    this.#put(this.#slots.length, row);
  }

  #put(slot: number, row: PodRow): void {
    this.#slots[slot] = row;
    this.setPod(row);
  }
}
