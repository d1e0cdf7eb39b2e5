/**
 * Edits of single lines. Everything else in a file stays as it is: comments, order, quotes, line ends. What is not found
 * exactly once where it is expected is not edited.
 */

export interface LineEdit {
  /** From 0. */
  readonly index: number;
  /** The lines that stand there instead of it. */
  readonly lines: readonly string[];
}

/** Lines with their ends. */
export function splitLines(text: string): readonly string[] {
  return text === '' ? [] : text.split(/(?<=\r\n|\n|\r(?!\n))/);
}

/** The value of a key of YAML or JSON becomes another. */
export function setYaml(
  lines: readonly string[],
  index: number,
  key: string,
  old: string,
  value: string,
): LineEdit | undefined {
  const pattern = new RegExp(
    `((?:^|[\\s{,])(["']?)${escaped(key)}\\2\\s*:\\s*)(["']?)${escaped(old)}\\3(?=\\s*(?:[,}]|\\s#|$))`,
    'g',
  );
  return once(lines, index, pattern, (_, head, _quote, quote) => {
    const written = quote === '' ? scalar(value) : `${quote}${value}${quote}`;
    return `${head}${written}`;
  });
}

/** A literal of HCL becomes another. */
export function setHcl(
  lines: readonly string[],
  index: number,
  old: string,
  value: string,
): LineEdit | undefined {
  if (/["\\$%\n]/.test(value)) return undefined;
  return once(lines, index, new RegExp(`=\\s*"${escaped(old)}"(?=\\s*(?:[,})]|#|//|$))`, 'g'), (found) =>
    found.replace(`"${old}"`, `"${value}"`),
  );
}

/** Removes a key that has its line to itself. */
export function removeYaml(lines: readonly string[], index: number, key: string): LineEdit | undefined {
  const pattern = new RegExp(`^\\s*(["']?)${escaped(key)}\\1:\\s+[^\\s|>&{[#][^#]*(#.*)?\\s*$`);
  return pattern.test(lines[index] ?? '') ? { index, lines: [] } : undefined;
}

/** Adds a key to the map whose own key has a line to itself, before its first entry. */
export function addYaml(
  lines: readonly string[],
  index: number,
  parent: string,
  key: string,
  value: string,
): LineEdit | undefined {
  const own = lines[index] ?? '';
  const found = new RegExp(`^(\\s*(?:- +)*)(["']?)${escaped(parent)}\\2:\\s*(#.*)?(\\r?\\n|\\r)$`).exec(own);
  const next = lines.slice(index + 1).find((line) => !/^\s*(#.*)?$/.test(line));
  const indent = /^( *)[^\s-]/.exec(next ?? '')?.[1];
  if (found === null || indent === undefined || indent.length <= found[1]!.length) return undefined;
  return { index, lines: [own, `${indent}${key}: ${scalar(value)}${found[4]}`] };
}

/** @param edits at most one of each line. */
export function applyEdits(lines: readonly string[], edits: readonly LineEdit[]): readonly string[] {
  const byIndex = new Map(edits.map((edit) => [edit.index, edit]));
  return lines.flatMap((line, index) => byIndex.get(index)?.lines ?? [line]);
}

// ---------------------------------------------------------------------------------------------------------------

function once(
  lines: readonly string[],
  index: number,
  pattern: RegExp,
  replace: (found: string, ...groups: string[]) => string,
): LineEdit | undefined {
  const line = lines[index] ?? '';
  if ([...line.matchAll(pattern)].length !== 1) return undefined;
  return { index, lines: [line.replace(pattern, replace)] };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

/** Plain where YAML reads it back as the same text (or as true). */
function scalar(value: string): string {
  return /^[A-Za-z][\w./@-]*(?::[\w./@-]+)*$/.test(value) || /^(arn:|https:\/\/)[\w./:@-]+$/.test(value)
    ? value
    : JSON.stringify(value);
}
