/** Whether the page shows the present or a recording: loads it, plays it as time goes on, and leaves it again. */
import type { WireError } from '../wire.ts';
import { errorText } from './api.ts';
import { every } from './browser.ts';
import type { Connection } from './connection.ts';
import { parseRecording } from './model/recording.ts';
import { Replay } from './model/replay.ts';

/** Ten frames a second: as often as the live page changes. */
const FRAME_MS = 100;

export class Playback {
  replay: Replay | null = null;
  /** The text of the recording, to save it. */
  text = '';
  isLoading = false;
  error: WireError | null = null;
  /** How many seconds of the recording pass in one. */
  rate = 10;
  readonly #connection: Connection;
  readonly #listeners = new Set<() => void>();
  #stop: (() => void) | undefined;

  constructor(connection: Connection) {
    this.#connection = connection;
    // A page that has nothing but a recording shows it from its start.
    connection.listen(() => {
      const { session, link } = connection;
      if (session?.recording === 'file' && link.state === 'live' && this.replay === null && !this.isLoading)
        void this.open();
    });
  }

  get isPlaying(): boolean {
    return this.#stop !== undefined;
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Of a live page at its end: from there one goes back. */
  async open(): Promise<void> {
    if (this.isLoading) return;
    this.isLoading = true;
    this.error = null;
    this.#tell();
    try {
      this.text = await this.#connection.api.text('recording');
      this.replay = new Replay(parseRecording(this.text));
      if (this.#connection.session?.recording === 'live') this.replay.seek(Number.POSITIVE_INFINITY);
    } catch (error) {
      this.error = errorText(error);
    }
    this.isLoading = false;
    this.#tell();
  }

  /** Back to the present. */
  leave(): void {
    this.pause();
    this.replay = null;
    this.text = '';
    this.#tell();
  }

  seek(atMs: number): void {
    this.replay?.seek(atMs);
    this.#tell();
  }

  step(direction: 1 | -1): void {
    this.pause();
    this.replay?.step(direction);
    this.#tell();
  }

  /** At the end it begins at the start. */
  play(): void {
    const { replay } = this;
    if (replay === null || this.isPlaying) return;
    if (replay.isAtEnd) replay.seek(replay.recording.startMs);
    this.#stop = every(FRAME_MS, () => {
      replay.seek(replay.atMs + FRAME_MS * this.rate);
      if (replay.isAtEnd) this.pause();
      this.#tell();
    });
    this.#tell();
  }

  pause(): void {
    this.#stop?.();
    this.#stop = undefined;
    this.#tell();
  }

  setRate(rate: number): void {
    this.rate = rate;
    this.#tell();
  }

  #tell(): void {
    this.#connection.recordedNowMs = this.replay?.atMs ?? null;
    for (const listener of this.#listeners) listener();
  }
}
