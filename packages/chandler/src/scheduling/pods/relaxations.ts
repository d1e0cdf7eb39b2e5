/**
 * The steps in which an unschedulable pod gives up preferences, in upstream's order: alternatives of required
 * node affinity, preferred pod affinity, preferred pod anti-affinity, preferred node affinity, soft spread
 * constraints, soft taints; the highest weight first. Each relaxation states completely what still applies.
 */
import type { PodAffinityTerm, TopologySpreadConstraint } from '../model.ts';
import type { ReadSpec } from './read-spec.ts';

export interface Relaxation {
  /** Index of the required term in force; -1 when there is none. */
  readonly term: number;
  /** How many preferences are dropped, the highest weight first. */
  readonly droppedAffinity: number;
  readonly droppedAntiAffinity: number;
  readonly droppedNodePreferences: number;
  readonly spreads: readonly TopologySpreadConstraint[];
  readonly toleratesSoftTaints: boolean;
}

export interface RelaxationOptions {
  readonly respectPreferences: boolean;
  /** Some pool has a soft taint, so tolerating them can help. */
  readonly softTaints: boolean;
}

export function relaxationsOf(spec: ReadSpec, options: RelaxationOptions): Relaxation[] {
  const respect = options.respectPreferences;
  const spreads = respect ? spec.spreads : spec.spreads.filter((spread) => !isSoft(spread));
  const dropAll = (count: number) => (respect ? count : 0);
  let relaxation: Relaxation = {
    term: spec.requiredTerms.length === 0 ? -1 : 0,
    droppedAffinity: respect ? 0 : spec.affinity.preferred.length,
    droppedAntiAffinity: respect ? 0 : spec.antiAffinity.preferred.length,
    droppedNodePreferences: respect ? 0 : spec.preferredTerms.length,
    spreads,
    toleratesSoftTaints: false,
  };
  const relaxations: Relaxation[] = [relaxation];
  const step = (change: Partial<Relaxation>) => {
    relaxation = { ...relaxation, ...change };
    relaxations.push(relaxation);
  };
  for (let term = 1; term < spec.requiredTerms.length; term++) step({ term });
  for (let n = 1; n <= dropAll(spec.affinity.preferred.length); n++) step({ droppedAffinity: n });
  for (let n = 1; n <= dropAll(spec.antiAffinity.preferred.length); n++) step({ droppedAntiAffinity: n });
  for (let n = 1; n <= dropAll(spec.preferredTerms.length); n++) step({ droppedNodePreferences: n });
  while (relaxation.spreads.some(isSoft)) step({ spreads: withoutFirstSoft(relaxation.spreads) });
  if (options.softTaints) step({ toleratesSoftTaints: true });
  return withEarlierTerms(relaxations, spec);
}

/** The first of the relaxations that keep no preference: one for each required term. */
export function firstWithoutPreferences(relaxations: readonly Relaxation[]): number {
  const last = relaxations[relaxations.length - 1]!;
  return relaxations.findIndex(
    (one) =>
      one.droppedAffinity === last.droppedAffinity &&
      one.droppedAntiAffinity === last.droppedAntiAffinity &&
      one.droppedNodePreferences === last.droppedNodePreferences &&
      one.spreads === last.spreads &&
      one.toleratesSoftTaints === last.toleratesSoftTaints,
  );
}

export function affinityTermsOf(spec: ReadSpec, relaxation: Relaxation): PodAffinityTerm[] {
  return [...spec.affinity.required, ...spec.affinity.preferred.slice(relaxation.droppedAffinity)];
}

export function antiAffinityTermsOf(spec: ReadSpec, relaxation: Relaxation): PodAffinityTerm[] {
  return [
    ...spec.antiAffinity.required,
    ...spec.antiAffinity.preferred.slice(relaxation.droppedAntiAffinity),
  ];
}

export function isSoft(spread: TopologySpreadConstraint): boolean {
  return spread.whenUnsatisfiable === 'ScheduleAnyway';
}

// ---------------------------------------------------------------------------------------------------------------

/** The last constraint replaces the dropped one, as in upstream; the order decides ties. */
function withoutFirstSoft(spreads: readonly TopologySpreadConstraint[]): TopologySpreadConstraint[] {
  const at = spreads.findIndex(isSoft);
  const rest = spreads.slice(0, -1);
  if (at < rest.length) rest[at] = spreads[spreads.length - 1]!;
  return rest;
}

/**
 * Upstream has dropped all but the last required term at this point. A fully relaxed pod may still match an
 * earlier term, so the earlier terms are tried once more.
 */
function withEarlierTerms(relaxations: Relaxation[], spec: ReadSpec): Relaxation[] {
  const last = relaxations[relaxations.length - 1]!;
  const terms = spec.requiredTerms.length;
  if (terms < 2 || relaxations.length === terms) return relaxations;
  const more = Array.from({ length: terms - 1 }, (_, term) => ({ ...last, term }));
  return [...relaxations, ...more];
}
