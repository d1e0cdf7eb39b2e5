/**
 * A second way to fill claims, optimised for price: choose the type with the best value, pick pods that use
 * it evenly, and only then open the next claim. Pods keep the preferences they had in the first plan, and
 * every constraint is checked in the same way; existing nodes keep their pods. The caller decides whether the
 * result is better.
 */
import { countBits, hasBit } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { CPU, MEMORY } from '../resources.ts';
import { commit, roomyRows, type Slot } from './claim-checks.ts';
import { claimTargets, crowdedRule } from './claim-targets.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { staticTargets, targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { scoreOf, TrialPlacement } from './pack-score.ts';
import type { Variant } from './pod-class.ts';
import { amountOf } from './queue.ts';
import type { Placement, Run } from './run.ts';
import type { State } from './states.ts';
import { TypeValuation } from './type-valuation.ts';

/** Pending pods of one variant. */
interface Item {
  readonly variant: Variant;
  /** Queue indexes, the next one last. */
  readonly pods: number[];
}

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
  const items = new Map<Variant, Item>();
  const onNodes: [variant: Variant, node: number][] = [];
  for (let index = 0; index < first.length; index++) {
    const placement = first[index];
    if (placement === undefined) continue;
    const { podClass } = run.queue[index]!;
    const variant = run.compiled.classes.variant(podClass, placement.relaxation)!;
    if (placement.node !== undefined) {
      const node = run.compiled.nodes.all[placement.node]!;
      run.space.add(node, index, podClass, variant.ports);
      run.counts.onNode(podClass, node.index, 1);
      onNodes.push([variant, node.index]);
      continue;
    }
    const item = items.get(variant);
    if (item === undefined) items.set(variant, { variant, pods: [index] });
    else item.pods.push(index);
  }
  const waiting = [...items.values()];
  for (const item of waiting) item.pods.reverse();
  const filled = new Packer(run, waiting, heavyShare, budget).fill();
  return filled && onNodes.every(([variant, node]) => stillHolds(run, variant, node));
}

// ---------------------------------------------------------------------------------------------------------------

/** Pods on existing nodes stay, but their spread or affinity may have depended on where other pods were. */
function stillHolds({ compiled }: Run, { domainRules }: Variant, node: number): boolean {
  return domainRules.every(({ group, self, podDomains, onlyDecides }) => {
    const { kind, key, maxSkew } = group.spec;
    const value = compiled.nodes.value(node, key);
    if (onlyDecides || value < 0) return true;
    const count = group.count(value);
    if (kind === 'spread') return count - group.minimum(compiled.algebra, podDomains) <= maxSkew;
    const others = count - (self ? 1 : 0);
    return kind !== 'affinity' || others > 0 || (self && group.total === 1);
  });
}

class Packer {
  readonly #run: Run;
  readonly #budget: Budget;
  #items: Item[];
  readonly #valuation: TypeValuation;
  /** Claims that may still take pods, oldest first. */
  #open: number[] = [];
  #picky = true;
  /** Pods with more memory per cpu than this go to memory-optimised types. */
  readonly #heavyFrom: number;
  /** By claim: the value of pods per price when it was opened. */
  readonly #yields: number[] = [];
  /** By state of a new claim: the best value per price there. */
  readonly #bestYields = new Map<State, number>();

  constructor(run: Run, items: Item[], heavyShare: number, budget: Budget) {
    this.#run = run;
    this.#budget = budget;
    this.#items = items;
    this.#heavyFrom = heavyThreshold(items, heavyShare);
    this.#valuation = new TypeValuation(run);
  }

