/** A failure as the operator reads it, and the exit code that goes with it. */
import {
  type ErrorFacts,
  EXIT_CODES,
  type FailureClass,
  FlexError,
  ioError,
  redact,
} from '../../flexnode/index.ts';
import { ConfigRefused } from './load-config.ts';

export function failureText(program: string, error: ErrorFacts, problems?: string): string {
  const lines = [`${program}: ${problems === undefined ? error.message : summary(error)}`];
  if (problems !== undefined) lines.push(problems.trimEnd());
  else {
    if (error.where !== undefined && !error.message.includes(error.where))
      lines.push(`  where: ${error.where}${error.line === undefined ? '' : `:${error.line}`}`);
    if (error.remedy !== undefined) lines.push(`  → ${error.remedy}`);
    for (const { from, lines: excerpt } of error.excerpts ?? []) {
      lines.push(`  last lines of the ${from}:`, ...excerpt.map((line) => `    ${line}`));
    }
  }
  lines.push(`exit code ${EXIT_CODES[error.class]}: ${CLASS_WORDS[error.class]} [${error.code}]`);
  return `${redact(lines.join('\n'))}\n`;
}

/** `undefined`: it is no failure but a defect of this program, and should look like one. */
export function failureOf(thrown: unknown): { facts: ErrorFacts; problems?: string } | undefined {
  // What the system refused without a step around it: a path of the command line, mostly.
  const error = ioError(thrown, 'use', pathOf(thrown));
  if (!(error instanceof FlexError)) return undefined;
  const { cause: _cause, ...facts } = error.facts;
  return error instanceof ConfigRefused ? { facts, problems: error.lines } : { facts };
}

/** For the reference and for help. */
export const CLASS_WORDS: Readonly<Record<FailureClass, string>> = {
  usage: 'the command was not understood',
  config: 'the config file is wrong',
  preflight: 'a check of the machine failed',
  auth: 'Azure or the cluster did not accept a credential',
  network: 'something could not be reached',
  step: 'a step failed, or something is left over',
  signal: 'interrupted',
};

// ---------------------------------------------------------------------------------------------------

function pathOf(error: unknown): string {
  const { path } = error as NodeJS.ErrnoException;
  return typeof path === 'string' ? path : 'a file';
}

/** The part of the message before the problems, which follow one by one. */
function summary(error: ErrorFacts): string {
  const end = error.message.indexOf('config validation failed');
  return end < 0 ? error.message : `${error.message.slice(0, end)}config validation failed:`;
}
