/**
 * The steps by which a pod gives up wishes when it fits nowhere, in upstream's order: alternatives of
 * required node affinity, preferred pod affinity, preferred anti-affinity, preferred node affinity, soft
 * spreads, soft taints; the heaviest first. Each rung is a complete statement of what still holds.
 */
import type { PodAffinityTerm, TopologySpreadConstraint } from '../model.ts';
import type { ReadSpec } from './read-spec.ts';

export interface Rung {
  /** Index of the required term in force; -1 when there is none. */
  readonly term: number;
  /** How many of the heaviest preferences are gone. */
  readonly droppedAffinity: number;
  readonly droppedAntiAffinity: number;
  readonly droppedNodePreferences: number;
  readonly spreads: readonly TopologySpreadConstraint[];
  readonly toleratesSoftTaints: boolean;
}

export interface LadderOptions {
  readonly respectPreferences: boolean;
  /** Some pool has a soft taint, so tolerating them can help. */
  readonly softTaints: boolean;
}

export function buildLadder(spec: ReadSpec, options: LadderOptions): Rung[] {
  const respect = options.respectPreferences;
  const spreads = respect ? spec.spreads : spec.spreads.filter((spread) => !isSoft(spread));
  const dropAll = (count: number) => (respect ? count : 0);
  let rung: Rung = {
    term: spec.requiredTerms.length === 0 ? -1 : 0,
    droppedAffinity: respect ? 0 : spec.affinity.preferred.length,
    droppedAntiAffinity: respect ? 0 : spec.antiAffinity.preferred.length,
    droppedNodePreferences: respect ? 0 : spec.preferredTerms.length,
    spreads,
    toleratesSoftTaints: false,
  };
  const rungs: Rung[] = [rung];
  const step = (change: Partial<Rung>) => {
    rung = { ...rung, ...change };
    rungs.push(rung);
  };
  for (let term = 1; term < spec.requiredTerms.length; term++) step({ term });
  for (let n = 1; n <= dropAll(spec.affinity.preferred.length); n++) step({ droppedAffinity: n });
  for (let n = 1; n <= dropAll(spec.antiAffinity.preferred.length); n++) step({ droppedAntiAffinity: n });
  for (let n = 1; n <= dropAll(spec.preferredTerms.length); n++) step({ droppedNodePreferences: n });
  while (rung.spreads.some(isSoft)) step({ spreads: withoutFirstSoft(rung.spreads) });
  if (options.softTaints) step({ toleratesSoftTaints: true });
  return withEarlierTerms(rungs, spec);
}

export function affinityTermsOf(spec: ReadSpec, rung: Rung): PodAffinityTerm[] {
  return [...spec.affinity.required, ...spec.affinity.preferred.slice(rung.droppedAffinity)];
}

export function antiAffinityTermsOf(spec: ReadSpec, rung: Rung): PodAffinityTerm[] {
  return [...spec.antiAffinity.required, ...spec.antiAffinity.preferred.slice(rung.droppedAntiAffinity)];
}

export function isSoft(spread: TopologySpreadConstraint): boolean {
  return spread.whenUnsatisfiable === 'ScheduleAnyway';
}

// ---------------------------------------------------------------------------------------------------------------

/** The last constraint takes the place of the one that goes, as upstream does; the order decides ties. */
function withoutFirstSoft(spreads: readonly TopologySpreadConstraint[]): TopologySpreadConstraint[] {
  const at = spreads.findIndex(isSoft);
  const rest = spreads.slice(0, -1);
  if (at < rest.length) rest[at] = spreads[spreads.length - 1]!;
  return rest;
}

/**
 * Upstream has thrown away all but the last required term by now. A pod that could run under an earlier
 * one, were its wishes given up, would wait for nothing: so the earlier terms get a last chance.
 */
function withEarlierTerms(rungs: Rung[], spec: ReadSpec): Rung[] {
  const last = rungs[rungs.length - 1]!;
  const terms = spec.requiredTerms.length;
  if (terms < 2 || rungs.length === terms) return rungs;
  const more = Array.from({ length: terms - 1 }, (_, term) => ({ ...last, term }));
  return [...rungs, ...more];
}
