/** A recording, as the page gets it and a file has it. The changes are those of the stream. */
import type { Change } from './wire.ts';

/**
 * `GET /api/v1/recording`, where the session has one: JSON lines. The first is `RecordingHead`, the second a `Snapshot`, every further
 * one `RecordedChanges`, in order of time. `chandler page --recording FILE` opens a file of the same form.
 */
export interface RecordingHead {
  readonly recording: 1;
  /** Of the program that recorded it. */
  readonly program: string;
  readonly cluster: string;
}

export interface RecordedChanges {
  readonly atMs: number;
  readonly changes: readonly Change[];
}
