/** Rows with changes applied to them: what a snapshot would have been at that time. */
import type { Change, NodeRow, PodRow, PoolRow, Snapshot } from '../wire.ts';

export class RecordedState {
  readonly #nodes = new Map<string, NodeRow>();
  readonly #pods = new Map<string, PodRow>();
  readonly #pools = new Map<string, PoolRow>();
  #rest: Omit<Snapshot, 'nodes' | 'pods' | 'pools'>;

  constructor({ nodes, pods, pools, ...rest }: Snapshot) {
    for (const node of nodes) this.#nodes.set(node.name, node);
    for (const pod of pods) this.#pods.set(`${pod[0]}/${pod[1]}`, pod);
    for (const pool of pools) this.#pools.set(pool.name, pool);
    this.#rest = rest;
  }

  apply(changes: readonly Change[], atMs: number): void {
    for (const change of changes) this.#change(change);
    this.#rest = { ...this.#rest, atMs };
  }

  snapshot(): Snapshot {
    return {
      ...this.#rest,
      nodes: [...this.#nodes.values()],
      pods: [...this.#pods.values()],
      pools: [...this.#pools.values()],
    };
  }

  #change(change: Change): void {
    switch (change[0]) {
      case 'node':
        return void this.#nodes.set(change[1].name, change[1]);
      case 'node-gone':
        return void this.#nodes.delete(change[1]);
      case 'pod':
        return void this.#pods.set(`${change[1][0]}/${change[1][1]}`, change[1]);
      case 'pod-gone':
        return void this.#pods.delete(`${change[1]}/${change[2]}`);
      case 'pool':
        return void this.#pools.set(change[1].name, change[1]);
      case 'pool-gone':
        return void this.#pools.delete(change[1]);
      case 'totals':
        this.#rest = { ...this.#rest, totals: change[1] };
        return;
      case 'freezes':
        this.#rest = { ...this.#rest, freezes: change[1] };
        return;
      case 'missing':
        this.#rest = { ...this.#rest, missing: change[1] };
        return;
      // The timeline has them, the rows do not.
      case 'happened':
      case 'happened-cut':
      case 'claims':
      case 'price':
        return;
    }
  }
}
