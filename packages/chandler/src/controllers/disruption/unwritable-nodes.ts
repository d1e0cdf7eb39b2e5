/** Nodes whose marks the API server refused: they are left out for a while, so that others are not kept by them. */
import type { Clock } from '@chandler/kube';

const LEFT_OUT_MS = 10 * 60_000;

export class UnwritableNodes {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By UID of the claim: until when. */
  readonly #untilMs = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  note(uid: string): void {
    this.#untilMs.set(uid, this.#clock.monotonic() + LEFT_OUT_MS);
  }

  has(uid: string): boolean {
    this.#forgetOld();
    return this.#untilMs.has(uid);
  }

  /** For the plan. @param nowMs since the epoch, as the times of the result. */
  all(nowMs: number): ReadonlyMap<string, number> {
    this.#forgetOld();
    const offsetMs = nowMs - this.#clock.monotonic();
    return new Map([...this.#untilMs].map(([uid, untilMs]) => [uid, untilMs + offsetMs]));
  }

  #forgetOld(): void {
    const nowMs = this.#clock.monotonic();
    for (const [each, untilMs] of this.#untilMs) if (untilMs <= nowMs) this.#untilMs.delete(each);
  }
}
