/**
 * Whether an answer 429 throttles a whole class of calls, and of whom. Azure also uses 429 for one resource: Microsoft.Network while
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

/** Which calls have the same limit: limits of ARM are per subscription, and each resource provider has its own. */
export interface CallTarget {
  /** In lower case; empty: of none. */
  readonly subscription: string;
  readonly provider: string;
}

export const EVERYTHING: CallTarget = { subscription: '', provider: '' };

export function targetOf(url: string): CallTarget {
  const path = url.split('?')[0]!.toLowerCase();
  return {
    subscription: /\/subscriptions\/([^/]+)/.exec(path)?.[1] ?? '',
    // Of the resource that is asked for, which may be of another provider than the one that it belongs to.
    provider: [...path.matchAll(/\/providers\/([^/]+)/g)].at(-1)?.[1] ?? '',
  };
}

/** Of the calls that the answer throttles. */
export function throttledTarget(answer: RawResponse, url: string): CallTarget {
  const target = targetOf(url);
  const { codes } = fromResponse(answer);
  if (codes.includes('SubscriptionRequestsThrottled')) return { ...target, provider: '' };
  const isOfProvider = !codes.includes('TenantRequestsThrottled') && hasErrorOfAzure(answer.text);
  return isOfProvider ? target : EVERYTHING;
}

// ---------------------------------------------------------------------------------------------------

function hasErrorOfAzure(text: string): boolean {
  return /"code"\s*:/.test(text);
}

/** `TooManyRequests`, `SubscriptionRequestsThrottled`, `TenantRequestsThrottled`, `RateLimiting` of Resource Graph. */
const THROTTLING = /TooManyRequests|Throttl|RateLimit/i;

/** Compute names its limits; those of one VM end in Resource: `PutVMResource`, `UpdateVMResource`. */
const ONE_RESOURCE_GROUP = /"(?:target|operationGroup|\\"operationGroup\\")"?\s*:\s*\\?"\w+VMResource\\?"/;
