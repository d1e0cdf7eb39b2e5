/** What the operator reads about a config file: its problems as one failure, and each of them as lines. */
import { FlexError } from '../flex-error.ts';
import type { ConfigProblem } from './reading.ts';

/** The first words are those that scripts around the original look for. */
export function configRefusal(path: string, problems: readonly ConfigProblem[]): FlexError {
  const [first] = problems;
  return new FlexError({
    class: 'config',
    code: 'config.invalid',
    message: `failed to load config from ${path}: config validation failed: ${problems.map((each) => each.message).join('; ')}`,
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
    remedy: 'write one (docs/flexnode.md has samples), or name another with --config FILE',
  });
}

/** `config.json:12: invalid agent.logLevel: …` and below it what to write instead. */
export function problemLines(path: string, problems: readonly ConfigProblem[]): string {
  return problems
    .map(({ line, message, suggestion }) => {
      const hint = suggestion === undefined ? '' : `\n    → ${suggestion}`;
      return `  ${path}:${line}: ${message}${hint}\n`;
    })
    .join('');
}
