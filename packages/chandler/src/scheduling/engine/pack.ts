/**
 * A second way to fill claims, optimised for price: choose the type with the best value, pick pods that use
 * it evenly, and only then open the next claim. Pods keep the preferences they had in the first plan, and
 * every constraint is checked in the same way; existing nodes keep their pods. The caller decides whether the
 * result is better.
 */
import { hasBit } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { CPU, MEMORY, type Requests } from '../resources.ts';
import { commit, roomyRows, type Slot } from './claim-checks.ts';
import { claimTargets, crowdedRule } from './claim-targets.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { staticTargets, targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { spreadBrokenBy, withoutBreaking } from './new-domains.ts';
import {
  Candidates,
  heavyThreshold,
  type Item,
  itemsOf,
  type Kind,
  kindsOf,
  leanOf,
  type Refusal,
  take,
} from './pack-items.ts';
import { type PodGroup, Shapes, scoreOf, TrialPlacement } from './pack-score.ts';
import type { Variant } from './pod-class.ts';
import type { Placement, Run } from './run.ts';
import type { State } from './states.ts';
import { allStillHold } from './still-holds.ts';
import { proportionsOf, TypeValuation } from './type-valuation.ts';

/** The budget for packing, in evaluations of a pod for a node. */
export interface Budget {
  left: number;
}

/**
 * Fills a fresh run.
 * @returns false when some pod could not be placed or the budget is exhausted; the run is then discarded.
 */
export function pack(
  run: Run,
  first: readonly (Placement | undefined)[],
  heavyShare: number,
  budget: Budget,
): boolean {
  const items = itemsOf(run, first);
  const onNodes: [variant: Variant, node: number][] = [];
  for (let index = 0; index < first.length; index++) {
    const placement = first[index];
    if (placement?.node === undefined) continue;
    const { podClass } = run.queue[index]!;
    const variant = run.compiled.classes.variant(podClass, placement.relaxation)!;
    const node = run.compiled.nodes.all[placement.node]!;
    run.space.add(node, index, podClass, variant.ports);
    run.counts.onNode(podClass, node.index, 1);
    run.placements[index] = placement;
    onNodes.push([variant, node.index]);
  }
  const filled = new Packer(run, items, first, heavyShare, budget).fill();
  return filled && allStillHold(run, onNodes);
}

/**
 * Shares that lead to different results, in the given order. Where all types have the same memory per cpu, no pod needs
 * memory-optimised ones.
 */
export function distinctShares(
  run: Run,
  first: readonly (Placement | undefined)[],
  shares: readonly number[],
): number[] {
  if (proportionsOf(run).size < 2) return [0];
  const items = itemsOf(run, first);
  const seen = new Set<number>();
  return shares.filter((share) => {
    const threshold = heavyThreshold(items, share);
    const known = seen.has(threshold);
    seen.add(threshold);
    return !known;
  });
}

export interface Prospect {
  /** The share of the price that could be saved, roughly: the rest pays for cpu and memory in the best types. */
  readonly saving: number;
  /** How many looks one packing takes, roughly. */
  readonly looks: number;
}

export function prospectOf(run: Run, first: readonly (Placement | undefined)[], price: number): Prospect {
  const kinds = kindsOf(itemsOf(run, first));
  const valuation = new TypeValuation(run);
  valuation.demand(kinds);
  const pods = kinds.reduce((sum, { pending }) => sum + pending, 0);
  return {
    saving: Math.max(0, 1 - valuation.leastPrice() / price),
    looks: MIN_LOOKS + pods * kinds.length * LOOKS_PER_POD_AND_KIND,
  };
}

// ---------------------------------------------------------------------------------------------------------------

