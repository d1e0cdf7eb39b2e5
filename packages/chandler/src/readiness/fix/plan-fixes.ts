/** From findings to edits of files. A value is written only if its check demands it or a source proves it. */
import { type Facts, INFRASTRUCTURE, knownValues } from '../facts/facts.ts';
import type { Report } from '../judge.ts';
import type { Evidence, Finding } from '../model/finding.ts';
import { addYaml, type LineEdit, removeYaml, setHcl, setYaml } from './lines.ts';
import { FIX_RULES, type FixRule } from './rules.table.ts';

/** By the name of the file. */
type Edits = ReadonlyMap<string, readonly LineEdit[]>;

export interface FixPlan {
  readonly edits: Edits;
  /** Findings for which every line was found. */
  readonly fixed: readonly Finding[];
  /** The others, and why. */
  readonly left: readonly { readonly finding: Finding; readonly why: string }[];
}

/** @param linesOf the lines of a file as it is now; undefined for one that cannot be edited. */
export function planFixes(
  { findings }: Report,
  facts: Facts,
  linesOf: (file: string) => readonly string[] | undefined,
): FixPlan {
  let edits: Edits = new Map();
  const fixed: Finding[] = [];
  const left: { finding: Finding; why: string }[] = [];
  for (const finding of findings.filter(({ status }) => status === 'fail' || status === 'warn')) {
    const made = editsOf(finding, facts, linesOf);
    const all = typeof made === 'string' ? made : withEdits(edits, made, linesOf);
    if (typeof all === 'string') left.push({ finding, why: all });
    else {
      edits = all;
      fixed.push(finding);
    }
  }
  return { edits, fixed, left };
}

// ---------------------------------------------------------------------------------------------------------------

interface FileEdit {
  readonly file: string;
  readonly edit: LineEdit;
}

/** The edits and these, or why not: of a finding, all or none. */
function withEdits(
  edits: Edits,
  more: readonly FileEdit[],
  linesOf: (file: string) => readonly string[] | undefined,
): Edits | string {
  const all = new Map(edits);
  for (const { file, edit } of more) {
    const others = (all.get(file) ?? []).filter(({ index }) => index !== edit.index);
    const same = all.get(file)?.find(({ index }) => index === edit.index);
    const next = same === undefined ? edit : joined(same, edit, linesOf(file)?.[edit.index]);
    if (next === undefined) return 'another fix changes the same line';
    all.set(file, [...others, next]);
  }
  return all;
}

/** The same edit twice, or keys that are added to the same map, after its line. Two others cannot both be made. */
function joined(first: LineEdit, second: LineEdit, line: string | undefined): LineEdit | undefined {
  const isEqual =
    first.lines.length === second.lines.length &&
    first.lines.every((each, place) => each === second.lines[place]);
  if (isEqual) return first;
  if (first.lines[0] !== line || second.lines[0] !== line) return undefined;
  const more = second.lines.filter((each) => !first.lines.includes(each));
  return { index: first.index, lines: [...first.lines, ...more] };
}

function editsOf(
  finding: Finding,
  facts: Facts,
  linesOf: (file: string) => readonly string[] | undefined,
): readonly FileEdit[] | string {
  const rules = FIX_RULES.filter(({ id }) => id === finding.id);
  if (rules.length === 0) return 'it needs a decision';
  const made: FileEdit[] = [];
  for (const rule of rules)
    for (const evidence of finding.evidence) {
      const edit = editOf(rule, evidence, facts, linesOf);
      if (typeof edit === 'string') return edit;
      if (edit !== undefined) made.push(edit);
    }
  return made.length === 0 ? 'its line is not in a form that can be edited' : made;
}

/** Undefined: this evidence is not what is wrong. */
function editOf(
  rule: FixRule,
  { at, value: old, note, what }: Evidence,
  facts: Facts,
  linesOf: (file: string) => readonly string[] | undefined,
): FileEdit | string | undefined {
  if (!('file' in at) || at.line === undefined) return undefined;
  const isAbsent = old === undefined && note === 'absent';
  if (isAbsent ? rule.under === undefined || !what.endsWith(rule.key) : old === undefined) return undefined;
  const lines = linesOf(at.file);
  if (lines === undefined) return undefined;
  const index = at.line - 1;
  if (!isAbsent && !isWritten(lines[index] ?? '', rule.key, at.file)) return undefined;
  const value = provenValue(rule, old ?? '', facts);
  if (value === undefined) return `no input tells the value of ${rule.key}`;
  if (value === old) return undefined;
  const edit = made(rule, lines, index, old, value, at.file);
  return edit === undefined ? undefined : { file: at.file, edit };
}

function made(
  { key, to, under }: FixRule,
  lines: readonly string[],
  index: number,
  old: string | undefined,
  value: string,
  file: string,
): LineEdit | undefined {
  if (/\.json$/i.test(file) && (to.kind === 'remove' || old === undefined)) return undefined;
  if (file.endsWith('.tf'))
    return old === undefined || to.kind === 'remove' ? undefined : setHcl(lines, index, old, value);
  if (to.kind === 'remove') return removeYaml(lines, index, key);
  return old === undefined
    ? addYaml(lines, index, under!, key, value)
    : setYaml(lines, index, key, old, value);
}

/** In Terraform, `value = "…"` of a setting does not name the key. */
function isWritten(line: string, key: string, file: string): boolean {
  return line.includes(key) || (file.endsWith('.tf') && /^\s*value\s*=/.test(line));
}

function provenValue({ to }: FixRule, old: string, facts: Facts): string | undefined {
  switch (to.kind) {
    case 'remove':
      return '';
    case 'constant':
      return to.value;
    case 'part':
      return to.of(old);
    case 'fact': {
      const all = facts.from(to.fact, ...INFRASTRUCTURE).filter((fact) => to.accepts?.(fact) ?? true);
      // The strongest source decides. A value beside it that is not known may be another one.
      const values = all.filter(({ source }) => source === all[0]?.source);
      const [only, ...others] = knownValues(values);
      const isSure = others.length === 0 && values.every(({ value }) => value !== undefined);
      return isSure ? only : undefined;
    }
  }
}
