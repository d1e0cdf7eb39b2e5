/**
 * How many instances of each capacity reservation are free: as EC2 said last, corrected by launches since then. `sequence` grows
 * when an answer may have changed, so that offerings are judged again.
 */
import type { Reservation } from './capacity-reservations.ts';

/** More than an account can have. */
const MAX_RESERVATIONS = 10_000;

export class ReservationCounts {
  readonly #free = new Map<string, number>();
  #sequence = 0;

  get sequence(): number {
    return this.#sequence;
  }

  /** 0 where the reservation is not known. */
  freeInstances(id: string): number {
    return this.#free.get(id) ?? 0;
  }

  /** EC2 has described them; others stay as they are. */
  observe(reservations: readonly Pick<Reservation, 'freeInstances' | 'id'>[]): void {
    for (const { id, freeInstances } of reservations) this.#set(id, freeInstances);
  }

  launched(id: string): void {
    this.#change(id, -1);
  }

  terminated(id: string): void {
    this.#change(id, 1);
  }

  /** EC2 refused a launch into it. */
  markFull(id: string): void {
    if (this.#free.has(id)) this.#set(id, 0);
  }

  /** Of a reservation that EC2 has not shown nothing is known. */
  #change(id: string, by: number): void {
    const known = this.#free.get(id);
    if (known !== undefined) this.#set(id, Math.max(0, known + by));
  }

  #set(id: string, free: number): void {
    if (this.#free.get(id) === free) return;
    this.#free.set(id, free);
    this.#sequence += 1;
    if (this.#free.size > MAX_RESERVATIONS) this.#free.delete(this.#free.keys().next().value!);
  }
}
