/**
 * What the parts of an EC2NodeClass's status share: the draft they write to, and what they answer. A part decides about one
 * condition; the order of the parts and the joining of their answers is in `status.ts`.
 */
import type { Stored } from '@chandler/kube';
import type {
  ConditionSet,
  EC2NodeClass,
  EC2NodeClassStatus,
  Condition as StatusCondition,
} from '../../../api/index.ts';
import { asCloudError } from '../errors/index.ts';
import type { SecurityGroup, Subnet } from '../network/index.ts';

/** The status under work. Parts change it; the node class stays as it was read. */
export interface Draft {
  readonly nodeClass: Stored<EC2NodeClass>;
  readonly conditions: ConditionSet;
  readonly status: Omit<EC2NodeClassStatus, 'conditions'>;
  /** What the status does not hold, for later parts; absent while it is not known. */
  readonly found: { subnets?: readonly Subnet[]; securityGroups?: readonly SecurityGroup[] };
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
  /** The condition that it decides: Unknown when it fails because of a bug. */
  readonly condition: string;
  reconcile(draft: Draft, signal: AbortSignal): Promise<PartResult>;
}

export const Condition = {
  images: 'AMIsReady',
  subnets: 'SubnetsReady',
  securityGroups: 'SecurityGroupsReady',
  instanceProfile: 'InstanceProfileReady',
  validation: 'ValidationSucceeded',
  placementGroup: 'PlacementGroupReady',
  capacityReservations: 'CapacityReservationsReady',
} as const;

export const MINUTE_MS = 60_000;

export const RESOLUTION_FAILED = 'ResolutionFailed';

/** Whether the condition is True for the current generation. */
export function isCurrent(condition: StatusCondition | undefined, generation: number | undefined): boolean {
  return condition?.status === 'True' && (condition.observedGeneration ?? 0) === (generation ?? 0);
}

/**
 * AWS did not say what was asked. What is True for this generation stays so; else the condition says what is missing, so
 * that a missing permission is seen on the class.
 * @throws an error of the program, as it is.
 */
export function unresolved(
  { conditions, nodeClass }: Draft,
  type: string,
  thrown: unknown,
  reason: string = RESOLUTION_FAILED,
): PartResult {
  const error = asCloudError(thrown);
  if (!isCurrent(conditions.get(type), nodeClass.metadata.generation))
    conditions.setUnknown(type, reason, error.message);
  return { error };
}
