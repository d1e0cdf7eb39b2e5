/**
 * How Azure says no, row by row: first match wins. Each row names the kind of error, the reason that lands on the
 * claim, what to do, and which offerings are unavailable for how long. The order of the first eight is upstream's. Marking is
 * left to `block.ts`, making an error of it to `classify.ts`.
 */
import { BAD_ANSWER, HELD_BACK, NO_ANSWER, NO_TOKEN } from '../../../arm/index.ts';
import type { CloudErrorKind, RetryAdvice } from '../../index.ts';

export interface ErrorRow {
  /** One of these codes, exactly, at any depth of the error. */
  readonly codes?: readonly string[];
  /** One of these statuses of HTTP. */
  readonly statuses?: readonly number[];
  /** And the whole text contains this, in this case. */
  readonly says?: string | RegExp;
  readonly kind: CloudErrorKind;
  readonly reason: string;
  /** What it means and what helps, before Azure's own message. */
  readonly meaning: string;
  readonly advice?: RetryAdvice;
  readonly block?: Block;
}

/** Which offerings become unavailable. An entry for a size also covers the bigger sizes of its family. */
export interface Block {
  /**
   * `scope`: all zones for a zonal VM, the region for a regional one. `spot`: everything that is spot. `cores`: every
   * size with as many cores or more, whatever its family.
   */
  readonly what: 'type' | 'scope' | 'zone' | 'spot' | 'cores';
  readonly capacityTypes: 'same' | 'both';
  readonly ttlMs: BlockTime;
}

