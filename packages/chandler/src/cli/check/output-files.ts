/** Files that a report is also written to (`--output-file`): which format each of them gets. */
import { access, constants, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Output } from '../../readiness/index.ts';
import type { OptionProblem } from '../../settings/index.ts';
import { UsageError } from '../verb.ts';
import { OUTPUTS } from './options.ts';

export interface OutputFile {
  readonly path: string;
  readonly output: Output;
}

/** @throws {UsageError} for a file whose ending tells no format. */
export function outputFilesOf(values: readonly string[]): readonly OutputFile[] {
  const problems: OptionProblem[] = [];
  const files = values.flatMap((value) => {
    const file = outputFileOf(value);
    if (file === undefined)
      problems.push({
        where: '--output-file',
        message: `${JSON.stringify(value)}: the ending tells no format; write FORMAT=FILE with one of ${OUTPUTS.join(', ')}`,
      });
    return file ?? [];
  });
  if (problems.length > 0) throw new UsageError(problems);
  return files;
}

/** Before a long run, whose result would be lost. @throws {UsageError} for files that cannot be written as it seems. */
export async function refuseUnwritable(paths: readonly string[]): Promise<void> {
  const problems: OptionProblem[] = [];
  for (const path of paths) {
    const why = await unwritable(path);
    if (why !== undefined) problems.push({ where: path, message: `cannot be written (${why})` });
  }
  if (problems.length > 0) throw new UsageError(problems);
}

export async function writeOutputFiles(
  files: readonly OutputFile[],
  render: (output: Output) => string,
): Promise<void> {
  for (const { path, output } of files) await writeOutput(path, render(output));
}

/** @throws {UsageError} for a file that cannot be written: exit code 1 would mean findings. */
export async function writeOutput(path: string, text: string): Promise<void> {
  await writeFile(path, text).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError([{ where: path, message: `cannot be written (${error.code ?? error.message})` }]);
  });
}

// ---------------------------------------------------------------------------------------------------

/** Nothing is created: the run may end before there is something to write. */
async function unwritable(path: string): Promise<string | undefined> {
  try {
    const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (found?.isDirectory()) return 'EISDIR';
    await access(found === undefined ? dirname(path) : path, constants.W_OK);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  }
}

const ENDINGS: readonly (readonly [RegExp, Output])[] = [
  [/\.sarif(\.json)?$/i, 'sarif'],
  [/\.json$/i, 'json'],
  [/\.ya?ml$/i, 'yaml'],
  [/\.(md|markdown)$/i, 'markdown'],
  [/\.xml$/i, 'junit'],
  [/\.html?$/i, 'html'],
  [/\.csv$/i, 'csv'],
  [/\.prom$/i, 'prometheus'],
  [/\.(txt|log)$/i, 'text'],
];

function outputFileOf(value: string): OutputFile | undefined {
  const [, prefix, rest] = /^([a-z]+)=(.+)$/s.exec(value) ?? [];
  const named = OUTPUTS.find((output) => output === prefix);
  if (named !== undefined && rest !== undefined) return { path: rest, output: named };
  const output = ENDINGS.find(([ending]) => ending.test(value))?.[1];
  return output === undefined ? undefined : { path: value, output };
}
