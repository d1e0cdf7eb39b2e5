/**
 * Reserved capacity. A claim holds every reservation that it could use, so that two claims never count on the
 * same instance, and releases those that it can no longer use.
 */
import { type Bits, emptyBits, hasBit, setBit } from '../bits.ts';
import type { ClaimExtras } from './claims.ts';
import type { PoolEntry } from './pools.ts';
import type { State } from './states.ts';

export class Reservations {
  /** Incremented when capacity is released. */
  changes = 0;
  readonly #left = new Map<string, number>();
  /** Those with capacity before the run. */
  readonly #usable = new Set<string>();

  /** When a reservation is listed with different capacities, the smallest counts. */
  constructor(pools: readonly PoolEntry[]) {
    for (const { catalogue } of pools) {
      if (!catalogue.hasReservations) continue;
      for (const { reservation, available } of catalogue.offerings) {
        if (reservation === undefined || !available) continue;
        const known = this.#left.get(reservation.id) ?? Number.POSITIVE_INFINITY;
        this.#left.set(reservation.id, Math.min(known, Math.max(0, reservation.capacity)));
      }
    }
    for (const [id, left] of this.#left) if (left > 0) this.#usable.add(id);
  }

  /**
   * What a claim with these rows would hold. `reserved` in strict mode: when other claims hold all reserved capacity for it,
   * when there are only full reservations and no other capacity, or when it would lose all it holds.
   */
  within(
    state: State,
    rows: Bits,
    held: ReadonlySet<string> | undefined,
    strict: boolean,
  ): ReadonlySet<string> | 'reserved' {
    const { catalogue } = state.pool;
    const found = new Set<string>();
    let waits = false;
    let isFull = false;
    let hasOther = false;
    for (const { index, row, reservation } of catalogue.offerings) {
      if (!hasBit(rows, row) || !hasBit(state.offerings, index)) continue;
      if (reservation === undefined) {
        hasOther = true;
        continue;
      }
      if (this.#usable.has(reservation.id)) waits = true;
      else isFull = true;
      if (held?.has(reservation.id) || (this.#left.get(reservation.id) ?? 0) > 0) found.add(reservation.id);
    }
    const losesAll = held !== undefined && held.size > 0 && found.size === 0;
    const mustWait = found.size === 0 && (waits || (isFull && !hasOther));
    return strict && (mustWait || losesAll) ? 'reserved' : found;
  }

  /** Rows with an offering that a claim with these reservations can use: reserved ones, or else any other. */
  rowsUsing(state: State, rows: Bits, held: ReadonlySet<string>): Bits {
    const usable = emptyBits(state.pool.catalogue.rows.length);
    for (const { index, row, reservation } of state.pool.catalogue.offerings) {
      if (!hasBit(rows, row) || !hasBit(state.offerings, index)) continue;
      if (held.size === 0 ? reservation === undefined : held.has(reservation?.id ?? '')) setBit(usable, row);
    }
    return usable;
  }

  /** Ids of the compatible reservations, free or not. */
  compatibleWith(state: State, rows: Bits): string[] {
    const ids = state.pool.catalogue.offerings
      .filter(({ index, row }) => hasBit(rows, row) && hasBit(state.offerings, index))
      .flatMap(({ reservation }) => (reservation === undefined ? [] : [reservation.id]));
    return [...new Set(ids)].sort();
  }

  hold(extras: ClaimExtras, wanted: ReadonlySet<string>): void {
    for (const id of wanted) if (!extras.reservations.has(id)) this.#left.set(id, this.#left.get(id)! - 1);
    for (const id of extras.reservations) {
      if (wanted.has(id)) continue;
      this.#left.set(id, this.#left.get(id)! + 1);
      this.changes++;
    }
    extras.reservations = wanted;
  }
}
