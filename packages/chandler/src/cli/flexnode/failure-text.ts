/** Renders a failure for the terminal, and maps it to its exit code. */
import {
  type ErrorFacts,
  EXIT_CODES,
  type FailureClass,
  FlexError,
  ioError,
  redact,
} from '../../flexnode/index.ts';
import { InvalidConfigError } from './load-config.ts';

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
  lines.push(`exit code ${EXIT_CODES[error.class]}: ${CLASS_DESCRIPTIONS[error.class]} [${error.code}]`);
  return `${redact(lines.join('\n'))}\n`;
}

/** Returns `undefined` for an unexpected exception, which is a defect of this program and keeps its stack trace. */
export function failureOf(thrown: unknown): { facts: ErrorFacts; problems?: string } | undefined {
  // A system call that failed outside a step, usually on a path from the command line.
  const error = ioError(thrown, 'use', pathOf(thrown));
  if (!(error instanceof FlexError)) return undefined;
  const { cause: _cause, ...facts } = error.facts;
  return error instanceof InvalidConfigError ? { facts, problems: error.lines } : { facts };
}

/** Also used by the generated reference. */
export const CLASS_DESCRIPTIONS: Readonly<Record<FailureClass, string>> = {
  usage: 'usage error',
  config: 'invalid config file',
  preflight: 'a preflight check failed',
  auth: 'Azure or the cluster rejected a credential',
  network: 'an endpoint could not be reached',
  step: 'a step failed, or cleanup is incomplete',
  signal: 'interrupted',
};

// ---------------------------------------------------------------------------------------------------

function pathOf(error: unknown): string {
  const { path } = error as NodeJS.ErrnoException;
  return typeof path === 'string' ? path : 'a file';
}

/** The part of the message that precedes the list of problems. */
function summary(error: ErrorFacts): string {
  const end = error.message.indexOf('config validation failed');
  return end < 0 ? error.message : `${error.message.slice(0, end)}config validation failed:`;
}
