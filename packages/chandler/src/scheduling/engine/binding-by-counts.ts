/**
 * Whether pods whose nodes are known can be bound one after another, by counts alone: a pod with spreads is bound when none of them
 * forbids it at that moment. A few greedy orders are tried; if they fail and there are few pods, all orders.
 */
import type { TopologyGroup } from '../topology/group.ts';
import type { DomainRule } from './pod-class.ts';

/** Equal pods in the same domains. */
export interface Item {
  /** The spreads that must hold, with the domains of the pods. */
  readonly rules: readonly { readonly rule: DomainRule; readonly domain: number }[];
  /** The spreads that count the pods, with their domains. */
  readonly counting: readonly { readonly group: TopologyGroup; readonly domain: number }[];
  /** Whether one of them does not count them in the plan. */
  readonly isLast: boolean;
  /** The place of the first of them in the queue. */
  readonly at: number;
  pods: number;
}

export interface ToBind {
  readonly items: readonly Item[];
  /** By spread: pods by domain, before any of the items is bound. */
  readonly counts: ReadonlyMap<TopologyGroup, Int32Array>;
  /** By spread: the domains that have nodes. */
  readonly domains: ReadonlyMap<TopologyGroup, readonly number[]>;
  /** Whether the rule counts a domain of its spread. */
  isEligible(rule: DomainRule, domain: number): boolean;
}

/** How many pods with spreads cannot be bound, in the best of the orders that were tried. */
export function leastWaiting(toBind: ToBind): number {
  let least = Number.POSITIVE_INFINITY;
  for (const way of WAYS) {
    least = Math.min(least, new Binding(toBind).waiting(way));
    if (least === 0) return 0;
  }
  return new Binding(toBind).isPossible() ? 0 : least;
}

// ---------------------------------------------------------------------------------------------------------------

/**
 * How the next pod is chosen: `all` of the first that may be bound, one of each `inTurn`, the one with the `fewest` beside it, or one
 * of those of which the `most` are left: a domain with many pods must not be left alone at the end.
 */
type Way = 'all' | 'inTurn' | 'fewest' | 'most';

const WAYS: readonly Way[] = ['fewest', 'most', 'all', 'inTurn'];

/** Of all orders together, at most so many sets of pods are looked at. */
const MAX_SETS = 4_000;

class Binding {
  readonly #toBind: ToBind;
  readonly #counts = new Map<TopologyGroup, Int32Array>();
  readonly #minimums = new Map<DomainRule, Minimum>();
  readonly #minimumsOf = new Map<TopologyGroup, Minimum[]>();
  readonly #left = new Map<Item, number>();

