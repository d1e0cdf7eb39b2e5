/** What a failed call to AWS means for `configure`: a missing permission, something that may pass, or an error to fix. */
import {
  type AwsError,
  classify,
  HELD_BACK,
  NO_ANSWER,
  NO_CREDENTIALS,
  toAwsError,
} from '../../cloud/aws/account.ts';
import { ConfigureError, type MissingPermission, NotAllowed, NotYet, Refused } from '../resource.ts';

/** @param permission that the call needs, for an answer that does not name it. */
export async function awsCall<T>(permission: MissingPermission, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asConfigureError(error, permission);
  }
}

/** Undefined where AWS says that it does not exist; what shall be removed is gone then. */
export async function awsRead<T>(
  permission: MissingPermission,
  call: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (toAwsError(error).codes.some((code) => NOT_FOUND.has(code))) return undefined;
    throw asConfigureError(error, permission);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NOT_FOUND: ReadonlySet<string> = new Set([
  'NoSuchEntity',
  'NoSuchEntityException',
  'ResourceNotFoundException',
  'QueueDoesNotExist',
  'AWS.SimpleQueueService.NonExistentQueue',
  'InvalidSubnetID.NotFound',
  'InvalidGroup.NotFound',
]);

const PASSES: ReadonlySet<string> = new Set([
  HELD_BACK,
  NO_ANSWER,
  'ConcurrentModification',
  'ConcurrentModificationException',
  'QueueDeletedRecently',
  'AWS.SimpleQueueService.QueueDeletedRecently',
]);

/** A new role is not known everywhere at once. */
const UNKNOWN_ROLE = /invalid principal|Role provided in the request does not exist/i;

/** @throws an error of the program, as it is. */
function asConfigureError(thrown: unknown, permission: MissingPermission): Error {
  const { aws, row, denial } = classify(thrown);
  if (aws.codes.includes(NO_CREDENTIALS))
    return new ConfigureError(
      `there are no credentials for AWS: ${aws.message}. Sign in with the AWS command line, or set AWS_PROFILE`,
    );
  if (denial !== undefined) {
    // No role of the caller changes that.
    if (denial.cause.kind === 'explicitDeny') return new Refused(textOf(aws));
    const { action = permission.action, resource: scope = permission.scope } = denial;
    return new NotAllowed({ action, scope });
  }
  if (aws.codes.includes('DeleteConflict') || aws.codes.includes('DeleteConflictException'))
    return new ConfigureError(
      `${textOf(aws)} If instance profiles have the role, delete the EC2NodeClasses, and run --undo again`,
    );
  const passes =
    row.kind === 'Throttled' ||
    // What is written belongs to something that was created a moment ago.
    aws.codes.some((code) => PASSES.has(code) || NOT_FOUND.has(code)) ||
    (aws.status ?? 0) >= 500 ||
    (aws.codes.includes('InvalidParameterException') && UNKNOWN_ROLE.test(aws.message));
  return passes ? new NotYet(textOf(aws), aws.retryAfterMs) : new ConfigureError(textOf(aws));
}

function textOf({ text }: AwsError): string {
  return text;
}
