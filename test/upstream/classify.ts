/**
 * Which class a cluster is in, and for which reason. Decides from what both sides made of it; `judge.ts` finds that out.
 * Upstream is represented by its best plan that breaks no rule, or by its best plan when all break one.
 */
import type { Class, Reason } from './classes.table.ts';

/** One plan, as far as it is compared. */
export interface Outcome {
  readonly placed: number;
  /** Per hour. */
  readonly price: number;
  /** Rules that the plan breaks when every claim gets its cheapest offering. */
  readonly broken: readonly string[];
  /** Rules that it breaks only when the cloud chooses another offering. */
  readonly mayBreak: readonly string[];
  /** Pods that stay pending when kube-scheduler binds the pods in the order in which they were planned. */
  readonly stuckInOrder: readonly string[];
  /** Spreads that would not hold if every domain that new nodes can be in had a node. Only asked for where it decides. */
  readonly unevenOverAll?: readonly string[];
  /** How many preferences of placed pods are not satisfied. */
  readonly preferencesMissed: number;
}

export interface Trial {
  readonly ours: Outcome;
  /** At least one. */
  readonly upstream: readonly Outcome[];
  /** The price of our plan without improvement. */
  readonly firstPrice: number;
  /** What upstream says about pods that it refuses and we place. */
  readonly refusedByUpstream: readonly string[];
  /** What we say about pods that we refuse and upstream places. */
  readonly refusedByUs: readonly string[];
}

export interface Finding {
  readonly class: Class;
  readonly reason: Reason;
}

export function classify(trial: Trial): Finding {
  const { ours } = trial;
  if (ours.broken.length + ours.mayBreak.length > 0) return { class: 'wrong', reason: 'rule broken' };
  const upstream = bestOf(trial.upstream);
  if (ours.placed > upstream.placed) return { class: 'more placed', reason: whyMorePlaced(trial) };
  if (ours.placed < upstream.placed) return { class: 'fewer placed', reason: whyWorse(trial) };
  if (samePrice(ours.price, upstream.price)) return { class: 'equal', reason: 'same' };
  if (ours.price < upstream.price) return { class: 'cheaper', reason: whyCheaper(trial, upstream) };
  return { class: 'more expensive', reason: whyWorse(trial) };
}

/** The plan that ours is compared with: sound before unsound, then most pods, then the lowest price. */
export function bestOf(outcomes: readonly Outcome[]): Outcome {
  return bestFirst(outcomes)[0]!;
}

/** The median of those that break no rule, the better one of two. All plans count, also equal ones. */
export function typicalOf(outcomes: readonly Outcome[]): Outcome {
  const sound = outcomes.filter((outcome) => soundness(outcome) === 0);
  const sorted = bestFirst(sound.length > 0 ? sound : outcomes);
  return sorted[Math.floor((sorted.length - 1) / 2)]!;
}

/** Whether the best of upstream's plans may owe its pods to the order of Go's maps: others of the same cluster may place fewer. */
export function mayBeLuck(finding: Finding): boolean {
  return finding.class === 'fewer placed' && OF_ANOTHER_ORDER.has(finding.reason);
}

export function samePrice(left: number, right: number): boolean {
  return Math.abs(left - right) <= 1e-9 * Math.max(1, Math.abs(left), Math.abs(right));
}

// ---------------------------------------------------------------------------------------------------

/** It breaks no rule, and needs nothing that is by chance. */
const OF_ANOTHER_ORDER: ReadonlySet<Reason> = new Set([
  'order of ties',
  'limits used up',
  'next to another pod',
  'unexplained',
]);

function bestFirst(outcomes: readonly Outcome[]): Outcome[] {
  return [...outcomes].sort(
    (left, right) =>
      soundness(left) - soundness(right) || right.placed - left.placed || left.price - right.price,
  );
}

/** 0 when no rule can be broken. */
function soundness({ broken, mayBreak }: Outcome): number {
  if (broken.length > 0) return 2;
  return mayBreak.length > 0 ? 1 : 0;
}

function whyWorse({ ours, upstream, refusedByUs }: Trial): Reason {
  const best = bestOf(upstream);
  if (soundness(best) === 2) return 'upstream breaks a rule';
  if (soundness(best) === 1) return 'upstream may break a rule';
  const sound = upstream.filter((outcome) => soundness(outcome) === 0);
  if (sound.some((other) => isNotWorse(ours, other))) return 'order of ties';
  if (sound.every(({ stuckInOrder }) => stuckInOrder.length > 0)) return 'upstream needs another order';
  if (sound.every(({ unevenOverAll = [] }) => unevenOverAll.length > 0)) return 'domain without nodes';
  if (ours.placed === best.placed && ours.preferencesMissed < best.preferencesMissed)
    return 'preferences kept';
  return ours.placed < best.placed ? whyRefused(refusedByUs) : 'unexplained';
}

/** Another order of the pods would have been better; `summary.ts` limits how often. */
function whyRefused(texts: readonly string[]): Reason {
  if (texts.some((text) => /exceed limits for nodepool/.test(text))) return 'limits used up';
  if (texts.some((text) => /pod affinity, key=kubernetes\.io\/hostname/.test(text)))
    return 'next to another pod';
  return 'unexplained';
}

function isNotWorse(ours: Outcome, other: Outcome): boolean {
  if (ours.placed !== other.placed) return ours.placed > other.placed;
  return ours.price <= other.price || samePrice(ours.price, other.price);
}

function whyCheaper({ firstPrice }: Trial, upstream: Outcome): Reason {
  return firstPrice < upstream.price && !samePrice(firstPrice, upstream.price) ? 'first plan' : 'repacked';
}

/** What upstream says about the pods, most telling first. */
const PHRASES: readonly (readonly [RegExp, Reason])[] = [
  [/^ignored: /, 'rejected by validation'],
  [/pod anti-affinity/, 'domain decided'],
  [/topology/, 'next domain'],
  [/limits/, 'limits of a pool'],
  [/instance type|incompatible requirements|minValues|volume/, 'other types'],
];

function whyMorePlaced({ refusedByUpstream }: Trial): Reason {
  for (const [phrase, reason] of PHRASES) {
    if (refusedByUpstream.some((text) => phrase.test(text))) return reason;
  }
  return 'unexplained';
}
