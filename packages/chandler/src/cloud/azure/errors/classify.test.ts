import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { UnavailableOfferings } from '../../index.ts';

import { blockOfferings, type FailedOffering } from './block.ts';
import { classify, RAW_MESSAGE_LIMIT } from './classify.ts';

const HOUR = 3600_000;
const arm = (code: string, message = '', more: object = {}) => new ArmError({ code, message, ...more });

const FAILED: FailedOffering = {
  instanceType: 'Standard_D4s_v5',
  family: 'standardDSv5Family',
  vcpus: 4,
  zone: 'eastus-1',
  capacityType: 'on-demand',
  zones: ['eastus-1', 'eastus-2', '0'],
};

/** What is blocked of the failed size, as `zone/capacity type`, and for how long. */
async function blocked(error: ArmError, failed: FailedOffering) {
  const { clock } = virtualWorld();
  const memory = new UnavailableOfferings({ clock });
  const { block, error: cloudError } = classify(error);
  if (block !== undefined) blockOfferings(memory, block, failed, cloudError.reason, error.text);
  const offerings = failed.zones.flatMap((zone) =>
    ['on-demand', 'spot'].map((type) => [zone, type] as const),
  );
  const shown = offerings
    .filter(([zone, capacityType]) => memory.isUnavailable({ ...failed, zone, capacityType }))
    .map((pair) => pair.join('/'));
  const ttlMs = Math.max(0, ...memory.list().map((entry) => entry.untilMs - entry.markedAtMs));
  return { shown, ttlMs };
}

const ZONAL = ['eastus-1/on-demand', 'eastus-2/on-demand'];
const ALL_SPOT = ['eastus-1/spot', 'eastus-2/spot', '0/spot'];

