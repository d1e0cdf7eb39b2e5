/**
 * Looks for room on claims of this run: the one with the fewest pods that can still become a node with room
 * for one more. Claims that can no longer take such a pod are remembered by signature; states that refuse it
 * for now are skipped with all their claims.
 */
import { type Bits, lowestBit, orBits } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { commit, findRow, type Slot } from './claim-checks.ts';
import { claimTargets, crowdedRule, hasOpenCompany } from './claim-targets.ts';
import { brokenHostRule, requiredCompany } from './host-rules.ts';
import { staticTargets, targets } from './narrowing.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';
import type { Variant } from './variant.ts';

export function placeOnClaim(run: Run, variant: Variant, pod: number): boolean {
  const { claims } = run;
  if (claims.count === 0) return false;
  const live = liveClaims(run, variant);
  if (live === undefined) return false;
  const words = wordsInUse(live, (claims.count + 31) >>> 5);
  for (let bucket = 1; bucket < claims.buckets.length; bucket++) {
    if (claims.bucketSizes[bucket] === 0) continue;
    const bits = claims.buckets[bucket]!;
    for (const word of words) {
      while (((bits[word] ?? 0) & live[word]!) !== 0) {
        const lowest = lowestBit(bits[word]! & live[word]!);
        const claim = (word << 5) + lowest;
        live[word]! &= ~(1 << lowest);
        run.attempts++;
        const slot = tryClaim(run, variant, claim, live);
        if (slot === undefined) continue;
        commit(run, variant, pod, claim, slot);
        return true;
      }
    }
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------------------

/** Most claims are soon full for most pods: few words are left to look at, in every bucket. */
function wordsInUse(live: Bits, words: number): number[] {
  const inUse: number[] = [];
  for (let word = 0; word < words; word++) if (live[word] !== 0) inUse.push(word);
  return inUse;
}

/** Undefined when none is left. */
function liveClaims(run: Run, variant: Variant): Bits | undefined {
  const words = (run.claims.count + 31) >>> 5;
  if (words > run.liveClaims.length) run.liveClaims = new Int32Array(words * 2);
  const live = run.liveClaims;
  const deadFit = variant.fit.dead.claims;
  const deadHost = variant.host.dead.claims;
  const company = variant.hostAffinities.length === 0 ? NONE : requiredCompany(variant);
  const offset = run.claimHostBase >>> 5;
  let any = 0;
  for (let word = 0; word < words; word++) {
    let bits = ~(deadFit[word] ?? 0) & ~(deadHost[word] ?? 0);
    for (const group of company) bits &= group.hostsInUse[word + offset] ?? 0;
    live[word] = bits;
    any |= bits;
  }
  return any === 0 ? undefined : live;
}

const NONE: readonly never[] = [];

function tryClaim(run: Run, variant: Variant, claim: number, live: Bits): Slot | undefined {
  const { claims } = run;
  const state = claims.states[claim]!;
  const open = claimTargets(run, variant, claim);
  if (open.length === 0) {
    if (targets(run.compiled, variant, state).length === 0) refuseState(run, variant, state, live);
    return undefined;
  }
  if (
    brokenHostRule(variant.host, run.hostOfClaim(claim)) !== undefined ||
    crowdedRule(run, variant, claim) !== undefined
  ) {
    variant.host.dead.killClaim(claim);
    return undefined;
  }
  const extras = claims.extras[claim];
  if (extras !== undefined && takenPort(variant.ports, extras.ports) !== undefined) {
    variant.fit.dead.killClaim(claim);
    return undefined;
  }
  claims.totalsWith(claim, variant.podClass.requests, run.totals);
  const slot = findRow(run, variant, open, claim);
  if (slot !== undefined && slot !== 'reserved') return slot;
  if (slot === undefined && !hasRoomLater(run, variant, state, open)) variant.fit.dead.killClaim(claim);
  return undefined;
}

/** Nothing of this state will do now; where topology has no say, it never will. */
function refuseState(run: Run, variant: Variant, state: State, live: Bits): void {
  const never = staticTargets(run.compiled, variant, state).length === 0;
  if (!never && hasOpenCompany(variant)) return;
  const words = Math.min(live.length, state.members.length);
  for (let word = 0; word < words; word++) live[word]! &= ~state.members[word]!;
  if (!never) return;
  variant.fit.dead.claims = orBits(variant.fit.dead.claims, state.members);
}

/** Whether the claim had room were it not for the domains that topology leaves at the moment. */
function hasRoomLater(run: Run, variant: Variant, state: State, open: readonly State[]): boolean {
  if (variant.domainRules.length === 0) return mayChange(state);
  const wider = staticTargets(run.compiled, variant, state).filter((target) => !open.includes(target));
  if (mayChange(state)) return true;
  const { fit } = state.pool;
  return wider.some((target) => fit.roomiest(target.rows, run.totals, 0, run.claims.stride) >= 0);
}

/** Reservations come back and minimum values depend on the types left: such refusals are not for good. */
function mayChange(state: State): boolean {
  return state.pool.catalogue.hasReservations;
}
