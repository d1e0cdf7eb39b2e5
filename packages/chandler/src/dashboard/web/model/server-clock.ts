/** The time of the cluster: as the server said it last, and from then on as fast as it said. Pure. */
import type { ServerTime } from '../../wire.ts';

export class ServerClock {
  #time: ServerTime = { nowMs: 0, speed: 1 };
  #setMs = 0;
  #heardMs: number | undefined;

  /** @param localMs when it arrived, by the clock of the browser. */
  set(time: ServerTime, localMs: number): void {
    this.#time = time;
    this.#setMs = localMs;
  }

  /** The browser's own time before the server has said any. */
  nowMs(localMs: number): number {
    const { nowMs, speed } = this.#time;
    return nowMs === 0 ? localMs : Math.round(nowMs + (localMs - this.#setMs) * speed);
  }

  /** Something came from the server. */
  heard(localMs: number): void {
    this.#heardMs = this.nowMs(localMs);
  }

  /** Of when what is shown is: silence is noticed only later. Of now, if nothing ever came. */
  lastHeardMs(localMs: number): number {
    return this.#heardMs ?? this.nowMs(localMs);
  }
}
