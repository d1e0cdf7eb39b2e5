/** Finds the flags of a table among arguments, in every usual spelling; what they say is read elsewhere. */
import { closestName } from './closest-name.ts';
import { placeholderOf } from './option-readers.ts';
import type { OptionProblem, OptionRow, OptionTable } from './option-row.ts';

export interface GivenFlag {
  /** As it was written, with its dashes. */
  readonly as: string;
  readonly texts: string[];
}

export interface FoundFlags {
  /** By the name of the option. */
  readonly given: ReadonlyMap<string, GivenFlag>;
  /** Flags `--<flag>-file` of secret options: the file that holds the value. */
  readonly files: ReadonlyMap<string, GivenFlag>;
  readonly positionals: readonly string[];
  readonly problems: readonly OptionProblem[];
}

export function findFlags(table: OptionTable, args: readonly string[]): FoundFlags {
  const given = new Map<string, GivenFlag>();
  const files = new Map<string, GivenFlag>();
  const positionals: string[] = [];
  const problems: OptionProblem[] = [];
  const index = indexFlags(table);
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') {
      positionals.push(...args.slice(at + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      positionals.push(arg);
      continue;
    }
    const { flag, inline } = splitFlag(arg, index);
    const found = index.get(flag);
    if (found === undefined) {
      problems.push(unknownFlag(table, flag));
      continue;
    }
    if (found.negated && inline !== undefined) {
      problems.push({ where: flag, message: `takes no value: ${flag} alone means false` });
      continue;
    }
    let text = inline;
    if (found.row.type === 'boolean') text = found.negated ? 'false' : (inline ?? 'true');
    else if (text === undefined) text = args[++at];
    if (text === undefined) {
      problems.push({ where: flag, message: `needs a value: ${flag} ${placeholderOf(found.row)}` });
      continue;
    }
    const target = found.file ? files : given;
    const entry = target.get(found.name) ?? { as: flag, texts: [] };
    entry.texts.push(text);
    target.set(found.name, entry);
  }
  return { given, files, positionals, problems };
}

// ---------------------------------------------------------------------------------------------------

interface KnownFlag {
  readonly name: string;
  readonly row: OptionRow;
  readonly negated: boolean;
  readonly file: boolean;
}

function indexFlags(table: OptionTable): Map<string, KnownFlag> {
  const index = new Map<string, KnownFlag>();
  for (const [name, row] of Object.entries(table)) {
    index.set(`--${row.flag}`, { name, row, negated: false, file: false });
    if (row.short !== undefined) index.set(`-${row.short}`, { name, row, negated: false, file: false });
    if (row.type === 'boolean') index.set(`--no-${row.flag}`, { name, row, negated: true, file: false });
    if (row.secret === true) index.set(`--${row.flag}-file`, { name, row, negated: false, file: true });
  }
  return index;
}

function splitFlag(arg: string, index: ReadonlyMap<string, KnownFlag>): { flag: string; inline?: string } {
  const equals = arg.indexOf('=');
  const head = equals < 0 ? arg : arg.slice(0, equals);
  const inline = equals < 0 ? {} : { inline: arg.slice(equals + 1) };
  if (arg.startsWith('--')) return { flag: head, ...inline };
  // Go programs take one dash for two; manifests of Karpenter may be written so.
  if (head.length > 2 && index.has(`-${head}`)) return { flag: `-${head}`, ...inline };
  const rest = arg.slice(2).replace(/^=/, '');
  return rest === '' ? { flag: arg.slice(0, 2) } : { flag: arg.slice(0, 2), inline: rest };
}

function unknownFlag(table: OptionTable, flag: string): OptionProblem {
  const guess = closestName(
    flag,
    Object.values(table).map((row) => `--${row.flag}`),
  );
  return {
    where: flag,
    message: guess === undefined ? 'unknown flag' : `unknown flag; did you mean ${guess}?`,
  };
}
