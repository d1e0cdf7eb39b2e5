import { isProgramError } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { CloudError } from '../../index.ts';

import { AwsError, BAD_ANSWER, HELD_BACK, NO_ANSWER, NO_CREDENTIALS } from './aws-error.ts';
import {
  asCloudError,
  classify,
  isAlreadyExists,
  isDryRunSuccess,
  isNotFound,
  MESSAGE_LIMIT,
  rowOf,
} from './classify.ts';
import type { Block } from './error-row.ts';
import { ERROR_ROWS } from './error-rows.table.ts';

const MINUTE = 60_000;
const aws = (code: string, message = '', more: object = {}) => new AwsError({ code, message, ...more });
const IMAGES = 'Not authorized for images: [ami-1, ami-2]';
const SPREAD = "You've reached the limit of instances in this spread placement group.";

interface Expected {
  readonly kind: CloudError['kind'];
  readonly reason: string;
  readonly block?: Block['what'];
}

const unauthorized = (reason: string): Expected => ({ kind: 'Unauthorized', reason });
const failed = (reason: string, block?: Block['what']): Expected => ({
  kind: 'CreateFailed',
  reason,
  ...(block === undefined ? {} : { block }),
});
const throttled: Expected = { kind: 'Throttled', reason: 'RequestLimitExceeded' };
const unreachable = (reason = 'CloudUnreachable'): Expected => ({ kind: 'Unreachable', reason });

const CASES: readonly (readonly [AwsError, Expected])[] = [
  [aws(NO_ANSWER, 'connect ECONNREFUSED'), unreachable()],
  [aws(BAD_ANSWER, '<html>', { status: 403 }), unreachable()],
  [aws(NO_CREDENTIALS), unauthorized('CredentialsMissing')],
  [aws(HELD_BACK), { kind: 'Throttled', reason: 'Throttled' }],

  [aws('RequestTimeTooSkewed'), unauthorized('ClockSkew')],
  [aws('RequestExpired', 'Request has expired.'), unauthorized('ClockSkew')],
  [aws('RequestInTheFuture'), unauthorized('ClockSkew')],
  [aws('SignatureDoesNotMatch', 'Signature expired: 20260101T000000Z'), unauthorized('ClockSkew')],
  [aws('InvalidSignatureException', 'Signature not yet current: x'), unauthorized('ClockSkew')],
  [aws('SignatureDoesNotMatch', 'The request signature'), unauthorized('SignatureDoesNotMatch')],
  [aws('InvalidSignatureException'), unauthorized('SignatureDoesNotMatch')],
  [aws('IncompleteSignature'), unauthorized('SignatureDoesNotMatch')],
  [aws('ExpiredToken'), unauthorized('CredentialsExpired')],
  [aws('ExpiredTokenException'), unauthorized('CredentialsExpired')],
  [aws('InvalidClientTokenId'), unauthorized('CredentialsInvalid')],
  [aws('UnrecognizedClientException'), unauthorized('CredentialsInvalid')],
  [aws('InvalidIdentityToken'), unauthorized('CredentialsInvalid')],
  [
    aws('AuthFailure', 'AWS was not able to validate the provided access credentials'),
    unauthorized('CredentialsInvalid'),
  ],

  [aws('AuthFailure', IMAGES), unauthorized('AMIAuthorizationFailure')],
  [aws('UnauthorizedOperation', IMAGES), unauthorized('AMIAuthorizationFailure')],
  [aws('OptInRequired', 'use this AWS Marketplace product'), unauthorized('AMIAuthorizationFailure')],
  [aws('OptInRequired', 'You are not subscribed'), unauthorized('RegionNotEnabled')],
  [aws('UnauthorizedOperation'), unauthorized('Unauthorized')],
  [aws('AccessDenied'), unauthorized('Unauthorized')],
  [aws('AccessDeniedException'), unauthorized('Unauthorized')],
  [aws('AuthFailure'), unauthorized('Unauthorized')],

  ...[
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
  ].map((code) => [aws(code), throttled] as const),
  [aws('SomethingElse', '', { status: 429 }), throttled],

  [aws('InvalidInstanceID.NotFound'), { kind: 'NotFound', reason: 'NodeClaimNotFound' }],
  [aws('InvalidInstanceID.Malformed'), { kind: 'NotFound', reason: 'NodeClaimNotFound' }],
  [
    aws(
      'OperationNotPermitted',
      "The instance 'i-1' may not be terminated. Modify its 'disableApiTermination' instance attribute and try again.",
    ),
    failed('TerminationProtected'),
  ],
  [aws('IdempotentParameterMismatch'), unreachable('LaunchInDoubt')],
  [
    aws('InvalidParameter', 'Security group sg-1 and subnet subnet-1 belong to different networks.'),
    failed('SecurityGroupSubnetVPCMismatch'),
  ],
  [
    aws('InvalidParameterValue', 'Value (x) for parameter iamInstanceProfile.name is invalid.'),
    failed('InstanceProfileNameInvalid'),
  ],
  [aws('InvalidParameterValue', 'Invalid IAM Instance Profile name'), failed('InstanceProfileNameInvalid')],
  [
    aws(
      'InvalidParameterValue',
      'IAM Instance Profile "arn:aws:iam::111122223333:instance-profile/x" has no associated IAM Roles',
    ),
    failed('InstanceProfileNameInvalid'),
  ],
  [aws('InvalidLaunchTemplateName.NotFoundException'), failed('LaunchTemplateNotFound')],
  [aws('InvalidLaunchTemplateId.NotFound'), failed('LaunchTemplateNotFound')],
  [aws('InvalidLaunchTemplateId.VersionNotFound'), failed('LaunchTemplateNotFound')],
  [
    aws('InvalidUserData.Malformed', 'User data is limited to 16384 bytes'),
    failed('UserDataSizeLimitExceeded'),
  ],
  [aws('InvalidAMIID.Malformed'), failed('InvalidAMIID')],
  [aws('InvalidAMIID.NotFound'), failed('AMINotFound')],
  [aws('InvalidAMIID.Unavailable'), failed('AMINotFound')],
  // Of IAM, whose class in the SDK has the name by which others throttle.
  [aws('LimitExceeded', '', { aliases: ['LimitExceededException'] }), failed('QuotaExceeded')],
  [
    aws('InvalidParameterCombination', 'The specified instance type is not eligible for Free Tier.'),
    failed('FreeTierIneligible'),
  ],
  [aws('PendingVerification'), failed('AccountPendingVerification')],
  [aws('InternalError'), unreachable('InternalError')],
  [aws('ServiceUnavailable', '', { status: 503 }), unreachable('InternalError')],

  [aws('InsufficientInstanceCapacity', SPREAD), failed('SpreadPlacementGroupLimit', 'placementGroupZone')],
  [aws('AuthFailure.ServiceLinkedRoleCreationNotPermitted'), failed('SpotSLRCreationFailed', 'spot')],
  [aws('MaxFleetCountExceeded'), failed('FleetQuotaExceeded', 'offering')],
  [aws('MaxSpotInstanceCountExceeded'), failed('SpotQuotaExceeded', 'offering')],
  [aws('VcpuLimitExceeded'), failed('VCPULimitExceeded', 'offering')],
  [aws('InstanceLimitExceeded'), failed('VCPULimitExceeded', 'offering')],
  [aws('InsufficientFreeAddressesInSubnet'), failed('InsufficientFreeAddressesInSubnet', 'subnet')],
  [aws('ReservationCapacityExceeded'), failed('ReservationCapacityExceeded', 'reservation')],
  [aws('InsufficientInstanceCapacity'), failed('InsufficientInstanceCapacity', 'offering')],
  [aws('UnfulfillableCapacity'), failed('InsufficientInstanceCapacity', 'offering')],
  [aws('Unsupported'), failed('Unsupported', 'offering')],

  [aws('Bang', '', { status: 502 }), unreachable('InternalError')],
  [aws('Bang', '', { status: 403 }), unauthorized('Unauthorized')],
  [aws('SomethingNew', 'never seen', { status: 400 }), failed('LaunchFailed')],
];