describe('capacity that is not available', () => {
  const spot: FailedOffering = { ...FAILED, capacityType: 'spot' };
  const regional: FailedOffering = { ...FAILED, zone: '0' };
  const cases: readonly [string, ArmError, FailedOffering, string, readonly string[], number][] = [
    [
      'spot quota',
      arm('OperationNotAllowed', 'exceeding LowPriorityCores'),
      spot,
      'SubscriptionQuotaReached',
      ALL_SPOT,
      HOUR,
    ],
    [
      'family quota',
      arm('OperationNotAllowed', 'standardDSv5Family Cores quota. Current Limit: 10'),
      FAILED,
      'SubscriptionQuotaReached',
      [...ZONAL, '0/on-demand'],
      HOUR / 6,
    ],
    [
      'family quota of zero',
      arm('OperationNotAllowed', 'Family Cores quota. Current Limit: 0'),
      FAILED,
      'SubscriptionQuotaReached',
      [...ZONAL, '0/on-demand'],
      HOUR,
    ],
    ['SkuNotAvailable', arm('SkuNotAvailable'), FAILED, 'SKUNotAvailable', ZONAL, 23 * HOUR],
    [
      'SkuNotAvailable, regional',
      arm('SkuNotAvailable'),
      regional,
      'SKUNotAvailable',
      ['0/on-demand'],
      23 * HOUR,
    ],
    [
      'SkuNotAvailable, spot',
      arm('SkuNotAvailable'),
      spot,
      'SKUNotAvailable',
      ['eastus-1/spot', 'eastus-2/spot'],
      HOUR,
    ],
    [
      'ZonalAllocationFailed',
      arm('ZonalAllocationFailed'),
      FAILED,
      'ZonalAllocationFailure',
      ['eastus-1/on-demand', 'eastus-1/spot'],
      HOUR,
    ],
    [
      'AllocationFailed',
      arm('AllocationFailed'),
      FAILED,
      'AllocationFailure',
      ['eastus-1/on-demand', 'eastus-1/spot', 'eastus-2/on-demand', 'eastus-2/spot'],
      HOUR,
    ],
    [
      'OverconstrainedZonalAllocationRequest',
      arm('OverconstrainedZonalAllocationRequest'),
      FAILED,
      'OverconstrainedZonalAllocationFailure',
      ['eastus-1/on-demand'],
      HOUR,
    ],
    [
      'OverconstrainedAllocationRequest',
      arm('OverconstrainedAllocationRequest'),
      FAILED,
      'OverconstrainedAllocationFailure',
      ZONAL,
      HOUR,
    ],
    [
      'VMSizeNotSupported',
      arm('VMSizeNotSupported'),
      FAILED,
      'SKUNotAvailable',
      FAILED.zones.flatMap((zone) => [`${zone}/on-demand`, `${zone}/spot`]),
      23 * HOUR,
    ],
  ];
  test.each(cases)(
    '%s: the reason, what is blocked and for how long',
    async (_, error, failed, reason, shown, ttlMs) => {
      expect(classify(error).error).toMatchObject({ kind: 'CreateFailed', reason });
      expect(await blocked(error, failed)).toEqual({ shown, ttlMs });
    },
  );

  test('bigger sizes of the family are blocked with it, smaller ones are not', () => {
    const { clock } = virtualWorld();
    const memory = new UnavailableOfferings({ clock });
    const { block } = classify(arm('ZonalAllocationFailed'));
    blockOfferings(memory, block!, FAILED, 'r', '');
    const other = (vcpus: number) => ({ ...FAILED, instanceType: `Standard_D${vcpus}s_v5`, vcpus });
    expect(memory.isUnavailable(other(8))).toBe(true);
    expect(memory.isUnavailable(other(2))).toBe(false);
  });

  test('the total quota of the region ends the claim and blocks what is as big or bigger, of every family', async () => {
    const error = arm('OperationNotAllowed', 'exceeding approved Total Regional Cores quota');
    expect(classify(error).error).toMatchObject({
      kind: 'InsufficientCapacity',
      reason: 'InsufficientCapacityError',
    });
    expect(await blocked(error, FAILED)).toEqual({ shown: [...ZONAL, '0/on-demand'], ttlMs: HOUR / 6 });
    const memory = new UnavailableOfferings({ clock: virtualWorld().clock });
    blockOfferings(memory, classify(error).block!, FAILED, 'r', error.text);
    const other = { instanceType: 'Standard_E4as_v5', family: 'standardEASv5Family', zone: 'eastus-2' };
    const unavailable = (vcpus: number, capacityType: string) =>
      memory.isUnavailable({ ...other, vcpus, capacityType });
    expect([unavailable(2, 'on-demand'), unavailable(4, 'on-demand'), unavailable(8, 'spot')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('a code inside the details counts', () => {
    const error = arm('DeploymentFailed', 'x', { details: [{ code: 'SkuNotAvailable', message: 'y' }] });
    expect(classify(error).error.reason).toBe('SKUNotAvailable');
  });
});

describe('other refusals', () => {
  const cases: readonly [ArmError, object][] = [
    [arm('SubnetIsFull'), { kind: 'CreateFailed', reason: 'SubnetFull' }],
    [arm('InsufficientSubnetSize'), { kind: 'CreateFailed', reason: 'SubnetFull' }],
    [arm('RequestDisallowedByPolicy'), { reason: 'RequestDisallowedByPolicy', advice: { retry: 'never' } }],
    [
      arm('TooManyRequests', '', { status: 429, retryAfterMs: 7000 }),
      { kind: 'Throttled', advice: { retry: 'after', ms: 7000 } },
    ],
    [arm('Whatever', '', { status: 429 }), { kind: 'Throttled' }],
    // Repeated at once, a deletion would be sent a thousand times in a second.
    [
      arm('TooManyRequests', '', { status: 429, retryAfterMs: 0 }),
      { kind: 'Throttled', advice: { retry: 'after', ms: 1000 } },
    ],
    [
      arm('HeldBack', '', { retryAfterMs: 1900 }),
      { kind: 'Throttled', advice: { retry: 'after', ms: 1900 } },
    ],
    [arm('GalleryImageNotFound'), { reason: 'ImageNotFound' }],
    [arm('NotFound', "'/CommunityGalleries/x' in imageReference"), { reason: 'ImageNotFound' }],
    [
      arm('AuthorizationFailed', '', { status: 403 }),
      { kind: 'Unauthorized', reason: 'AuthorizationFailed' },
    ],
    [
      arm('ExpiredAuthenticationToken', '', { status: 401 }),
      { kind: 'Unauthorized', reason: 'TokenNotAccepted' },
    ],
    [arm('NoToken'), { kind: 'Unauthorized', reason: 'TokenNotAccepted' }],
    [
      arm('VMExtensionProvisioningError', 'exit status=50'),
      { kind: 'CreateFailed', reason: 'ExtensionFailed' },
    ],
    [arm('NicReservedForAnotherVm'), { reason: 'NetworkInterfaceReserved' }],
    [arm('NoAnswer'), { kind: 'Unreachable' }],
    [arm('BadAnswer'), { kind: 'Unreachable' }],
    [arm('BadAnswer', '', { status: 403 }), { kind: 'Unreachable', advice: { retry: 'backoff' } }],
    [arm('InternalServerError', '', { status: 500 }), { kind: 'Unreachable' }],
    [
      arm('SomethingNew', 'never seen'),
      { kind: 'CreateFailed', reason: 'CreateInstanceFailed', code: 'SomethingNew' },
    ],
  ];
  test.each(cases.map(([error, expected]) => [error.code, error, expected] as const))(
    '%s',
    (_, error, expected) => {
      expect(classify(error).error).toMatchObject(expected);
    },
  );

  test('[000-L4.3] about disk encryption are recognised when a set was in the request, and only then', () => {
    const error = arm('KeyVaultAccessForbidden', 'the identity has no access');
    expect(classify(error, { diskEncryptionSet: true }).error.reason).toBe('KeyVaultAccessMissing');
    expect(classify(error).error.reason).toBe('CreateInstanceFailed');
    const missing = arm('NotFound', 'DiskEncryptionSet des was not found', { status: 404 });
    expect(classify(missing, { diskEncryptionSet: true }).error.reason).toBe('DiskEncryptionSetNotFound');
  });

  test('a server error of Azure after the VM was accepted is a failure, not an unknown state', () => {
    expect(classify(arm('InternalExecutionError'), { accepted: true }).error).toMatchObject({
      kind: 'CreateFailed',
      reason: 'InternalError',
    });
  });

  test('keep what Azure said, cut where a condition ends', () => {
    const { error } = classify(arm('X', 'y'.repeat(5000)));
    expect(error.message).toHaveLength(RAW_MESSAGE_LIMIT);
    expect(error.message).toMatch(/^Azure rejected the request with an unknown error: X: yyy.*…$/);
  });
});
