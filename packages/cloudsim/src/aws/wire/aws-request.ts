/**
 * One call as an operation sees it, and how an operation describes itself. Signatures, throttling, rights and faults are
 * handled before (gateway.ts); an operation only knows its resources.
 */
import type { FaultSubject } from '../faults/fault.ts';
import type { Right } from '../iam/rights.ts';
import type { Params } from './query-params.ts';

export type ServiceName =
  | 'arc-zonal-shift'
  | 'ec2'
  | 'eks'
  | 'events'
  | 'iam'
  | 'kms'
  | 'pricing'
  | 'servicequotas'
  | 'sqs'
  | 'ssm'
  | 'sts';

export interface AwsRequest {
  readonly service: ServiceName;
  /** `DescribeInstances`. */
  readonly action: string;
  /** By the names of the SDKs. */
  readonly params: Params;
  readonly principal: Principal;
  readonly requestId: string;
  /** Aborted when the caller closed the connection. */
  readonly signal?: AbortSignal | undefined;
}

/** Who calls: what policies are attached to, and what messages name. */
export interface Principal {
  /** Of the user or role: `arn:aws:iam::111122223333:role/controller`. */
  readonly identityArn: string;
  /** Of the session: `arn:aws:sts::111122223333:assumed-role/controller/session`. */
  readonly arn: string;
  readonly accountId: string;
  /** `AROA…:session`. */
  readonly userId: string;
}

export interface Operation {
  readonly service: ServiceName;
  readonly action: string;
  /** What the caller must be allowed to do; all of it. Default: the action on `*`. */
  rights?(request: AwsRequest): readonly Right[];
  /** For faults: zone, size, capacity type, name. */
  subject?(request: AwsRequest): Partial<FaultSubject>;
  /** Callable without a signature. */
  readonly open?: boolean;
  /** Throws `AwsError` to reject. */
  handle(request: AwsRequest): unknown;
}
