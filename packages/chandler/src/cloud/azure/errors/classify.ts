/**
 * From what Azure said to what the rest of the product decides by: walks the rows, first match wins. Errors about
 * disk encryption are recognised by the table of `disk-encryption/`. Pure: it blocks nothing and forgets nothing.
 */
import { type ArmError, toArmError } from '../../../arm/index.ts';
import { type DecisiveBootLine, quotingBootLine } from '../../../bootstrap/index.ts';
import { CloudError, type CloudErrorKind, type CloudErrorOptions } from '../../index.ts';

import { DISK_ENCRYPTION_PROBLEMS, diskEncryptionProblemOf } from '../disk-encryption/index.ts';
import {
  type Block,
  CALL_ROWS,
  CAPACITY_ROWS,
  EPHEMERAL_ROW,
  type ErrorRow,
  SERVICE_ROWS,
  UNKNOWN_ROW,
} from './error-rows.ts';

/** Azure's own message are cut here: a condition holds no more. */
export const RAW_MESSAGE_LIMIT = 1200;

export interface Classified {
  readonly row: ErrorRow;
  readonly block: Block | undefined;
  readonly error: CloudError;
  readonly arm: ArmError;
}

export interface ClassifyContext {
  /** Whether a disk encryption set was in the request: only then can an error be about one. */
  readonly diskEncryptionSet?: boolean;
  /** The operation was accepted and failed afterwards: then it is known that there is no VM. */
  readonly accepted?: boolean;
  /** What the VM printed before it failed. */
  readonly bootLine?: DecisiveBootLine | undefined;
}

export function classify(thrown: unknown, context: ClassifyContext = {}): Classified {
  const arm = toArmError(thrown);
  const found = find(arm, context);
  const row = context.accepted === true && UNCERTAIN.has(found.kind) ? { ...found, ...AFTERWARDS } : found;
  return { row, block: row.block, arm, error: toCloudError(row, arm, context) };
}

/** For calls where nothing can be blocked and nothing encrypted: lists, gets, deletes. */
export function asCloudError(thrown: unknown): CloudError {
  return thrown instanceof CloudError ? thrown : classify(thrown).error;
}

/** At most so many characters, with a mark that something is missing. */
export function cutMessage(text: string): string {
  return text.length <= RAW_MESSAGE_LIMIT ? text : `${text.slice(0, RAW_MESSAGE_LIMIT - 1)}…`;
}

export function matchesRow(row: ErrorRow, arm: ArmError): boolean {
  const named = row.codes?.some((code) => arm.codes.includes(code)) ?? false;
  const numbered = row.statuses?.includes(arm.status ?? 0) ?? false;
  if (!named && !numbered) return false;
  if (row.says === undefined) return true;
  return typeof row.says === 'string' ? arm.text.includes(row.says) : row.says.test(arm.text);
}

/** Whether a local disk of the VM was refused for its OS disk. */
export function refusesEphemeralDisk(arm: ArmError): boolean {
  return matchesRow(EPHEMERAL_ROW, arm);
}

// ---------------------------------------------------------------------------------------------------

const UNCERTAIN: ReadonlySet<CloudErrorKind> = new Set(['Unreachable', 'Throttled']);

const AFTERWARDS: Pick<ErrorRow, 'kind' | 'reason' | 'advice'> = {
  kind: 'CreateFailed',
  reason: 'InternalError',
  advice: { retry: 'backoff' },
};

function find(arm: ArmError, context: ClassifyContext): ErrorRow {
  const capacity = CAPACITY_ROWS.find((row) => matchesRow(row, arm));
  if (capacity !== undefined) return capacity;
  if (context.diskEncryptionSet === true) {
    const finding = diskEncryptionProblemOf(arm);
    if (finding !== undefined) {
      const { reason, remedy } = DISK_ENCRYPTION_PROBLEMS[finding.kind];
      return {
        kind: 'CreateFailed',
        reason,
        meaning: `disk encryption: ${remedy}`,
        advice: { retry: 'backoff' },
      };
    }
  }
  return [...CALL_ROWS, ...SERVICE_ROWS].find((row) => matchesRow(row, arm)) ?? UNKNOWN_ROW;
}

function toCloudError(
  row: ErrorRow,
  arm: ArmError,
  { accepted = false, diskEncryptionSet = false, bootLine }: ClassifyContext,
): CloudError {
  const options: CloudErrorOptions = {
    reason: row.reason,
    code: arm.code,
    cause: arm,
    instanceFailed: accepted,
  };
  const waitMs = arm.retryAfterMs;
  const advice =
    row.kind === 'Throttled' && waitMs !== undefined ? ({ retry: 'after', ms: waitMs } as const) : row.advice;
  const message = cutMessage(
    bootLine === undefined
      ? `${row.meaning}: ${arm.text}`
      : quotingBootLine(row.meaning, { ...bootLine, hasCustomerKey: diskEncryptionSet }, arm.text),
  );
  return new CloudError(row.kind, message, advice === undefined ? options : { ...options, advice });
}
