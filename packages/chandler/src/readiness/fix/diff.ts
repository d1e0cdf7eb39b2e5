/** The difference between a file and its edited form, as `diff -u` prints it. */
import type { LineEdit } from './lines.ts';

const CONTEXT = 3;

export function unifiedDiff(name: string, lines: readonly string[], edits: readonly LineEdit[]): string {
  const sorted = edits.toSorted((a, b) => a.index - b.index);
  const hunks: LineEdit[][] = [];
  for (const edit of sorted) {
    const last = hunks.at(-1);
    if (last !== undefined && edit.index - last.at(-1)!.index <= 2 * CONTEXT) last.push(edit);
    else hunks.push([edit]);
  }
  let shift = 0;
  const texts = hunks.map((hunk) => {
    const text = hunkText(lines, hunk, shift);
    shift += hunk.reduce((sum, edit) => sum + edit.lines.length - 1, 0);
    return text;
  });
  return `--- ${name}\n+++ ${name}\n${texts.join('')}`;
}

// ---------------------------------------------------------------------------------------------------------------

function hunkText(lines: readonly string[], edits: readonly LineEdit[], shift: number): string {
  const start = Math.max(0, edits[0]!.index - CONTEXT);
  const end = Math.min(lines.length, edits.at(-1)!.index + CONTEXT + 1);
  const byIndex = new Map(edits.map((edit) => [edit.index, edit.lines]));
  const body: string[] = [];
  for (let index = start; index < end; index++) {
    const line = bare(lines[index]!);
    const edited = byIndex.get(index)?.map(bare);
    if (edited === undefined) body.push(` ${line}`);
    else if (edited[0] === line) body.push(` ${line}`, ...edited.slice(1).map((each) => `+${each}`));
    else body.push(`-${line}`, ...edited.map((each) => `+${each}`));
  }
  const count = (mark: string) => body.filter((line) => line.startsWith(' ') || line.startsWith(mark)).length;
  return `@@ -${start + 1},${count('-')} +${start + 1 + shift},${count('+')} @@\n${body.map((line) => `${line}\n`).join('')}`;
}

function bare(line: string): string {
  return line.replace(/[\r\n]+$/, '');
}
