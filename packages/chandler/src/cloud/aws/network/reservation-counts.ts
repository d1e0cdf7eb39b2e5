/**
 * How many instances of each capacity reservation are free: as EC2 said last, corrected by launches since then. `sequence` grows
 * when an answer may have changed, so that offerings are judged again.
 */
import type { Reservation } from './capacity-reservations.ts';

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
    this.#set(id, Math.max(0, this.freeInstances(id) - 1));
  }

  terminated(id: string): void {
    if (this.#free.has(id)) this.#set(id, this.freeInstances(id) + 1);
  }

  /** EC2 refused a launch into it. */
  full(id: string): void {
    this.#set(id, 0);
  }

  #set(id: string, free: number): void {
    if (this.#free.get(id) === free) return;
    this.#free.set(id, free);
    this.#sequence += 1;
  }
}
