/** Files that a report is also written to (`--output-file`): which format each of them gets. */
import { writeFile } from 'node:fs/promises';
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
