import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { findOrphans, type OrphanQuestion, YOUNG_MS } from './orphans.ts';
import { LAG_MS, RecentVms } from './recent-vms.ts';
import type { VmFacts } from './vm-facts.ts';

const NOW = 10_000_000;
const OLD = NOW - YOUNG_MS;
const uid = (value: string) => ({ 'chandler.sh_claim-uid': value });

const vm = (name: string, changes: Partial<VmFacts> = {}): VmFacts => ({
  id: `/vms/${name}`,
  name,
  size: 'S',
  zone: '0',
  capacityType: 'on-demand',
  imageId: undefined,
  tags: { 'karpenter.sh_nodepool': 'p' },
  createdAtMs: OLD,
  deleting: false,
  diskEncryptionSetId: undefined,
  ...changes,
});

const names = (question: Partial<OrphanQuestion>) =>
  findOrphans({ vms: [], nics: [], disks: [], claims: [], nowMs: NOW, ...question }).map(
    (orphan) => `${orphan.part} ${orphan.name}`,
  );

describe('what has no claim', () => {
  test('a VM whose claim is gone, by UID, by provider id, by name', () => {
    const vms = [vm('aks-a', { tags: uid('u-1') }), vm('aks-b'), vm('aks-c')];
    expect(names({ vms })).toEqual(['vm aks-a', 'vm aks-b', 'vm aks-c']);
    const claims = [
      { name: 'x', uid: 'u-1' },
      {
        name: 'y',
        uid: 'u-2',
        providerID:
          'azure:///subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/AKS-B',
      },
      { name: 'c', uid: 'u-3' },
    ];
    expect(names({ vms, claims })).toEqual([]);
  });

  test('not a VM of upstream whose name has a dot, although ours would have none', () => {
    expect(names({ vms: [vm('aks-team.a-x')], claims: [{ name: 'team.a-x', uid: 'u-1' }] })).toEqual([]);
  });

  test('a VM of an earlier claim of the same name', () => {
    expect(names({ vms: [vm('aks-a', { tags: uid('old') })], claims: [{ name: 'a', uid: 'new' }] })).toEqual([
      'vm aks-a',
    ]);
  });

  test('is left alone while it is young, of unknown age, or being deleted', () => {
    const vms = [
      vm('young', { createdAtMs: OLD + 1 }),
      vm('unknown', { createdAtMs: undefined }),
      vm('going', { deleting: true }),
    ];
    expect(names({ vms })).toEqual([]);
  });

  test('a network interface without VM and claim', () => {
    const nic = (name: string, attachedTo?: string) => ({
      id: `/${name}`,
      name,
      tags: uid(name),
      attachedTo,
    });
    const nics = [nic('aks-a'), nic('aks-b', '/vm'), nic('aks-c'), nic('aks-d')];
    expect(
      names({ nics, vms: [vm('aks-c', { deleting: true })], claims: [{ name: 'd', uid: 'aks-d' }] }),
    ).toEqual(['nic aks-a']);
  });

  test('a disk that is ours, old and unattached; never a foreign disk', () => {
    const disk = (name: string, changes: object = {}) => ({
      id: `/${name}`,
      name,
      tags: uid(name),
      attachedTo: undefined,
      createdAtMs: OLD,
      ...changes,
    });
    const disks = [
      disk('free'),
      disk('young', { createdAtMs: NOW }),
      disk('used', { attachedTo: '/vm' }),
      disk('foreign', { tags: { 'karpenter.sh_nodepool': 'p' } }),
    ];
    expect(names({ disks })).toEqual(['disk free']);
  });
});

describe('a list of Resource Graph', () => {
  test('shows what was just made and not what was just deleted, for as long as Azure may be behind', async () => {
    const { clock } = virtualWorld();
    const recent = new RecentVms(clock);
    recent.made(vm('aks-new'));
    recent.gone('/VMS/aks-old');
    const listed = [vm('aks-old'), vm('aks-there')];
    expect(recent.correct(listed).map((each) => each.name)).toEqual(['aks-there', 'aks-new']);
    await clock.advance(LAG_MS);
    expect(recent.correct(listed).map((each) => each.name)).toEqual(['aks-old', 'aks-there']);
    expect(recent.size).toBe(0);
  });
});
