/**
 * Nodes of field sets, made once: thousands of pods of one workload own the same fields, so their sets share every
 * node. A node is found by walking its keys and children in the order in which they come, which also spares putting
 * them in canonical order again.
 */
import type { FieldsV1 } from '@chandler/kube';
import { compareElements } from './path-element.ts';

/** The node of a member with nothing below. */
export const LEAF: FieldsV1 = Object.freeze({});

/** A node from its parts, put in canonical order; it takes over the lists. Undefined when the node is empty. */
export function nodeOf(member: boolean, keys: string[], nodes: FieldsV1[]): FieldsV1 | undefined {
  if (keys.length === 0) return member ? LEAF : undefined;
  if (keys.length > MAX_KEYS) return build(member, keys, nodes);
  const state = walk(member, keys, nodes);
  if (state.node === undefined) {
    if (putInOrder(keys, nodes)) {
      const canonical = walk(member, keys, nodes);
      canonical.node ??= build(member, keys, nodes);
      state.node = canonical.node;
    } else state.node = build(member, keys, nodes);
  }
  return state.node;
}

/** The elements of a list's items in their order, and where each is. Most lists are short, and searched as they are. */
export class Places {
  readonly keys: string[] = [];
  #index: Map<string, number> | undefined;

  /** -1 when it does not exist. */
  of(element: string): number {
    if (this.keys.length < FEW) return this.keys.indexOf(element);
    this.#index ??= new Map(this.keys.map((key, place) => [key, place]));
    return this.#index.get(element) ?? -1;
  }

  add(element: string): void {
    this.#index?.set(element, this.keys.length);
    this.keys.push(element);
  }
}

// ---------------------------------------------------------------------------------------------------

const FEW = 16;

/** Larger nodes (the keys of a big ConfigMap) are hardly ever met twice. */
const MAX_KEYS = 64;
/** The table is reset after this many steps; nodes in use stay valid. */
const MAX_STATES = 50_000;

class State {
  node: FieldsV1 | undefined;
  private leaves: Map<string, State> | undefined;
  private others: Map<FieldsV1, Map<string, State>> | undefined;

  step(key: string, child: FieldsV1): State {
    const states = child === LEAF ? this.leafStates() : this.statesUnder(child);
    let next = states.get(key);
    if (next === undefined) {
      next = new State();
      states.set(key, next);
      stateCount++;
    }
    return next;
  }

  private leafStates(): Map<string, State> {
    this.leaves ??= new Map();
    return this.leaves;
  }

  private statesUnder(child: FieldsV1): Map<string, State> {
    this.others ??= new Map();
    let states = this.others.get(child);
    if (states === undefined) {
      states = new Map();
      this.others.set(child, states);
    }
    return states;
  }
}

let stateCount = 0;
let members = new State();
let containers = new State();

function walk(member: boolean, keys: readonly string[], nodes: readonly FieldsV1[]): State {
  if (stateCount > MAX_STATES) {
    stateCount = 0;
    members = new State();
    containers = new State();
  }
  let state = member ? members : containers;
  for (let i = 0; i < keys.length; i++) state = state.step(keys[i] as string, nodes[i] as FieldsV1);
  return state;
}

function build(member: boolean, keys: string[], nodes: FieldsV1[]): FieldsV1 {
  putInOrder(keys, nodes);
  const node: FieldsV1 = {};
  if (member) node['.'] = LEAF;
  for (let i = 0; i < keys.length; i++) node[keys[i] as string] = nodes[i] as FieldsV1;
  return Object.freeze(node);
}

/** Above this size, insertion costs more than a sort. */
const INSERTION_MAX = 32;

/** Whether anything had to move. By insertion: nodes are small, and mostly in order already. */
function putInOrder(keys: string[], nodes: FieldsV1[]): boolean {
  if (keys.length > INSERTION_MAX) return sortBoth(keys, nodes);
  let moved = false;
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i] as string;
    const node = nodes[i] as FieldsV1;
    let j = i;
    for (; j > 0 && compareElements(keys[j - 1] as string, key) > 0; j--) {
      keys[j] = keys[j - 1] as string;
      nodes[j] = nodes[j - 1] as FieldsV1;
    }
    keys[j] = key;
    nodes[j] = node;
    moved ||= j !== i;
  }
  return moved;
}

function sortBoth(keys: string[], nodes: FieldsV1[]): boolean {
  const byKey = new Map(keys.map((key, i) => [key, nodes[i] as FieldsV1]));
  keys.sort(compareElements);
  keys.forEach((key, i) => {
    nodes[i] = byKey.get(key) as FieldsV1;
  });
  return true;
}
