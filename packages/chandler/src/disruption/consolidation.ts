/**
 * Consolidation: nodes are removed if their pods fit elsewhere, or on new nodes that cost strictly less. Several nodes at
 * once first, then one after the other. Any number of nodes may replace any number of nodes, if that saves much: kube-scheduler
 * does not place the pods as planned, so of several full nodes some pods are left over. Otherwise one node replaces them.
 *
 * A set of nodes that is removed together may keep a better one from being found, and so may a node that receives pods and
 * therefore stays. So the pass is also planned one node after the other, and in a way that keeps the nodes free that could leave
 * together. The cheapest plan is given.
 */

import type { Steps } from '../scheduling/index.ts';
import { BalancedScores, type Score } from './balanced.ts';
import { type JudgedNode, nameOf } from './candidates.ts';
import type { Attempt, Command, Replacement } from './command.ts';
import { bySavings } from './costs.ts';
import { leavingTogether, type Rooms, roomsOf } from './leaving-nodes.ts';
import type { MethodName } from './methods.table.ts';
import type { Pass, PassState } from './pass.ts';
import { HOURS_PER_MONTH } from './pool-rules.ts';
import type { Rejection, RejectionCode } from './rejection.ts';
import { cheaperReplacements } from './replacements.ts';
import { fitWhenScattered } from './scattered.ts';
import type { Outcome } from './simulation.ts';
import { nodesWithinMaxSurges } from './surge.ts';

/** Nodes that are considered together. */
const MAX_NODES = 100;
/** Of a command that launches several nodes: what is left over of their pods must not cost what it saves. */
const MIN_SAVING_PERCENT = 15;
/**
 * Of what pods request, the room that is left over where nodes leave together: pods do not fill nodes to the end, and large ones less
 * than small ones. One plan for each.
 */
const SPARE_PERCENTS = [10, 5];
/** Per hour: sums of the same prices differ by less. */
const EQUAL = 1e-9;

export function* consolidation(pass: Pass, began: (method: MethodName) => void): Steps {
  const start = pass.state;
  began('multi-node');
  yield* multiNode(pass);
  began('single-node');
  yield* singleNode(pass);
  let best = givenSince(pass, start);
  if (best.commands.length === 0) return;
  if (best.commands.some(({ method }) => method === 'multi-node')) {
    pass.restore(start);
    yield* singleNode(pass);
    best = cheaper(givenSince(pass, start), best);
  }
  const rooms = yield* roomsOf(pass.nodes);
  let before: readonly JudgedNode[] = [];
  for (const spare of SPARE_PERCENTS) {
    yield;
    pass.restore(start);
    const leaving = leavingNodes(pass, rooms, spare);
    if (leaving.length < 2 || isEqual(leaving, before) || !couldSave(pass, leaving, spare, best)) continue;
    before = leaving;
    yield* leavingFirst(pass, leaving);
    best = cheaper(givenSince(pass, start), best);
  }
  pass.restore(best.state);
}

/** The sets of nodes that are tried are the first ones in the order of savings. */
function* multiNode(pass: Pass): Steps {
  const scores = new BalancedScores(pass.nodes);
  while (!pass.isFull) {
    const sorted = [...pass.candidates('multi-node')].sort(bySavings);
    const allowed = pass.withinBudgets(sorted, 'multi-node').slice(0, MAX_NODES);
    const candidates = nodesWithinMaxSurges(allowed);
    if (pass.judgements.isFruitless(candidates)) return;
    const { move, considered, held } = yield* bestPrefix(pass, candidates, scores);
    if (move === undefined) {
      for (const node of held?.nodes ?? []) pass.reject(node, 'multi-node', held!.rejection);
      // What is held is tried again, though nothing else changes.
      if (held === undefined) pass.judgements.keepFruitless(candidates);
      return;
    }
    pass.give({ method: 'multi-node', ...move }, considered);
  }
}

