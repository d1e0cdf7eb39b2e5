/**
 * How AWS says no, row by row: first match wins. A row names the kind of error, the reason that lands on the claim, what
 * helps, and what becomes unavailable. The order is that of the reasons of Karpenter: what people have to repair comes
 * before a lack of capacity, which another zone or type may not have.
 */
import type { RetryAdvice } from '../../index.ts';

import { BAD_ANSWER, HELD_BACK, NO_ANSWER, NO_CREDENTIALS } from './aws-error.ts';
import { type Block, type ErrorRow, UNAVAILABLE_TTL_MS } from './error-row.ts';

const BACKOFF: RetryAdvice = { retry: 'backoff' };
const SOON: RetryAdvice = { retry: 'after', ms: 1_000 };

const block = (what: Block['what']): Block => ({ what, ttlMs: UNAVAILABLE_TTL_MS });

/** What never became an answer of AWS. */
export const CALL_ROWS: readonly ErrorRow[] = [
  {
    codes: [NO_ANSWER],
    kind: 'Unreachable',
    reason: 'CloudUnreachable',
    meaning: 'AWS could not be reached; check DNS, routes and VPC endpoints of the controller',
  },
  {
    // Whatever its status: a 403 without an error of AWS is the page of a proxy.
    codes: [BAD_ANSWER],
    kind: 'Unreachable',
    reason: 'CloudUnreachable',
    meaning: 'the response is not one of AWS; check for a proxy between the controller and AWS',
  },
  {
    codes: [NO_CREDENTIALS],
    kind: 'Unauthorized',
    reason: 'CredentialsMissing',
    meaning:
      'the controller has no credentials for AWS; configure IRSA or EKS Pod Identity for its service account',
    advice: BACKOFF,
  },
  {
    codes: [HELD_BACK],
    kind: 'Throttled',
    reason: 'Throttled',
    meaning: 'the rate limit of the controller holds the request back',
  },
];

/** Credentials that AWS does not accept. */
export const CREDENTIAL_ROWS: readonly ErrorRow[] = [
  {
    codes: ['RequestTimeTooSkewed', 'RequestExpired', 'RequestInTheFuture'],
    kind: 'Unauthorized',
    reason: 'ClockSkew',
    meaning: 'the signature of the request is too old or in the future',
    advice: BACKOFF,
  },
  {
    codes: ['SignatureDoesNotMatch', 'InvalidSignatureException', 'InvalidSignature'],
    says: /Signature (?:expired|not yet current)/,
    kind: 'Unauthorized',
    reason: 'ClockSkew',
    meaning: 'the signature of the request is too old or in the future',
    advice: BACKOFF,
  },
  {
    codes: ['SignatureDoesNotMatch', 'InvalidSignatureException', 'InvalidSignature', 'IncompleteSignature'],
    kind: 'Unauthorized',
    reason: 'SignatureDoesNotMatch',
    meaning:
      'AWS computed another signature: the secret key does not belong to the access key, or a proxy changed the request',
    advice: BACKOFF,
  },
  {
    codes: ['ExpiredToken', 'ExpiredTokenException', 'TokenRefreshRequired'],
    kind: 'Unauthorized',
    reason: 'CredentialsExpired',
    meaning: 'the session of the controller has expired and was not renewed',
    advice: BACKOFF,
  },
  {
    codes: [
      'InvalidClientTokenId',
      'UnrecognizedClientException',
      'InvalidAccessKeyId',
      'MissingAuthenticationToken',
      'InvalidIdentityToken',
    ],
    kind: 'Unauthorized',
    reason: 'CredentialsInvalid',
    meaning:
      'AWS does not know the credentials of the controller; they were deleted, belong to another partition, or their region is not enabled',
    advice: BACKOFF,
  },
  {
    codes: ['AuthFailure'],
    says: /not able to validate the provided access credentials/,
    kind: 'Unauthorized',
    reason: 'CredentialsInvalid',
    meaning:
      'AWS could not validate the credentials of the controller: they are wrong, or its clock is more than five minutes off',
    advice: BACKOFF,
  },
];

/** Too many calls. */
export const THROTTLE_ROWS: readonly ErrorRow[] = [
  {
    codes: [
      'RequestLimitExceeded',
      'Throttling',
      'ThrottlingException',
      'ThrottledException',
      'RequestThrottled',
      'RequestThrottledException',
      'TooManyRequests',
      'TooManyRequestsException',
      'EC2ThrottledException',
      'PriorRequestNotComplete',
      'SlowDown',
      'BandwidthLimitExceeded',
      'KmsThrottled',
    ],
    kind: 'Throttled',
    reason: 'RequestLimitExceeded',
    meaning: 'AWS throttles the requests of this account in the region',
  },
  {
    statuses: [429],
    kind: 'Throttled',
    reason: 'RequestLimitExceeded',
    meaning: 'AWS throttles the requests of this account in the region',
  },
];

