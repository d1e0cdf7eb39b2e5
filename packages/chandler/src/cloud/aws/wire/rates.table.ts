/**
 * How fast AWS may be called: token buckets, per account and region.
 *
 * Rows of EC2 are documented: "Request throttling for the Amazon EC2 API", EC2 developer guide
 * (docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html), as of 2026-05. Every action has a bucket of its own; actions
 * without a row have one of the size of their category. `/instances` is the second bucket of an action, with one token per instance.
 * CreateFleet has no row there: it is a mutating action, and no bucket for its instances is documented.
 *
 * Rows of Parameter Store (40 transactions per second) and STS (600 per second, of which a share is taken here) are from their
 * quotas pages, written down from memory. For EKS, EventBridge, IAM, KMS, Price List, Service Quotas, SQS and zonal shift AWS documents no bucket that applies here: these rows
 * are assumed, low enough for accounts that others use too, and far above what the controller needs.
 */
export interface CallRate {
  /** Tokens per second. Above 0. */
  readonly perSecond: number;
  /** Tokens that may be used at once. At least 1. */
  readonly burst: number;
}

export interface RateRow extends CallRate {
  readonly basis: 'documented' | 'from memory' | 'assumed';
  /** Every action has such a bucket. Otherwise the actions share one. */
  readonly perAction?: true;
}

export const RATES = {
  'arc-zonal-shift:reads': { burst: 10, perSecond: 5, basis: 'assumed' },
  'ec2:reads': { burst: 100, perSecond: 20, basis: 'documented', perAction: true },
  'ec2:unfiltered': { burst: 50, perSecond: 10, basis: 'documented', perAction: true },
  'ec2:writes': { burst: 50, perSecond: 5, basis: 'documented', perAction: true },
  'ec2:CreateTags': { burst: 100, perSecond: 10, basis: 'documented' },
  'ec2:RunInstances': { burst: 5, perSecond: 2, basis: 'documented' },
  'ec2:RunInstances/instances': { burst: 1000, perSecond: 2, basis: 'documented' },
  'ec2:TerminateInstances': { burst: 100, perSecond: 5, basis: 'documented' },
  'ec2:TerminateInstances/instances': { burst: 1000, perSecond: 20, basis: 'documented' },
  'eks:reads': { burst: 10, perSecond: 5, basis: 'assumed' },
  'eks:writes': { burst: 5, perSecond: 2, basis: 'assumed' },
  'events:reads': { burst: 10, perSecond: 5, basis: 'assumed' },
  'events:writes': { burst: 10, perSecond: 5, basis: 'assumed' },
  'iam:reads': { burst: 20, perSecond: 10, basis: 'assumed' },
  'iam:writes': { burst: 10, perSecond: 5, basis: 'assumed' },
  'kms:reads': { burst: 20, perSecond: 10, basis: 'assumed' },
  'pricing:reads': { burst: 10, perSecond: 5, basis: 'assumed' },
  'servicequotas:reads': { burst: 5, perSecond: 5, basis: 'assumed' },
  'sqs:reads': { burst: 100, perSecond: 50, basis: 'assumed' },
  'sqs:writes': { burst: 500, perSecond: 250, basis: 'assumed' },
  'ssm:reads': { burst: 40, perSecond: 40, basis: 'from memory' },
  'sts:reads': { burst: 100, perSecond: 50, basis: 'from memory' },
} as const satisfies Readonly<Record<string, RateRow>>;

/** Actions that use the smaller bucket when a request has neither a filter nor a page size. */
export const UNFILTERED_ACTIONS: ReadonlySet<string> = new Set([
  'DescribeInstances',
  'DescribeInstanceStatus',
  'DescribeSecurityGroups',
]);
