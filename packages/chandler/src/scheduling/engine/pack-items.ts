/**
 * The pending pods of a packing, grouped for speed: pods of one variant are one item, and items that differ only in
 * topology are one kind, which a node without pods treats alike. For every claim the items that it may still take are
 * remembered, so that a pod which cannot be placed there is not tried again until something has changed.
 */
import { countBits } from '../bits.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import { ruleVersion } from './narrowing.ts';
import { type Shape, type Shapes, scoreOf } from './pack-score.ts';
import type { Variant } from './pod-class.ts';
import { amountOf } from './queue.ts';
import type { Placement, Run } from './run.ts';
import type { FitSignature } from './signatures.ts';
import type { State } from './states.ts';

/** Pending pods of one variant. */
export interface Item {
  readonly variant: Variant;
  /** Queue indexes, the next one last. */
  readonly pods: number[];
  /** The number of domains that the pods spread over; one claim gets at most its share. */
  readonly domains: number;
  readonly perHost: number;
  kind: Kind | undefined;
  /** The version of the groups that constrain the pods, and after how many placed pods it was read. */
  version: number;
  versionAt: number;
}

/** Items with equal requests, requirements, tolerations, ports and volumes. */
export interface Kind {
  /** One of its items. */
  readonly variant: Variant;
  readonly requests: Requests;
  readonly items: Item[];
  /** How many of the pods are pending. */
  pending: number;
  /** How many of them a trial may place on one claim. */
  share: number;
}

/** Pods on claims. */
export function itemsOf(run: Run, first: readonly (Placement | undefined)[]): Item[] {
  const items = new Map<Variant, Item>();
  // Backwards, because the next pod of an item is its last.
  for (let index = first.length - 1; index >= 0; index--) {
    const placement = first[index];
    if (placement === undefined || placement.node !== undefined) continue;
    const variant = run.compiled.classes.variant(run.queue[index]!.podClass, placement.relaxation)!;
    let item = items.get(variant);
    if (item === undefined) {
      item = itemOf(variant);
      items.set(variant, item);
    }
    item.pods.push(index);
  }
  // In the order of their first pods.
  return [...items.values()].sort((one, other) => one.pods.at(-1)! - other.pods.at(-1)!);
}

/** Memory per cpu. */
export function leanOf(requests: Requests): number {
  return amountOf(requests, MEMORY) / Math.max(1, amountOf(requests, CPU));
}

/** The memory per cpu above which pods are memory-heavy, so that they have this share of the memory. */
export function heavyThreshold(items: readonly Item[], share: number): number {
  const memory = ({ variant, pods }: Item) => amountOf(variant.podClass.requests, MEMORY) * pods.length;
  const sorted = [...items].sort(
    (first, second) => leanOf(second.variant.podClass.requests) - leanOf(first.variant.podClass.requests),
  );
  let rest = share * items.reduce((sum, item) => sum + memory(item), 0);
  let threshold = Number.POSITIVE_INFINITY;
  for (const item of sorted) {
    rest -= memory(item);
    if (rest < 0) break;
    threshold = leanOf(item.variant.podClass.requests);
  }
  return threshold;
}

export function kindsOf(items: readonly Item[]): Kind[] {
  const kinds = new Map<FitSignature, Kind>();
  for (const item of items) {
    const { variant, pods } = item;
    let kind = kinds.get(variant.fit);
    if (kind === undefined) {
      kind = { variant, requests: variant.podClass.requests, items: [], pending: 0, share: 0 };
      kinds.set(variant.fit, kind);
    }
    kind.items.push(item);
    kind.pending += pods.length;
    kind.share += shareOf(item);
    item.kind = kind;
  }
  return [...kinds.values()];
}

/** The next pod of the item, which is no longer pending. */
export function take(item: Item): number {
  const kind = item.kind!;
  kind.pending--;
  kind.share -= shareOf(item);
  const pod = item.pods.pop()!;
  kind.share += shareOf(item);
  return pod;
}

/** What a claim may still take: the kinds that fit, and of each the items that are not refused for good. */
export class Candidates {
  readonly #kinds: KindCandidates[] = [];
  readonly #sorted: KindCandidates[] = [];
  #state: State | undefined;