  /**
   * Pods with domain rules come first and get claims in their domains; then the other pods fill the free
   * resources of these claims, which costs nothing; then they get claims of their own.
   */
  fill(): boolean {
    const all = this.#items;
    this.#items = all.filter(({ variant }) => variant.domainRules.length > 0);
    if (!this.#openAll()) return false;
    this.#items = all.filter(({ pods }) => pods.length > 0);
    this.#picky = false;
    for (let claim = 0; claim < this.#run.claims.count; claim++) this.#stuff(claim);
    this.#picky = true;
    this.#items = all.filter(({ pods }) => pods.length > 0);
    return this.#openAll();
  }

  #openAll(): boolean {
    for (let opened = 0; this.#items.length > 0; opened++) {
      if (opened % REPRICE_EVERY === 0) this.#reprice();
      const claim = this.#openFor(this.#items[0]!);
      if (claim < 0 || this.#budget.left < 0) return false;
      if (!this.#open.includes(claim)) this.#open.push(claim);
      this.#stuffAll();
      this.#items = this.#items.filter((item) => item.pods.length > 0);
    }
    return true;
  }

  #reprice(): void {
    const demands = this.#items.map(({ variant, pods }) => ({
      requests: variant.podClass.requests,
      count: pods.length,
    }));
    this.#valuation.demand(demands);
    this.#bestYields.clear();
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
      for (const state of targets(run.compiled, variant, template)) {
        const { row, yields } = this.#chooseRow(state, variant);
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
  #chooseRow(state: State, seed: Variant): { row: number; yields: number } {
    totalsOfPod(this.#run, seed);
    const rows = this.#valuation.bestRows(state, this.#run.totals, ROWS_TRIED);
    let best = { row: rows[0] ?? -1, yields: 0 };
    for (const row of rows) {
      if (!this.#suits(seed, state, row)) continue;
      const yields = this.#tryFill(state, row, seed) / this.#valuation.priceOf(state, row);
      if (yields > best.yields) best = { row, yields };
    }
    return best;
  }

  #suits(variant: Variant, state: State, row: number): boolean {
    const lean = leanOf(variant);
    if (lean < this.#heavyFrom) return true;
    const free = state.pool.fit.free[row]!;
    return (free[MEMORY] ?? 0) >= lean * SUITING * (free[CPU] ?? 0);
  }

  /** The value of the pods that a claim of this type could hold, without topology rules. */
  #tryFill(state: State, row: number, seed: Variant): number {
    const { compiled, claims } = this.#run;
    const eligible = this.#items.filter(
      ({ variant }) =>
        this.#suits(variant, state, row) &&
        staticTargets(compiled, variant, state).some((target) => hasBit(target.rows, row)),
    );
    const podGroups = eligible.map(({ variant, pods }) => ({
      requests: variant.podClass.requests,
      count: Math.ceil(pods.length / domainsOf(variant)) - (variant === seed ? 1 : 0),
    }));
    const trial = new TrialPlacement(state.pool.fit.free[row]!, claims.stride, podGroups);
    trial.take(seed.podClass.requests);
    trial.fill();
    this.#budget.left -= trial.looks;
    return this.#valuation.worthOf(state, trial.used);
  }

