/**
 * Places the pods of a run: on existing nodes first, then on claims of this run, then on new claims by weight
 * of the pools. When all of them refuse a pod, it gives up a preference and is tried again.
 */

import { firstWithoutPreferences } from '../pods/relaxations.ts';
import type { TopologyGroup } from '../topology/group.ts';
import { placeOnClaim } from './claim-placement.ts';
import { decideDomainFor } from './decide-domain.ts';
import { placeByEmptiestHost } from './emptiest-host.ts';
import { placeWithoutEmptyDomains } from './empty-domains.ts';
import { ruleVersion } from './narrowing.ts';
import { openClaim } from './new-claims.ts';
import { placeOnNode } from './node-placement.ts';
import { type Budget, pack } from './pack.ts';
import { mayComeLast, type PodClass, type Variant } from './pod-class.ts';
import type { Outcome, Run } from './run.ts';

/**
 * Tries every pod; those that failed are tried again as long as others can still be placed.
 * @returns false when the run was given up because of its price.
 */
export function placePods(run: Run): boolean {
  learnGroups(run);
  let pending = run.queue.map((_, index) => index);
  let progress = true;
  while (progress && pending.length > 0) {
    progress = false;
    const failed: number[] = [];
    for (const index of pending) {
      if (place(run, index)) progress = true;
      else failed.push(index);
      if (run.isTooExpensive) return false;
    }
    pending = failed;
  }
  const refused = placeWithoutEmptyDomains(run, pending, (index) => place(run, index));
  for (const index of placeByEmptiestHost(run, refused)) run.unplaced.push(index);
  return !run.isTooExpensive;
}

/** Whether a spread of an unplaced pod counts pods that could also be bound after it. */
export function mayPlaceMore({ queue, unplaced, compiled }: Run): boolean {
  const classes = new Set(unplaced.map((index) => queue[index]!.podClass));
  const spreads = new Set<TopologyGroup>();
  for (const podClass of classes) {
    if (podClass.problem !== null || podClass.spec.spreads.length === 0) continue;
    const variant = compiled.classes.variant(podClass, podClass.relaxations.length - 1)!;
    for (const { group } of variant.domainRules) if (group.spec.kind === 'spread') spreads.add(group);
  }
  if (spreads.size === 0) return false;
  const others = [...new Set(queue.map(({ podClass }) => podClass))].filter(mayComeLast);
  return others.some(({ labels }) => [...spreads].some((group) => group.selects(labels)));
}

/**
 * Fills the claims in another way than the first run did; see `pack`. Pods that it left unplaced stay unplaced. Not where
 * another number of nodes could break what the first run relied on.
 */
export function repackPods(
  run: Run,
  first: Pick<Run, 'placements' | 'unplaced' | 'needsNoFurtherNode'>,
  heavyShare: number,
  budget: Budget,
): boolean {
  if (first.needsNoFurtherNode) return false;
  for (const index of first.unplaced) run.unplaced.push(index);
  learnGroups(run);
  return pack(run, first.placements, heavyShare, budget);
}

// ---------------------------------------------------------------------------------------------------------------

/** Stands for success in place of a relaxation. */
const PLACED = -1;

function place(run: Run, index: number): boolean {
  const { podClass } = run.queue[index]!;
  if (podClass.problem !== null) return false;
  const { failure } = podClass;
  if (failure.run === run.number && failure.changes === changesFor(run, podClass)) return false;
  let relaxation = placeRelaxing(run, index, podClass);
  if (relaxation !== PLACED && decideDomainFor(run, run.compiled.classes.variant(podClass, relaxation)!)) {
    relaxation = placeRelaxing(run, index, podClass);
  }
  if (relaxation === PLACED) return true;
  podClass.failure = { run: run.number, changes: changesFor(run, podClass), relaxation };
  return false;
}

/** Tries with all preferences, then with fewer and fewer of them. @returns the relaxation at which it failed. */
function placeRelaxing(run: Run, index: number, podClass: PodClass): number {
  const start = run.relaxed.has(podClass) ? firstWithoutPreferences(podClass.relaxations) : 0;
  for (let relaxation = start; ; relaxation++) {
    const variant = run.compiled.classes.variant(podClass, relaxation);
    if (variant === undefined) return relaxation - 1;
    if (variant.contradiction !== null) continue;
    const node = placeOnNode(run, variant, index);
    const placed = node >= 0 || placeOnClaim(run, variant, index);
    const outcome = placed ? 'placed' : openOrJoin(run, variant, index);
    if (outcome === 'reserved') return relaxation;
    if (outcome === 'refused') continue;
    run.placements[index] = { relaxation, node: node < 0 ? undefined : node };
    return PLACED;
  }
}

/** A new claim; when there can be none, also an open one that a thrifty run passed over. */
function openOrJoin(run: Run, variant: Variant, index: number): Outcome {
  const outcome = openClaim(run, variant, index);
  if (outcome !== 'refused' || !run.thrifty) return outcome;
  run.thrifty = false;
  const joined = placeOnClaim(run, variant, index);
  run.thrifty = true;
  return joined ? 'placed' : 'refused';
}

/** The groups of one class may count the pods of another. */
function learnGroups({ queue, compiled }: Run): void {
  const classes = new Set(queue.map(({ podClass }) => podClass));
  for (const podClass of classes) podClass.counting = compiled.groups.counting(podClass.labels);
}

/** Incremented when a change may allow a refused pod of the class to be placed. */
function changesFor(run: Run, podClass: PodClass): number {
  let sum = run.claims.count + run.reservations.changes;
  for (const variant of podClass.variants) {
    if (variant === undefined) continue;
    sum += ruleVersion(variant);
    for (const { group } of variant.hostAffinities) sum += group.version;
  }
  return sum;
}
