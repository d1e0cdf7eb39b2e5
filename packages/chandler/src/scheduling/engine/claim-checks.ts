/**
 * Checks whether a claim in a given state has an instance type with enough resources for its pods, and adds a
 * pod to it. minValues and reservations need the list of types itself; only pools that use them pay for that.
 */
import { type Bits, isEmptyBits } from '../bits.ts';
import { minValuesUnmet, relaxMinValues } from './min-values.ts';
import { spreadBrokenBy } from './new-domains.ts';
import type { Variant } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

/** Where a pod can go: the state of the claim with it, a row with room, reservations to hold. */
export interface Slot {
  readonly state: State;
  readonly row: number;
  readonly reservations: ReadonlySet<string> | undefined;
  readonly relaxed: boolean;
}

/**
 * The first of the states with room for `run.totals`. `claim` is -1 for a new one.
 * `reserved`: only capacity that other claims hold has room.
 */
export function findRow(
  run: Run,
  variant: Variant,
  open: readonly State[],
  claim: number,
): Slot | 'reserved' | undefined {
  const { totals, claims } = run;
  if (variant.podClass.volumes.shared.length > 0) addShared(run, variant, claim);
  let reserved = false;
  for (const state of open) {
    const { fit, hasMinValues, catalogue } = state.pool;
    const witness = claim < 0 ? -1 : claims.witnesses[claim]!;
    let row = witness;
    const keeps =
      witness >= 0 &&
      ((state.rows[witness >>> 5] ?? 0) & (1 << (witness & 31))) !== 0 &&
      fit.rowFits(witness, totals, 0, claims.stride);
    if (!keeps) row = fit.roomiest(state.rows, totals, 0, claims.stride);
    if (row < 0 || spreadBrokenBy(run, state) !== undefined) continue;
    if (!hasMinValues && !catalogue.hasReservations) {
      return { state, row, reservations: undefined, relaxed: false };
    }
    const slot = checkedSlot(run, state, row, claim);
    if (slot === 'reserved') reserved = true;
    else if (slot !== undefined) return slot;
  }
  return reserved ? 'reserved' : undefined;
}

export function commit(run: Run, variant: Variant, pod: number, claim: number, slot: Slot): void {
  const { claims, counts } = run;
  const { podClass } = variant;
  const before = claims.states[claim]!;
  const host = run.hostOfClaim(claim);
  const classes = claims.classes[claim]!;
  if (before !== slot.state) counts.onNarrowed(classes, host, before, slot.state);
  if (before !== slot.state || classes.length === 0) counts.onState(slot.state);
  claims.add(claim, pod, podClass, slot.state, slot.row);
  counts.onClaim(podClass, host, slot.state);
  if (variant.ports.length > 0) claims.extrasOf(claim).ports.push(...variant.ports);
  for (const { slot: attachment, claim: name } of podClass.volumes.shared) {
    const { shared } = claims.extrasOf(claim);
    if (shared.has(name)) continue;
    shared.add(name);
    claims.amounts[claim * claims.stride + attachment]! += 1;
  }
  if (slot.relaxed) claims.extrasOf(claim).minValuesRelaxed = true;
  if (slot.reservations !== undefined) run.reservations.hold(claims.extrasOf(claim), slot.reservations);
  if (run.maxPrice < Number.POSITIVE_INFINITY) run.isTooExpensive = run.prices.note(claim) > run.maxPrice;
}

/** Rows of the state that have room for `run.totals`. */
export function roomyRows(run: Run, state: State): Bits {
  return state.pool.fit.fitting(state.rows, run.totals, 0, run.claims.stride);
}

// ---------------------------------------------------------------------------------------------------------------

function addShared(run: Run, variant: Variant, claim: number): void {
  const there = claim < 0 ? undefined : run.claims.extras[claim]?.shared;
  for (const { slot, claim: name } of variant.podClass.volumes.shared) {
    if (there === undefined || !there.has(name)) run.totals[slot]! += 1;
  }
}

function checkedSlot(run: Run, state: State, row: number, claim: number): Slot | 'reserved' | undefined {
  const rows = roomyRows(run, state);
  if (!state.pool.catalogue.hasReservations) return variedSlot(run, state, row, rows, undefined, claim);
  const { reservations, compiled } = run;
  const held = claim < 0 ? undefined : run.claims.extras[claim]?.reservations;
  const wanted = reservations.within(state, rows, held, compiled.options.reservedMode === 'strict');
  if (wanted === 'reserved') return 'reserved';
  // A claim that holds reservations uses nothing else; when that violates minValues, it holds none.
  for (const holding of wanted.size === 0 ? [wanted] : [wanted, NOTHING_HELD]) {
    const usable = reservations.rowsUsing(state, rows, holding);
    const slot = isEmptyBits(usable) ? undefined : variedSlot(run, state, row, usable, holding, claim);
    if (slot !== undefined) return slot;
  }
  return undefined;
}

const NOTHING_HELD: ReadonlySet<string> = new Set();

function variedSlot(
  run: Run,
  state: State,
  row: number,
  rows: Bits,
  reservations: ReadonlySet<string> | undefined,
  claim: number,
): Slot | undefined {
  const { algebra, options, states } = run.compiled;
  const unmet = state.pool.hasMinValues ? minValuesUnmet(algebra, state, rows, options.maxInstanceTypes) : [];
  if (unmet.length === 0) return { state, row, reservations, relaxed: false };
  // Only a new claim may relax minValues; an open claim must keep its own.
  if (options.minValuesPolicy !== 'BestEffort' || claim >= 0) return undefined;
  return { state: relaxMinValues(states, state, unmet), row, reservations, relaxed: true };
}