  constructor(kinds: readonly Kind[]) {
    for (const kind of kinds) if (kind.pending > 0) this.#kinds.push(new KindCandidates(kind));
  }

  /** In a narrower state other pods may have become possible, by affinity or by label. */
  enter(state: State): void {
    if (this.#state === state) return;
    this.#state = state;
    for (const candidate of this.#kinds) candidate.forget();
  }

  /**
   * The kinds that fit, the best first; equal ones in their order. What does not fit now does not fit later.
   * @param free of the whole node. @param used what is in use, from `start`.
   */
  byScore(
    shapes: Shapes,
    free: readonly number[],
    used: Float64Array,
    start: number,
  ): readonly KindCandidates[] {
    const kinds = this.#kinds;
    const sorted = this.#sorted;
    let kept = 0;
    for (const candidate of kinds) {
      if (candidate.kind.pending === 0) continue;
      candidate.shape ??= shapes.of(candidate.kind.requests, free);
      const score = scoreOf(candidate.shape, free, used, start);
      if (score < 0) continue;
      candidate.score = score;
      // Few enough for insertion, and often in order.
      let at = kept;
      for (; at > 0 && sorted[at - 1]!.score < score; at--) sorted[at] = sorted[at - 1]!;
      sorted[at] = candidate;
      kinds[kept++] = candidate;
    }
    kinds.length = kept;
    sorted.length = kept;
    return sorted;
  }
}

export class KindCandidates {
  readonly kind: Kind;
  score = 0;
  /** On the node of the claim. */
  shape: Shape | undefined;
  #items: Item[] | undefined;
  /** By item: the version at which it was refused; undefined: not tried. */
  #refusedAt: (number | undefined)[] = [];

  constructor(kind: Kind) {
    this.kind = kind;
  }

  forget(): void {
    this.#refusedAt.length = 0;
  }

  /**
   * The first item that the claim takes.
   * @param puts how many pods were placed.
   * @param refuse returns nothing when the claim takes a pod of the item.
   */
  find(epoch: number, puts: number, refuse: (item: Item) => Refusal | undefined): Item | undefined {
    this.#items ??= this.kind.items.slice();
    const items = this.#items;
    const refusedAt = this.#refusedAt;
    let kept = 0;
    let found: Item | undefined;
    for (let index = 0; index < items.length; index++) {
      const item = items[index]!;
      if (item.pods.length === 0) continue;
      let version: number | undefined = refusedAt[index];
      if (found === undefined) {
        const now = epoch + versionOf(item, puts);
        if (version !== now) {
          const refusal = refuse(item);
          if (refusal === 'forever') continue;
          if (refusal === undefined) found = item;
          version = refusal === undefined ? undefined : now;
        }
      }
      items[kept] = item;
      refusedAt[kept++] = version;
    }
    items.length = kept;
    refusedAt.length = kept;
    return found;
  }
}

/** `now`: the claim may take a pod of the item after other pods have been placed. */
export type Refusal = 'forever' | 'now';

// ---------------------------------------------------------------------------------------------------------------

function itemOf(variant: Variant): Item {
  return {
    variant,
    pods: [],
    domains: domainsOf(variant),
    perHost: perHostOf(variant),
    kind: undefined,
    version: 0,
    versionAt: -1,
  };
}

/** Incremented when a group that constrains the pods changes. */
function versionOf(item: Item, puts: number): number {
  if (item.versionAt !== puts) {
    item.version = ruleVersion(item.variant);
    for (const { group } of item.variant.hostAffinities) item.version += group.version;
    item.versionAt = puts;
  }
  return item.version;
}

function shareOf({ pods, domains, perHost }: Item): number {
  return Math.min(perHost, Math.ceil(pods.length / domains));
}

/** How many pods of the variant one node may have. */
function perHostOf({ host }: Variant): number {
  let most = Number.POSITIVE_INFINITY;
  for (const { group, self } of host.rules) {
    if (self) most = Math.min(most, group.spec.kind === 'spread' ? group.spec.maxSkew : 1);
  }
  return most;
}

function domainsOf({ domainRules }: Variant): number {
  const spread = domainRules.find(({ group }) => group.spec.kind === 'spread');
  return spread === undefined ? 1 : Math.max(1, countBits(spread.group.known));
}
