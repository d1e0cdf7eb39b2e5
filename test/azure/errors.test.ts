import type { FaultSpec } from '@chandler/cloudsim/azure/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { everyNth } from '../part.ts';
import {
  aClaim,
  inventory,
  NOTHING,
  removeVm,
  settleMachine,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(options: VmCloudOptions = {}): Promise<VmCloud> {
  open = await vmCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

const HOUR = 3600_000;
const D4 = {
  spec: {
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_D4s_v5'] }],
  },
};

function claimOf(capacityType: string, more: readonly object[] = []) {
  const capacity = { key: 'karpenter.sh/capacity-type', operator: 'In', values: [capacityType] };
  return aClaim('a', { spec: { requirements: [...D4.spec.requirements, capacity, ...more] } });
}

async function failure(fixture: VmCloud, claim = claimOf('on-demand')): Promise<CloudError> {
  const error: unknown = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass()).then(
    () => new Error('it was launched'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CloudError)) throw error;
  return error;
}

/** Which offerings of the failed size are still available, as `zone/capacity type`. */
async function offered(fixture: VmCloud): Promise<readonly string[]> {
  const types = await fixture.cloud.instanceTypes(
    { nodeClass: fixture.nodeClass() as never },
    neverAborted(),
  );
  const type = types.find((each) => each.name === 'Standard_D4s_v5')!;
  const value = (offering: (typeof type.offerings)[number], key: string) =>
    offering.requirements.find((each) => each.key === key)?.values?.[0];
  return type.offerings
    .filter((offering) => offering.available !== false)
    .map(
      (each) => `${value(each, 'topology.kubernetes.io/zone')}/${value(each, 'karpenter.sh/capacity-type')}`,
    )
    .sort();
}

const ALL = ['0', 'eastus-1', 'eastus-2', 'eastus-3'].flatMap((zone) => [
  `${zone}/on-demand`,
  `${zone}/spot`,
]);
const zonal = (capacityType: string) =>
  ALL.filter((each) => !each.startsWith('0/') && each.endsWith(`/${capacityType}`));
const without = (...gone: readonly string[]) => ALL.filter((each) => !gone.includes(each));

describe('capacity that Azure does not have', () => {
  const regional = [{ key: 'karpenter.azure.com/placement-scope', operator: 'In', values: ['regional'] }];
  const zoneTwo = [{ key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eastus-2'] }];
  const onDemand = claimOf('on-demand', zoneTwo);
  const cases: readonly [string, FaultSpec, ReturnType<typeof aClaim>, string, readonly string[], number][] =
    [
      [
        '1 spot quota',
        { name: 'quota-spot' },
        claimOf('spot', zoneTwo),
        'SubscriptionQuotaReached',
        ALL.filter((each) => each.endsWith('/on-demand')),
        HOUR,
      ],
      [
        '2 family quota',
        { name: 'quota' },
        onDemand,
        'SubscriptionQuotaReached',
        ALL.filter((each) => each.endsWith('/spot')),
        HOUR / 6,
      ],
      [
        '2 family quota of zero',
        { name: 'quota', value: '0' },
        onDemand,
        'SubscriptionQuotaReached',
        ALL.filter((each) => each.endsWith('/spot')),
        HOUR,
      ],
      [
        '3 size not available',
        { name: 'sku-not-available' },
        onDemand,
        'SKUNotAvailable',
        without(...zonal('on-demand')),
        23 * HOUR,
      ],
      [
        '3 size not available, spot',
        { name: 'sku-not-available' },
        claimOf('spot', zoneTwo),
        'SKUNotAvailable',
        without(...zonal('spot')),
        HOUR,
      ],
      [
        '3 size not available, regional',
        { name: 'sku-not-available' },
        claimOf('on-demand', regional),
        'SKUNotAvailable',
        without('0/on-demand'),
        23 * HOUR,
      ],
      [
        '4 zonal allocation',
        { name: 'zonal-allocation' },
        onDemand,
        'ZonalAllocationFailure',
        without('eastus-2/on-demand', 'eastus-2/spot'),
        HOUR,
      ],
      [
        '5 allocation',
        { name: 'allocation' },
        onDemand,
        'AllocationFailure',
        ['0/on-demand', '0/spot'],
        HOUR,
      ],
      [
        '5 allocation at the request',
        { name: 'allocation', phase: 'sync' },
        onDemand,
        'AllocationFailure',
        ['0/on-demand', '0/spot'],
        HOUR,
      ],
      [
        '6 overconstrained zonal',
        { name: 'overconstrained-zonal' },
        onDemand,
        'OverconstrainedZonalAllocationFailure',
        without('eastus-2/on-demand'),
        HOUR,
      ],
      [
        '7 overconstrained',
        { name: 'overconstrained' },
        onDemand,
        'OverconstrainedAllocationFailure',
        without(...zonal('on-demand')),
        HOUR,
      ],
      ['M1 size not supported', { name: 'size-not-supported' }, onDemand, 'SKUNotAvailable', [], 23 * HOUR],
      [
        'M2 size not in subscription',
        { name: 'size-not-in-subscription' },
        onDemand,
        'SKUNotAvailable',
        [],
        23 * HOUR,
      ],
    ];
  test.each(cases)(
    'row %s: reason, what is blocked, for how long',
    async (_, fault, claim, reason, left, ttlMs) => {
      const fixture = await azure();
      expect(await offered(fixture)).toEqual([...ALL].sort());
      fixture.server.faults.add({ ...fault, count: 1 });
      expect(await failure(fixture, claim)).toMatchObject({ kind: 'CreateFailed', reason });
      expect(await offered(fixture)).toEqual([...left].sort());
      await fixture.clock.advance(ttlMs - 60_000);
      expect(await offered(fixture), 'a minute before its time').toEqual([...left].sort());
      await fixture.clock.advance(61_000);
      expect(await offered(fixture), 'after its time').toEqual([...ALL].sort());
      await removeVm(fixture, fixture.cloud, claim);
      expect(inventory(fixture)).toEqual(NOTHING);
    },
  );

  test('row 8: the total of the region ends the claim, and sizes with as many cores are unavailable for ten minutes', async () => {
    const fixture = await azure();
    fixture.server.faults.add({ name: 'quota-regional', count: 1 });
    expect(await failure(fixture)).toMatchObject({
      kind: 'InsufficientCapacity',
      reason: 'InsufficientCapacityError',
    });
    const spot = ALL.filter((each) => each.endsWith('/spot')).sort();
    expect(await offered(fixture)).toEqual(spot);
    await fixture.clock.advance(9 * 60_000);
    expect(await offered(fixture), 'a minute before its time').toEqual(spot);
    await fixture.clock.advance(61_000);
    expect(await offered(fixture), 'after its time').toEqual([...ALL].sort());
  });

  test('the next attempt takes another offering, until none is left', async () => {
    const fixture = await azure();
    fixture.server.faults.add({ name: 'zonal-allocation' });
    const claim = claimOf('on-demand', [
      { key: 'karpenter.azure.com/placement-scope', operator: 'In', values: ['zonal'] },
    ]);
    const reasons: string[] = [];
    for (let attempt = 0; attempt < 4; attempt++) {
      const error = await failure(fixture, claim);
      reasons.push(error.reason);
      await fixture.clock.advance(1000);
    }
    expect(reasons).toEqual([
      ...Array.from({ length: 3 }, () => 'ZonalAllocationFailure'),
      'InsufficientCapacityError',
    ]);
    await removeVm(fixture, fixture.cloud, claim);
    expect(inventory(fixture)).toEqual(NOTHING);
  });
});

describe('what upstream does not distinguish', () => {
  const cases: readonly [FaultSpec, VmCloudOptions, object][] = [
    [{ name: 'subnet-full' }, {}, { kind: 'CreateFailed', reason: 'SubnetFull', code: 'SubnetIsFull' }],
    [
      { name: 'subnet-too-small' },
      {},
      { kind: 'CreateFailed', reason: 'SubnetFull', code: 'InsufficientSubnetSize' },
    ],
    [{ name: 'policy' }, {}, { reason: 'RequestDisallowedByPolicy', advice: { retry: 'never' } }],
    [{ name: 'image-not-found' }, {}, { reason: 'ImageNotFound' }],
    [{ name: 'os-timeout' }, {}, { reason: 'OSProvisioningFailed' }],
    [{ name: 'vm-start-timeout' }, {}, { reason: 'OSProvisioningFailed' }],
    [{ name: 'vm-internal' }, {}, { kind: 'CreateFailed', reason: 'InternalError' }],
    [
      { name: 'forbidden', operation: 'PUT virtualMachines' },
      {},
      { kind: 'Unauthorized', reason: 'AuthorizationFailed' },
    ],
    [
      { name: 'expired-token', operation: 'PUT virtualMachines' },
      {},
      { kind: 'Unauthorized', reason: 'TokenNotAccepted' },
    ],
    [{ name: '500', operation: 'PUT virtualMachines' }, {}, { kind: 'Unreachable' }],
    [{ name: '502', operation: 'PUT virtualMachines' }, {}, { kind: 'Unreachable' }],
    [{ name: 'proxy-403', operation: 'PUT virtualMachines' }, {}, { kind: 'Unreachable' }],
    [{ name: 'lost-request', operation: 'PUT virtualMachines' }, {}, { kind: 'Unreachable' }],
    [
      { name: 'cse', value: '50' },
      { mode: 'bootstrappingclient' },
      { kind: 'CreateFailed', reason: 'ExtensionFailed', message: expect.stringContaining('exit status=50') },
    ],
    [
      { name: 'extension-timeout' },
      {},
      { reason: 'ExtensionFailed', code: 'VMExtensionProvisioningTimeout' },
    ],
    [{ name: 'extension-fails' }, {}, { reason: 'ExtensionFailed', code: 'VMExtensionProvisioningError' }],
  ];
  test.each(cases.map(([fault, options, expected]) => [fault.name, fault, options, expected] as const))(
    '%s',
    async (_, fault, options, expected) => {
      const fixture = await azure(options);
      fixture.server.faults.add({ ...fault, count: 1 });
      const error = await failure(fixture);
      expect(error).toMatchObject(expected);
      expect(error.stages.some((stage) => stage.outcome === 'failed')).toBe(true);
      await removeVm(fixture, fixture.cloud, claimOf('on-demand'));
      expect(inventory(fixture)).toEqual(NOTHING);
    },
  );
});

describe('[000-L4] what is wrong with the disk encryption set', () => {
  const set =
    '/subscriptions/00000000-0000-4000-8000-000000000001/resourceGroups/playground/providers/Microsoft.Compute/diskEncryptionSets/des-playground';
  test.each([
    ['des-not-found', 'DiskEncryptionSetNotFound'],
    ['des-forbidden', 'DiskEncryptionSetRBACMissing'],
    ['key-vault-forbidden', 'KeyVaultAccessMissing'],
    ['key-disabled', 'KeyDisabled'],
  ])('%s is reported as %s, with the set in every stage', async (name, reason) => {
    const fixture = await azure({ env: { NODE_OSDISK_DISKENCRYPTIONSET_ID: set } });
    fixture.server.faults.add({ name, count: 1 });
    const error = await failure(fixture);
    expect(error).toMatchObject({ kind: 'CreateFailed', reason });
    const failed = error.stages.filter((stage) => stage.outcome === 'failed');
    expect(JSON.stringify(failed)).toContain(set);
  });
});

describe('a lost or garbled answer', () => {
  const faults = ['lost-response', 'late-500', 'truncated', 'non-json', 'empty', 'wrong-content'];
  const operations = [
    'PUT networkInterfaces',
    'PUT virtualMachines',
    'PUT extensions',
    'GET virtualMachines',
  ];
  const answers = faults.flatMap((name) => operations.map((operation) => [name, operation] as const));
  test.each(everyNth('lost or garbled answers', answers, 5))(
    '%s at %s: one machine in the end, made once',
    async (name, operation) => {
      const fixture = await azure();
      fixture.server.faults.add({ name, operation, count: 1 });
      const claim = claimOf('on-demand');
      for (let attempt = 0; attempt < 4; attempt++) {
        const outcome = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass()).catch(
          (error: unknown) => {
            if (!(error instanceof CloudError) || error.kind !== 'Unreachable') throw error;
          },
        );
        if (outcome !== undefined) break;
        await fixture.clock.advance(2_000);
      }
      expect(inventory(fixture)).toEqual({
        vms: ['aks-a'],
        nics: ['aks-a'],
        disks: ['aks-a'],
        extensions: ['computeAksLinuxBilling'],
      });
      const made = fixture.server.resources
        .calls()
        .filter((call) => call.method === 'PUT' && call.path.endsWith('virtualMachines/aks-a'));
      expect(made.filter((call) => call.status === 201 || call.status === 0).length).toBeLessThanOrEqual(1);
    },
  );
});

describe('throttling', () => {
  test('is waited out as long as Azure says, without calls in between', async () => {
    const fixture = await azure();
    fixture.server.faults.add({ name: 'throttle', value: '90', operation: 'PUT virtualMachines', count: 3 });
    const { steps } = await settleMachine(fixture, fixture.cloud, claimOf('on-demand'), fixture.nodeClass());
    const puts = fixture.server.resources
      .calls()
      .filter((call) => /PUT.*virtualMachines\/aks-a$/.test(`${call.method} ${call.path}`));
    expect(puts.map((call) => call.status)).toEqual([429, 429, 429, 201]);
    const gaps = puts.slice(1).map((call, at) => call.atMs - puts[at]!.atMs);
    expect(gaps.every((gap) => gap >= 90_000)).toBe(true);
    expect(steps.some((step) => step.state === 'waiting' && step.retryAfterMs >= 90_000)).toBe(true);
  });

  test('that does not end becomes an error, after longer than the SDKs would retry', async () => {
    const fixture = await azure();
    fixture.server.faults.add({ name: 'throttle', value: '60', operation: 'PUT virtualMachines' });
    const startMs = fixture.clock.now();
    expect(await failure(fixture)).toMatchObject({ kind: 'Throttled' });
    expect(fixture.clock.now() - startMs).toBeGreaterThan(9 * 60_000);
  });
});
