/**
 * Records what the read model shows: a snapshot and the changes after it, each with its time. Bounded: when there are too many
 * changes, the oldest become part of the snapshot, so that the recording begins later.
 */
import type { Clock } from '@chandler/kube';
import type { ChangeLog } from '../change-log.ts';
import type { Change, Snapshot } from '../wire.ts';
import type { RecordingHead } from '../wire-recording.ts';
import { RecordedState } from './recorded-state.ts';

export interface RecorderOptions {
  readonly log: ChangeLog;
  readonly clock: Pick<Clock, 'now'>;
  readonly head: Pick<RecordingHead, 'program' | 'cluster'>;
  /** The rows at the start. */
  readonly snapshot: () => Promise<Snapshot>;
  /** Of the text of all changes. Default 16 MiB. */
  readonly maxBytes?: number;
}

/** What can be read as a recording. */
export interface RecordingSource {
  /** As `wire.ts` describes them, each with its line break. What is recorded while they are read is not among them. */
  lines(): Iterable<string>;
}

export class Recorder implements RecordingSource {
  readonly #options: RecorderOptions;
  readonly #unsubscribe: () => void;
  #entries: Entry[] = [];
  #bytes = 0;
  #lastMs = 0;
  #sequence: number;
  #state: RecordedState | undefined;

  /** To be called when the model is ready. */
  static async start(options: RecorderOptions): Promise<Recorder> {
    const recorder = new Recorder(options);
    // A change that is in the snapshot and in the log, too, is made twice, which is as good as once.
    const snapshot = await options.snapshot();
    recorder.#state = new RecordedState(snapshot);
    recorder.#lastMs = Math.max(recorder.#lastMs, snapshot.atMs);
    return recorder;
  }

  private constructor(options: RecorderOptions) {
    this.#options = options;
    this.#sequence = options.log.sequence;
    this.#unsubscribe = options.log.subscribe(() => this.#take());
  }

  stop(): void {
    this.#unsubscribe();
  }

  *lines(): Generator<string> {
    const entries = this.#entries.slice();
    const { program, cluster } = this.#options.head;
    const head: RecordingHead = { recording: 1, program, cluster };
    yield `${JSON.stringify(head)}\n`;
    yield `${JSON.stringify(this.#state!.snapshot())}\n`;
    for (const { atMs, text } of entries) yield `{"atMs":${atMs},"changes":[${text}]}\n`;
  }

  #take(): void {
    const read = this.#options.log.after(this.#sequence, Number.POSITIVE_INFINITY);
    // Never too far behind: the log calls after every addition.
    if (read === undefined || read.text === '') return;
    this.#sequence = read.sequence;
    if (read.text === ONLY_CLAIMS) return;
    // A clock may be set back; the times of a recording may not.
    this.#lastMs = Math.max(this.#lastMs, this.#options.clock.now());
    this.#entries.push({ atMs: this.#lastMs, text: read.text });
    this.#bytes += read.text.length;
    this.#fold();
  }

  #fold(): void {
    const { maxBytes = MAX_BYTES } = this.#options;
    if (this.#bytes <= maxBytes || this.#state === undefined) return;
    let folded = 0;
    // Some more than needed, so that it is not done for every change.
    while (this.#bytes > maxBytes * KEPT_SHARE && folded < this.#entries.length) {
      const { atMs, text } = this.#entries[folded++]!;
      this.#bytes -= text.length;
      this.#state.apply(JSON.parse(`[${text}]`) as Change[], atMs);
    }
    this.#entries = this.#entries.slice(folded);
  }
}

// ---------------------------------------------------------------------------------------------------

interface Entry {
  readonly atMs: number;
  /** Changes as the elements of a JSON array. */
  readonly text: string;
}

/** A recording has no claims: at this time nothing else is to be seen. */
const ONLY_CLAIMS = JSON.stringify(['claims'] satisfies Change);
const MAX_BYTES = 16 * 1024 * 1024;
const KEPT_SHARE = 0.9;
