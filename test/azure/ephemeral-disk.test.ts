import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

interface OsDisk {
  readonly diffDiskSettings?: { readonly placement?: string };
}

const osDisk = (name: string) =>
  (
    fixture.server.resources.vms().find((vm) => vm.name === name)!.properties['storageProfile'] as {
      readonly osDisk: OsDisk;
    }
  ).osDisk;

const claimFor = (name: string, size: string) =>
  aClaim(name, {
    spec: {
      requirements: [
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [size] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
    },
  });

describe('an OS disk that is larger than the local disk in GiB, and smaller in GB', () => {
  test.each([
    ['Standard_D4ds_v5', 150, 'ResourceDisk'],
    ['Standard_D4ds_v5', 155, undefined],
    ['Standard_D8ds_v5', 310, undefined],
  ])('%s with %s: %s', async (size, osDiskSizeGB, placement) => {
    fixture = await vmCloud();
    await settleMachine(fixture, fixture.cloud, claimFor('a', size), fixture.nodeClass({ osDiskSizeGB }));
    expect(osDisk('aks-a').diffDiskSettings?.placement).toBe(placement);
  });
});

test('a local disk that Azure refuses is not tried again for such a disk: the next attempt has a managed disk', async () => {
  fixture = await vmCloud();
  let refusals = 0;
  const { cloud } = fixture.startProcess(async (input, init) => {
    const isVmPut = init?.method === 'PUT' && /\/virtualMachines\/[^/]+\?/.test(String(input));
    if (!isVmPut || !String(init.body).includes('diffDiskSettings')) return fixture.fetch(input, init);
    refusals += 1;
    const message =
      'OS disk of Ephemeral VM with size greater than 100 GB is not allowed for VM size Standard_D4ds_v5 when the DiffDiskPlacement is ResourceDisk.';
    return new Response(JSON.stringify({ error: { code: 'NotSupported', message } }), {
      status: 409,
      headers: { 'content-type': 'application/json' },
    });
  });
  const nodeClass = fixture.nodeClass({ osDiskSizeGB: 140 });
  await expect(
    settleMachine(fixture, cloud, claimFor('a', 'Standard_D4ds_v5'), nodeClass),
  ).rejects.toMatchObject({ kind: 'CreateFailed', code: 'NotSupported' });
  await settleMachine(fixture, cloud, claimFor('b', 'Standard_D4ds_v5'), nodeClass);
  expect(osDisk('aks-b').diffDiskSettings).toBeUndefined();
  expect(refusals).toBe(1);
});
