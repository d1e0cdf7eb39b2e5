/**
 * What the dry runs that validate an EC2NodeClass say: the reason of its ValidationSucceeded condition, and whether the
 * answer may be kept for as long as the class does not change.
 */
import { type AwsError, toAwsError } from './aws-error.ts';
import { cutMessage, isDryRunSuccess, meaningOf, rowOf } from './classify.ts';

export type ValidationCall = 'CreateLaunchTemplate' | 'CreateFleet' | 'RunInstances';

export interface ValidationFailure {
  readonly reason: string;
  readonly message: string;
  /** False where the cure is outside of the class: then the next check asks again. */
  readonly cacheable: boolean;
}

/**
 * @returns nothing when the call says nothing against the class: it succeeded, or failed for another reason, which the
 * caller reports.
 * @throws an error of the program, as it is.
 */
export function validationFailure(
  call: ValidationCall,
  thrown: unknown,
  /** Whether the class names its instance profile itself. */
  ownProfile: boolean,
): ValidationFailure | undefined {
  if (isDryRunSuccess(thrown)) return undefined;
  const aws = toAwsError(thrown);
  const row = rowOf(aws);
  const failure = (reason: string, cacheable: boolean) => ({
    reason,
    message: messageOf(aws, cacheable),
    cacheable,
  });
  if (aws.codes.includes('UnauthorizedOperation')) return failure(`${call}AuthCheckFailed`, true);
  if (row.reason === 'UserDataSizeLimitExceeded') return failure(row.reason, true);
  if (row.reason === 'InstanceProfileNameInvalid' && ownProfile)
    return failure('InstanceProfileNotFound', false);
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** Of an answer that is not kept, each has another request: its id would change the condition every time. */
function messageOf(aws: AwsError, isKept: boolean): string {
  const request = aws.requestId === undefined || !isKept ? '' : ` (request ${aws.requestId})`;
  return cutMessage(`${meaningOf(rowOf(aws), aws)}: ${aws.text}${request}`);
}
