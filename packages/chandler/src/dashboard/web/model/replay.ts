/**
 * The cluster at a time of a recording. Forward it applies changes; back it begins at the last of some copies that it made on the way,
 * so that no jump applies more than a few thousand changes. Pure: time is given.
 */
import type { PodRow, Snapshot } from '../../wire.ts';
import { countUntil, type Recording } from './recording.ts';
import { ClusterStore } from './store.ts';

export class Replay {
  readonly recording: Recording;
  readonly store = new ClusterStore();
  atMs: number;
  /** So many entries are in effect. */
  #count = 0;
  readonly #copies: { readonly count: number; readonly snapshot: Snapshot }[];

  constructor(recording: Recording) {
    this.recording = recording;
    this.#copies = [{ count: 0, snapshot: recording.snapshot }];
    this.store.load(recording.snapshot);
    this.atMs = recording.startMs;
  }

  get isAtEnd(): boolean {
    return this.atMs >= this.recording.endMs;
  }

  /** To this time, or the nearest that the recording has. */
  seek(atMs: number): void {
    const { startMs, endMs, entries } = this.recording;
    this.atMs = Math.min(endMs, Math.max(startMs, atMs));
    this.#show(countUntil(entries, this.atMs));
  }

  /** To the next change of the rows, or the one before: a moment at which something else is to be seen. */
  step(direction: 1 | -1): void {
    const { entries, startMs } = this.recording;
    if (direction === 1) {
      const next = entries[this.#count];
      if (next !== undefined) this.seek(next.atMs);
      return;
    }
    const current = entries[this.#count - 1];
    const isBetween = current !== undefined && this.atMs > current.atMs;
    const before = isBetween ? current : entries.findLast(({ atMs }) => atMs < (current?.atMs ?? startMs));
    this.seek(before?.atMs ?? startMs);
  }

  #show(count: number): void {
    const { entries } = this.recording;
    if (count < this.#count) {
      const copy = this.#copies.findLast((each) => each.count <= count)!;
      this.#count = copy.count;
      this.store.load(copy.snapshot);
    }
    let changes = 0;
    while (this.#count < count) {
      const entry = entries[this.#count++]!;
      this.store.apply(entry.changes, this.#count);
      changes += entry.changes.length;
      if (changes < COPY_EVERY) continue;
      changes = 0;
      if (this.#copies.at(-1)!.count < this.#count)
        this.#copies.push({ count: this.#count, snapshot: this.#copy() });
    }
  }

  #copy(): Snapshot {
    const { nodes, pods, pools, totals, freezes, missing } = this.store;
    return {
      ...this.recording.snapshot,
      atMs: this.recording.entries[this.#count - 1]!.atMs,
      totals: totals!,
      nodes: [...nodes.values()],
      pods: [...pods.values()] as PodRow[],
      pools: [...pools.values()],
      freezes,
      missing,
    };
  }
}

const COPY_EVERY = 2_000;
