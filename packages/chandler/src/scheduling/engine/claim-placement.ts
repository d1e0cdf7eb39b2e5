/**
 * Places a pod on a claim of this run: the claim with the fewest pods that can still become a node with
 * enough resources. Claims that can no longer accept such a pod are cached by signature; states that refuse
 * it for now are skipped with all their claims.
 */
import { type Bits, lowestBit, orBits, setBit, wordsFor } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { commit, findRow, type Slot } from './claim-checks.ts';
import { claimTargets, crowdedRule, openAffinityGroups } from './claim-targets.ts';
import { brokenHostRule, requiredAffinityGroups } from './host-rules.ts';
import { staticTargets, targets } from './narrowing.ts';
import type { Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import { costsMoreThanNew } from './thrift.ts';

export function placeOnClaim(run: Run, variant: Variant, pod: number): boolean {
  const { claims, candidateClaims } = run;
  if (claims.count === 0 || !findCandidates(run, variant)) return false;
  for (let bucket = 1; bucket < claims.buckets.length; bucket++) {
    const inUse = claims.bucketWords[bucket]!;
    for (let group = 0; group < inUse.length; group++) {
      for (let rest = inUse[group]! & candidateClaims.words[group]!; rest !== 0; rest &= rest - 1) {
        if (placeInWord(run, variant, pod, bucket, (group << 5) + lowestBit(rest))) return true;
      }
    }
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------

/** The claims of one word of a bucket, the oldest first. */
function placeInWord(run: Run, variant: Variant, pod: number, bucket: number, word: number): boolean {
  const candidates = run.candidateClaims.bits;
  const bits = run.claims.buckets[bucket]!;
  while ((bits[word]! & candidates[word]!) !== 0) {
    const lowest = lowestBit(bits[word]! & candidates[word]!);
    const claim = (word << 5) + lowest;
    candidates[word]! &= ~(1 << lowest);
    run.attempts++;
    const slot = tryClaim(run, variant, claim, candidates);
    if (slot === undefined) continue;
    if (run.thrifty && costsMoreThanNew(run, variant, claim, slot.state)) continue;
    commit(run, variant, pod, claim, slot);
    return true;
  }
  return false;
}

/** @returns false when none is left. */
function findCandidates({ claims, candidateClaims, claimHostBase }: Run, variant: Variant): boolean {
  candidateClaims.reset(claims.count);
  const rejectedByFit = variant.fit.rejected.claims;
  const rejectedByHost = variant.host.rejected.claims;
  const groups = variant.hostAffinities.length === 0 ? NONE : requiredAffinityGroups(variant);
  const offset = claimHostBase >>> 5;
  const words = wordsFor(claims.count);
  let any = false;
  for (let word = 0; word < words; word++) {
    let bits = ~(rejectedByFit[word] ?? 0) & ~(rejectedByHost[word] ?? 0);
    for (const group of groups) bits &= group.hostsInUse[word + offset] ?? 0;
    candidateClaims.bits[word] = bits;
    if (bits === 0) continue;
    any = true;
    setBit(candidateClaims.words, word);
  }
  return any;
}

const NONE: readonly never[] = [];

function tryClaim(run: Run, variant: Variant, claim: number, candidates: Bits): Slot | undefined {
  const { claims } = run;
  const state = claims.states[claim]!;
  const open = claimTargets(run, variant, claim);
  if (open.length === 0) {
    if (targets(run.compiled, variant, state).length === 0) refuseState(run, variant, state, candidates);
    return undefined;
  }
  if (
    brokenHostRule(variant.host, run.hostOfClaim(claim)) !== undefined ||
    crowdedRule(run, variant, claim) !== undefined
  ) {
    variant.host.rejected.addClaim(claim);
    return undefined;
  }
  const extras = claims.extras[claim];
  if (extras !== undefined && takenPort(variant.ports, extras.ports) !== undefined) {
    variant.fit.rejected.addClaim(claim);
    return undefined;
  }
  claims.totalsWith(claim, variant.podClass.requests, run.totals);
  const slot = findRow(run, variant, open, claim);
  if (slot !== undefined && slot !== 'reserved') return slot;
  if (slot === undefined && !hasRoomLater(run, variant, state, open)) variant.fit.rejected.addClaim(claim);
  return undefined;
}

/** Skips all claims in this state, except those with pods of an open affinity group; for good without topology rules. */
function refuseState(run: Run, variant: Variant, state: State, candidates: Bits): void {
  const never = staticTargets(run.compiled, variant, state).length === 0;
  const groups = never ? NONE : openAffinityGroups(variant);
  const offset = run.claimHostBase >>> 5;
  const words = Math.min(candidates.length, state.members.length);
  for (let word = 0; word < words; word++) {
    let refused = state.members[word]!;
    for (const group of groups) refused &= ~(group.undecidedHosts[word + offset] ?? 0);
    candidates[word]! &= ~refused;
  }
  if (!never) return;
  variant.fit.rejected.claims = orBits(variant.fit.rejected.claims, state.members);
}

/** Whether the claim would have room if topology allowed more domains. */
function hasRoomLater(run: Run, variant: Variant, state: State, open: readonly State[]): boolean {
  if (variant.domainRules.length === 0) return mayChange(state);
  const wider = staticTargets(run.compiled, variant, state).filter((target) => !open.includes(target));
  if (mayChange(state)) return true;
  const { fit } = state.pool;
  return wider.some((target) => fit.roomiest(target.rows, run.totals, 0, run.claims.stride) >= 0);
}

/** Reservations may be released, so such refusals are not cached. */
function mayChange(state: State): boolean {
  return state.pool.catalogue.hasReservations;
}
