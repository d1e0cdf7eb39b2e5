/**
 * What a planner keeps between plans: numbers of labels and resources, readings of pod specs, compiled instance types,
 * pools, nodes and bound pods. Everything is found again by the identity of the objects or by their content, and objects
 * are never modified, so a kept part equals the part that would be built anew.
 */
import { buildCatalogue, type CatalogueReport } from '../catalogue/catalogue.ts';
import type { InstanceType, Pod } from '../model.ts';
import { SpecReader, type SpecReading } from '../pods/spec-reader.ts';
import type { InputError } from '../refusal.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { BoundList } from './bound-list.ts';

export class Kept {
  readonly algebra: Algebra = new Algebra();
  readonly resources: Resources = new Resources();
  readonly reader: SpecReader = new SpecReader(this.algebra, this.resources);
  /** Validated lists of instance types, by the given list. */
  readonly types: WeakMap<object, Checked<readonly InstanceType[]>> = new WeakMap();
  readonly lists: Map<string, KeptList> = new Map();
  readonly boundList: BoundList = new BoundList((pod) => this.reading(pod));
  readonly #catalogues = new WeakMap<readonly InstanceType[], CatalogueReport>();
  readonly #readings = new WeakMap<Pod, SpecReading>();
  readonly #texts = new WeakMap<object, string>();
  readonly #parts = new Map<string, LastPart<unknown>>();
  readonly #growing = new Map<string, () => number>();

  /** How many entries are kept, about; a planner starts anew when there are too many. */
  get size(): number {
    const { algebra, reader, resources, boundList } = this;
    let sum = algebra.size + reader.size + resources.size + boundList.size;
    for (const entries of this.#growing.values()) sum += entries();
    return sum;
  }

  /** A part grows after it was built. @param entries how many it has, whenever it is asked. */
  grows(part: string, entries: () => number): void {
    this.#growing.set(part, entries);
  }

  catalogue(types: readonly InstanceType[]): CatalogueReport {
    let report = this.#catalogues.get(types);
    if (report === undefined) {
      report = buildCatalogue(this.algebra, this.resources, types);
      this.#catalogues.set(types, report);
    }
    return report;
  }

  reading(pod: Pod): SpecReading {
    let reading = this.#readings.get(pod);
    if (reading === undefined) {
      reading = this.reader.read(pod);
      this.#readings.set(pod, reading);
    }
    return reading;
  }

  /** The content of an object as text. */
  text(content: object | undefined): string {
    if (content === undefined) return '';
    let text = this.#texts.get(content);
    if (text === undefined) {
      text = JSON.stringify(content);
      this.#texts.set(content, text);
    }
    return text;
  }

  /**
   * The last part of this name, if it was built from the same things; otherwise a new one, which may be made from the last
   * one.
   */
  part<T>(name: string, key: readonly unknown[], build: () => T): T {
    return this.known<T>(name, key) ?? this.keep(name, key, build());
  }

  /** The last part of this name, if it was built from the same things. */
  known<T>(name: string, key: readonly unknown[]): T | undefined {
    const last = this.#parts.get(name);
    return last !== undefined && sameElements(last.key, key) ? (last.part as T) : undefined;
  }

  last<T>(name: string): LastPart<T> | undefined {
    return this.#parts.get(name) as LastPart<T> | undefined;
  }

  keep<T>(name: string, key: readonly unknown[], part: T): T {
    // Copies, so that a list that the caller changes is noticed.
    this.#parts.set(name, { key: key.map((item) => (Array.isArray(item) ? item.slice() : item)), part });
    return part;
  }
}

/** A part, and what it was built from. */
export interface LastPart<T> {
  readonly key: readonly unknown[];
  readonly part: T;
}

/** A validated value, and what was wrong with it. */
export interface Checked<T> {
  readonly value: T;
  readonly errors: readonly InputError[];
}

/** The last list of a field of the input, and its valid objects. */
export interface KeptList extends Checked<readonly unknown[]> {
  readonly given: readonly unknown[];
}

export function sameElements(first: readonly unknown[], second: readonly unknown[]): boolean {
  if (first.length !== second.length) return false;
  for (let index = 0; index < first.length; index++) {
    const one = first[index];
    const other = second[index];
    if (one === other) continue;
    if (!Array.isArray(one) || !Array.isArray(other) || !sameElements(one, other)) return false;
  }
  return true;
}
