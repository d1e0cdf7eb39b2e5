/**
 * Client tokens, by which EC2 recognises a request that it has seen: a claim is launched once, whatever crashes.
 *
 * The token is made from the UID of the claim and the number of the attempt, and from nothing else: a process that starts
 * anew makes the same one. The number is kept with the claim, and grows only when AWS has answered (`isAnswered`); a lost
 * answer, a timeout and a crash repeat it. A number that is lost costs a search, not an instance. A refusal of the repeated
 * request is no answer to the first: credentials, permissions and templates are checked before the token. Until
 * `DOUBT_LIMIT_MS` after the last request without an answer (`isLost`) the number stays.
 *
 * EC2 refuses a token with other parameters (IdempotentParameterMismatch), and parameters change all the time with prices
 * and free addresses. While the process lives this does not happen, since the caller repeats the very request that had no
 * answer. After a crash the request is made anew and may differ; then the refusal says that the first one was received,
 * and the instance is searched for by its token (`LAUNCH_TOKEN_TAG`). Only when the search has found nothing for
 * `DOUBT_LIMIT_MS`, longer than EC2's lists lag behind, the first request is known to have made nothing, and the number
 * grows. A hash of the parameters in the token would avoid the refusal, and launch a second instance.
 */
import { createHash } from 'node:crypto';
import type { CloudError } from '../../index.ts';
import { NO_CREDENTIALS } from '../errors/index.ts';

/** How long an instance may be missing in EC2's lists before it is taken for never launched. */
export const DOUBT_LIMIT_MS = 5 * 60_000;

/** At most 64 ASCII characters, as EC2 requires. CloudTrail shows it: people find the claim by its UID. */
export function clientToken(claimUid: string, attempt: number): string {
  const readable = `${PREFIX}${claimUid}-${attempt}`;
  return READABLE.test(readable) ? readable : `${PREFIX}${hash(readable)}`;
}

/** The UID in a token for one claim; undefined for that of several claims, or of a UID too long to be readable. */
export function tokenClaimUid(token: string): string | undefined {
  return /^chandler-(.+)-\d+$/.exec(token)?.[1];
}

/** Of a request for several claims: the same for the same claims, in whatever order. */
export function groupToken(tokens: readonly string[]): string {
  const [only] = tokens;
  return tokens.length === 1 && only !== undefined ? only : `${PREFIX}${hash([...tokens].sort().join(' '))}`;
}

/**
 * Whether AWS has decided about this request: it is not executed. When no earlier one with its token was lost, the next one
 * needs another token.
 */
export function isAnswered(error: CloudError): boolean {
  return error.kind !== 'Unreachable' && error.kind !== 'Throttled' && error.code !== NO_CREDENTIALS;
}

/** Whether AWS may have executed the request all the same. */
export function isLost(error: CloudError): boolean {
  return error.kind === 'Unreachable' && error.reason !== 'LaunchInDoubt';
}

// ---------------------------------------------------------------------------------------------------------------

const PREFIX = 'chandler-';
const READABLE = /^[\x21-\x7e]{1,64}$/;

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 48);
}
