/** The streams and snapshots of every read model that is shown: people who may see the same share them. */
import type { Clock } from '@chandler/kube';
import type { ReadModel } from '../read-model.ts';
import { Snapshots } from '../snapshot.ts';
import type { ServerTime } from '../wire.ts';
import type { OpenedPage, Shown } from './routes.ts';
import { Streams } from './stream.ts';

export class ShownPages {
  readonly #clock: Clock;
  readonly #time: () => ServerTime;
  readonly #parts = new Map<ReadModel, Pick<Shown, 'streams' | 'snapshots'>>();

  constructor(clock: Clock, time: () => ServerTime) {
    this.#clock = clock;
    this.#time = time;
  }

  of(opened: OpenedPage): Shown {
    const { model } = opened;
    let parts = this.#parts.get(model);
    if (parts === undefined) {
      for (const known of this.#parts.keys()) if (known.isStopped) this.#parts.delete(known);
      parts = {
        streams: new Streams(model.log, this.#clock, this.#time),
        snapshots: new Snapshots(model, this.#clock),
      };
      this.#parts.set(model, parts);
    }
    return { ...opened, ...parts };
  }

  endStreams(): void {
    for (const { streams } of this.#parts.values()) streams.end();
  }
}