  constructor(toBind: ToBind) {
    this.#toBind = toBind;
    for (const [group, counts] of toBind.counts) this.#counts.set(group, counts.slice());
    for (const item of toBind.items) {
      this.#left.set(item, item.pods);
      for (const { rule } of item.rules) if (!this.#minimums.has(rule)) this.#follow(rule);
    }
  }

  /** Pods without spreads are bound where that helps. */
  waiting(way: Way): number {
    const { items } = this.#toBind;
    const free = items.filter(({ rules }) => rules.length === 0);
    free.sort((first, second) => Number(first.isLast) - Number(second.isLast) || first.at - second.at);
    let bound = items.filter(({ rules }) => rules.length > 0).sort(byStrictness);
    for (;;) {
      const isProgress =
        way === 'fewest' || way === 'most' ? this.#bindBest(bound, way) : this.#bindEach(bound, way);
      bound = bound.filter((item) => this.#left.get(item)! > 0);
      if (bound.length === 0) return 0;
      if (isProgress) continue;
      const helper = this.#helper(bound, free);
      if (helper === undefined) return bound.reduce((sum, item) => sum + this.#left.get(item)!, 0);
      this.#add(helper, 1);
    }
  }

  /** Which pods can be bound next depends on who is there, not on who came first: each set of pods is looked at once. */
  isPossible(): boolean {
    const { items } = this.#toBind;
    const sets = items.reduce((product, { pods }) => product * (pods + 1), 1);
    if (sets > MAX_SETS) return false;
    const seen = new Set<number>();
    const search = (): boolean => {
      if (items.every((item) => item.rules.length === 0 || this.#left.get(item) === 0)) return true;
      const set = items.reduce((key, item) => key * (item.pods + 1) + this.#left.get(item)!, 0);
      if (seen.has(set)) return false;
      seen.add(set);
      return items.some((item) => {
        if (this.#left.get(item) === 0 || this.#blocking(item) !== undefined) return false;
        this.#add(item, 1);
        const isFound = search();
        this.#add(item, -1);
        return isFound;
      });
    };
    return search();
  }

  #follow(rule: DomainRule): void {
    const { group } = rule;
    const counts = this.#counts.get(group)!;
    const eligible = this.#toBind.domains
      .get(group)!
      .filter((domain) => this.#toBind.isEligible(rule, domain));
    const minimum = new Minimum(counts, eligible, group.spec.minDomains);
    this.#minimums.set(rule, minimum);
    const list = this.#minimumsOf.get(group);
    if (list === undefined) this.#minimumsOf.set(group, [minimum]);
    else list.push(minimum);
  }

  #bindEach(bound: readonly Item[], way: Way): boolean {
    let isProgress = false;
    for (const item of bound) {
      while (this.#left.get(item)! > 0 && this.#blocking(item) === undefined) {
        this.#add(item, 1);
        isProgress = true;
        if (way === 'inTurn') break;
      }
    }
    return isProgress;
  }

  #bindBest(bound: readonly Item[], way: 'fewest' | 'most'): boolean {
    let best: Item | undefined;
    let least = Number.POSITIVE_INFINITY;
    for (const item of bound) {
      const rank = way === 'most' ? -this.#left.get(item)! : this.#beside(item);
      if (rank >= least || this.#blocking(item) !== undefined) continue;
      best = item;
      least = rank;
    }
    if (best !== undefined) this.#add(best, 1);
    return best !== undefined;
  }

  #beside({ counting }: Item): number {
    return counting.reduce((sum, { group, domain }) => sum + this.#countIn(group, domain), 0);
  }

  #countIn(group: TopologyGroup, domain: number): number {
    return domain < 0 ? 0 : this.#counts.get(group)![domain]!;
  }

  /** Binds a pod (1), or takes it back (-1). */
  #add(item: Item, change: 1 | -1): void {
    this.#left.set(item, this.#left.get(item)! - change);
    for (const { group, domain } of item.counting) {
      if (domain < 0) continue;
      const counts = this.#counts.get(group)!;
      counts[domain]! += change;
      for (const minimum of this.#minimumsOf.get(group) ?? []) minimum.changed(domain, change);
    }
  }

  /** The spread that does not allow a further pod there. */
  #blocking({ rules }: Item): DomainRule | undefined {
    return rules.find(({ rule, domain }) => {
      if (domain < 0) return false;
      const count = this.#countIn(rule.group, domain) + Number(rule.self);
      return count - this.#minimums.get(rule)!.value > rule.group.spec.maxSkew;
    })?.rule;
  }

  /** A pod without spreads in a domain that has the fewest pods of a spread that blocks another. */
  #helper(bound: readonly Item[], free: readonly Item[]): Item | undefined {
    for (const item of bound) {
      const rule = this.#blocking(item)!;
      const minimum = this.#minimums.get(rule)!.value;
      const found = free.find(
        (each) =>
          this.#left.get(each)! > 0 &&
          each.counting.some(
            ({ group, domain }) =>
              group === rule.group && domain >= 0 && this.#countIn(group, domain) === minimum,
          ),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

/** The fewest pods in one of the domains that a rule counts, kept while pods come: there may be hundreds of domains. */
class Minimum {
  readonly #counts: Int32Array;
  readonly #domains: ReadonlySet<number>;
  readonly #isZero: boolean;
  #least = Number.MAX_SAFE_INTEGER;
  /** Domains that have so few. */
  #domainsWithLeast = 0;

  constructor(counts: Int32Array, domains: readonly number[], minDomains: number | null) {
    this.#counts = counts;
    this.#domains = new Set(domains);
    this.#isZero = minDomains !== null && domains.length < minDomains;
    this.#read();
  }

  get value(): number {
    return this.#isZero ? 0 : this.#least;
  }

  /** The count of the domain has already changed. */
  changed(domain: number, change: 1 | -1): void {
    if (!this.#domains.has(domain)) return;
    const count = this.#counts[domain]!;
    if (change > 0) {
      if (count - 1 === this.#least && --this.#domainsWithLeast === 0) this.#read();
    } else if (count < this.#least) {
      this.#least = count;
      this.#domainsWithLeast = 1;
    } else if (count === this.#least) this.#domainsWithLeast++;
  }

  #read(): void {
    this.#least = Number.MAX_SAFE_INTEGER;
    for (const domain of this.#domains) {
      const count = this.#counts[domain]!;
      if (count > this.#least) continue;
      this.#domainsWithLeast = count === this.#least ? this.#domainsWithLeast + 1 : 1;
      this.#least = count;
    }
  }
}

function byStrictness(first: Item, second: Item): number {
  return strictness(first) - strictness(second) || first.at - second.at;
}

function strictness({ rules }: Item): number {
  return Math.min(...rules.map(({ rule }) => rule.group.spec.maxSkew));
}
