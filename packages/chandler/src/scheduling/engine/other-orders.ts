/**
 * Other orders in which a batch may be placed. The first plan places pods greedily, largest first: which pods come first
 * decides which domains, claims and limits are left for the others. Trying a few orders finds plans that refuse fewer
 * pods or cost less. `solve.ts` compares the plans.
 */
import { countBits } from '../bits.ts';
import { CPU, MEMORY } from '../resources.ts';
import type { Compiled } from './compiled.ts';
import { fraction } from './fraction.ts';
import { staticTargets } from './narrowing.ts';
import type { PodClass } from './pod-class.ts';
import { amountOf, type QueuedPod } from './queue.ts';

/** The same orders for the same queue and snapshot. With priorities, pods of higher priority stay first. */
export function* otherOrders(
  compiled: Compiled,
  queue: readonly QueuedPod[],
  count: number,
): Generator<readonly QueuedPod[]> {
  const kinds = kindsOf(compiled, queue);
  const byPriority = compiled.options.priorityOrder;
  for (let at = 0; at < count; at++) yield ordered(kinds, byPriority, ORDERS[at] ?? blurredSize(at));
}

/** Orders that mix the kinds, for batches with refused pods: the kinds take turns, or the size of each pod is varied. */
export function mixedOrders(compiled: Compiled, queue: readonly QueuedPod[]): (readonly QueuedPod[])[] {
  const kinds = kindsOf(compiled, queue);
  const ranks: readonly Rank[] = [({ nth }) => -nth, ...[1, 2, 3].map(mixedSize)];
  return ranks.map((rank) => ordered(kinds, compiled.options.priorityOrder, rank));
}

/** An endless supply of orders: the natural ones again and again, and between them ever new ones in which sizes are varied. */
export function* furtherOrders(
  compiled: Compiled,
  queue: readonly QueuedPod[],
): Generator<readonly QueuedPod[], never> {
  const kinds = kindsOf(compiled, queue);
  const byPriority = compiled.options.priorityOrder;
  const natural = [queue, ...ORDERS.map((rank) => ordered(kinds, byPriority, rank))];
  for (let at = 0; ; at++) {
    yield natural[at % natural.length]!;
    yield ordered(kinds, byPriority, mixedSize(at + FIRST_FURTHER));
  }
}

/** `mixedOrders` has those before. */
const FIRST_FURTHER = 4;

/** The classes of refused pods first, of which others may have taken the place. @param refused indexes of the queue. */
export function refusedFirst(
  compiled: Compiled,
  queue: readonly QueuedPod[],
  refused: readonly number[],
): readonly QueuedPod[] {
  const classes = new Set(refused.map((index) => queue[index]!.podClass));
  return ordered(kindsOf(compiled, queue), compiled.options.priorityOrder, ({ queued }) =>
    classes.has(queued.podClass) ? 1 : 0,
  );
}

/** The pods of one class last, which may take the place of more pods of others. @param which any number. */
export function oneClassLast(
  compiled: Compiled,
  queue: readonly QueuedPod[],
  which: number,
): readonly QueuedPod[] {
  const classes = [...new Set(queue.map(({ podClass }) => podClass))];
  const last = classes[which % classes.length];
  return ordered(kindsOf(compiled, queue), compiled.options.priorityOrder, ({ queued }) =>
    queued.podClass === last ? 0 : 1,
  );
}

// ---------------------------------------------------------------------------------------------------------------

/** A pod of the queue. Kinds and pods are numbered by the queue, so that the numbers depend on nothing else. */
interface Ranked {
  readonly queued: QueuedPod;
  readonly index: number;
  readonly kind: number;
  /** Which pod of its kind. */
  readonly nth: number;
  /** How many rows of the catalogues a new node for the pod could have, without regard to other pods. */
  readonly choices: number;
}

/** A higher rank is placed first; equal ones stay in the order of the queue. */
type Rank = (ranked: Ranked) => number;

const ORDERS: readonly Rank[] = [
  // Pods with few types to choose from, or with none but the nodes that exist.
  ({ choices }) => -choices,
  // Pods that must be near or away from others are placed while there is still a choice.
  ({ queued }) => ruleCount(queued),
  // All pods of a kind at once.
  ({ kind }) => -kind,
  ({ queued }) => amountOf(queued.podClass.requests, MEMORY),
  // The smallest first: when a limit allows only some of the pods, more of them.
  ({ queued }) => -cpuOf(queued),
];

function kindsOf(compiled: Compiled, queue: readonly QueuedPod[]): readonly Ranked[] {
  const kinds = new Map<PodClass, { readonly kind: number; readonly choices: number; count: number }>();
  return queue.map((queued, index) => {
    const { podClass } = queued;
    let known = kinds.get(podClass);
    if (known === undefined) {
      known = { kind: kinds.size, choices: choicesOf(compiled, podClass), count: 0 };
      kinds.set(podClass, known);
    }
    const { kind, choices } = known;
    return { queued, index, kind, choices, nth: known.count++ };
  });
}

function choicesOf(compiled: Compiled, podClass: PodClass): number {
  const variant = compiled.classes.variant(podClass, 0);
  if (podClass.problem !== null || variant === undefined) return 0;
  let rows = 0;
  for (const template of compiled.templates) {
    if (template === null) continue;
    const found = staticTargets(compiled, variant, template);
    rows += Math.max(0, ...found.map((state) => countBits(state.rows)));
  }
  return rows;
}

function ordered(pods: readonly Ranked[], byPriority: boolean, rank: Rank): readonly QueuedPod[] {
  const priorityOf = ({ queued }: Ranked) => (byPriority ? (queued.pod.spec.priority ?? 0) : 0);
  return [...pods]
    .sort(
      (first, second) =>
        priorityOf(second) - priorityOf(first) || rank(second) - rank(first) || first.index - second.index,
    )
    .map(({ queued }) => queued);
}

/** Largest first, with each kind taken for up to a third larger or smaller than it is. */
function blurredSize(seed: number): Rank {
  return ({ queued, kind }) => cpuOf(queued) * (0.67 + 0.66 * fraction(seed, kind));
}

/** As blurred, but for each pod. */
function mixedSize(seed: number): Rank {
  return ({ queued, index }) => cpuOf(queued) * (0.5 + fraction(seed, index));
}

function cpuOf({ podClass }: QueuedPod): number {
  return amountOf(podClass.requests, CPU);
}

function ruleCount({ podClass: { spec } }: QueuedPod): number {
  return spec.affinity.required.length + spec.antiAffinity.required.length + spec.spreads.length;
}