  /** Places a pod with a required host affinity on the first claim that has such pods and room. */
  #joinAffinityGroup(item: Item): number {
    for (let claim = 0; claim < this.#run.claims.count; claim++) {
      const slot = this.#slotOn(claim, item.variant);
      if (slot === undefined) continue;
      this.#put(item, claim, slot);
      return claim;
    }
    return -1;
  }

  /** Adds pods to the claim while its type has room, the best fit first. */
  #stuff(claim: number): boolean {
    const { claims } = this.#run;
    let candidates = this.#items;
    let progress = false;
    for (;;) {
      let best: { item: Item; slot: Slot; score: number } | undefined;
      const still: Item[] = [];
      for (const item of candidates) {
        if (item.pods.length === 0) continue;
        const slot = this.#slotOn(claim, item.variant);
        if (slot === undefined) continue;
        still.push(item);
        const score = this.#score(claim, item.variant);
        if (best === undefined || score > best.score) best = { item, slot, score };
      }
      if (best === undefined) return progress;
      progress = true;
      const before = claims.states[claim];
      this.#put(best.item, claim, best.slot);
      // In a narrower state other pods may have become possible, by affinity or by label.
      candidates = claims.states[claim] === before ? still : this.#items;
    }
  }

  /** Whether some pending pod would still fit, without topology rules. */
  #hasRoom(claim: number): boolean {
    return this.#items.some(({ variant, pods }) => pods.length > 0 && this.#score(claim, variant) >= 0);
  }

  #put(item: Item, claim: number, slot: Slot): void {
    commit(this.#run, item.variant, item.pods.pop()!, claim, slot);
  }

  #slotOn(claim: number, variant: Variant): Slot | undefined {
    const run = this.#run;
    run.attempts++;
    const { claims } = run;
    const state = claims.states[claim]!;
    const row = claims.witnesses[claim]!;
    claims.totalsWith(claim, variant.podClass.requests, run.totals);
    if (!state.pool.fit.rowFits(row, run.totals, 0, claims.stride)) return undefined;
    if (variant.podClass.volumes.shared.length > 0) return undefined;
    if (this.#picky && !this.#suits(variant, state, row)) return undefined;
    const host = run.hostOfClaim(claim);
    if (brokenHostRule(variant.host, host) !== undefined) return undefined;
    if (crowdedRule(run, variant, claim) !== undefined) return undefined;
    if (requiredAffinityGroups(variant).some((group) => group.hostCount(host) === 0)) return undefined;
    const extras = claims.extras[claim];
    if (extras !== undefined && takenPort(variant.ports, extras.ports) !== undefined) return undefined;
    if (this.#picky && !this.#pays(claim, variant)) return undefined;
    const target = claimTargets(run, variant, claim).find((open) => this.#keepsPrice(state, open, row));
    return target === undefined ? undefined : { state: target, row, reservations: undefined, relaxed: false };
  }

  /** A pod that narrows the claim must not make its type more expensive. */
  #keepsPrice(before: State, after: State, row: number): boolean {
    if (before === after) return true;
    if (!hasBit(after.rows, row)) return false;
    return this.#valuation.priceOf(after, row) <= this.#valuation.priceOf(before, row) * PRICE_TOLERANCE;
  }

  /** A pod that has a better value elsewhere is not placed on an expensive claim. */
  #pays(claim: number, variant: Variant): boolean {
    const { compiled, limits } = this.#run;
    const yields = this.#yields[claim]!;
    for (const pool of compiled.pools) {
      const template = limits.template(pool);
      const own = template === null ? undefined : targets(compiled, variant, template)[0];
      if (own === undefined) continue;
      let best = this.#bestYields.get(own);
      if (best === undefined) {
        best = this.#chooseRow(own, variant).yields;
        this.#bestYields.set(own, best);
      }
      return yields >= best * YIELD_TOLERANCE;
    }
    return true;
  }

  #score(claim: number, variant: Variant): number {
    const { claims } = this.#run;
    const free = claims.states[claim]!.pool.fit.free[claims.witnesses[claim]!]!;
    return scoreOf(variant.podClass.requests, free, claims.amounts, claim * claims.stride);
  }
}

/** Memory per cpu. */
function leanOf({ podClass }: Variant): number {
  return amountOf(podClass.requests, MEMORY) / Math.max(1, amountOf(podClass.requests, CPU));
}

/** The memory per cpu above which pods are memory-heavy, so that they have this share of the memory. */
function heavyThreshold(items: readonly Item[], share: number): number {
  const memory = ({ variant, pods }: Item) => amountOf(variant.podClass.requests, MEMORY) * pods.length;
  const sorted = [...items].sort((first, second) => leanOf(second.variant) - leanOf(first.variant));
  let rest = share * items.reduce((sum, item) => sum + memory(item), 0);
  let threshold = Number.POSITIVE_INFINITY;
  for (const item of sorted) {
    rest -= memory(item);
    if (rest < 0) break;
    threshold = leanOf(item.variant);
  }
  return threshold;
}

/** The number of domains that the pods spread over; one claim gets at most its share. */
function domainsOf({ domainRules }: Variant): number {
  const spread = domainRules.find(({ group }) => group.spec.kind === 'spread');
  return spread === undefined ? 1 : Math.max(1, countBits(spread.group.known));
}

/** A type suits memory-heavy pods when it has at least this share of their memory per cpu. */
const SUITING = 0.8;
/** Types of each memory per cpu that are tried before one is chosen. */
const ROWS_TRIED = 4;
/** A claim with less than this share of the best value is only for pods that need it. */
const YIELD_TOLERANCE = 0.97;
/** Claims that are kept open for more pods. */
const MAX_OPEN = 64;
/** The shadow prices of cpu and memory change slowly. */
const REPRICE_EVERY = 2;
/** Prices differ slightly between zones; a larger difference justifies a new claim. */
const PRICE_TOLERANCE = 1.02;