export interface BlockTime {
  readonly spot: number;
  readonly onDemand: number;
  /** Instead of these, when the text says so. */
  readonly when?: { readonly says: string; readonly ms: number };
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const hours = (count: number): BlockTime => ({ spot: count * HOUR, onDemand: count * HOUR });

/** The failed offering is blocked, so the next attempt takes another: no reason to wait long. */
const SOON: RetryAdvice = { retry: 'after', ms: 1_000 };
const NEVER: RetryAdvice = { retry: 'never' };
const BACKOFF: RetryAdvice = { retry: 'backoff' };

/** §6.5 of upstream, in its order. */
export const CAPACITY_ROWS: readonly ErrorRow[] = [
  {
    codes: ['OperationNotAllowed'],
    says: 'LowPriorityCores',
    kind: 'CreateFailed',
    reason: 'SubscriptionQuotaReached',
    meaning:
      'the spot core quota of the subscription in this region is exhausted; request more quota from Azure',
    advice: SOON,
    block: { what: 'spot', capacityTypes: 'same', ttlMs: hours(1) },
  },
  {
    codes: ['OperationNotAllowed'],
    says: 'Family Cores quota',
    kind: 'CreateFailed',
    reason: 'SubscriptionQuotaReached',
    meaning: 'the core quota of this VM family in this region is exhausted; request more quota from Azure',
    advice: SOON,
    block: {
      what: 'type',
      capacityTypes: 'same',
      ttlMs: { spot: 10 * MINUTE, onDemand: 10 * MINUTE, when: { says: 'Current Limit: 0', ms: HOUR } },
    },
  },
  {
    codes: ['SkuNotAvailable'],
    kind: 'CreateFailed',
    reason: 'SKUNotAvailable',
    meaning: 'this VM size is not available to the subscription in this location',
    advice: SOON,
    block: { what: 'scope', capacityTypes: 'same', ttlMs: { spot: HOUR, onDemand: 23 * HOUR } },
  },
  {
    codes: ['ZonalAllocationFailed'],
    kind: 'CreateFailed',
    reason: 'ZonalAllocationFailure',
    meaning: 'the zone has no capacity for this VM size at the moment',
    advice: SOON,
    block: { what: 'zone', capacityTypes: 'both', ttlMs: hours(1) },
  },
  {
    codes: ['AllocationFailed'],
    kind: 'CreateFailed',
    reason: 'AllocationFailure',
    meaning: 'the region has no capacity for this VM size at the moment',
    advice: SOON,
    block: { what: 'scope', capacityTypes: 'both', ttlMs: hours(1) },
  },
  {
    codes: ['OverconstrainedZonalAllocationRequest'],
    kind: 'CreateFailed',
    reason: 'OverconstrainedZonalAllocationFailure',
    meaning: 'the zone has no capacity for this VM size with all requested constraints',
    advice: SOON,
    block: { what: 'zone', capacityTypes: 'same', ttlMs: hours(1) },
  },
  {
    codes: ['OverconstrainedAllocationRequest'],
    kind: 'CreateFailed',
    reason: 'OverconstrainedAllocationFailure',
    meaning: 'the region has no capacity for this VM size with all requested constraints',
    advice: SOON,
    block: { what: 'scope', capacityTypes: 'same', ttlMs: hours(1) },
  },
  {
    codes: ['OperationNotAllowed'],
    says: 'exceeding approved Total Regional Cores quota',
    kind: 'InsufficientCapacity',
    reason: 'InsufficientCapacityError',
    meaning: 'the regional core quota of the subscription is exhausted; request more quota from Azure',
    // Upstream blocks nothing here, and makes and deletes the same claim for as long as the pods wait.
    block: {
      what: 'cores',
      capacityTypes: 'same',
      ttlMs: { spot: 10 * MINUTE, onDemand: 10 * MINUTE, when: { says: 'Current Limit: 0', ms: HOUR } },
    },
  },
  {
    codes: ['VMSizeNotSupported'],
    kind: 'CreateFailed',
    reason: 'SKUNotAvailable',
    meaning: 'this VM size is not available to the subscription in this location',
    advice: SOON,
    block: { what: 'type', capacityTypes: 'both', ttlMs: hours(23) },
  },
  {
    codes: ['BadRequest'],
    says: 'is not supported for subscription',
    kind: 'CreateFailed',
    reason: 'SKUNotAvailable',
    meaning: 'this VM size is not available to the subscription in this location',
    advice: SOON,
    block: { what: 'type', capacityTypes: 'both', ttlMs: hours(23) },
  },
];

/** Calls that were never made, or will not be: checked before the codes of a service. */
export const CALL_ROWS: readonly ErrorRow[] = [
  {
    codes: ['NoRegisteredProviderFound', 'InvalidResourceType', 'InvalidApiVersionParameter'],
    kind: 'CreateFailed',
    reason: 'ApiVersionNotSupported',
    meaning:
      'this cloud or region does not support the api-version of the call; set one of the supported ones with --arm-api-versions',
    advice: BACKOFF,
  },
  {
    // Only this resource is busy; other calls continue.
    statuses: [429],
    says: /Retryable|ReferencedResourceNotProvisioned/,
    kind: 'Throttled',
    reason: 'OperationInterrupted',
    meaning: 'another operation on the resource or one that it refers to is in progress',
  },
  {
    codes: [
      HELD_BACK,
      'TooManyRequests',
      'SubscriptionRequestsThrottled',
      'RetryableErrorDueToAnotherOperation',
    ],
    kind: 'Throttled',
    reason: 'Throttled',
    meaning: 'Azure throttles the requests of the controller',
  },
  {
    statuses: [429],
    kind: 'Throttled',
    reason: 'Throttled',
    meaning: 'Azure throttles the requests of the controller',
  },
  {
    codes: [
      NO_TOKEN,
      'InvalidAuthenticationToken',
      'ExpiredAuthenticationToken',
      'InvalidAuthenticationTokenTenant',
    ],
    kind: 'Unauthorized',
    reason: 'TokenNotAccepted',
    meaning: 'Azure does not accept the credentials of the controller; check its identity',
    advice: BACKOFF,
  },
  {
    codes: ['RequestDisallowedByPolicy', 'PolicyViolation', 'DisallowedByPolicy'],
    kind: 'CreateFailed',
    reason: 'RequestDisallowedByPolicy',
    meaning: 'an Azure policy denies this VM; change the policy, or the property that it denies',
    advice: NEVER,
  },
  {
    codes: ['ScopeLocked', 'ReadOnlyDisabledSubscription'],
    kind: 'CreateFailed',
    reason: 'ScopeLocked',
    meaning: 'a lock on the resource group or the subscription prevents changes',
    advice: NEVER,
  },
  {
    codes: ['AuthorizationFailed', 'LinkedAuthorizationFailed', 'AuthorizationPermissionMismatch'],
    kind: 'Unauthorized',
    reason: 'AuthorizationFailed',
    meaning:
      'the identity of the controller lacks a permission; grant it the permission that the error names',
    advice: BACKOFF,
  },
  {
    // Whatever its status: a 403 without an error of Azure is the page of a proxy.
    codes: [NO_ANSWER, BAD_ANSWER],
    kind: 'Unreachable',
    reason: 'CloudUnreachable',
    meaning: 'Azure returned no valid response',
    advice: BACKOFF,
  },
  {
    statuses: [401, 403],
    kind: 'Unauthorized',
    reason: 'AuthorizationFailed',
    meaning: 'the identity of the controller lacks a permission',
    advice: BACKOFF,
  },
];

/** Azure refuses the local disk of a size for an OS disk. */
export const EPHEMERAL_ROW: ErrorRow = {
  codes: ['NotSupported', 'OperationNotAllowed'],
  says: /Ephemeral (?:VM|OS)/,
  kind: 'CreateFailed',
  reason: 'EphemeralDiskRefused',
  meaning: 'the OS disk does not fit on the local disk of the VM size; the next attempt uses a managed disk',
  advice: BACKOFF,
};

/** What services answer to things that have nothing to do with stock. */
export const SERVICE_ROWS: readonly ErrorRow[] = [
  EPHEMERAL_ROW,
  {
    codes: ['SubnetIsFull', 'InsufficientSubnetSize', 'SubnetWithNoFreeIPAddresses'],
    kind: 'CreateFailed',
    reason: 'SubnetFull',
    meaning: 'the subnet has no free IP addresses; free some, or use a larger subnet in the AKSNodeClass',
    advice: { retry: 'after', ms: MINUTE },
  },
  {
    codes: [
      'VMExtensionProvisioningError',
      'VMExtensionProvisioningTimeout',
      'VMExtensionHandlerNonTransientError',
      'VMAgentStatusCommunicationError',
    ],
    kind: 'CreateFailed',
    reason: 'ExtensionFailed',
    meaning: 'a VM extension failed',
    advice: BACKOFF,
  },
  {
    codes: [
      'OSProvisioningTimedOut',
      'OSProvisioningInternalError',
      'OSProvisioningClientError',
      'VMStartTimedOut',
    ],
    kind: 'CreateFailed',
    reason: 'OSProvisioningFailed',
    meaning: 'the operating system did not start',
    advice: BACKOFF,
  },
  {
    codes: ['ImageNotFound', 'GalleryImageNotFound', 'PlatformImageNotFound', 'ImageVersionNotFound'],
    kind: 'CreateFailed',
    reason: 'ImageNotFound',
    meaning: 'the image does not exist, or is not available in this region',
    advice: BACKOFF,
  },
  {
    codes: ['ResourceNotFound', 'NotFound', 'InvalidParameter', 'InvalidResourceReference'],
    says: /imageReference|[Gg]alleries\//,
    kind: 'CreateFailed',
    reason: 'ImageNotFound',
    meaning: 'the image does not exist, or is not available in this region',
    advice: BACKOFF,
  },
  {
    codes: ['NicReservedForAnotherVm', 'NetworkInterfaceInUse'],
    kind: 'CreateFailed',
    reason: 'NetworkInterfaceReserved',
    meaning: 'the network interface is reserved for a VM that failed; Azure releases it after three minutes',
    advice: { retry: 'after', ms: 3 * MINUTE },
  },
  {
    codes: [
      'InternalServerError',
      'InternalExecutionError',
      'ServerTimeout',
      'ServiceUnavailable',
      'GatewayTimeout',
    ],
    kind: 'Unreachable',
    reason: 'CloudUnreachable',
    meaning: 'an internal error of Azure',
    advice: BACKOFF,
  },
  {
    statuses: [408, 500, 502, 503, 504],
    kind: 'Unreachable',
    reason: 'CloudUnreachable',
    meaning: 'an internal error of Azure',
    advice: BACKOFF,
  },
  {
    codes: [
      'OperationPreempted',
      'OperationCanceled',
      'RetryableError',
      'AnotherOperationInProgress',
      'Conflict',
    ],
    kind: 'CreateFailed',
    reason: 'OperationInterrupted',
    meaning: 'another operation on the VM is in progress',
    advice: BACKOFF,
  },
];

/** For what no row knows. */
export const UNKNOWN_ROW: ErrorRow = {
  kind: 'CreateFailed',
  reason: 'CreateInstanceFailed',
  meaning: 'Azure rejected the request with an unknown error',
  advice: BACKOFF,
};
