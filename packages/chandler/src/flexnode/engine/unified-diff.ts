/** Renders two texts as a unified diff. The caller decides whether the texts may be shown. */

const CONTEXT = 3;
/** For longer files only the size is reported: the diff takes quadratic time. */
const MAX_LINES = 3_000;

export function unifiedDiff(
  before: string,
  after: string,
  names: { readonly from: string; readonly to: string },
): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  if (a.length > MAX_LINES || b.length > MAX_LINES) return `(${a.length} lines before, ${b.length} after)\n`;
  const hunks = hunksOf(editsOf(a, b));
  if (hunks.length === 0) return '';
  return [`--- ${names.from}`, `+++ ${names.to}`, ...hunks].join('\n').concat('\n');
}

// ---------------------------------------------------------------------------------------------------

interface Edit {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
  /** Lines of each side before this one. */
  readonly a: number;
  readonly b: number;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  else lines.push(`${lines.pop()}\n\\ No newline at end of file`);
  return lines;
}

/** The longest common subsequence, by the plain table, after what both have at their ends is set aside. */
function editsOf(a: readonly string[], b: readonly string[]): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start++;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  const table = lengths(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const edits: Edit[] = [];
  let [i, j] = [0, 0];
  const push = (sign: Edit['sign'], line: string) => {
    edits.push({ sign, line, a: i, b: j });
    if (sign !== '+') i++;
    if (sign !== '-') j++;
  };
  while (i < a.length || j < b.length) {
    const isInner = i >= start && j >= start && (i < a.length - end || j < b.length - end);
    if (!isInner) push(' ', a[i]!);
    else if (i < a.length - end && j < b.length - end && a[i] === b[j]) push(' ', a[i]!);
    else if (
      j >= b.length - end ||
      (i < a.length - end && table[i - start + 1]![j - start]! >= table[i - start]![j - start + 1]!)
    ) {
      push('-', a[i]!);
    } else push('+', b[j]!);
  }
  return edits;
}

function lengths(a: readonly string[], b: readonly string[]): Uint16Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      table[i]![j] =
        a[i] === b[j] ? table[i + 1]![j + 1]! + 1 : Math.max(table[i + 1]![j]!, table[i]![j + 1]!);
    }
  }
  return table;
}

function hunksOf(edits: readonly Edit[]): string[] {
  const hunks: string[] = [];
  let at = 0;
  for (;;) {
    const first = edits.findIndex((edit, index) => index >= at && edit.sign !== ' ');
    if (first === -1) return hunks;
    let last = first;
    for (let index = first; index < edits.length && index - last <= 2 * CONTEXT; index++) {
      if (edits[index]!.sign !== ' ') last = index;
    }
    hunks.push(...hunkOf(edits.slice(Math.max(0, first - CONTEXT), last + CONTEXT + 1)));
    at = last + 1;
  }
}

function hunkOf(edits: readonly Edit[]): string[] {
  const side = (skip: '+' | '-', before: number): string => {
    const count = edits.filter((edit) => edit.sign !== skip).length;
    return `${count === 0 ? before : before + 1},${count}`;
  };
  const { a, b } = edits[0]!;
  return [`@@ -${side('+', a)} +${side('-', b)} @@`, ...edits.map(({ sign, line }) => sign + line)];
}
