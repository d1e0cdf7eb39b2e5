import type { Read } from './reading.ts';

/** A refusal of the cloud, classified. */
export interface CloudErrorEvidence extends Read {
  readonly kind: 'cloudError';
  readonly claim: string;
  /** InsufficientCapacity, CreateFailed, Unauthorized, … */
  readonly errorKind: string;
  /** SKUNotAvailable, SubnetFull, KeyVaultAccessMissing, … */
  readonly reason: string;
  /** The cloud's own code. */
  readonly code: string | undefined;
  readonly message: string;
  readonly stage: string | undefined;
  /** What the VM printed before it failed, as the controller quoted it; `kind` is a row of `boot-lines.table.ts`. */
  readonly bootLine?: { readonly kind: string; readonly line: string; readonly hasCustomerKey: boolean };
}