/** In the order of savings, one NodePool after the other, so that no pool has to wait for another. */
function* singleNode(pass: Pass): Steps {
  const scores = new BalancedScores(pass.nodes);
  const method: MethodName = 'single-node';
  for (const candidate of byTurns([...pass.candidates(method)].sort(bySavings))) {
    if (!pass.isFree(candidate, method) || pass.withinBudgets([candidate], method).length === 0) continue;
    if (pass.isFull) {
      pass.leaveForNext(candidate, method);
      continue;
    }
    yield;
    const known = scores.hopeless(candidate) ?? pass.judgements.known(candidate);
    if (known === undefined) yield* pass.simulation.ready('consolidation');
    const found = known ?? consolidate(pass, [candidate], scores);
    if (known === undefined && 'code' in found) pass.judgements.keep(candidate, found);
    const rejection = 'code' in found ? found : pass.held(found.replacements ?? []);
    if (rejection !== undefined) pass.reject(candidate, method, rejection);
    else if (!('code' in found)) pass.give({ method, ...found });
  }
}

/** The candidates that could leave together. */
function leavingNodes(pass: Pass, rooms: Rooms, sparePercent: number): readonly JudgedNode[] {
  const method: MethodName = 'single-node';
  const candidates = pass.withinBudgets([...pass.candidates(method)].sort(bySavings), method);
  const staying = pass.nodes.filter(({ name }) => pass.commandFor(name) === undefined);
  return leavingTogether(candidates, staying, sparePercent, rooms);
}

/**
 * One node after the other, too, but first those that could leave together are deleted, as far as their pods fit on the others. Then
 * pods move to any node, or to new ones.
 */
function* leavingFirst(pass: Pass, leaving: readonly JudgedNode[]): Steps {
  const scores = new BalancedScores(pass.nodes);
  const method: MethodName = 'single-node';
  const keptFree = leaving.map(({ name }) => name);
  pass.simulation.keepFree(keptFree);
  for (const candidate of byTurns(leaving)) {
    if (pass.isFull) break;
    if (!pass.isFree(candidate, method) || pass.withinBudgets([candidate], method).length === 0) continue;
    yield;
    if (scores.hopeless(candidate) !== undefined) continue;
    yield* pass.simulation.ready('consolidation');
    const found = moveOf(pass, [candidate], scores, 'one');
    if (!('code' in found) && found.replacements.length === 0) pass.give({ method, ...found, keptFree });
  }
  pass.simulation.keepFree([]);
  yield* singleNode(pass);
}

// ---------------------------------------------------------------------------------------------------

/** The commands of one way to plan. */
interface Given {
  readonly commands: readonly Command[];
  readonly state: PassState;
  readonly savingPerHour: number;
  readonly podsMoved: number;
}

function givenSince({ state }: Pass, start: PassState): Given {
  const commands = state.commands.slice(start.commands.length);
  return {
    commands,
    state,
    savingPerHour: commands.reduce((sum, each) => sum + each.savingPerHour, 0),
    podsMoved: commands.reduce((sum, each) => sum + each.podsMoved, 0),
  };
}

/** Of plans that save the same, the one that removes more nodes without a price, then the one that moves fewer pods. Never one without commands. */
function cheaper(one: Given, other: Given): Given {
  if (one.commands.length === 0) return other;
  const gain = one.savingPerHour - other.savingPerHour;
  if (Math.abs(gain) > EQUAL) return gain > 0 ? one : other;
  const more = unpricedIn(one) - unpricedIn(other);
  if (more !== 0) return more > 0 ? one : other;
  return one.podsMoved < other.podsMoved ? one : other;
}

/** How many nodes it removes whose price is not known or next to nothing: they save nothing, and should not stay for that. */
function unpricedIn({ commands }: Given): number {
  return commands.flatMap(({ candidates }) => candidates).filter(({ price }) => price <= EQUAL).length;
}

/**
 * Whether more could be saved by first deleting these nodes, of which the best plan does not delete all. Then the other nodes have little
 * room left, and about the half of it is of no use: pods do not fill nodes to the end. Replacements save what they do now.
 */
function couldSave(pass: Pass, leaving: readonly JudgedNode[], sparePercent: number, best: Given): boolean {
  const launching = best.commands.filter(({ replacements }) => replacements.length > 0);
  const savedBy = savingsOf(launching);
  if (leaving.every(({ name }) => best.state.commandOf.has(name) && !savedBy.has(name))) return false;
  const removed = new Set(leaving.map(({ name }) => name));
  const staying = pass.nodes.filter(({ name }) => !removed.has(name) && pass.commandFor(name) === undefined);
  const replaced = staying.reduce((sum, { name }) => sum + (savedBy.get(name) ?? 0), 0);
  const room = (priceOf(staying) * sparePercent) / 100;
  return priceOf(leaving) + replaced + room / 2 > best.savingPerHour;
}

