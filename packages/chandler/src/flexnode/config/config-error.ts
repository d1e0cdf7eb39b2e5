/** Renders the problems of a config file: as one failure, and as one line per problem. */
import { FlexError } from '../flex-error.ts';
import type { ConfigProblem } from './config-result.ts';

/** A limit for files that are not config files at all. */
const MAX_SHOWN = 50;

/** Existing scripts search for the first words. */
export function configRefusal(path: string, problems: readonly ConfigProblem[]): FlexError {
  const [first] = problems;
  return new FlexError({
    class: 'config',
    code: 'config.invalid',
    message: `failed to load config from ${path}: config validation failed: ${shown(problems, (each) => each.message).join('; ')}`,
    where: path,
    ...(first === undefined ? {} : { line: first.line }),
    ...(first?.suggestion === undefined ? {} : { remedy: first.suggestion }),
  });
}

export function configMissing(path: string, why: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'config.unreadable',
    message: `failed to load config from ${path}: ${why}`,
    where: path,
    remedy: 'Create the file (docs/flexnode.md has samples), or pass another path with --config FILE.',
  });
}

/** `config.json:12: invalid agent.logLevel: …` and below it what to write instead. */
export function problemLines(path: string, problems: readonly ConfigProblem[]): string {
  return shown(problems, ({ line, message, suggestion }) => {
    const hint = suggestion === undefined ? '' : `\n    → ${suggestion}`;
    return `${path}:${line}: ${message}${hint}`;
  })
    .map((text) => `  ${text}\n`)
    .join('');
}

// ---------------------------------------------------------------------------------------------------

function shown(problems: readonly ConfigProblem[], say: (problem: ConfigProblem) => string): string[] {
  const more = problems.length - MAX_SHOWN;
  const lines = problems.slice(0, MAX_SHOWN).map(say);
  return more > 0 ? [...lines, `and ${more} more`] : lines;
}
