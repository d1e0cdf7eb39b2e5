import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { aClaim, inventory, removeVm, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture?.close());

describe('a cloud that gets new api-versions later', () => {
  test('launches, lists and deletes a VM with the pinned ones', async () => {
    fixture = await vmCloud({ cloudName: 'AzureChinaCloud', server: { maxApiVersion: '2025-04-30' } });
    const claim = aClaim('a');
    const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
    await fixture.clock.advance(60_000);
    expect(await fixture.cloud.list(neverAborted())).toHaveLength(1);
    claim.status = { providerID: last.instance.providerID };
    await removeVm(fixture, fixture.cloud, claim);
    expect(inventory(fixture).vms).toEqual([]);
  });

  test('without a supported one the error names the option', async () => {
    fixture = await vmCloud({ cloudName: 'AzureChinaCloud', server: { maxApiVersion: '2022-06-30' } });
    await expect(
      settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass()),
    ).rejects.toMatchObject({
      reason: 'ApiVersionNotSupported',
      message: expect.stringContaining('--arm-api-versions'),
    });
  });
});
