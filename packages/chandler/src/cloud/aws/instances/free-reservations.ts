/**
 * How many instances of each capacity reservation are free: what EC2 said last, with what was launched and terminated since.
 * Offerings are judged by it, so a burst of claims does not ask for more than there is.
 */
import type { ReservationReader } from '../offerings/index.ts';
import type { ReservationCounts } from './aws-cloud-deps.ts';

/** More than an account can have. */
const MAX_RESERVATIONS = 10_000;

export class FreeReservations implements ReservationReader, ReservationCounts {
  readonly #free = new Map<string, number>();
  #sequence = 0;

  get sequence(): number {
    return this.#sequence;
  }

  freeInstances(reservationId: string): number {
    return this.#free.get(reservationId) ?? 0;
  }

  /** An answer of EC2. It contains what was launched before it. */
  observe(reservations: readonly { readonly id: string; readonly freeInstances: number }[]): void {
    for (const { id, freeInstances } of reservations) this.#set(id, freeInstances);
  }

  launched(reservationId: string): void {
    this.#change(reservationId, -1);
  }

  terminated(reservationId: string): void {
    this.#change(reservationId, 1);
  }

  markFull(reservationId: string): void {
    if (this.#free.has(reservationId)) this.#set(reservationId, 0);
  }

  /** Of a reservation that EC2 has not shown nothing is known. */
  #change(id: string, by: number): void {
    const known = this.#free.get(id);
    if (known !== undefined) this.#set(id, Math.max(0, known + by));
  }

  #set(id: string, count: number): void {
    if (this.#free.get(id) === count) return;
    this.#free.set(id, count);
    this.#sequence += 1;
    if (this.#free.size > MAX_RESERVATIONS) this.#free.delete(this.#free.keys().next().value!);
  }
}