/** What the controller may not do. `denial.ts` reads who is denied what. */
export const DENIAL_ROWS: readonly ErrorRow[] = [
  {
    says: /Not authorized for images/,
    kind: 'Unauthorized',
    reason: 'AMIAuthorizationFailure',
    meaning: 'the image is not shared with this account',
    advice: BACKOFF,
  },
  {
    codes: ['OptInRequired'],
    says: /[Mm]arketplace/,
    kind: 'Unauthorized',
    reason: 'AMIAuthorizationFailure',
    meaning: 'the image is a product of AWS Marketplace that this account has not subscribed to',
    advice: BACKOFF,
  },
  {
    codes: ['OptInRequired'],
    kind: 'Unauthorized',
    reason: 'RegionNotEnabled',
    meaning: 'the region is not enabled for this account',
    advice: BACKOFF,
  },
  {
    codes: [
      'UnauthorizedOperation',
      'UnauthorizedException',
      'AccessDenied',
      'AccessDeniedException',
      'AuthFailure',
      'AuthorizationError',
    ],
    kind: 'Unauthorized',
    reason: 'Unauthorized',
    meaning: 'the controller is not authorized',
    advice: BACKOFF,
  },
];

const TEMPLATE_GONE = {
  kind: 'CreateFailed',
  reason: 'LaunchTemplateNotFound',
  meaning: 'the launch template was deleted; the next attempt creates it again',
  advice: SOON,
} as const satisfies ErrorRow;

/** What people have to repair, or AWS itself. */
export const SERVICE_ROWS: readonly ErrorRow[] = [
  {
    codes: ['InvalidInstanceID.NotFound', 'InvalidInstanceID.Malformed'],
    kind: 'NotFound',
    reason: 'NodeClaimNotFound',
    meaning: 'the instance does not exist',
  },
  {
    codes: ['OperationNotPermitted'],
    says: /disableApiTermination|termination protection/i,
    kind: 'CreateFailed',
    reason: 'TerminationProtected',
    meaning:
      'the instance is protected against termination; disable it with aws ec2 modify-instance-attribute',
    advice: BACKOFF,
  },
  {
    // The first request with the token was received, and asked for something else: see client-token.ts.
    codes: ['IdempotentParameterMismatch'],
    kind: 'Unreachable',
    reason: 'LaunchInDoubt',
    meaning: 'an earlier request with this client token was received; its instance is searched for',
    advice: { retry: 'after', ms: 5_000 },
  },
  {
    codes: [
      'InvalidParameter',
      'InvalidParameterValue',
      'InvalidParameterCombination',
      'InvalidGroup.NotFound',
    ],
    says: /belong to different networks|in different (?:VPCs|networks)/,
    kind: 'CreateFailed',
    reason: 'SecurityGroupSubnetVPCMismatch',
    meaning:
      'the security groups and the subnets of the EC2NodeClass are in different VPCs; select them from one',
    advice: BACKOFF,
  },
  {
    says: /iamInstanceProfile\.name is invalid|Invalid IAM Instance Profile/i,
    kind: 'CreateFailed',
    reason: 'InstanceProfileNameInvalid',
    meaning:
      'the instance profile does not exist; spec.instanceProfile is a name, not an ARN, and a new profile takes seconds to be known',
    advice: BACKOFF,
  },
  {
    says: /has no associated IAM Roles/i,
    kind: 'CreateFailed',
    reason: 'InstanceProfileNameInvalid',
    meaning:
      'the instance profile has no role; give it the role of the nodes, and EC2 knows of it within seconds',
    advice: BACKOFF,
  },
  {
    codes: ['InvalidLaunchTemplateName.NotFoundException', 'InvalidLaunchTemplateId.NotFound'],
    ...TEMPLATE_GONE,
  },
  {
    codes: ['InvalidLaunchTemplateId.VersionNotFound', 'InvalidLaunchTemplateName.NotFound'],
    ...TEMPLATE_GONE,
  },
  {
    says: /User data is limited to/,
    kind: 'CreateFailed',
    reason: 'UserDataSizeLimitExceeded',
    meaning: 'the user data is larger than 16 KB; shorten spec.userData of the EC2NodeClass',
    advice: BACKOFF,
  },
  {
    codes: ['InvalidAMIID.Malformed'],
    kind: 'CreateFailed',
    reason: 'InvalidAMIID',
    meaning: 'the id of the image is malformed',
    advice: BACKOFF,
  },
  {
    codes: ['InvalidAMIID.NotFound', 'InvalidAMIID.Unavailable'],
    kind: 'CreateFailed',
    reason: 'AMINotFound',
    meaning: 'the image does not exist in this region, or is not shared with this account',
    advice: BACKOFF,
  },
  {
    codes: ['LimitExceeded'],
    kind: 'CreateFailed',
    reason: 'QuotaExceeded',
    meaning: 'a quota of the account is exhausted; request an increase in Service Quotas',
    advice: BACKOFF,
  },
  {
    says: /not eligible for Free Tier/i,
    kind: 'CreateFailed',
    reason: 'FreeTierIneligible',
    meaning: 'the account is limited to the instance types of the Free Tier; upgrade its plan',
    advice: BACKOFF,
  },
  {
    codes: ['PendingVerification'],
    kind: 'CreateFailed',
    reason: 'AccountPendingVerification',
    meaning: 'AWS is still verifying the account for this region; it sends a mail when it is done',
    advice: BACKOFF,
  },
  {
    codes: ['InternalError', 'InternalFailure', 'InternalServiceError', 'ServiceUnavailable', 'Unavailable'],
    kind: 'Unreachable',
    reason: 'InternalError',
    meaning: 'an internal error of AWS',
  },
];

