/**
 * Which disk encryption set the disk of a VM has, as it was last read. It cannot change while the VM runs, so that
 * the VMs of an adopted cluster are not read again at every reconcile. Bounded.
 */
import type { Clock } from '@chandler/kube';

export const REMEMBERED_MS = 12 * 3600_000;
const MAX_ENTRIES = 20_000;

/** `ofAks`: a VM that AKS made, whose drift is not checked. */
export type DiskSet = { readonly id: string | undefined } | 'ofAks';

export class DiskSetCache {
  readonly #clock: Clock;
  /** By provider id of the VM and UID of its claim; in the order of reading. */
  readonly #known = new Map<string, { readonly set: DiskSet; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#known.size;
  }

  /** @param read what throws is not remembered. */
  async of(machine: string, read: () => Promise<DiskSet>): Promise<DiskSet> {
    const nowMs = this.#clock.monotonic();
    const known = this.#known.get(machine);
    if (known !== undefined && nowMs < known.untilMs) return known.set;
    const set = await read();
    this.#known.delete(machine);
    this.#known.set(machine, { set, untilMs: this.#clock.monotonic() + REMEMBERED_MS });
    for (const [oldest, { untilMs }] of this.#known) {
      if (this.#known.size <= MAX_ENTRIES && nowMs < untilMs) break;
      this.#known.delete(oldest);
    }
    return set;
  }
}