class Packer {
  readonly #run: Run;
  readonly #budget: Budget;
  /** By pod: how the first plan placed it. */
  readonly #first: readonly (Placement | undefined)[];
  readonly #all: readonly Item[];
  /** Those of the current phase. */
  #items: readonly Item[] = [];
  #kinds: readonly Kind[] = [];
  readonly #valuation: TypeValuation;
  readonly #shapes: Shapes;
  /** Claims that may still take pods, oldest first. */
  #open: number[] = [];
  /** By claim: what it may still take. */
  #candidates: (Candidates | undefined)[] = [];
  #picky = true;
  /** Incremented when claims that were too expensive for a pod may no longer be. */
  #epoch = 0;
  /** How many pods were placed: counts of topology do not change in between. */
  #puts = 0;
  /** Pods with more memory per cpu than this go to memory-optimised types. */
  readonly #heavyFrom: number;
  /** By claim: the value of pods per price when it was opened. */
  readonly #yields: number[] = [];
  /** By state of a new claim: the best value per price there. */
  readonly #bestYields = new Map<State, number>();

  constructor(
    run: Run,
    items: readonly Item[],
    first: readonly (Placement | undefined)[],
    heavyShare: number,
    budget: Budget,
  ) {
    this.#run = run;
    this.#first = first;
    this.#budget = budget;
    this.#all = items;
    this.#heavyFrom = heavyThreshold(items, heavyShare);
    this.#valuation = new TypeValuation(run);
    this.#shapes = new Shapes(run.compiled.volumes.attachmentSlots);
  }

