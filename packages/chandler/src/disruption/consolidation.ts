/**
 * Consolidation: nodes are removed if their pods fit elsewhere, or on new nodes that cost strictly less. Several nodes at
 * once first, then one after the other. Any number of nodes may replace any number of nodes.
 *
 * The commands that save most now are not always those that leave the cheapest cluster. A command that launches several nodes
 * may leave nodes that can only be split later, and a set of nodes that is deleted together may keep a better set from
 * being found. So where such commands are found, the pass is planned in a second way too, and the cheaper plan is given.
 */

import { BalancedScores, type Score } from './balanced.ts';
import type { JudgedNode } from './candidates.ts';
import type { Attempt, Command, Replacement } from './command.ts';
import { bySavings } from './costs.ts';
import type { MethodName } from './methods.table.ts';
import type { Pass, PassState } from './pass.ts';
import { HOURS_PER_MONTH } from './pool-rules.ts';
import type { Rejection } from './rejection.ts';
import { cheaperReplacements } from './replacements.ts';
import type { Outcome } from './simulation.ts';
import type { Steps } from './steps.ts';

/** Nodes that are considered together. */
const MAX_NODES = 100;
/** Of a command that launches several nodes: a full cluster must not be turned over for cents. */
const MIN_SAVING_PERCENT = 5;
/** Per hour: sums of the same prices differ by less. */
const EQUAL = 1e-9;

/** What replaces nodes: the cheapest set of new nodes, or one new node where that is possible. */
type Search = 'cheapest' | 'one-first';

/** Both methods, in the search that gives the lower price; of equal ones in that which moves fewer pods. */
export function* consolidation(pass: Pass, began: (method: MethodName) => void): Steps {
  const start = pass.state;
  const run = function* (search: Search, several: boolean): Steps<Searched> {
    pass.restore(start);
    if (several) {
      began('multi-node');
      yield* multiNode(pass, search);
    }
    began('single-node');
    yield* singleNode(pass, search);
    const commands = pass.commands.slice(start.commands.length);
    return {
      commands,
      state: pass.state,
      savingPerHour: commands.reduce((sum, each) => sum + each.savingPerHour, 0),
      podsMoved: commands.reduce((sum, each) => sum + each.podsMoved, 0),
    };
  };
  const first = yield* run('cheapest', true);
  const launched = first.commands.map(({ replacements }) => replacements.length);
  const onlyDeletes = launched.every((count) => count === 0);
  const isSeveral = first.commands.some(({ method }) => method === 'multi-node');
  if (onlyDeletes ? !isSeveral : launched.every((count) => count <= 1)) return;
  const second = yield* onlyDeletes ? run('cheapest', false) : run('one-first', true);
  if (!isCheaper(second, first)) pass.restore(first.state);
}

/** The sets of nodes that are tried are the first ones in the order of savings. */
function* multiNode(pass: Pass, search: Search): Steps {
  const scores = new BalancedScores(pass.nodes);
  for (;;) {
    const sorted = [...pass.candidates('multi-node')].sort(bySavings);
    const candidates = pass.withinBudgets(sorted, 'multi-node').slice(0, MAX_NODES);
    if (pass.judgements.isFruitless(candidates)) return;
    let found: FoundMove | undefined;
    for (const replacing of searchesOf(pass, search))
      found ??= yield* bestPrefix(pass, candidates, scores, replacing);
    if (found === undefined) {
      pass.judgements.keepFruitless(candidates);
      return;
    }
    pass.give({ method: 'multi-node', ...found.move }, found.considered);
  }
}

/** In the order of savings, one NodePool after the other, so that no pool has to wait for another. */
function* singleNode(pass: Pass, search: Search): Steps {
  const scores = new BalancedScores(pass.nodes);
  const method: MethodName = 'single-node';
  for (const candidate of byTurns([...pass.candidates(method)].sort(bySavings))) {
    if (!pass.isFree(candidate, method) || pass.withinBudgets([candidate], method).length === 0) continue;
    yield;
    const known = scores.hopeless(candidate) ?? pass.judgements.known(candidate);
    const found = known ?? firstMove(pass, [candidate], scores, search);
    if (known === undefined && 'code' in found) pass.judgements.keep(candidate, found);
    if ('code' in found) pass.reject(candidate, method, found);
    else pass.give({ method, ...found });
  }
}

// ---------------------------------------------------------------------------------------------------

interface Searched {
  readonly commands: readonly Command[];
  readonly state: PassState;
  readonly savingPerHour: number;
  readonly podsMoved: number;
}

function isCheaper(one: Searched, other: Searched): boolean {
  const gain = one.savingPerHour - other.savingPerHour;
  return gain > EQUAL || (gain >= -EQUAL && one.podsMoved < other.podsMoved);
}

export interface Move {
  readonly candidates: readonly JudgedNode[];
  readonly replacements: readonly Replacement[];
  readonly destinations: Outcome['destinations'];
  readonly pendingPrice: number;
  readonly scores: readonly Score[];
}

/** How many nodes may replace those that are removed. */
export type Replacing = 'one' | 'any';

/** In this order; the first move that is worth it is made. */
function searchesOf({ options }: Pass, search: Search): readonly Replacing[] {
  if (options.maxReplacements === 1) return ['one'];
  return search === 'one-first' ? ['one', 'any'] : ['any'];
}

function firstMove(
  pass: Pass,
  candidates: readonly JudgedNode[],
  scores: BalancedScores,
  search: Search,
): Move | Rejection {
  const [first, ...others] = searchesOf(pass, search);
  let found = consolidate(pass, candidates, scores, first!);
  for (const replacing of others)
    if ('code' in found) found = consolidate(pass, candidates, scores, replacing);
  return found;
}

