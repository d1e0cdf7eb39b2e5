/**
 * Whether an answer 429 throttles a whole class of calls. Azure also uses 429 for one resource: Microsoft.Network while
 * another operation on it is in progress, Microsoft.Compute for too many writes of one VM. These delay that call only;
 * closing the class would hold up every launch because of one busy resource.
 */
import { fromResponse, type RawResponse } from './arm-error.ts';

export function throttlesClass(answer: RawResponse): boolean {
  if (answer.status !== 429) return false;
  const error = fromResponse(answer);
  if (ONE_RESOURCE_GROUP.test(answer.text)) return false;
  const codes = error.codes.filter((code) => code !== '');
  // Without a code of Azure it comes from a gateway on the way, which knows no resources.
  return (
    error.code === 'TooManyRequests' || codes.length === 0 || codes.some((code) => THROTTLING.test(code))
  );
}

// ---------------------------------------------------------------------------------------------------

/** `TooManyRequests`, `SubscriptionRequestsThrottled`, `TenantRequestsThrottled`, `RateLimiting` of Resource Graph. */
const THROTTLING = /TooManyRequests|Throttl|RateLimit/i;

/** Compute names its limits; those of one VM end in Resource: `PutVMResource`, `UpdateVMResource`. */
const ONE_RESOURCE_GROUP = /"(?:target|operationGroup|\\"operationGroup\\")"?\s*:\s*\\?"\w+VMResource\\?"/;
