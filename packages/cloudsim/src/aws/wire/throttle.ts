/**
 * Token buckets of EC2 as its developer guide documents them: per account, region and API action for requests, and for
 * RunInstances and TerminateInstances a second bucket for the number of instances. Parameter Store has a limit of its own.
 * IAM publishes none for its API, and has one for the whole account.
 */
import type { Clock } from '@chandler/kube';
import type { AwsRequest } from './aws-request.ts';
import { type AwsError, awsError, requestLimitExceeded } from './errors.ts';

export interface Limit {
  readonly burst: number;
  readonly perSecond: number;
}

export interface ThrottleLimits {
  readonly nonMutating: Limit;
  /** Some lists, with neither filters, ids nor MaxResults. */
  readonly unfiltered: Limit;
  readonly mutating: Limit;
  /** Actions with a limit of their own. */
  readonly actions: Readonly<Record<string, Limit>>;
  /** Tokens per instance. */
  readonly resources: Readonly<Record<string, Limit>>;
}

export const EC2_LIMITS: ThrottleLimits = {
  nonMutating: { burst: 100, perSecond: 20 },
  unfiltered: { burst: 50, perSecond: 10 },
  mutating: { burst: 50, perSecond: 5 },
  actions: {
    CreateTags: { burst: 100, perSecond: 10 },
    DeleteTags: { burst: 100, perSecond: 10 },
    RunInstances: { burst: 5, perSecond: 2 },
    TerminateInstances: { burst: 100, perSecond: 5 },
  },
  resources: {
    RunInstances: { burst: 1000, perSecond: 2 },
    TerminateInstances: { burst: 1000, perSecond: 20 },
  },
};

/** Standard throughput of Parameter Store. */
const SSM_LIMIT: Limit = { burst: 40, perSecond: 40 };

/** Assumed. */
const IAM_LIMITS = {
  reads: { burst: 20, perSecond: 10 },
  writes: { burst: 10, perSecond: 5 },
} as const satisfies Readonly<Record<string, Limit>>;

export class Throttles {
  readonly #clock: Clock;
  readonly #limits: ThrottleLimits;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(clock: Clock, limits: Partial<ThrottleLimits> = {}) {
    this.#clock = clock;
    this.#limits = { ...EC2_LIMITS, ...limits };
  }

  /** Undefined: not throttled. */
  take(request: Pick<AwsRequest, 'service' | 'action' | 'params'>): AwsError | undefined {
    if (request.service === 'ssm')
      return this.#has('ssm', SSM_LIMIT, 1) ? undefined : awsError('ThrottlingException', 'Rate exceeded');
    const { action, params } = request;
    if (request.service === 'iam') {
      const kind = /^(?:Get|List)/.test(action) ? 'reads' : 'writes';
      return this.#has(`iam ${kind}`, IAM_LIMITS[kind], 1)
        ? undefined
        : awsError('Throttling', 'Rate exceeded');
    }
    if (request.service !== 'ec2') return undefined;
    const kind = kindOf(action, params);
    const limit = this.#limits.actions[action] ?? this.#limits[kind];
    if (!this.#has(`${action} ${kind}`, limit, 1)) return requestLimitExceeded();
    const perInstance = this.#limits.resources[action];
    if (perInstance !== undefined && !this.#has(`${action} instances`, perInstance, instancesOf(params)))
      return requestLimitExceeded();
    return undefined;
  }

  #has(key: string, { burst, perSecond }: Limit, amount: number): boolean {
    const nowMs = this.#clock.monotonic();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, atMs: nowMs };
    const tokens = Math.min(burst, bucket.tokens + ((nowMs - bucket.atMs) / 1000) * perSecond);
    const enough = tokens >= amount;
    this.#buckets.set(key, { tokens: enough ? tokens - amount : tokens, atMs: nowMs });
    return enough;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Only these have a smaller bucket for requests that narrow nothing. */
const UNFILTERED: ReadonlySet<string> = new Set([
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeNetworkInterfaces',
  'DescribeSecurityGroups',
  'DescribeSnapshots',
  'DescribeSpotInstanceRequests',
  'DescribeVolumes',
]);

function kindOf(action: string, params: AwsRequest['params']): 'nonMutating' | 'unfiltered' | 'mutating' {
  if (!/^(Describe|Get)/.test(action)) return 'mutating';
  if (!UNFILTERED.has(action)) return 'nonMutating';
  const narrows = Object.keys(params).some((name) => name !== 'DryRun' && name !== 'NextToken');
  return narrows || params['NextToken'] !== undefined ? 'nonMutating' : 'unfiltered';
}

function instancesOf({ InstanceIds, MaxCount }: AwsRequest['params']): number {
  if (Array.isArray(InstanceIds)) return InstanceIds.length;
  return typeof MaxCount === 'number' ? MaxCount : 1;
}