/** A lack of capacity. The first two are told from the rest by their words. */
export const CAPACITY_ROWS: readonly ErrorRow[] = [
  {
    says: /limit of instances in this spread placement group/,
    kind: 'CreateFailed',
    reason: 'SpreadPlacementGroupLimit',
    meaning: 'the spread placement group has its seven instances in this zone',
    advice: SOON,
    block: block('placementGroupZone'),
  },
  {
    codes: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
    kind: 'CreateFailed',
    reason: 'SpotSLRCreationFailed',
    meaning:
      'the account lacks the service-linked role of EC2 Spot and the controller may not create it; run aws iam create-service-linked-role --aws-service-name spot.amazonaws.com',
    advice: SOON,
    block: block('spot'),
  },
  {
    codes: ['MaxFleetCountExceeded'],
    kind: 'CreateFailed',
    reason: 'FleetQuotaExceeded',
    meaning: 'the quota of fleets in this region is exhausted; request an increase in Service Quotas',
    advice: BACKOFF,
    block: block('offering'),
  },
  {
    codes: ['MaxSpotInstanceCountExceeded'],
    kind: 'CreateFailed',
    reason: 'SpotQuotaExceeded',
    meaning: 'the quota of spot vCPUs is exhausted; request an increase in Service Quotas',
    advice: BACKOFF,
    block: block('offering'),
  },
  {
    codes: ['VcpuLimitExceeded', 'InstanceLimitExceeded'],
    kind: 'CreateFailed',
    reason: 'VCPULimitExceeded',
    meaning: 'the quota of on-demand vCPUs is exhausted; request an increase in Service Quotas',
    advice: BACKOFF,
    block: block('offering'),
  },
  {
    codes: ['InsufficientFreeAddressesInSubnet'],
    kind: 'CreateFailed',
    reason: 'InsufficientFreeAddressesInSubnet',
    meaning: 'the subnet has too few free IP addresses; free some, or add subnets to the EC2NodeClass',
    advice: SOON,
    block: block('subnet'),
  },
  {
    codes: ['ReservationCapacityExceeded'],
    kind: 'CreateFailed',
    reason: 'ReservationCapacityExceeded',
    meaning: 'the capacity reservation is full',
    advice: SOON,
    block: block('reservation'),
  },
  {
    codes: ['InsufficientInstanceCapacity', 'UnfulfillableCapacity'],
    kind: 'CreateFailed',
    reason: 'InsufficientInstanceCapacity',
    meaning: 'the zone has no capacity for the instance type at the moment',
    advice: SOON,
    block: block('offering'),
  },
  {
    codes: ['Unsupported'],
    kind: 'CreateFailed',
    reason: 'Unsupported',
    meaning: 'the zone does not support the instance type as it is requested',
    advice: SOON,
    block: block('offering'),
  },
];

/** For what has no name but a status. */
export const STATUS_ROWS: readonly ErrorRow[] = [
  {
    statuses: [500, 502, 503, 504],
    kind: 'Unreachable',
    reason: 'InternalError',
    meaning: 'an internal error of AWS',
  },
  {
    statuses: [401, 403],
    kind: 'Unauthorized',
    reason: 'Unauthorized',
    meaning: 'the controller is not authorized',
    advice: BACKOFF,
  },
];

/** For what no row knows. */
export const UNKNOWN_ROW: ErrorRow = {
  kind: 'CreateFailed',
  reason: 'LaunchFailed',
  meaning: 'AWS rejected the request',
  advice: BACKOFF,
};

export const ERROR_ROWS: readonly ErrorRow[] = [
  ...CALL_ROWS,
  // Before those of denials: AuthFailure is the code of both.
  ...CREDENTIAL_ROWS,
  ...DENIAL_ROWS,
  ...THROTTLE_ROWS,
  ...SERVICE_ROWS,
  ...CAPACITY_ROWS,
  ...STATUS_ROWS,
];
