/** A recording as the server sends it: a snapshot, and changes with their times. Pure. */
import { inOrder } from '../../happened-key.ts';
import type { Happened, PricePoint, Snapshot, TimelineAnswer } from '../../wire.ts';
import type { RecordedChanges, RecordingHead } from '../../wire-recording.ts';

export interface Recording {
  readonly head: RecordingHead;
  readonly snapshot: Snapshot;
  readonly entries: readonly RecordedChanges[];
  readonly startMs: number;
  readonly endMs: number;
}

/** @throws when a line is missing; the server has checked the lines. */
export function parseRecording(text: string): Recording {
  const lines = text.split('\n').filter((line) => line !== '');
  if (lines.length < 2) throw new Error('the recording ends before its snapshot');
  const [head, snapshot, ...entries] = lines.map((line) => JSON.parse(line) as unknown) as [
    RecordingHead,
    Snapshot,
    ...RecordedChanges[],
  ];
  const startMs = snapshot.atMs;
  return { head, snapshot, entries, startMs, endMs: Math.max(startMs, entries.at(-1)?.atMs ?? startMs) };
}

/** How many entries are in effect at this time. */
export function countUntil(entries: readonly RecordedChanges[], atMs: number): number {
  let [low, high] = [0, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle]!.atMs <= atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What the view Timeline asks a server for, of the whole recording. */
export function timelineOf({ snapshot, entries, startMs, endMs }: Recording): TimelineAnswer {
  const { pricePerHour } = snapshot.totals;
  const prices: PricePoint[] = pricePerHour === null ? [] : [{ atMs: startMs, pricePerHour }];
  const happened: Happened[] = [];
  for (const change of entries.flatMap(({ changes }) => changes)) {
    if (change[0] === 'price') prices.push(change[1]);
    if (change[0] === 'happened') happened.push(change[1]);
  }
  return { fromMs: startMs, toMs: endMs, happened: inOrder(happened), prices };
}
