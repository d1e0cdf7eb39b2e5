/**
 * Calls of KMS and Service Quotas, as their API references document them, as far as they are read. Members may be missing: who
 * reads an answer checks it.
 */
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
