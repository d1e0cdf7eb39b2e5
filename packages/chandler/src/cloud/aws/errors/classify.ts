/**
 * From what AWS said to what the rest of the product decides by: walks the rows, first match wins. Pure: what becomes
 * unavailable is returned, not marked.
 */
import { CloudError, type CloudErrorOptions } from '../../index.ts';

import { type AwsError, toAwsError } from './aws-error.ts';
import { clockSkewText } from './clock-skew.ts';
import { type Denial, denialText, readDenial } from './denial.ts';
import type { Block, ErrorRow } from './error-row.ts';
import { DENIAL_ROWS, ERROR_ROWS, UNKNOWN_ROW } from './error-rows.table.ts';

/** AWS's own message is cut here: a condition holds no more. */
export const MESSAGE_LIMIT = 1200;

export interface Classified {
  readonly row: ErrorRow;
  /** Only for a lack of capacity. */
  readonly block: Block | undefined;
  /** Only for what the controller may not do. */
  readonly denial: Denial | undefined;
  readonly aws: AwsError;
  readonly error: CloudError;
}

/** @throws an error of the program, as it is. */
export function classify(thrown: unknown): Classified {
  const aws = toAwsError(thrown);
  const row = rowOf(aws);
  const denial = DENIAL_ROWS.includes(row) ? readDenial(aws.message) : undefined;
  return { row, block: row.block, denial, aws, error: toCloudError(row, aws) };
}

/** For calls whose failure only has to be reported. */
export function asCloudError(thrown: unknown): CloudError {
  return thrown instanceof CloudError ? thrown : classify(thrown).error;
}

export function rowOf(aws: AwsError): ErrorRow {
  return ERROR_ROWS.find((row) => matchesRow(row, aws)) ?? UNKNOWN_ROW;
}

export function matchesRow(row: ErrorRow, aws: AwsError): boolean {
  const limited = row.codes !== undefined || row.statuses !== undefined;
  const named = row.codes?.some((code) => aws.codes.includes(code)) ?? false;
  const numbered = row.statuses?.includes(aws.status ?? 0) ?? false;
  return (!limited || named || numbered) && (row.says === undefined || row.says.test(aws.text));
}

/** What the row means for this error: with names and times where the message has them. */
export function meaningOf(row: ErrorRow, aws: AwsError): string {
  if (row.reason === 'ClockSkew') return clockSkewText(aws.message);
  if (!DENIAL_ROWS.includes(row)) return row.meaning;
  const denial = readDenial(aws.message);
  const says = denial.action !== undefined || denial.cause.kind !== 'unknown';
  return says ? denialText(denial) : row.meaning;
}

/** At most so many characters, with a mark that something is missing. */
export function cutMessage(text: string): string {
  return text.length <= MESSAGE_LIMIT ? text : `${text.slice(0, MESSAGE_LIMIT - 1)}…`;
}

/** Whether AWS says that the thing is not there. */
export function isNotFound(thrown: unknown): boolean {
  return toAwsError(thrown).codes.some((code) => NOT_FOUND_CODES.has(code));
}

export function isAlreadyExists(thrown: unknown): boolean {
  return toAwsError(thrown).codes.some((code) => EXISTS_CODES.has(code));
}

/** A dry run that would have succeeded ends in an error, too. */
export function isDryRunSuccess(thrown: unknown): boolean {
  return toAwsError(thrown).codes.includes('DryRunOperation');
}

// ---------------------------------------------------------------------------------------------------------------

/** As on the wire, and where a class of the SDK has another name, that one. */
const NOT_FOUND_CODES: ReadonlySet<string> = new Set([
  'InvalidCapacityReservationId.NotFound',
  'InvalidInstanceID.NotFound',
  'InvalidLaunchTemplateName.NotFoundException',
  'InvalidLaunchTemplateId.NotFound',
  'InvalidPlacementGroup.Unknown',
  'InvalidPlacementGroupId.NotFound',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'NoSuchEntity',
  'NoSuchEntityException',
  'ParameterNotFound',
]);

const EXISTS_CODES: ReadonlySet<string> = new Set([
  'EntityAlreadyExists',
  'EntityAlreadyExistsException',
  'InvalidLaunchTemplateName.AlreadyExistsException',
]);

function toCloudError(row: ErrorRow, aws: AwsError): CloudError {
  const options: CloudErrorOptions = { reason: row.reason, code: aws.code, cause: aws };
  const advice =
    row.kind === 'Throttled' && aws.retryAfterMs !== undefined
      ? ({ retry: 'after', ms: aws.retryAfterMs } as const)
      : row.advice;
  const message = cutMessage(`${meaningOf(row, aws)}: ${aws.text}`);
  return new CloudError(row.kind, message, advice === undefined ? options : { ...options, advice });
}
