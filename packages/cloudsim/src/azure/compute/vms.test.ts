import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, type TestArm, testArm } from '../arm-server.fixture.ts';

const vmPath = (name: string) => `${COMPUTE}/virtualMachines/${name}`;
const state = async ({ call }: TestArm, name: string) =>
  (await call('GET', vmPath(name))).json?.['properties']?.['provisioningState'];
const codes = async ({ call }: TestArm, name: string) => {
  const view = (await call('GET', `${vmPath(name)}?$expand=instanceView`)).json['properties']![
    'instanceView'
  ]!;
  return view['statuses']!.map((status) => String(status['code']));
};

const PREEMPTED = { status: 'Canceled', error: { code: 'OperationPreempted' } };

describe('a VM', () => {
  test('is Creating, is allocated, gets a disk, and runs', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.advance(100);
    const put = await azure.vm('aks-a');
    expect(put.status).toBe(201);
    expect(await codes(azure, 'aks-a')).toEqual(['ProvisioningState/creating']);
    expect(azure.server.resources.disks()).toEqual([]);
    await azure.advance(200);
    expect(await codes(azure, 'aks-a')).toEqual([
      'ProvisioningState/creating',
      'ProvisioningState/creating/OSProvisioningInProgress',
      'PowerState/running',
    ]);
    expect((await azure.operation(put)).json['status']).toBe('InProgress');
    await azure.advance(300);
    expect((await azure.operation(put)).json['status']).toBe('Succeeded');
    expect(await codes(azure, 'aks-a')).toEqual(['ProvisioningState/succeeded', 'PowerState/running']);
    const [disk] = azure.server.resources.disks();
    expect(disk).toMatchObject({
      name: 'aks-a',
      managedBy: `${azure.group}/${vmPath('aks-a')}`,
      zones: ['1'],
    });
  });

  test('never returns its custom data', async () => {
    const azure = await testArm();
    const put = await azure.launch('aks-a');
    const secret = Buffer.from('#!/bin/bash').toString('base64').slice(0, 10);
    expect(put.text).not.toContain(secret);
    expect((await azure.call('GET', vmPath('aks-a'))).text).not.toContain(secret);
    expect(azure.server.vms.vm(`${azure.group}/${vmPath('aks-a')}`)?.customData).toBe(
      '#!/bin/bash\necho hello',
    );
  });

  test('is deleted with its disk and NIC if their delete option says so', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const id = `${azure.group}/${NETWORK}/networkInterfaces/aks-b`;
    await azure.launch('aks-b', {
      osDisk: { name: 'aks-b', deleteOption: 'Detach' },
      properties: { networkProfile: { networkInterfaces: [{ id, properties: { primary: true } }] } },
    });
    for (const name of ['aks-a', 'aks-b']) {
      const deleted = await azure.call('DELETE', `${vmPath(name)}?forceDeletion=true`);
      expect(deleted.status).toBe(202);
      expect(await state(azure, name)).toBe('Deleting');
    }
    await azure.advance(1000);
    expect(azure.server.resources.vms()).toEqual([]);
    expect(azure.server.resources.nics().map((nic) => nic.name)).toEqual(['aks-b']);
    const [disk] = azure.server.resources.disks();
    expect([disk!.name, disk!.managedBy, disk!.properties['diskState']]).toEqual([
      'aks-b',
      undefined,
      'Unattached',
    ]);
    expect((await azure.call('DELETE', `${COMPUTE}/disks/aks-b`)).status).toBe(202);
    expect((await azure.call('DELETE', `${NETWORK}/networkInterfaces/aks-b`)).status).toBe(202);
    await azure.advance(100);
    expect([azure.server.resources.disks(), azure.server.resources.nics()]).toEqual([[], []]);
  });

  test('that does not exist is deleted without an error; a second deletion joins the first', async () => {
    const azure = await testArm();
    expect((await azure.call('DELETE', vmPath('aks-a'))).status).toBe(204);
    await azure.launch('aks-a');
    const first = await azure.call('DELETE', vmPath('aks-a'));
    const second = await azure.call('DELETE', vmPath('aks-a'));
    await azure.advance(1000);
    expect((await azure.operation(first)).json['status']).toBe('Succeeded');
    expect((await azure.operation(second)).json['status']).toBe('Succeeded');
  });

  test('put again while it is created is still one VM, and the first operation ends as preempted', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.advance(100);
    const first = await azure.vm('aks-a');
    const second = await azure.vm('aks-a');
    expect([first.status, second.status]).toEqual([201, 200]);
    await azure.advance(1000);
    expect((await azure.operation(first)).json).toMatchObject(PREEMPTED);
    expect((await azure.operation(second)).json['status']).toBe('Succeeded');
    expect(azure.server.resources.vms()).toHaveLength(1);
  });

  test('with If-None-Match does not replace another', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const refused = await azure.vm('aks-a', {}, { headers: { 'if-none-match': '*' } });
    expect([refused.status, refused.error.code]).toEqual([412, 'PreconditionFailed']);
  });

  test('deleted while it is created ends the creation as preempted', async () => {
    const azure = await testArm();
    await azure.nic('aks-a');
    await azure.advance(100);
    const put = await azure.vm('aks-a');
    await azure.advance(200);
    await azure.call('DELETE', vmPath('aks-a'));
    await azure.advance(1000);
    expect((await azure.operation(put)).json).toMatchObject(PREEMPTED);
    expect(azure.server.resources.vms()).toEqual([]);
    expect(azure.server.resources.disks()).toEqual([]);
  });

  test('that could not be allocated is Failed, has no disk, and can be put again or deleted', async () => {
    const azure = await testArm({ faults: ['allocation@count=1'] });
    const put = await azure.launch('aks-a');
    expect((await azure.operation(put)).json['error']!['code']).toBe('AllocationFailed');
    expect(await state(azure, 'aks-a')).toBe('Failed');
    expect(await codes(azure, 'aks-a')).toEqual(['ProvisioningState/failed/AllocationFailed']);
    expect(azure.server.resources.disks()).toEqual([]);
    const again = await azure.vm('aks-a');
    await azure.advance(1000);
    expect((await azure.operation(again)).json['status']).toBe('Succeeded');
    expect(await state(azure, 'aks-a')).toBe('Succeeded');
    await azure.call('DELETE', vmPath('aks-a'));
    await azure.advance(1000);
    expect(azure.server.context.store.size).toBe(5);
  });

  test('while it is deleted can be neither put nor patched', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    await azure.call('DELETE', vmPath('aks-a'));
    expect((await azure.vm('aks-a')).error.code).toBe('Conflict');
    expect((await azure.call('PATCH', vmPath('aks-a'), { tags: {} })).error.code).toBe('Conflict');
  });

  test('gets new tags and identities by PATCH; null removes an identity', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const identity = (name: string) =>
      `/subscriptions/a/resourceGroups/b/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`;
    const patch = async (body: unknown) => {
      const answer = await azure.call('PATCH', vmPath('aks-a'), body);
      // While an update is in progress, another write is refused.
      expect((await azure.call('PATCH', vmPath('aks-a'), body)).json['error']!['code']).toBe('Conflict');
      await azure.advance(1000);
      return answer;
    };
    await patch({ tags: { a: '1' } });
    await patch({ identity: { type: 'UserAssigned', userAssignedIdentities: { [identity('one')]: {} } } });
    await patch({ identity: { type: 'UserAssigned', userAssignedIdentities: { [identity('two')]: {} } } });
    await patch({ identity: { type: 'UserAssigned', userAssignedIdentities: { [identity('ONE')]: null } } });
    await azure.advance(1000);
    const { json } = await azure.call('GET', vmPath('aks-a'));
    expect(json['tags']).toEqual({ a: '1' });
    expect(Object.keys(json['identity']!['userAssignedIdentities']!)).toEqual([identity('two')]);
    expect(await state(azure, 'aks-a')).toBe('Succeeded');
  });

  test.each([
    ['osProfile.customData', { osProfile: { customData: 'bmV3' } }],
    ['hardwareProfile.vmSize', { size: 'Standard_D8s_v5' }],
    ['zones', { zone: '2' }],
    [
      'storageProfile.osDisk.managedDisk.diskEncryptionSet.id',
      {
        osDisk: {
          managedDisk: {
            diskEncryptionSet: {
              id: '/subscriptions/a/resourceGroups/b/providers/Microsoft.Compute/diskEncryptionSets/c',
            },
          },
        },
      },
    ],
  ])('cannot change its %s', async (property, change) => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const refused = await azure.vm('aks-a', change);
    expect([refused.status, refused.error.code, refused.error.target]).toEqual([
      409,
      'PropertyChangeNotAllowed',
      property,
    ]);
  });

  test('is in the lists of the group and of the subscription', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const { subscriptionId } = azure.server.settings;
    for (const path of [
      `${COMPUTE}/virtualMachines`,
      `/subscriptions/${subscriptionId}/providers/${COMPUTE}/virtualMachines`,
    ]) {
      const listed = await azure.call('GET', path);
      expect(listed.json['value']!.map((vm) => String(vm['name']))).toEqual(['aks-a']);
    }
  });

  test('that was evicted is deallocated when its policy says so', async () => {
    const azure = await testArm();
    await azure.launch('aks-a', { spot: true, properties: { evictionPolicy: 'Deallocate' } });
    await azure.call('POST', `${vmPath('aks-a')}/simulateEviction`);
    await azure.advance(1000);
    expect((await codes(azure, 'aks-a')).at(-1)).toBe('PowerState/deallocated');
  });

  test('that was evicted is deleted by default', async () => {
    const azure = await testArm();
    await azure.launch('aks-a', { spot: true });
    expect((await azure.call('POST', `${vmPath('aks-a')}/simulateEviction`)).status).toBe(204);
    await azure.advance(1000);
    expect(azure.server.resources.vms()).toEqual([]);
  });

  test('leaves nothing in the schedule and no state behind', async () => {
    const azure = await testArm();
    const before = azure.server.context.store.size;
    await azure.launch('aks-a');
    await azure.call('DELETE', vmPath('aks-a'));
    await azure.advance(1000);
    expect(azure.server.context.store.size).toBe(before);
    expect(azure.server.context.schedule.waiting).toBe(0);
    expect(azure.server.vms.vm(`${azure.group}/${vmPath('aks-a')}`)).toBeUndefined();
  });
});
