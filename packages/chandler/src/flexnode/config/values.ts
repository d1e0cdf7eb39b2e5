/** Validates one value of a config file against its row. Empty strings are treated as absent. */
import { closestName } from '../../settings/index.ts';
import type { ConfigProblem } from './config-result.ts';
import { type JsonNode, plainValue } from './json-text.ts';
import type { CheckFailure, ConfigRow, ConfigType, TextCheck } from './row.ts';

export type ValueReading =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly problems: readonly ConfigProblem[] };

export function readValue(
  row: ConfigRow,
  path: string,
  node: JsonNode,
  check: TextCheck | undefined,
): ValueReading {
  if (node.kind === 'null') return refused([problem(path, node, `${path}: is null`, 'remove the key')]);
  return READERS[row.type](row, path, node, check);
}

// ---------------------------------------------------------------------------------------------------

type Reader = (row: ConfigRow, path: string, node: JsonNode, check?: TextCheck) => ValueReading;

const READERS: Readonly<Record<ConfigType, Reader>> = {
  string: readText,
  boolean: (_row, path, node) => {
    if (node.kind === 'boolean') return value(node.value);
    const meant =
      node.kind === 'string' ? { true: 'true', false: 'false' }[node.value.toLowerCase()] : undefined;
    return wrongType(path, node, 'true or false', meant);
  },
  integer: readInteger,
  texts: readTexts,
  map: readMap,
  object: (_row, path, node) =>
    node.kind === 'object' ? value(plainValue(node)) : wrongType(path, node, 'an object'),
};

function readText(row: ConfigRow, path: string, node: JsonNode, check?: TextCheck): ValueReading {
  if (node.kind !== 'string') return wrongType(path, node, 'a string', inQuotes(node));
  if (node.value === '') return { kind: 'absent' };
  const text = row.otherChoices?.[node.value] ?? node.value;
  const failure = row.choices === undefined ? check?.(text) : notAChoice(row.choices, text);
  return failure === undefined ? value(text) : refused([invalid(path, node, failure)]);
}

function readInteger(row: ConfigRow, path: string, node: JsonNode): ValueReading {
  if (node.kind !== 'number') {
    const meant = node.kind === 'string' && /^\d+$/.test(node.value) ? node.value : undefined;
    return wrongType(path, node, 'a number', meant);
  }
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = row;
  return Number.isInteger(node.value) && node.value >= minimum && node.value <= maximum
    ? value(node.value)
    : refused([
        invalid(path, node, {
          message: `must be an integer from ${minimum} to ${maximum}, not ${node.value}`,
        }),
      ]);
}

function readTexts(_row: ConfigRow, path: string, node: JsonNode, check?: TextCheck): ValueReading {
  if (node.kind === 'string' && node.value === '') return { kind: 'absent' };
  const items = node.kind === 'string' ? [node] : node.kind === 'array' ? node.items : undefined;
  if (items === undefined) return wrongType(path, node, 'a string or a list of strings', inQuotes(node));
  const problems: ConfigProblem[] = [];
  const texts = items.map((item, index) => {
    const place = node.kind === 'string' ? path : `${path}.${index}`;
    if (item.kind !== 'string') {
      problems.push(...typeProblem(place, item, 'a string', inQuotes(item)));
      return '';
    }
    const failure = check?.(item.value);
    if (failure !== undefined) problems.push(invalid(place, item, failure));
    return item.value;
  });
  return problems.length === 0 ? value(texts) : refused(problems);
}

function readMap(row: ConfigRow, path: string, node: JsonNode, check?: TextCheck): ValueReading {
  if (node.kind !== 'object') return wrongType(path, node, 'an object with string values');
  const problems: ConfigProblem[] = [];
  const entries: [string, string][] = [];
  for (const member of node.members) {
    const place = `${path}["${member.key}"]`;
    const at = { line: member.line };
    if (member.value.kind === 'object') {
      // How a reader that splits names at dots would have wanted it.
      const inner = member.value.members[0]?.key ?? '…';
      const suggestion = `one key with dots: "${member.key}.${inner}"`;
      problems.push(problem(place, at, `${place}: must be a string, not an object`, suggestion));
    } else if (member.value.kind !== 'string') {
      problems.push(...typeProblem(place, member.value, 'a string', inQuotes(member.value)));
    } else {
      const failure = checkKey(row, member.key) ?? row.checkName?.(member.key) ?? check?.(member.value.value);
      if (failure !== undefined) problems.push(invalid(place, at, failure));
      entries.push([member.key, member.value.value]);
    }
  }
  // Sorted, so that files made of it are the same in every run.
  return problems.length === 0
    ? value(Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1))))
    : refused(problems);
}

function checkKey(row: ConfigRow, name: string): CheckFailure | undefined {
  if (row.names === undefined || row.names.includes(name)) return undefined;
  const guess =
    row.names.find((known) => known.toLowerCase() === name.toLowerCase()) ?? closestName(name, row.names);
  return {
    message: `unknown key "${name}"; valid keys: ${row.names.join(', ')}`,
    ...(guess === undefined ? {} : { suggestion: `did you mean "${guess}"?` }),
  };
}

function notAChoice(choices: readonly string[], text: string): CheckFailure | undefined {
  if (choices.includes(text)) return undefined;
  const guess =
    choices.find((choice) => choice.toLowerCase() === text.toLowerCase()) ?? closestName(text, choices);
  return {
    message: `must be one of ${choices.join(', ')}, not ${JSON.stringify(text)}`,
    ...(guess === undefined ? {} : { suggestion: `did you mean "${guess}"?` }),
  };
}

function wrongType(path: string, node: JsonNode, wanted: string, meant?: string): ValueReading {
  return refused(typeProblem(path, node, wanted, meant));
}

function typeProblem(path: string, node: JsonNode, wanted: string, meant?: string): ConfigProblem[] {
  return [problem(path, node, `${path}: must be ${wanted}, not ${KIND_NAMES[node.kind]}`, meant)];
}

function inQuotes(node: JsonNode): string | undefined {
  return node.kind === 'number' || node.kind === 'boolean' ? `"${node.value}"` : undefined;
}

const KIND_NAMES: Readonly<Record<JsonNode['kind'], string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  null: 'null',
};

function invalid(path: string, at: { readonly line: number }, failure: CheckFailure): ConfigProblem {
  return problem(path, at, `invalid ${path}: ${failure.message}`, failure.suggestion);
}

function problem(
  path: string,
  at: { readonly line: number },
  message: string,
  suggestion?: string,
): ConfigProblem {
  return { path, line: at.line, message, ...(suggestion === undefined ? {} : { suggestion }) };
}

function value(found: unknown): ValueReading {
  return { kind: 'value', value: found };
}

function refused(problems: readonly ConfigProblem[]): ValueReading {
  return { kind: 'refused', problems };
}
