/**
 * Says what a failed provisioning means: the name of its code at the time of the image, what to do, and whether the
 * code misleads because the log or the image shows something else. Pure; the callers report it.
 */
import { MAX_LINE_LENGTH } from '../quoted-line.ts';
import { type CseGroup, UNDEFINED_CONSTANTS } from './codes.table.ts';
import { decisiveLine } from './decisive-line.ts';
import { LOG, NO_CODE_HINT, onNode, WINDOWS_LOG } from './hints.table.ts';
import { imageDateOf } from './image-date.ts';
import { isCommand, lastStep } from './last-step.ts';
import { ANOTHER_RESULT, MISLEADING, type MisleadingRow } from './misleading.table.ts';
import { type CodeName, hintOf, type NamedCode, nameCode } from './name-code.ts';
import { NO_CODE_ROWS } from './no-code.table.ts';
import type { CseFailure } from './parse.ts';

/** What the failed machine ran; without it a code that moved has several names. */
export interface CseImage {
  readonly imageId?: string | undefined;
  /** `2026-01-27`; read from the id when absent. */
  readonly imageDate?: string | undefined;
}

export interface CseDescription {
  readonly code: number | undefined;
  readonly constant: string | undefined;
  /** What it means, a part of a sentence. */
  readonly summary: string;
  readonly hint: string;
  readonly confirm: readonly string[];
  readonly page: string | undefined;
  readonly group: CseGroup | 'unknown';
  /** The same node class and image would fail the same way: relaunching does not help. */
  readonly deterministic: boolean;
  /** What limits the trust in the name; empty where nothing does. */
  readonly validity: string;
  readonly ambiguous: readonly CodeName[] | undefined;
  readonly misleading: Misleading | undefined;
  /** The last command in the trace before the end, without secrets. */
  readonly lastCommand: string | undefined;
  /** The line of the log that shows why, without secrets, at most `MAX_LINE_LENGTH` characters. */
  readonly line: string | undefined;
}

export interface Misleading {
  readonly id: string;
  readonly because: string;
  readonly really: string;
}

export function describeCseFailure(failure: CseFailure, image: CseImage = {}): CseDescription {
  const lastCommand = isOwn(failure) ? RUNNING.exec(failure.stderr)?.[1] : lastCommandOf(failure.output);
  if (failure.exitCode === undefined) return withoutCode(failure, lastCommand);
  const date = image.imageDate ?? (image.imageId === undefined ? undefined : imageDateOf(image.imageId));
  const named = settled(nameCode(failure.exitCode, failure.os, date), logOf(failure));
  const row = misleadingRow(failure, named, image);
  const told = row === undefined ? undefined : { id: row.id, because: row.because, really: row.really };
  return {
    code: failure.exitCode,
    constant: named.constant,
    summary: named.summary,
    hint: row?.hint ?? named.hint,
    confirm: row === undefined ? named.confirm : confirmOf(row),
    page: row === undefined ? named.page : undefined,
    group: named.group,
    deterministic: row?.deterministic ?? named.deterministic,
    validity: named.validity,
    ambiguous: named.ambiguous,
    misleading: told ?? stoppedAt(failure, lastCommand),
    lastCommand,
    line: isOwn(failure) ? quotedIn(failure.stderr) : decisiveLine(failure, named, row?.line ?? row?.says),
  };
}

/**
 * One line for a condition, an event, a log. The code and its name come first, so that truncation does not
 * lose them.
 */
export function cseMessage(description: CseDescription): string {
  const { code, constant, ambiguous, summary, misleading, validity, hint, line } = description;
  const names = ambiguous?.map((name) => name.constant || 'no name').join(' or ') ?? constant;
  const first =
    code === undefined
      ? `CSE failed without an exit code: ${summary}`
      : `CSE exited with code ${code}${names === undefined ? '' : ` (${names})`}: ${summary}`;
  const parts = [first];
  if (misleading !== undefined) parts.push(`${ACTUAL_CAUSE}${misleading.really} (${misleading.because})`);
  if (line !== undefined) parts.push(`${QUOTED}"${line}"`);
  parts.push(hint.replace(/\.$/, ''));
  if (validity !== '' && (ambiguous !== undefined || constant === undefined)) parts.push(`Note: ${validity}`);
  const message = `${parts.join('. ')}.`;
  return message.length <= MAX_MESSAGE_LENGTH ? message : `${message.slice(0, MAX_MESSAGE_LENGTH - 1)}…`;
}

/** What Kubernetes accepts as the message of an event; a condition could hold more. The hint comes last, and is cut first. */
export const MAX_MESSAGE_LENGTH = 1000;

// ---------------------------------------------------------------------------------------------------

/** What the code suggests is beside the point then. */
export function confirmOf({ look, os }: Pick<MisleadingRow, 'look' | 'os'>): readonly string[] {
  if (os === 'windows') return [WINDOWS_LOG];
  return look === undefined ? [LOG] : [onNode(look), LOG];
}

function logOf({ output, error, stderr }: CseFailure): string {
  return `${output}\n${error}\n${stderr}`;
}

const ACTUAL_CAUSE = 'Actual cause: ';
const QUOTED = 'Log: ';

/** Our own message, read again: what was found then stands in it. */
function isOwn({ form }: CseFailure): boolean {
  return form === 'ownMessage';
}

