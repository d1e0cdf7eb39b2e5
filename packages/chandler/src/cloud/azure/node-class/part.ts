/**
 * What the parts of an AKSNodeClass's status share: the draft they write to, and what they answer. A part decides
 * about one condition; the order of the parts and the joining of their answers is in `status.ts`.
 */
import type { AKSNodeClass, AKSNodeClassStatus, ConditionSet } from '../../../api/index.ts';

/** The status under work. Parts change it; the node class stays as it was read. */
export interface Draft {
  readonly nodeClass: AKSNodeClass;
  readonly conditions: ConditionSet;
  readonly status: Omit<AKSNodeClassStatus, 'conditions'>;
  readonly nowMs: number;
}

export interface PartResult {
  /** When this part wants to look again; nothing when only a change of the spec can help. */
  readonly requeueAfterMs?: number;
  /** Something outside did not answer; the caller backs off. */
  readonly error?: Error;
}

export interface Part {
  /** For logs and errors. */
  readonly name: string;
  /** The conditions that it decides: Unknown when it fails because of a bug. */
  readonly conditions: readonly string[];
  reconcile(draft: Draft, signal: AbortSignal): Promise<PartResult>;
}

export const Condition = {
  kubernetesVersion: 'KubernetesVersionReady',
  images: 'ImagesReady',
  subnets: 'SubnetsReady',
  validation: 'ValidationSucceeded',
  localDns: 'LocalDNSReady',
  diskEncryption: 'DiskEncryptionVerified',
} as const;

export const MINUTE_MS = 60_000;
