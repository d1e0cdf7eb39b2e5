/**
 * What variants of different classes have in common, so that a refusal found for one applies to all. A fit
 * signature holds everything that can only become worse as nodes fill up (requests, labels, taints, ports,
 * volumes); a host signature holds the rules about other pods on the host, which can only become worse too. A
 * claim or node that refused a signature is rejected for the rest of the run.
 */
import { type Bits, fullBits, NO_BITS, setBit, withRoom } from '../bits.ts';
import type { Toleration } from '../model.ts';
import { untoleratedTaint } from '../taints.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { NodeTable } from './nodes.ts';
import type { PoolEntry } from './pools.ts';

export class RejectedSet {
  claims: Bits = NO_BITS;
  nodes: Bits = NO_BITS;

  addClaim(claim: number): void {
    this.claims = withRoom(this.claims, claim + 1);
    setBit(this.claims, claim);
  }

  addNode(node: number): void {
    this.nodes = withRoom(this.nodes, node + 1);
    setBit(this.nodes, node);
  }
}

export interface TolerationSet {
  readonly id: number;
  readonly list: readonly Toleration[];
  /** By pool: whether its taints are tolerated. */
  readonly pools: readonly boolean[];
  readonly nodes: Bits;
}

export interface FitSignature {
  readonly id: number;
  readonly rejected: RejectedSet;
  /** Pools that rejected it in this run. */
  readonly rejectedPools: Set<number>;
}

export interface HostRule {
  readonly group: TopologyGroup;
  /** The pod counts itself. */
  readonly self: boolean;
}

export interface HostSignature {
  readonly id: number;
  readonly rules: readonly HostRule[];
  readonly rejected: RejectedSet;
}

export class Signatures {
  readonly #nodes: NodeTable;
  readonly #pools: readonly PoolEntry[];
  readonly #tolerations = new Map<string, TolerationSet>();
  readonly #fits = new Map<string, FitSignature>();
  readonly #hosts = new Map<string, HostSignature>();

  constructor(nodes: NodeTable, pools: readonly PoolEntry[]) {
    this.#nodes = nodes;
    this.#pools = pools;
  }

  tolerations(list: readonly Toleration[]): TolerationSet {
    const key = list.length === 0 ? '' : JSON.stringify(list);
    let set = this.#tolerations.get(key);
    if (set === undefined) {
      set = {
        id: this.#tolerations.size,
        list,
        pools: this.#pools.map((pool) => untoleratedTaint(pool.taints, list) === undefined),
        nodes: this.#nodes.all.length === 0 ? fullBits(0) : this.#nodes.tolerating(list),
      };
      this.#tolerations.set(key, set);
    }
    return set;
  }

  fit(key: string): FitSignature {
    let signature = this.#fits.get(key);
    if (signature === undefined) {
      signature = { id: this.#fits.size, rejected: new RejectedSet(), rejectedPools: new Set() };
      this.#fits.set(key, signature);
    }
    return signature;
  }

  host(rules: readonly HostRule[]): HostSignature {
    const sorted = [...rules].sort((first, second) => first.group.rank - second.group.rank);
    const key = sorted.map(({ group, self }) => `${group.id}${self ? '+' : ''}`).join();
    let signature = this.#hosts.get(key);
    if (signature === undefined) {
      signature = { id: this.#hosts.size, rules: sorted, rejected: new RejectedSet() };
      this.#hosts.set(key, signature);
    }
    return signature;
  }

  /** Clears the caches for a new run. */
  forget(): void {
    for (const { rejected, rejectedPools } of this.#fits.values()) {
      rejected.claims = NO_BITS;
      rejected.nodes = NO_BITS;
      rejectedPools.clear();
    }
    for (const { rejected } of this.#hosts.values()) {
      rejected.claims = NO_BITS;
      rejected.nodes = NO_BITS;
    }
  }
}
