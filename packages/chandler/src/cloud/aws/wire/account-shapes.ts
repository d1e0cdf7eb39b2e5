/**
 * Calls of EventBridge, KMS and Service Quotas, as their API references document them, as far as they are read. Members may be missing: who
 * reads an answer checks it.
 */
export interface NamedInput {
  readonly Name: string;
}

export interface TargetInput {
  readonly TargetArn: string;
  readonly NextToken?: string;
}

export interface KeyInput {
  /** An id, or an ARN. */
  readonly KeyId: string;
}

export interface KeyPolicyInput extends KeyInput {
  readonly PolicyName: 'default';
}

export interface QuotaInput {
  readonly ServiceCode: string;
  readonly QuotaCode: string;
}

export interface DescribeRuleOutput {
  readonly Name?: string;
  /** A text of JSON. */
  readonly EventPattern?: string;
  readonly State?: string;
}

export interface ListRuleNamesByTargetOutput {
  readonly RuleNames?: readonly string[];
  readonly NextToken?: string;
}

export interface DescribeKeyOutput {
  readonly KeyMetadata?: {
    readonly Arn?: string;
    readonly KeyId?: string;
    /** `Enabled`, `Disabled`, `PendingDeletion`. */
    readonly KeyState?: string;
    readonly KeyUsage?: string;
    readonly KeySpec?: string;
    /** `AWS` or `CUSTOMER`. */
    readonly KeyManager?: string;
  };
}

export interface GetKeyPolicyOutput {
  /** A text of JSON. */
  readonly Policy?: string;
}

export interface GetServiceQuotaOutput {
  readonly Quota?: { readonly QuotaCode?: string; readonly QuotaName?: string; readonly Value?: number };
}