function quotedIn(message: string): string | undefined {
  return new RegExp(`\\. ${QUOTED}"(.{1,${MAX_LINE_LENGTH}})"\\. `).exec(message)?.[1];
}

function misleadingRow(failure: CseFailure, named: NamedCode, image: CseImage): MisleadingRow | undefined {
  const log = logOf(failure);
  if (isOwn(failure)) return MISLEADING.find(({ really }) => log.includes(`${ACTUAL_CAUSE}${really} (`));
  return MISLEADING.find(
    (row) =>
      (row.codes?.includes(named.code) ?? true) &&
      (row.groups === undefined || (named.group !== 'unknown' && row.groups.includes(named.group))) &&
      (row.says?.test(searched(row, failure)) ?? true) &&
      (row.lastAttempt !== true || isLastResult(row.says!, failure)) &&
      (row.image?.test(image.imageId ?? '') ?? true) &&
      failure.os === (row.os ?? (row.codes === undefined ? failure.os : 'linux')),
  );
}

/** The part of the log that must say it. */
function searched({ id, atEnd }: MisleadingRow, failure: CseFailure): string {
  if (id === 'name-never-defined') return failure.output;
  if (atEnd !== true) return logOf(failure);
  const { output, error, stderr } = failure;
  return lastStep([output, stderr, error].find((text) => text.split('\n').some(isCommand)) ?? logOf(failure));
}

/** In the text that says it, no later line tells another result. The order of lines in different texts is not known. */
function isLastResult(says: RegExp, { output, error, stderr }: CseFailure): boolean {
  return [output, error, stderr].some((text) => {
    const lines = text.split('\n').map((line) => line.trim());
    const told = lines.findLastIndex((line) => says.test(line));
    return told >= 0 && !lines.slice(told + 1).some((line) => !isCommand(line) && ANOTHER_RESULT.test(line));
  });
}

/** A time limit says nothing about what took so long; the trace does. */
function stoppedAt(failure: CseFailure, lastCommand: string | undefined): Misleading | undefined {
  if (failure.os !== 'linux' || lastCommand === undefined) return undefined;
  if (failure.exitCode !== 124 && failure.exitCode !== 137) return undefined;
  return {
    id: 'stopped-at',
    because: 'the code only identifies a timeout',
    really: `the script was running \`${lastCommand}\``,
  };
}

/** As `stoppedAt` says it. */
const RUNNING = /Actual cause: the script was running `(.{1,161})` \(/;
const LAST_COMMAND_LENGTH = 160;

function lastCommandOf(output: string): string | undefined {
  const lines = output.split('\n');
  for (let index = lines.length - 1; index >= 0; index--) {
    const match = /^\s{0,8}\++ (\S.*)$/.exec(lines[index]!);
    if (match === null || /^(?:exit|set|return|echo|local)\b/.test(match[1]!)) continue;
    const command = match[1]!.trim();
    return command.length > LAST_COMMAND_LENGTH ? `${command.slice(0, LAST_COMMAND_LENGTH)}…` : command;
  }
  return undefined;
}

/** What a log says when the code has two names: words that go with one group of steps only. */
const SIGNS: Readonly<Partial<Record<CseGroup, RegExp>>> = {
  metadata: /169\.254\.169\.254|\bimds\b/i,
  gpu: /nvidia|libnvidia|cuda/i,
  registry: /\boras (?:pull|login|manifest)|pause image|crictl pull|ctr .{0,40}image pull|sysext/i,
};

function settled(named: NamedCode, log: string): NamedCode {
  const fitting = named.ambiguous?.filter(({ group }) => SIGNS[group]?.test(log) ?? false) ?? [];
  const [only] = fitting;
  if (only === undefined || fitting.length > 1) return named;
  const { constant, summary, group, deterministic } = only;
  const { hint, confirm, page } = hintOf(group, constant);
  const validity = 'the code has two names in images of that date; the log matches this one';
  return {
    ...named,
    constant,
    summary,
    group,
    deterministic,
    hint,
    confirm,
    page,
    validity,
    ambiguous: undefined,
  };
}

function withoutCode(failure: CseFailure, lastCommand: string | undefined): CseDescription {
  const log = logOf(failure);
  const undefinedName = UNDEFINED_CONSTANTS.find((name) => log.includes(name));
  const row = NO_CODE_ROWS.find(({ says, summary }) =>
    isOwn(failure) ? log.includes(summary) : says.test(log),
  );
  const at = undefinedName === undefined ? '' : ` at ${undefinedName}`;
  const stopped = failure.timedOut || (isOwn(failure) && log.includes(STOPPED_WAITING));
  return {
    code: undefined,
    constant: undefined,
    summary:
      row?.summary ?? (stopped ? STOPPED_WAITING : `the extension failed${at} and reported no exit code`),
    hint: row?.hint ?? NO_CODE_HINT.hint,
    confirm: row?.confirm ?? NO_CODE_HINT.confirm,
    page: undefined,
    group: 'unknown',
    deterministic: row?.deterministic ?? false,
    validity: '',
    ambiguous: undefined,
    misleading: undefined,
    lastCommand,
    line: isOwn(failure) ? quotedIn(log) : decisiveLine(failure, undefined, row?.says),
  };
}

const STOPPED_WAITING = 'Azure stopped waiting for the extension';
