/**
 * Token buckets as ARM has them: per caller and subscription for reads, writes and deletes, and a second layer per
 * operation of the compute provider. The remaining tokens are in the headers of the answer.
 */
import type { Clock } from '@chandler/kube';
import { type ArmError, providerThrottled, subscriptionThrottled } from './errors.ts';

export interface Limit {
  readonly burst: number;
  readonly perSecond: number;
}

export interface ThrottleLimits {
  readonly reads: Limit;
  readonly writes: Limit;
  readonly deletes: Limit;
  readonly putVm: Limit;
  readonly deleteVm: Limit;
  readonly getVm: Limit;
  /** For each VM. */
  readonly putOneVm: Limit;
}

export const ARM_LIMITS: ThrottleLimits = {
  reads: { burst: 250, perSecond: 25 },
  writes: { burst: 200, perSecond: 10 },
  deletes: { burst: 200, perSecond: 10 },
  putVm: { burst: 1500, perSecond: 500 / 60 },
  deleteVm: { burst: 1500, perSecond: 500 / 60 },
  getVm: { burst: 24_000, perSecond: 8000 / 60 },
  putOneVm: { burst: 12, perSecond: 4 / 60 },
};

export interface ThrottleDecision {
  readonly error?: ArmError;
  /** For the answer, rejected or not. */
  readonly headers: Readonly<Record<string, string>>;
}

export interface ThrottledCall {
  readonly method: string;
  /** `Microsoft.Compute/virtualMachines`. */
  readonly type: string;
  readonly path: string;
  readonly subscriptionId: string;
  readonly actor: string;
}

export class Throttles {
  readonly #clock: Clock;
  readonly #limits: ThrottleLimits;
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock, limits: Partial<ThrottleLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...ARM_LIMITS, ...limits };
  }

  take(call: ThrottledCall): ThrottleDecision {
    const kind = KINDS[call.method] ?? 'reads';
    const left = this.#take(`${kind} ${call.subscriptionId} ${call.actor}`, this.#limits[kind]);
    const name = kind.slice(0, -1);
    const headers: Record<string, string> = {
      [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(Math.max(0, Math.floor(left.remaining))),
    };
    if (left.waitSeconds > 0)
      return {
        error: subscriptionThrottled(name, call.subscriptionId, call.actor, left.waitSeconds),
        headers,
      };
    return this.#takeVm(call, headers);
  }

  #takeVm(call: ThrottledCall, headers: Record<string, string>): ThrottleDecision {
    if (call.type.toLowerCase() !== 'microsoft.compute/virtualmachines') return { headers };
    const remaining: string[] = [];
    for (const rule of VM_RULES) {
      if (!rule.methods.includes(call.method)) continue;
      const key = rule.each
        ? `${rule.limit} ${call.path.toLowerCase()}`
        : `${rule.limit} ${call.subscriptionId}`;
      const left = this.#take(key, this.#limits[rule.limit]);
      remaining.push(`Microsoft.Compute/${rule.group};${Math.max(0, Math.floor(left.remaining))}`);
      headers['x-ms-ratelimit-remaining-resource'] = remaining.join(',');
      if (left.waitSeconds > 0)
        return {
          error: providerThrottled(rule.group, this.#detail(rule.group, rule.limit), left.waitSeconds),
          headers,
        };
    }
    return { headers };
  }

  #detail(group: string, limit: keyof ThrottleLimits): string {
    const nowMs = this.#clock.now();
    return JSON.stringify({
      operationGroup: group,
      startTime: new Date(nowMs - 60_000).toISOString(),
      endTime: new Date(nowMs).toISOString(),
      allowedRequestCount: this.#limits[limit].burst,
      measuredRequestCount: this.#limits[limit].burst + 1,
    });
  }

  #take(key: string, limit: Limit): { remaining: number; waitSeconds: number } {
    const nowMs = this.#clock.monotonic();
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= BUCKET_LIMIT) this.#forgetFull(nowMs);
      bucket = { tokens: limit.burst, atMs: nowMs, limit };
      this.#buckets.set(key, bucket);
    }
    bucket.tokens = tokensAt(bucket, nowMs);
    bucket.atMs = nowMs;
    if (bucket.tokens < 1)
      return { remaining: 0, waitSeconds: Math.max(1, Math.ceil((1 - bucket.tokens) / limit.perSecond)) };
    bucket.tokens -= 1;
    return { remaining: bucket.tokens, waitSeconds: 0 };
  }

  /** A full bucket is not reported. */
  #forgetFull(nowMs: number): void {
    for (const [key, bucket] of this.#buckets)
      if (tokensAt(bucket, nowMs) >= bucket.limit.burst) this.#buckets.delete(key);
  }
}

// ---------------------------------------------------------------------------------------------------

interface Bucket {
  tokens: number;
  atMs: number;
  readonly limit: Limit;
}

const BUCKET_LIMIT = 5000;
const KINDS: Readonly<Record<string, 'reads' | 'writes' | 'deletes'>> = {
  PUT: 'writes',
  PATCH: 'writes',
  POST: 'writes',
  DELETE: 'deletes',
};

const VM_RULES: readonly {
  readonly limit: keyof ThrottleLimits;
  readonly group: string;
  readonly methods: readonly string[];
  readonly each?: boolean;
}[] = [
  { limit: 'putVm', group: 'PutVMSubscriptionMaximum', methods: ['PUT', 'PATCH'] },
  { limit: 'putOneVm', group: 'PutVMResource', methods: ['PUT', 'PATCH'], each: true },
  { limit: 'deleteVm', group: 'DeleteVMSubscriptionMaximum', methods: ['DELETE'] },
  { limit: 'getVm', group: 'GetVMSubscriptionMaximum', methods: ['GET'] },
];

function tokensAt(bucket: Bucket, nowMs: number): number {
  const grown = ((nowMs - bucket.atMs) / 1000) * bucket.limit.perSecond;
  return Math.min(bucket.limit.burst, bucket.tokens + grown);
}