  /**
   * Pods with domain rules come first and get claims in their domains; then the other pods fill the free
   * resources of these claims, which costs nothing; then they get claims of their own.
   */
  fill(): boolean {
    this.#consider(this.#all.filter(({ variant }) => variant.domainRules.length > 0));
    if (!this.#openAll()) return false;
    this.#consider(this.#all.filter(({ pods }) => pods.length > 0));
    this.#picky = false;
    for (let claim = 0; claim < this.#run.claims.count; claim++) this.#stuff(claim);
    this.#picky = true;
    this.#consider(this.#all.filter(({ pods }) => pods.length > 0));
    return this.#openAll();
  }

  #consider(items: readonly Item[]): void {
    this.#items = items;
    this.#kinds = kindsOf(items);
    this.#candidates = [];
  }

  #openAll(): boolean {
    let next = 0;
    for (let opened = 0; ; opened++) {
      while (next < this.#items.length && this.#items[next]!.pods.length === 0) next++;
      if (next === this.#items.length) return true;
      if (opened % REPRICE_EVERY === 0) this.#reprice();
      const claim = this.#openFor(this.#items[next]!);
      if (claim < 0 || this.#budget.left < 0) return false;
      if (!this.#open.includes(claim)) this.#open.push(claim);
      this.#stuffAll();
      this.#kinds = this.#kinds.filter(({ pending }) => pending > 0);
    }
  }

  #reprice(): void {
    this.#valuation.demand(this.#kinds);
    this.#bestYields.clear();
    this.#epoch++;
  }

  /** Claims take turns, because a spread allows a pod on one claim only after the others have theirs. */
  #stuffAll(): void {
    for (let progress = true; progress; ) {
      progress = false;
      for (const claim of this.#open) if (this.#stuff(claim)) progress = true;
    }
    this.#open = this.#open.filter((claim) => this.#hasRoom(claim)).slice(-MAX_OPEN);
  }

  /** Opens a claim for the first pending pod, in the first pool that accepts it, with the type of the best value. */
  #openFor(item: Item): number {
    const run = this.#run;
    const { variant } = item;
    if (requiredAffinityGroups(variant).length > 0) return this.#joinAffinityGroup(item);
    for (const pool of run.compiled.pools) {
      const template = run.limits.template(pool);
      if (template === null) continue;
      for (const state of withoutBreaking(run, targets(run.compiled, variant, template))) {
        const { row, yields } = this.#chooseRow(state, item);
        if (row < 0) continue;
        const claim = run.claims.open(template);
        this.#yields[claim] = yields;
        this.#put(item, claim, { state, row, reservations: undefined, relaxed: false });
        if (run.limits.hasLimits(pool)) run.limits.charge(pool, roomyRows(run, state));
        return claim;
      }
    }
    return -1;
  }

  /** Of the rows with the best value, the one that the pending pods use best. */
  #chooseRow(state: State, seed: Item): { row: number; yields: number } {
    totalsOfPod(this.#run, seed.variant);
    const rows = this.#valuation.bestRows(state, this.#run.totals, ROWS_TRIED);
    let best = { row: rows[0]?.row ?? -1, yields: 0 };
    for (const { row, maxYield } of rows) {
      // The next ones give less, at most.
      if (maxYield < best.yields * (1 - ROUNDING)) break;
      if (!this.#suits(seed.variant.podClass, state, row)) continue;
      const yields = this.#tryFill(state, row, seed) / this.#valuation.priceOf(state, row);
      if (yields > best.yields) best = { row, yields };
    }
    return best;
  }

  #suits({ requests }: { readonly requests: Requests }, state: State, row: number): boolean {
    const lean = leanOf(requests);
    if (lean < this.#heavyFrom) return true;
    const free = state.pool.fit.free[row]!;
    return (free[MEMORY] ?? 0) >= lean * SUITING * (free[CPU] ?? 0);
  }

  /** The value of the pods that a claim of this type could hold, without topology rules. */
  #tryFill(state: State, row: number, seed: Item): number {
    const { compiled, claims } = this.#run;
    const free = state.pool.fit.free[row]!;
    const groups: PodGroup[] = [];
    for (const kind of this.#kinds) {
      if (kind.pending === 0 || !this.#suits(kind, state, row)) continue;
      if (!staticTargets(compiled, kind.variant, state).some((target) => hasBit(target.rows, row))) continue;
      groups.push({
        shape: this.#shapes.of(kind.requests, free),
        left: kind.share - (kind === seed.kind ? 1 : 0),
      });
    }
    const trial = new TrialPlacement(free, claims.stride, groups);
    trial.take(seed.variant.podClass.requests);
    trial.fill();
    this.#budget.left -= trial.looks;
    return this.#valuation.worthOf(state, trial.used);
  }

  /** Places a pod with a required host affinity on the first claim that has such pods and room. */
  #joinAffinityGroup(item: Item): number {
    for (let claim = 0; claim < this.#run.claims.count; claim++) {
      if (this.#refuses(claim, item) !== undefined) continue;
      this.#put(item, claim, this.#found!);
      return claim;
    }
    return -1;
  }

  /** Adds pods to the claim while its type has room, the best fit first. */
  #stuff(claim: number): boolean {
    const { states } = this.#run.claims;
    this.#candidates[claim] ??= new Candidates(this.#kinds);
    const candidates = this.#candidates[claim];
    let progress = false;
    for (;;) {
      candidates.enter(states[claim]!);
      const item = this.#bestOn(claim, candidates);
      if (item === undefined) return progress;
      progress = true;
      this.#put(item, claim, this.#found!);
    }
  }

  /** The pod that fits best, of those that the claim takes; where is left in `#found`. */
  #bestOn(claim: number, candidates: Candidates): Item | undefined {
    const { claims } = this.#run;
    const free = claims.states[claim]!.pool.fit.free[claims.witnesses[claim]!]!;
    for (const candidate of candidates.byScore(this.#shapes, free, claims.amounts, claim * claims.stride)) {
      const item = candidate.find(this.#epoch, this.#puts, (each) => this.#refuses(claim, each));
      if (item !== undefined) return item;
    }
    return undefined;
  }

  /** Whether some pending pod would still fit, without topology rules. */
  #hasRoom(claim: number): boolean {
    return this.#kinds.some(({ pending, requests }) => pending > 0 && this.#score(claim, requests) >= 0);
  }

  #put(item: Item, claim: number, slot: Slot): void {
    this.#puts++;
    const pod = take(item);
    commit(this.#run, item.variant, pod, claim, slot);
    this.#run.placements[pod] = this.#first[pod];
  }

  /** Where a pod that was not refused goes. */
  #found: Slot | undefined;

  #refuses(claim: number, item: Item): Refusal | undefined {
    const run = this.#run;
    const { variant } = item;
    run.attempts++;
    this.#budget.left--;
    const { claims } = run;
    const state = claims.states[claim]!;
    const row = claims.witnesses[claim]!;
    claims.totalsWith(claim, variant.podClass.requests, run.totals);
    if (!state.pool.fit.rowFits(row, run.totals, 0, claims.stride)) return 'forever';
    if (variant.podClass.volumes.shared.length > 0) return 'forever';
    if (this.#picky && !this.#suits(variant.podClass, state, row)) return 'forever';
    const host = run.hostOfClaim(claim);
    if (brokenHostRule(variant.host, host) !== undefined) return 'forever';
    if (crowdedRule(run, variant, claim) !== undefined) return 'forever';
    if (requiredAffinityGroups(variant).some((group) => group.hostCount(host) === 0)) return 'now';
    const extras = claims.extras[claim];
    if (extras !== undefined && takenPort(variant.ports, extras.ports) !== undefined) return 'forever';
    if (this.#picky && !this.#pays(claim, item)) return 'now';
    const target = claimTargets(run, variant, claim).find(
      (open) => this.#keepsPrice(state, open, row) && spreadBrokenBy(run, open) === undefined,
    );
    if (target === undefined) return 'now';
    this.#found = { state: target, row, reservations: undefined, relaxed: false };
    return undefined;
  }

  /** A pod that narrows the claim must not make its type more expensive. */
  #keepsPrice(before: State, after: State, row: number): boolean {
    if (before === after) return true;
    if (!hasBit(after.rows, row)) return false;
    return this.#valuation.priceOf(after, row) <= this.#valuation.priceOf(before, row) * PRICE_TOLERANCE;
  }

  /** A pod that has a better value elsewhere is not placed on an expensive claim. */
  #pays(claim: number, item: Item): boolean {
    const { compiled, limits } = this.#run;
    const yields = this.#yields[claim]!;
    for (const pool of compiled.pools) {
      const template = limits.template(pool);
      const own = template === null ? undefined : targets(compiled, item.variant, template)[0];
      if (own === undefined) continue;
      let best = this.#bestYields.get(own);
      if (best === undefined) {
        best = this.#chooseRow(own, item).yields;
        this.#bestYields.set(own, best);
      }
      return yields >= best * YIELD_TOLERANCE;
    }
    return true;
  }

  #score(claim: number, requests: Requests): number {
    const { claims } = this.#run;
    const free = claims.states[claim]!.pool.fit.free[claims.witnesses[claim]!]!;
    return scoreOf(this.#shapes.of(requests, free), free, claims.amounts, claim * claims.stride);
  }
}

const MIN_LOOKS = 1_000;
/** Measured on benchmarks. */
const LOOKS_PER_POD_AND_KIND = 10;
/** A type suits memory-heavy pods when it has at least this share of their memory per cpu. */
const SUITING = 0.8;
/** Types of each memory per cpu that are tried before one is chosen. */
const ROWS_TRIED = 4;
/** A claim with less than this share of the best value is only for pods that need it. */
const YIELD_TOLERANCE = 0.97;
/** Sums of shares are not exact. */
const ROUNDING = 1e-9;
/** Claims that are kept open for more pods. */
const MAX_OPEN = 12;
/** The shadow prices of cpu and memory change slowly. */
const REPRICE_EVERY = 2;
/** Prices differ slightly between zones; a larger difference justifies a new claim. */
const PRICE_TOLERANCE = 1.02;