/** The move of these nodes, if it is worth it. */
export function consolidate(
  pass: Pass,
  candidates: readonly JudgedNode[],
  scores: BalancedScores,
  replacing: Replacing,
): Move | Rejection {
  const { prices, options, simulation } = pass;
  const outcome = simulation.without(candidates, {
    mode: 'consolidation',
    explain: candidates.length === 1,
    improveEffort: replacing === 'one' ? 0 : 1,
  });
  if ('code' in outcome) return outcome;
  const { replacements: claims, destinations, pendingPrice } = outcome;
  const { maxReplacements = Number.POSITIVE_INFINITY, spotToSpot = false } = options;
  const maximum = replacing === 'one' ? 1 : maxReplacements;
  if (claims.length > maximum) return { code: 'TooManyReplacements', replacements: claims.length, maximum };
  const price = candidates.reduce((sum, node) => sum + node.price, 0);
  const below = price - pendingPrice;
  if (pendingPrice > 0 && below <= 0) return { code: 'NotCheaper', price, replacementPrice: pendingPrice };
  const replacements =
    claims.length === 0 ? [] : cheaperReplacements(claims, candidates, prices, { spotToSpot, below });
  if ('code' in replacements) return replacements;
  const move = { candidates, replacements, destinations, pendingPrice };
  const savingPerHour = savingOf(move);
  if (replacements.length > 1 && savingPerHour < (price * MIN_SAVING_PERCENT) / 100)
    return { code: 'SmallSaving', price, savingPerHour, minimumPercent: MIN_SAVING_PERCENT };
  const rejected = belowThreshold(move, savingPerHour) ?? scores.rejects(candidates, savingPerHour);
  return rejected ?? { ...move, scores: scores.scores(candidates, savingPerHour) };
}

/** The first NodePool whose rules ask for a higher saving. Savings count for the command as a whole. */
function belowThreshold({ candidates }: Omit<Move, 'scores'>, savingPerHour: number): Rejection | undefined {
  const pods = movedBy(candidates);
  const pricePerMonth = candidates.reduce((sum, { price }) => sum + price, 0) * HOURS_PER_MONTH;
  const savingPerMonth = savingPerHour * HOURS_PER_MONTH;
  const asking = candidates.flatMap(({ rules, nodePool }) => {
    if (rules === undefined) return [];
    const share = (pricePerMonth * rules.minSavingPercent) / 100;
    const required = Math.max(rules.minSavingPerMonth, share, rules.costPerEvictedPod * pods);
    return savingPerMonth < required * (1 - 1e-9) ? [{ nodePool, requiredPerMonth: required }] : [];
  });
  return asking[0] === undefined ? undefined : { code: 'BelowThreshold', ...asking[0], savingPerMonth, pods };
}

interface FoundMove {
  readonly move: Move;
  readonly considered: readonly Attempt[];
}

/**
 * The set that saves most; of equal ones that which moves fewer pods. More nodes may be worth it where fewer are not (three
 * replaced by two), so a ladder of lengths is tried, and then the lengths between the best rung and the next.
 */
function* bestPrefix(
  pass: Pass,
  candidates: readonly JudgedNode[],
  scores: BalancedScores,
  replacing: Replacing,
): Steps<FoundMove | undefined> {
  const considered: Attempt[] = [];
  let best: Move | undefined;
  const dismiss = (nodes: readonly JudgedNode[], rejection: Rejection) =>
    considered.push({ nodes: nodes.map(({ name }) => name), rejection });
  /** Whether it is the best so far. */
  const attempt = (length: number): boolean => {
    const prefix = candidates.slice(0, length);
    const found = consolidate(pass, prefix, scores, replacing);
    if ('code' in found) {
      dismiss(prefix, found);
      return false;
    }
    const better = best === undefined || isBetter(found, best);
    const worse = better ? best : found;
    if (worse !== undefined) dismiss(worse.candidates, { code: 'SavesLess', savingPerHour: savingOf(worse) });
    if (better) best = found;
    return better;
  };
  const rungs = ladder(candidates.length);
  for (const length of rungs) {
    yield;
    attempt(length);
  }
  let low = (best as Move | undefined)?.candidates.length ?? candidates.length;
  let high = rungs.find((length) => length > low) ?? low;
  while (high - low > 1) {
    yield;
    const middle = Math.floor((low + high) / 2);
    if (attempt(middle)) low = middle;
    else high = middle;
  }
  return best === undefined ? undefined : { move: best, considered };
}

/** 2, 3, 4, 6, 8, 12, … and the last. */
function ladder(last: number): readonly number[] {
  const rungs: number[] = [];
  for (let power = 2; power < last; power *= 2) rungs.push(power, (power * 3) / 2);
  return [...rungs.filter((length) => length < last), ...(last >= 2 ? [last] : [])];
}

function isBetter(one: Move, other: Move): boolean {
  return (
    savingOf(one) > savingOf(other) ||
    (savingOf(one) === savingOf(other) && movedBy(one.candidates) < movedBy(other.candidates))
  );
}

function savingOf({ candidates, replacements, pendingPrice }: Omit<Move, 'scores'>): number {
  const before = candidates.reduce((sum, { price }) => sum + price, 0);
  return replacements.reduce((left, { cheapest }) => left - cheapest.price, before) - pendingPrice;
}

function movedBy(candidates: readonly JudgedNode[]): number {
  return candidates.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** The first of each pool, then the second of each, …; pools in the order of their first node. */
function byTurns(nodes: readonly JudgedNode[]): readonly JudgedNode[] {
  const pools = [...Map.groupBy(nodes, ({ nodePool }) => nodePool).values()];
  const longest = Math.max(0, ...pools.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) => pools.flatMap((pool) => pool[turn] ?? [])).flat();
}
