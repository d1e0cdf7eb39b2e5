/**
 * Gives an exit code its name: that of the table valid at the date of the node image. Codes have been moved and shared,
 * so the answer may be two names, and says so. What the log shows beyond the code is left to `describe.ts`.
 */
import {
  CSE_TABLE_DATE,
  type CseCodeRow,
  type CseGroup,
  LINUX_CODES,
  SHELL_CODES,
  WINDOWS_CODES,
} from './codes.table.ts';
import { CONSTANT_HINTS, type CseHint, GROUP_HINTS, UNKNOWN_HINT } from './hints.table.ts';
import { daysBetween, realDate } from './image-date.ts';

export type CseOs = 'linux' | 'windows';

export interface NamedCode {
  readonly code: number;
  readonly os: CseOs;
  /** Undefined where the code has no name at that date, or never had one. */
  readonly constant: string | undefined;
  /** What it means, a part of a sentence. */
  readonly summary: string;
  readonly group: CseGroup | 'unknown';
  /** What to check and mend. */
  readonly hint: string;
  readonly confirm: readonly string[];
  readonly page: string | undefined;
  /** The same node class and image would fail the same way: relaunching does not help. */
  readonly deterministic: boolean;
  /** What limits the trust in the name: no date, a date beyond the table, a code that changed hands. */
  readonly validity: string;
  /** Set where several names are possible: all of them, the likeliest first. */
  readonly ambiguous: readonly CodeName[] | undefined;
}

export interface CodeName {
  readonly constant: string;
  readonly summary: string;
  /** First and last day of it; empty where it has none. */
  readonly from: string;
  readonly until: string;
  readonly group: CseGroup;
  readonly deterministic: boolean;
}

/**
 * The branch an image is built from is cut some days before the date it carries, so within these days after a change
 * both names are possible.
 */
export const CHANGE_SLACK_DAYS = 7;

/** Without a date: names that went away before this are not thought of. No such image runs a supported version. */
export const OLDEST_IMAGES = '2025-01-01';

export function nameCode(code: number, os: CseOs, imageDate?: string): NamedCode {
  const date = imageDate === undefined ? undefined : realDate(imageDate);
  const rows = rowsOf(code, os);
  const possible = date === undefined ? withoutDate(rows) : atDate(rows, date);
  const [first] = possible;
  if (first === undefined) return unnamed(code, os, rows, date);
  const [, constant, , , group, , summary] = first;
  const { hint, confirm, page } = hintOf(group, constant);
  return {
    code,
    os,
    constant: constant === '' ? undefined : constant,
    summary: possible.length === 1 ? summary : possible.map(([, , , , , , text]) => text).join(', or '),
    group,
    hint,
    confirm,
    page,
    deterministic: possible.every(([, , , , , again]) => again),
    validity: validityOf(possible, date, os),
    ambiguous: possible.length === 1 ? undefined : possible.map(nameOf),
  };
}

/** Every code, for the documentation page and other callers. */
export function allCodes(os: CseOs): readonly CseCodeRow[] {
  return os === 'windows' ? WINDOWS_CODES : [...LINUX_CODES, ...SHELL_CODES];
}

/** The number of a constant as Windows nodes print it. */
export function codeOfConstant(constant: string): number | undefined {
  return WINDOWS_CODES.find(([, name]) => name === constant)?.[0];
}

export function hintOf(group: CseGroup, constant: string): CseHint {
  return { ...GROUP_HINTS[group], ...CONSTANT_HINTS[constant] };
}

// ---------------------------------------------------------------------------------------------------

const BY_CODE: Readonly<Record<CseOs, ReadonlyMap<number, readonly CseCodeRow[]>>> = {
  linux: Map.groupBy(allCodes('linux'), ([code]) => code),
  windows: Map.groupBy(WINDOWS_CODES, ([code]) => code),
};

function rowsOf(code: number, os: CseOs): readonly CseCodeRow[] {
  return BY_CODE[os].get(code) ?? [];
}

/** Newest first: of two that share a code, the later one was put there last. */
function newestFirst(rows: readonly CseCodeRow[]): readonly CseCodeRow[] {
  return [...rows].sort(([, one, from], [, other, since]) =>
    from === since ? (one < other ? -1 : 1) : from < since ? 1 : -1,
  );
}

function atDate(rows: readonly CseCodeRow[], date: string): readonly CseCodeRow[] {
  const valid = rows.filter(([, , from, until]) => from <= date && (until === '' || date < until));
  const justGone = rows.filter(
    ([, , , until]) => until !== '' && until <= date && daysBetween(until, date) < CHANGE_SLACK_DAYS,
  );
  return [...newestFirst(valid), ...newestFirst(justGone)];
}

/** What is there now first, then what an old image may still mean. */
function withoutDate(rows: readonly CseCodeRow[]): readonly CseCodeRow[] {
  const now = rows.filter(([, , , until]) => until === '');
  const before = rows.filter(([, , , until]) => until !== '' && until >= OLDEST_IMAGES);
  return [...newestFirst(now), ...newestFirst(before)];
}

function validityOf(possible: readonly CseCodeRow[], date: string | undefined, os: CseOs): string {
  const several =
    possible.length > 1 ? `the code has ${possible.length} meanings in images of that date` : '';
  if (os === 'windows') return 'the history of Windows codes is unknown';
  if (date === undefined) {
    return possible.length > 1
      ? 'the date of the node image is unknown, and the meaning of the code has changed'
      : 'the date of the node image is unknown';
  }
  if (date > CSE_TABLE_DATE) {
    return [several, `the image is newer than this table (${CSE_TABLE_DATE})`]
      .filter((text) => text !== '')
      .join('; ');
  }
  return several;
}

function unnamed(code: number, os: CseOs, rows: readonly CseCodeRow[], date: string | undefined): NamedCode {
  const others = newestFirst(rows).map(
    ([, constant, from, until]) =>
      `${constant} ${until === '' ? `from ${from}` : `from ${from} to ${until}`}`,
  );
  const validity =
    others.length === 0
      ? `it is in no table up to ${CSE_TABLE_DATE}`
      : `images of ${date ?? 'a supported version'} do not have it; it is ${others.join(', ')}`;
  return {
    code,
    os,
    constant: undefined,
    summary: 'a code that is unknown for this node image',
    group: 'unknown',
    ...UNKNOWN_HINT,
    page: undefined,
    deterministic: false,
    validity,
    ambiguous: undefined,
  };
}

function nameOf([, constant, from, until, group, deterministic, summary]: CseCodeRow): CodeName {
  return { constant, summary, from, until, group, deterministic };
}
