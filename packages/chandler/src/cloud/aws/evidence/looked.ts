/** What a read of AWS found, or why it found nothing: a refusal names the action of IAM. An error of the program is thrown. */
import type { LookupFailure, LookupResult } from '../../../causes/index.ts';
import { BAD_ANSWER, classify, NO_CREDENTIALS, toAwsError } from '../errors/index.ts';

/** Undefined is what AWS does not have. */
export async function looked<T>(
  permission: string,
  read: () => Promise<T | undefined>,
): Promise<LookupResult<T>> {
  try {
    const found = await read();
    return found === undefined ? { why: 'notFound' } : { found };
  } catch (error) {
    return notSeen(error, permission);
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Only AWS itself says that something is forbidden or not there: a proxy has pages with the same status. */
function notSeen(thrown: unknown, permission: string): LookupFailure {
  const aws = toAwsError(thrown);
  if (aws.code === NO_CREDENTIALS) return { why: 'notConfigured', message: aws.message };
  if (aws.codes.some((code) => MISSING.test(code))) return { why: 'notFound' };
  const { row } = classify(aws);
  if (NOT_ACCEPTED.has(row.reason))
    return { why: 'notConfigured', message: `AWS does not accept the credentials: ${aws.text}` };
  if (row.kind === 'Unauthorized' && aws.code !== BAD_ANSWER)
    return { why: 'forbidden', permission, message: aws.text };
  return { why: 'unreachable', message: aws.text };
}

/** `InvalidInstanceID.NotFound`, `NoSuchEntity`, `ResourceNotFoundException`, `QueueDoesNotExist`, and `NotFoundException` of KMS. */
const MISSING =
  /\.NotFound$|^NoSuchEntity|^NoSuchResource|^ResourceNotFound|^ParameterNotFound|^NotFoundException$|^QueueDoesNotExist$|NonExistentQueue$/;

/** Reasons that are about the credentials, and not about what they allow. */
const NOT_ACCEPTED: ReadonlySet<string> = new Set([
  'ClockSkew',
  'CredentialsExpired',
  'CredentialsInvalid',
  'SignatureDoesNotMatch',
]);
