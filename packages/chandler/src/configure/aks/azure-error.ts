/** What a failed call to Azure means for `configure`: a missing permission, something that may pass, or an error to fix. */
import {
  type ArmError,
  HELD_BACK,
  LACKS_PERMISSION,
  missingPermission,
  NO_ANSWER,
  NO_TOKEN,
  toArmError,
} from '../../arm/index.ts';
import { ConfigureError, type MissingPermission, NotAllowed, NotYet, Refused } from '../resource.ts';

/** @param permission that the call needs, for an answer that does not name it. */
export async function azureCall<T>(permission: MissingPermission, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw asConfigureError(toArmError(error), permission);
  }
}

/** Undefined where Azure says that it does not exist. @param wrongPlace codes of 404 that say so of where we look. */
export async function azureRead<T>(
  permission: MissingPermission,
  call: () => Promise<T>,
  wrongPlace: ReadonlySet<string> = WRONG_PLACE,
): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    const arm = toArmError(error);
    if (arm.status === 404 && !wrongPlace.has(arm.code)) return undefined;
    throw asConfigureError(arm, permission);
  }
}

/** What is in a resource group that is gone is gone as well. */
export const WRONG_SUBSCRIPTION: ReadonlySet<string> = new Set(['SubscriptionNotFound']);

// ---------------------------------------------------------------------------------------------------------------

/** Also status 404, but about where we look. */
const WRONG_PLACE: ReadonlySet<string> = new Set([...WRONG_SUBSCRIPTION, 'ResourceGroupNotFound']);

/** A new identity is not known everywhere at once; neither is a new role. */
const PASSES: ReadonlySet<string> = new Set([
  HELD_BACK,
  NO_ANSWER,
  'PrincipalNotFound',
  'RoleDefinitionDoesNotExist',
  'RoleDefinitionHasAssignments',
  'ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity',
  'TooManyRequests',
]);

function asConfigureError(error: ArmError, permission: MissingPermission): Error {
  const { code, status, message, retryAfterMs } = error;
  if (code === NO_TOKEN)
    return new ConfigureError(
      `there are no credentials for Azure: ${message}. Sign in with "az login", or set AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET`,
    );
  if (LACKS_PERMISSION.has(code)) return new NotAllowed(missingPermission(message) ?? permission);
  if (status === 429 || PASSES.has(code) || (status ?? 0) >= 500)
    return new NotYet(`${code}: ${message}`, retryAfterMs);
  // Such as a policy, a deny assignment or a disabled subscription, which no role of the caller changes.
  return status === 403 ? new Refused(`${code}: ${message}`) : new ConfigureError(`${code}: ${message}`);
}
