/** Counts nodes by what they refuse a pod for, with a few examples. Every node has one reason. */
import { type Bits, countBits, emptyBits, members, orBits, orInto, setBit } from '../bits.ts';
import type { CountedRefusal, Refusal } from '../refusal.ts';
import type { NodeTable } from './nodes.ts';
import { MAX_EXAMPLES } from './tally.ts';

interface Entry {
  nodes: Bits;
  readonly refusal: Refusal;
}

export class RefusedNodes {
  /** The nodes that are counted. */
  readonly all: Bits;
  readonly #table: NodeTable;
  readonly #entries = new Map<string, Entry>();

  constructor(table: NodeTable) {
    this.#table = table;
    this.all = emptyBits(table.all.length);
  }

  /** @param build is called once per key. */
  add(key: string, nodes: Bits, build: () => Refusal): void {
    orInto(this.all, nodes);
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { nodes, refusal: build() });
    else entry.nodes = orBits(entry.nodes, nodes);
  }

  /** As `add`, for one node. */
  addOne(key: string, node: number, build: () => Refusal): void {
    setBit(this.all, node);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { nodes: emptyBits(this.#table.all.length), refusal: build() };
      this.#entries.set(key, entry);
    }
    setBit(entry.nodes, node);
  }

  /** Most frequent first; equal counts in the order of the nodes. */
  result(): CountedRefusal[] {
    return [...this.#entries.values()]
      .map(({ nodes, refusal }) => ({
        refusal,
        count: countBits(nodes),
        first: firstOf(nodes, MAX_EXAMPLES),
      }))
      .sort((one, other) => other.count - one.count || one.first[0]! - other.first[0]!)
      .map(({ refusal, count, first }) => ({
        refusal,
        count,
        examples: first.map((index) => this.#table.all[index]!.name),
      }));
  }
}

// ---------------------------------------------------------------------------------------------------------------

function firstOf(bits: Bits, count: number): number[] {
  let words = 0;
  const found: number[] = [];
  for (; words < bits.length && found.length < count; words++) {
    if (bits[words] === 0) continue;
    found.push(...members(bits.subarray(words, words + 1)).map((bit) => (words << 5) + bit));
  }
  return found.slice(0, count);
}
