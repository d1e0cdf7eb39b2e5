/** The file of `--baseline`: read before anything else is done, or written when the report is there. */
import { readFile } from 'node:fs/promises';
import type * as Readiness from '../../readiness/index.ts';
import type { Baseline, Report } from '../../readiness/index.ts';
import { type Call, UsageError } from '../verb.ts';
import type { CHECK_OPTIONS } from './options.ts';
import { writeOutput } from './output-files.ts';

export interface UsedBaseline {
  /** Files that will be written. */
  readonly written: readonly string[];
  /** Writes what was found, where it is asked to. @returns what marks the findings of a report that are known. */
  over(found: Report): Promise<(report: Report) => Report>;
}

/** @throws {UsageError} for a baseline that cannot be read. */
export async function openBaseline(
  { compareWithBaseline, readBaseline, writeBaseline }: typeof Readiness,
  { baseline: { value: path }, updateBaseline }: Call<typeof CHECK_OPTIONS>['options'],
  cwd: string,
): Promise<UsedBaseline> {
  if (path === undefined) return { written: [], over: async () => (report) => report };
  const isUpdated = updateBaseline.value;
  const read = isUpdated ? undefined : await baselineOf(path, readBaseline);
  return {
    written: isUpdated ? [path] : [],
    async over(found) {
      if (isUpdated) await writeOutput(path, writeBaseline(found, cwd));
      const before = read ?? (await baselineOf(path, readBaseline));
      return (report) => compareWithBaseline(report, before, cwd);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function baselineOf(path: string, read: (text: string) => Baseline | undefined): Promise<Baseline> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError([
      { where: path, message: 'the baseline cannot be read; --update-baseline writes it' },
    ]);
  });
  const baseline = read(text);
  if (baseline === undefined)
    throw new UsageError([{ where: path, message: 'is no baseline of chandler check' }]);
  return baseline;
}
