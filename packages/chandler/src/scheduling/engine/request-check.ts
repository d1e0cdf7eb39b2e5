/**
 * Whether a request can be planned on a compiled snapshot. Some parts of a snapshot depend on all pods that are placed:
 * which labels selectors use, which values of custom labels pods name, which volume claims several pods share, and which
 * bound pods are about to be placed elsewhere. A request whose extra pods change one of them needs a new snapshot.
 */
import { normalizeLabel } from '../../api/index.ts';
import type { Pod } from '../model.ts';
import { avoidedKeysOf, type ReadSpec } from '../pods/read-spec.ts';
import type { Requirement } from '../requirements/algebra.ts';
import type { NamedPods } from '../shapes/named-pods.ts';
import { selectedLabels } from '../topology/selected-labels.ts';
import { claimsOf } from '../volumes/volume-index.ts';
import type { BoundList } from './bound-list.ts';
import type { Compiled } from './compiled.ts';

export class RequestCheck {
  readonly #compiled: Compiled;

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
  }

  /**
   * @param removed names of the removed nodes.
   * @param extra pods that are placed in addition.
   */
  fits(removed: readonly string[], extra: NamedPods): boolean {
    const nodes = new Set(removed);
    if (!this.#sharesClaimsAsBefore(nodes, extra.pods)) return false;
    if (extra.pods.length === 0) return true;
    const { reader } = this.#compiled.classes.context;
    const read = extra.pods.map((pod) => reader.read(pod).spec);
    const specs = [...new Set(read)].flatMap((spec) => ('code' in spec ? [] : [spec]));
    return (
      this.#tracksLabels(specs) &&
      this.#knowsValues(specs) &&
      this.#knowsAvoided(specs) &&
      !this.#isBoundElsewhere(nodes, extra)
    );
  }

  #tracksLabels(specs: readonly ReadSpec[]): boolean {
    const { labelClasses } = this.#compiled.classes.context;
    return [...selectedLabels(specs, undefined)].every((label) => labelClasses.knows(label));
  }

  /** A value that only an extra pod names is a new domain where a pool leaves the label open. */
  #knowsValues(specs: readonly ReadSpec[]): boolean {
    const { pools, isWellKnown } = this.#compiled;
    const named = specs
      .flatMap(({ nodeSelector, requiredTerms }) => [...nodeSelector, ...requiredTerms.flat()])
      .filter(({ key, complement }) => !complement && !isWellKnown(key));
    if (named.length === 0) return true;
    const isOpen = (key: number) =>
      pools.some(({ template }) => template.items.some((item) => item.key === key && item.complement));
    const keys = this.#topologyKeys(specs);
    const isKnown = (wanted: Requirement) => this.#compiled.namedValues(wanted.key).includes(wanted);
    return named.every((wanted) => !keys.has(wanted.key) || !isOpen(wanted.key) || isKnown(wanted));
  }

  /** A label of which only an extra pod excludes values may come to nodes that could not have it before. */
  #knowsAvoided(specs: readonly ReadSpec[]): boolean {
    const { isWellKnown, isAvoided } = this.#compiled;
    const avoided = specs.flatMap(avoidedKeysOf).filter((key) => !isWellKnown(key) && !isAvoided(key));
    if (avoided.length === 0) return true;
    const keys = this.#topologyKeys(specs);
    return !avoided.some((key) => keys.has(key));
  }

  #topologyKeys(specs: readonly ReadSpec[]): ReadonlySet<number> {
    const { groups, algebra } = this.#compiled;
    const keys = new Set(groups.topologyKeys);
    for (const topologyKey of specs.flatMap(topologyKeysOf))
      keys.add(algebra.labels.key(normalizeLabel(topologyKey)));
    return keys;
  }

  /** A claim that one pod mounts is counted otherwise than one that several pods mount. */
  #sharesClaimsAsBefore(removed: ReadonlySet<string>, extra: readonly Pod[]): boolean {
    const changes = new Map<string, number>();
    for (const claim of extra.flatMap(claimsOf)) changes.set(claim, (changes.get(claim) ?? 0) + 1);
    for (const node of removed) {
      for (const claim of this.#boundPods().claimsOn(node)) changes.set(claim, (changes.get(claim) ?? 0) - 1);
    }
    if (changes.size === 0) return true;
    const { volumes, input } = this.#compiled;
    const mounted = new Set([...extra, ...input.pods].flatMap(claimsOf));
    return [...changes].every(([claim, change]) => {
      const before = volumes.mountsOf(claim);
      return !mounted.has(claim) || before > 1 === before + change > 1;
    });
  }

  /** Such a bound pod is not counted any more. */
  #isBoundElsewhere(removed: ReadonlySet<string>, { keys }: NamedPods): boolean {
    const bound = this.#boundPods();
    return keys.some((key) => bound.nodesOf(key).some((node) => !removed.has(node)));
  }

  /** Other plans may have moved the list on. */
  #boundPods(): BoundList {
    const { boundList, input } = this.#compiled;
    boundList.follow(input.boundPods ?? NO_BOUND_PODS);
    return boundList;
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NO_BOUND_PODS: readonly Pod[] = [];

function topologyKeysOf({ affinity, antiAffinity, spreads }: ReadSpec): string[] {
  const terms = [affinity, antiAffinity].flatMap(({ required, preferred }) => [...required, ...preferred]);
  return [...terms, ...spreads].map(({ topologyKey }) => topologyKey);
}
