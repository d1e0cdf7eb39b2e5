/**
 * What a planner must know of all bound pods before it reads them: their names and nodes, the labels that their selectors
 * use, and which of them mount claims. It follows the list from plan to plan, at the cost of what has changed.
 */
import type { Pod } from '../model.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import { podKey } from '../shapes/named-pods.ts';
import { selectedLabels } from '../topology/selected-labels.ts';
import { claimsOf, mountsClaims } from '../volumes/volume-index.ts';
import { changeOf } from './list-change.ts';

export class BoundList {
  #pods: readonly Pod[] = [];
  /** Pods with a claim. The same list as long as they are the same pods. */
  mounting: readonly Pod[] = [];
  readonly #readingOf: (pod: Pod) => SpecReading;
  /** By name: the node, or the nodes of several pods of that name. */
  readonly #names = new Map<string, string | string[]>();
  /** By node: the claims that its pods mount. */
  readonly #claims = new Map<string, readonly string[]>();
  /** By reading: how many pods have it. */
  readonly #readings = new Map<SpecReading, number>();
  /** By label: how many readings select by it. */
  readonly #labels = new Map<string, number>();

  constructor(readingOf: (pod: Pod) => SpecReading) {
    this.#readingOf = readingOf;
  }

  get size(): number {
    return this.#names.size + this.#readings.size;
  }

  /** How many pods it follows. */
  get length(): number {
    return this.#pods.length;
  }

  hasName(name: string): boolean {
    return this.#names.has(name);
  }

  /** The nodes of the pods of this name. */
  nodesOf(name: string): readonly string[] {
    const nodes = this.#names.get(name) ?? NONE;
    return typeof nodes === 'string' ? [nodes] : nodes;
  }

  /** The claims that the pods of a node mount; a claim of two pods is there twice. */
  claimsOn(node: string): readonly string[] {
    return this.#claims.get(node) ?? NONE;
  }

  /** Labels that selectors of the pods use. */
  get labels(): Iterable<string> {
    return this.#labels.keys();
  }

  follow(pods: readonly Pod[]): void {
    if (pods === this.#pods) return;
    const change = changeOf(this.#pods, pods) ?? { removed: this.#pods, added: pods };
    const gone = new Set<Pod>();
    const come: Pod[] = [];
    for (const pod of change.removed) this.#remove(pod, gone);
    for (const pod of change.added) this.#add(pod, come);
    if (gone.size + come.length > 0)
      this.mounting = [...this.mounting.filter((pod) => !gone.has(pod)), ...come];
    this.#pods = pods;
  }

  #add(pod: Pod, mounting: Pod[]): void {
    const name = podKey(pod);
    const node = pod.spec?.nodeName ?? '';
    const known = this.#names.get(name);
    if (known === undefined) this.#names.set(name, node);
    else if (typeof known === 'string') this.#names.set(name, [known, node]);
    else known.push(node);
    const reading = this.#readingOf(pod);
    if (count(this.#readings, reading, 1) === 1)
      for (const label of labelsOf(reading)) count(this.#labels, label, 1);
    if (!mountsClaims(pod)) return;
    mounting.push(pod);
    this.#claims.set(node, [...this.claimsOn(node), ...claimsOf(pod)]);
  }

  #remove(pod: Pod, mounting: Set<Pod>): void {
    const name = podKey(pod);
    const node = pod.spec?.nodeName ?? '';
    const others = withoutEach(this.nodesOf(name), [node]);
    if (others.length === 0) this.#names.delete(name);
    else this.#names.set(name, others.length === 1 ? others[0]! : others);
    const reading = this.#readingOf(pod);
    if (count(this.#readings, reading, -1) === 0)
      for (const label of labelsOf(reading)) count(this.#labels, label, -1);
    if (!mountsClaims(pod)) return;
    mounting.add(pod);
    const claims = withoutEach(this.claimsOn(node), claimsOf(pod));
    if (claims.length === 0) this.#claims.delete(node);
    else this.#claims.set(node, claims);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NONE: readonly string[] = [];

/** One entry less for each of the second list. */
function withoutEach(list: readonly string[], gone: readonly string[]): string[] {
  const left = [...list];
  for (const item of gone) {
    const at = left.indexOf(item);
    if (at >= 0) left.splice(at, 1);
  }
  return left;
}

/** @returns how many there are now; keys without any are removed. */
function count<K>(counts: Map<K, number>, key: K, change: number): number {
  const now = (counts.get(key) ?? 0) + change;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
  return now;
}

function labelsOf({ spec }: SpecReading): Iterable<string> {
  return 'code' in spec ? [] : selectedLabels([spec], undefined);
}