function priceOf(nodes: readonly JudgedNode[]): number {
  return nodes.reduce((sum, { price }) => sum + price, 0);
}

/** By node, its share of what its command saves. */
function savingsOf(commands: readonly Command[]): ReadonlyMap<string, number> {
  return new Map(
    commands.flatMap(({ candidates, savingPerHour, priceBefore }) => {
      const share = priceBefore > 0 ? savingPerHour / priceBefore : 0;
      return candidates.map(({ name, price }) => [name, price * share] as const);
    }),
  );
}

function isEqual(one: readonly JudgedNode[], other: readonly JudgedNode[]): boolean {
  return one.length === other.length && one.every((node, at) => node === other[at]);
}

export interface Move {
  readonly candidates: readonly JudgedNode[];
  readonly replacements: readonly Replacement[];
  readonly destinations: Outcome['destinations'];
  readonly pendingPrice: number;
  readonly scores: readonly Score[];
}

/** The move of these nodes, if it is worth it: with any number of new nodes, else with one. */
export function consolidate(
  pass: Pass,
  candidates: readonly JudgedNode[],
  scores: BalancedScores,
): Move | Rejection {
  if (pass.options.maxReplacements === 1) return moveOf(pass, candidates, scores, 'one');
  const any = moveOf(pass, candidates, scores, 'any');
  if (!('code' in any) || !LAUNCHES_SEVERAL.has(any.code)) return any;
  const one = moveOf(pass, candidates, scores, 'one');
  return 'code' in one ? any : one;
}

/** The rejections of a move because it would launch several nodes. */
const LAUNCHES_SEVERAL: ReadonlySet<RejectionCode> = new Set([
  'SmallSaving',
  'TooManyReplacements',
  'NeedsExactPlacement',
]);

/** How many nodes may replace those that are removed. */
export type Replacing = 'one' | 'any';

export function moveOf(
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
  if (replacements.length > 1) {
    const pods = new Map(candidates.flatMap((node) => node.pods.map((pod) => [nameOf(pod), pod] as const)));
    if (!fitWhenScattered(replacements, (pool, type) => prices.typesOf(pool)?.get(type), pods))
      return { code: 'NeedsExactPlacement', replacements: replacements.length };
  }
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

interface Search {
  readonly move: Move | undefined;
  readonly considered: readonly Attempt[];
  /** The largest set whose replacements cannot be launched now. */
  readonly held: { readonly nodes: readonly JudgedNode[]; readonly rejection: Rejection } | undefined;
}

/**
 * The set that saves most; of equal ones that which moves fewer pods. More nodes may be worth it where fewer are not (three
 * replaced by two), so a ladder of lengths is tried, and then the lengths between the best rung and the next.
 */
function* bestPrefix(pass: Pass, candidates: readonly JudgedNode[], scores: BalancedScores): Steps<Search> {
  const considered: Attempt[] = [];
  let best: Move | undefined;
  let held: Search['held'];
  const dismiss = (nodes: readonly JudgedNode[], rejection: Rejection) =>
    considered.push({ nodes: nodes.map(({ name }) => name), rejection });
  /** Whether it is the best so far. */
  const attempt = (length: number): boolean => {
    const prefix = candidates.slice(0, length);
    const found = consolidate(pass, prefix, scores);
    const rejection = 'code' in found ? undefined : pass.held(found.replacements);
    if (rejection !== undefined && length > (held?.nodes.length ?? 0)) held = { nodes: prefix, rejection };
    if (rejection !== undefined || 'code' in found) {
      dismiss(prefix, rejection ?? (found as Rejection));
      return false;
    }
    const better = best === undefined || isBetter(found, best);
    const worse = better ? best : found;
    if (worse !== undefined) dismiss(worse.candidates, { code: 'SavesLess', savingPerHour: savingOf(worse) });
    if (better) best = found;
    return better;
  };
  const rungs = ladder(candidates.length);
  if (rungs.length > 0) yield* pass.simulation.ready('consolidation');
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
  return { move: best, considered, held };
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
