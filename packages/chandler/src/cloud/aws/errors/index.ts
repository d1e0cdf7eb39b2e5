/** Entry point: what AWS's errors mean. */
export {
  AwsError,
  type AwsErrorOptions,
  BAD_ANSWER,
  HELD_BACK,
  NO_ANSWER,
  NO_CREDENTIALS,
  retryAfterMs,
  toAwsError,
} from './aws-error.ts';
export {
  asCloudError,
  type Classified,
  classify,
  cutMessage,
  isAlreadyExists,
  isDryRunSuccess,
  isNotFound,
  meaningOf,
} from './classify.ts';
export { clockSkewMs } from './clock-skew.ts';
export { type Denial, type DenialCause, denialText, type PolicyKind, readDenial } from './denial.ts';
export { type Block, type ErrorRow, UNAVAILABLE_TTL_MS } from './error-row.ts';
export { ERROR_ROWS } from './error-rows.table.ts';
export { type ValidationCall, type ValidationFailure, validationFailure } from './validation-failure.ts';
