import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_NAME_LENGTH, providerIdOf, vmNameOf, vmOfProviderId } from './names.ts';

describe('the name of a VM', () => {
  test('is that of its claim after aks-', () => {
    expect(vmNameOf('default-x7k2p')).toBe('aks-default-x7k2p');
  });

  test('of a long claim keeps its beginning and the suffix of the claim', () => {
    const claim = `${'team-payments-with-a-very-long-name-for-a-pool-indeed'}-${'gpu-nodes'}-x7k2p`;
    const name = vmNameOf(claim);
    expect(name).toHaveLength(MAX_NAME_LENGTH);
    expect(name).toMatch(/^aks-team-payments-with-a-very-long-name.*-[0-9a-f]{8}-x7k2p$/);
  });

  test('of a claim with the longest allowed name fits into the label that a kubelet makes of its host name', () => {
    for (const length of [59, 60, 63]) {
      const claim = `${'p'.repeat(length - 6)}-x7k2p`;
      expect(vmNameOf(claim).length, `a claim of ${length}`).toBeLessThanOrEqual(63);
    }
    expect(vmNameOf(`${'p'.repeat(53)}-x7k2p`)).toBe(`aks-${'p'.repeat(53)}-x7k2p`);
  });

  test('has no dot, at which cloud-init would cut the host name, and differs from that with a dash', () => {
    expect(vmNameOf('team.a-x7k2p')).toMatch(/^aks-team-a-[0-9a-f]{8}-x7k2p$/);
    expect(vmNameOf('team-a-x7k2p')).toBe('aks-team-a-x7k2p');
    const names = ['a.b', 'a-b', 'a.b-c', 'a-b.c', 'a.b.c', 'a-b-c'].map(vmNameOf);
    expect(new Set(names).size).toBe(names.length);
  });

  test('never is too long, never ends in a dash, and differs between claims that differ', () => {
    const label = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,90}[a-z0-9])?$/);
    fc.assert(
      fc.property(label, label, (first, second) => {
        const name = vmNameOf(first);
        expect(name.length).toBeLessThanOrEqual(MAX_NAME_LENGTH);
        expect(name).toMatch(/^[a-z0-9][-a-z0-9]*[a-z0-9]$/);
        if (first !== second) expect(vmNameOf(second)).not.toBe(name);
      }),
    );
  });
});

describe('a provider id', () => {
  const ID = '/subscriptions/S/resourceGroups/MC_Group/providers/Microsoft.Compute/virtualMachines/aks-a';

  test('has the resource group in lower case and nothing else', () => {
    expect(providerIdOf(ID)).toBe(
      'azure:///subscriptions/S/resourceGroups/mc_group/providers/Microsoft.Compute/virtualMachines/aks-a',
    );
  });

  test('gives back the VM; what is none of ours gives nothing', () => {
    expect(vmOfProviderId(providerIdOf(ID))).toEqual({ resourceGroup: 'mc_group', name: 'aks-a' });
    expect(vmOfProviderId('aws:///zone/i-1')).toBeUndefined();
    expect(
      vmOfProviderId('azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/x'),
    ).toBeUndefined();
    expect(
      vmOfProviderId(
        'azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/v/virtualMachines/0',
      ),
    ).toBeUndefined();
  });
});
