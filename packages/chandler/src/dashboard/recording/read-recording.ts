/** Reads a recording from a file, and checks every line, so that the page never gets what it cannot show. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { RecordingHead } from '../wire-recording.ts';
import { changesProblem, headProblem, snapshotProblem } from './check-recording.ts';
import type { RecordingSource } from './recorder.ts';

export interface ReadRecording extends RecordingSource {
  readonly head: RecordingHead;
  readonly startMs: number;
  readonly endMs: number;
}

/** The message names the file, the line, what is wrong and what to do. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
}

/** @throws {RecordingError} */
export async function readRecording(file: string): Promise<ReadRecording> {
  const lines: string[] = [];
  let head: RecordingHead | undefined;
  let [bytes, startMs, lastMs] = [0, 0, 0];
  const wrong = (problem: string) =>
    new RecordingError(
      `${file}:${lines.length + 1}: ${problem}; record it again, or remove this line and all that follow`,
    );
  try {
    for await (const line of createInterface({
      input: createReadStream(file, 'utf8'),
      crlfDelay: Infinity,
    })) {
      bytes += line.length;
      if (bytes > MAX_BYTES)
        throw new RecordingError(
          `${file} is larger than ${MAX_BYTES / 1024 / 1024} MiB; record a shorter run`,
        );
      const value = parsed(line);
      if (value === undefined) throw wrong('the line is not JSON');
      const problem =
        lines.length === 0
          ? headProblem(value)
          : lines.length === 1
            ? snapshotProblem(value)
            : changesProblem(value, lastMs);
      if (problem !== undefined) throw wrong(problem);
      if (lines.length === 0) head = value as RecordingHead;
      else lastMs = (value as { readonly atMs: number }).atMs;
      if (lines.length === 1) startMs = lastMs;
      lines.push(`${line}\n`);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (error instanceof RecordingError || code === undefined) throw error;
    throw new RecordingError(`the recording ${file} cannot be read (${code}); check the path`);
  }
  if (head === undefined || lines.length < 2)
    throw new RecordingError(
      `${file}:${lines.length + 1}: the recording ends before its snapshot; record it again`,
    );
  return { head, startMs, endMs: lastMs, lines: () => lines };
}

// ---------------------------------------------------------------------------------------------------

/** Sixteen times what a playground keeps. */
const MAX_BYTES = 256 * 1024 * 1024;

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
