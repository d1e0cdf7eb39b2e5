import { describe, expect, test } from 'vitest';
import { testArm, type VmChange } from '../arm-server.fixture.ts';

/** What a controller matches: the code, and parts of the text. */
interface Row {
  readonly fault: string;
  readonly code: string;
  readonly words?: readonly string[];
  readonly status?: number;
  readonly change?: VmChange;
}

const SYNC: readonly Row[] = [
  { fault: 'quota-spot', code: 'OperationNotAllowed', words: ['LowPriorityCores'], change: { spot: true } },
  { fault: 'quota', code: 'OperationNotAllowed', words: ['Family Cores quota', 'Current Limit: 10'] },
  { fault: 'quota=0', code: 'OperationNotAllowed', words: ['Family Cores quota', 'Current Limit: 0'] },
  {
    fault: 'sku-not-available',
    code: 'SkuNotAvailable',
    words: ['Standard_D4s_v5', 'aka.ms/azureskunotavailable'],
  },
  {
    fault: 'quota-regional',
    code: 'OperationNotAllowed',
    words: ['exceeding approved Total Regional Cores quota'],
  },
  { fault: 'size-not-supported', code: 'VMSizeNotSupported', status: 400 },
  {
    fault: 'size-not-in-subscription',
    code: 'BadRequest',
    words: ['is not supported for subscription'],
    status: 400,
  },
  { fault: 'image-not-found', code: 'GalleryImageNotFound', status: 404 },
  {
    fault: 'policy=no-vms@operation=PUT virtualMachines',
    code: 'RequestDisallowedByPolicy',
    words: ['no-vms'],
    status: 403,
  },
  { fault: 'des-not-found', code: 'ResourceNotFound', words: ['diskEncryptionSets'], status: 404 },
  {
    fault: 'des-forbidden',
    code: 'LinkedAuthorizationFailed',
    words: ['Microsoft.Compute/diskEncryptionSets/read'],
    status: 403,
  },
  { fault: 'allocation@phase=sync', code: 'AllocationFailed' },
];

const ASYNC: readonly Row[] = [
  { fault: 'zonal-allocation', code: 'ZonalAllocationFailed', words: ['in this zone'] },
  { fault: 'allocation', code: 'AllocationFailed', words: ['in this region'] },
  {
    fault: 'overconstrained-zonal',
    code: 'OverconstrainedZonalAllocationRequest',
    words: ['Low Priority VMs', 'Availability Zone'],
    change: { spot: true },
  },
  { fault: 'overconstrained', code: 'OverconstrainedAllocationRequest', change: { zone: null } },
  { fault: 'sku-not-available@phase=async', code: 'SkuNotAvailable' },
  { fault: 'key-vault-forbidden', code: 'KeyVaultAccessForbidden' },
  { fault: 'key-disabled', code: 'KeyVaultKeyDisabled' },
  { fault: 'os-timeout', code: 'OSProvisioningTimedOut', words: ["'aks-a'"] },
  { fault: 'vm-start-timeout', code: 'VMStartTimedOut' },
  { fault: 'vm-internal', code: 'InternalExecutionError' },
];

describe('every error that a controller classifies can be produced', () => {
  test.each(SYNC)('$fault at the PUT is $code', async ({ fault, code, words = [], status = 409, change }) => {
    const azure = await testArm({ faults: [fault] });
    await azure.nic('aks-a');
    await azure.advance(100);
    const refused = await azure.vm('aks-a', change);
    expect([refused.status, refused.error.code]).toEqual([status, code]);
    for (const word of words) expect(refused.error.message).toContain(word);
    expect(azure.server.resources.vms()).toEqual([]);
  });

  test.each(ASYNC)('$fault later is $code', async ({ fault, code, words = [], change }) => {
    const azure = await testArm({ faults: [fault] });
    const put = await azure.launch('aks-a', change);
    expect(put.status).toBe(201);
    const { json } = await azure.operation(put);
    expect([json['status'], json['error']!['code']]).toEqual(['Failed', code]);
    for (const word of words) expect(json['error']!['message']).toContain(word);
    const [vm] = azure.server.resources.vms();
    expect(vm!.properties.provisioningState).toBe('Failed');
  });

  test.each([
    ['subnet-full', 400, 'SubnetIsFull'],
    ['subnet-too-small', 400, 'InsufficientSubnetSize'],
    ['pool-missing', 400, 'InvalidResourceReference'],
    ['network-busy', 409, 'AnotherOperationInProgress'],
    ['policy', 403, 'RequestDisallowedByPolicy'],
  ])('%s at the PUT of a NIC is %i %s', async (fault, status, code) => {
    const azure = await testArm({ faults: [fault] });
    const refused = await azure.nic('aks-a');
    expect([refused.status, refused.error.code]).toEqual([status, code]);
    expect(azure.server.resources.nics()).toEqual([]);
  });

  test('a slow VM is created late, a stuck deletion takes long, a failing one leaves the VM', async () => {
    const azure = await testArm({ faults: ['vm-slow=60000@count=1'] });
    const put = await azure.launch('aks-a');
    expect((await azure.operation(put)).json['status']).toBe('InProgress');
    await azure.advance(60_000);
    expect((await azure.operation(put)).json['status']).toBe('Succeeded');
    azure.server.faults.add('delete-fails@count=1');
    const path = 'Microsoft.Compute/virtualMachines/aks-a?forceDeletion=true';
    const failing = await azure.call('DELETE', path);
    await azure.advance(1000);
    expect((await azure.operation(failing)).json['status']).toBe('Failed');
    azure.server.faults.add('stuck-delete=60000@count=1');
    const stuck = await azure.call('DELETE', path);
    await azure.advance(59_000);
    expect((await azure.operation(stuck)).json['status']).toBe('InProgress');
    await azure.advance(2000);
    expect((await azure.operation(stuck)).json['status']).toBe('Succeeded');
    expect(azure.server.resources.vms()).toEqual([]);
  });
});