describe('an error of AWS', () => {
  test.each(CASES.map(([error, expected]) => [error.text, error, expected] as const))(
    '%s: kind, reason and what becomes unavailable',
    (_, error, { kind, reason, block }) => {
      const found = classify(error);
      expect(found.error).toMatchObject({ kind, reason, code: error.code });
      expect(found.block).toEqual(block === undefined ? undefined : { what: block, ttlMs: 3 * MINUTE });
    },
  );

  test('of every row of the table is shown above', () => {
    const shown = new Set(CASES.map(([error]) => rowOf(error)));
    expect(ERROR_ROWS.filter((row) => !shown.has(row))).toEqual([]);
  });

  test('keeps the words of AWS behind what they mean, cut where a condition ends', () => {
    expect(classify(aws('VcpuLimitExceeded', 'limit of 32')).error.message).toBe(
      'the quota of on-demand vCPUs is exhausted; request an increase in Service Quotas: VcpuLimitExceeded: limit of 32',
    );
    const { message } = classify(aws('X', 'y '.repeat(5000))).error;
    expect(message).toHaveLength(MESSAGE_LIMIT);
    expect(message).toMatch(/^AWS rejected the request: X: y.*…$/);
  });

  test('that says how long to wait is believed, but for a second at least', () => {
    const wait = (retryAfterMs: number) => classify(aws('Throttling', '', { retryAfterMs })).error.advice;
    expect(wait(7000)).toEqual({ retry: 'after', ms: 7000 });
    expect(wait(0)).toEqual({ retry: 'after', ms: 1000 });
  });

  test('is found under the name of the wire and under that of the SDK', () => {
    const found = (code: string) => isNotFound(aws(code));
    expect(
      [
        'InvalidCapacityReservationId.NotFound',
        'InvalidInstanceID.NotFound',
        'InvalidLaunchTemplateName.NotFoundException',
        'InvalidLaunchTemplateId.NotFound',
        'InvalidPlacementGroup.Unknown',
        'QueueDoesNotExist',
        'AWS.SimpleQueueService.NonExistentQueue',
        'NoSuchEntity',
        'NoSuchEntityException',
        'ParameterNotFound',
      ].filter((code) => !found(code)),
    ).toEqual([]);
    expect(found('InvalidInstanceID.Malformed')).toBe(false);
    expect(isNotFound(aws('X', '', { status: 404 }))).toBe(false);
    expect(isAlreadyExists(aws('EntityAlreadyExists'))).toBe(true);
    expect(isAlreadyExists(aws('InvalidLaunchTemplateName.AlreadyExistsException'))).toBe(true);
    expect(isDryRunSuccess(aws('DryRunOperation', 'Request would have succeeded'))).toBe(true);
    expect(isDryRunSuccess(aws('UnauthorizedOperation'))).toBe(false);
  });

  test('is never an error of the program', () => {
    const bug = new TypeError('x is undefined');
    expect(isProgramError(bug)).toBe(true);
    expect(() => classify(bug)).toThrow(bug);
    expect(() => isNotFound(bug)).toThrow(bug);
    expect(() => asCloudError(bug)).toThrow(bug);
    const known = new CloudError('NotFound', 'gone');
    expect(asCloudError(known)).toBe(known);
  });
});
