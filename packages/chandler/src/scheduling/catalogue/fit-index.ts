/**
 * Which rows of a catalogue have enough free resources. Each resource has its distinct amounts in ascending
 * order and, for each amount, the set of rows that have at least that much. A query is a few lookups and an
 * AND; resources need not grow together. The requests of daemons are already subtracted.
 */
import { type Bits, emptyBits, NO_BITS, setBit } from '../bits.ts';

export class FitIndex {
  readonly free: readonly (readonly number[])[];
  /** Rows without a negative amount: the others never accept a pod. */
  readonly usable: Bits;
  readonly #rowCount: number;
  readonly #slots: (SlotIndex | undefined)[] = [];

  /** @param free the free resources of each row, by slot. */
  constructor(free: readonly (readonly number[])[]) {
    this.free = free;
    this.#rowCount = free.length;
    this.usable = emptyBits(free.length);
    free.forEach((amounts, row) => {
      if (amounts.every((amount) => (amount ?? 0) >= 0)) setBit(this.usable, row);
    });
  }

  /** Rows with at least this much. */
  atLeast(slot: number, amount: number): Bits {
    if (amount <= 0) return this.usable;
    const index = this.#slots[slot] ?? this.#build(slot);
    const { amounts, rows } = index;
    let low = 0;
    let high = amounts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (amounts[middle]! < amount) low = middle + 1;
      else high = middle;
    }
    return rows[low] ?? NO_BITS;
  }

  /** Whether one row has room for the totals, given by slot starting at an offset. */
  rowFits(row: number, totals: Float64Array, offset: number, slotCount: number): boolean {
    const amounts = this.free[row]!;
    for (let slot = 0; slot < slotCount; slot++) {
      const total = totals[offset + slot]!;
      if (total > 0 && total > (amounts[slot] ?? 0)) return false;
    }
    return true;
  }

  /** The largest row that has room for the totals; -1 for none. */
  roomiest(rows: Bits, totals: Float64Array, offset: number, slotCount: number): number {
    const masks = this.#masks(totals, offset, slotCount);
    for (let word = rows.length - 1; word >= 0; word--) {
      let rest = rows[word]!;
      for (let mask = 0; mask < masks && rest !== 0; mask++) rest &= scratch[mask]![word] ?? 0;
      if (rest !== 0) return (word << 5) + 31 - Math.clz32(rest);
    }
    return -1;
  }

  /** The rows that have room for the totals. */
  fitting(rows: Bits, totals: Float64Array, offset: number, slotCount: number): Bits {
    const masks = this.#masks(totals, offset, slotCount);
    const result = rows.slice();
    for (let word = 0; word < result.length; word++) {
      for (let mask = 0; mask < masks; mask++) result[word]! &= scratch[mask]![word] ?? 0;
    }
    return result;
  }

  #masks(totals: Float64Array, offset: number, slotCount: number): number {
    scratch[0] = this.usable;
    let count = 1;
    for (let slot = 0; slot < slotCount; slot++) {
      const total = totals[offset + slot]!;
      if (total > 0) scratch[count++] = this.atLeast(slot, total);
    }
    return count;
  }

  #build(slot: number): SlotIndex {
    const order = this.free.map((amounts, row) => ({ row, amount: amounts[slot] ?? 0 }));
    order.sort((first, second) => second.amount - first.amount);
    const amounts: number[] = [];
    const rows: Bits[] = [];
    let current = emptyBits(this.#rowCount);
    for (const { row, amount } of order) {
      if (amounts.length === 0 || amounts[amounts.length - 1] !== amount) {
        current = current.slice();
        amounts.push(amount);
        rows.push(current);
      }
      setBit(current, row);
    }
    const index = { amounts: amounts.reverse(), rows: rows.reverse() };
    this.#slots[slot] = index;
    return index;
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface SlotIndex {
  /** Ascending. */
  readonly amounts: readonly number[];
  readonly rows: readonly Bits[];
}

/** Reused between queries; the engine is single-threaded. */
const scratch: Bits[] = [];
