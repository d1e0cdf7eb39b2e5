/**
 * What a planner must know of all bound pods before it reads them: their names, the labels that their selectors use, and
 * which of them mount claims. It follows the list from plan to plan, at the cost of what has changed.
 */
import type { Pod } from '../model.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import { podKey } from '../shapes/named-pods.ts';
import { selectedLabels } from '../topology/selected-labels.ts';
import { mountsClaims } from '../volumes/volume-index.ts';
import { changeOf } from './list-change.ts';

export class BoundList {
  #pods: readonly Pod[] = [];
  /** Pods with a claim. The same list as long as they are the same pods. */
  mounting: readonly Pod[] = [];
  readonly #readingOf: (pod: Pod) => SpecReading;
  readonly #names = new Map<string, number>();
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

  hasName(name: string): boolean {
    return this.#names.has(name);
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
    count(this.#names, podKey(pod), 1);
    const reading = this.#readingOf(pod);
    if (count(this.#readings, reading, 1) === 1)
      for (const label of labelsOf(reading)) count(this.#labels, label, 1);
    if (mountsClaims(pod)) mounting.push(pod);
  }

  #remove(pod: Pod, mounting: Set<Pod>): void {
    count(this.#names, podKey(pod), -1);
    const reading = this.#readingOf(pod);
    if (count(this.#readings, reading, -1) === 0)
      for (const label of labelsOf(reading)) count(this.#labels, label, -1);
    if (mountsClaims(pod)) mounting.add(pod);
  }
}

// ---------------------------------------------------------------------------------------------------------------

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
