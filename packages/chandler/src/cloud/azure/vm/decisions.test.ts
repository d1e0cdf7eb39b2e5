import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { type DeleteObserved, nextDeleteStep } from './delete-decision.ts';
import { type LaunchObserved, nextLaunchStep, type ObservedExtension } from './launch-decision.ts';
import type { ExtensionView, NicView, Progress, VmView } from './view.ts';

const MINE = 'u-1';
const VM_ID = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachines/aks-a';
const WANTED = {
  acceleratedNetworking: true,
  subnetId: '/subnet',
  addresses: 1,
  securityGroupId: '/group',
  tags: { team: 'a' },
};

const nic = (changes: Partial<NicView> = {}): NicView => ({
  id: '/nic',
  claimUid: MINE,
  progress: 'ready',
  attachedTo: undefined,
  ...WANTED,
  ...changes,
});

const vm = (changes: Partial<VmView> = {}): VmView => ({
  id: VM_ID,
  claimUid: MINE,
  progress: 'ready',
  failure: undefined,
  vm: { location: 'l' },
  ...changes,
});

const extension = (name: string, progress: Progress | 'absent', failure?: ArmError): ObservedExtension =>
  progress === 'absent'
    ? { name, state: 'absent' }
    : { name, state: 'present', view: { name, progress, failure, tags: {} } satisfies ExtensionView };

const observed = (changes: Partial<LaunchObserved>): LaunchObserved => ({
  claimUid: MINE,
  ownVmId: undefined,
  nic: undefined,
  vm: undefined,
  wantedNic: WANTED,
  extensions: [],
  ...changes,
});

describe('the next step of a launch', () => {
  const error = new ArmError({ code: 'AllocationFailed', message: 'full' });
  const interrupted = new ArmError({ code: 'OperationPreempted', message: 'a newer one' });
  const canceled = (puts: number): ObservedExtension => ({
    name: 'a',
    state: 'present',
    view: { name: 'a', progress: 'failed', failure: undefined, ending: 'canceled', tags: {} },
    failure: { error: interrupted, replaced: true },
    puts,
  });
  const cases: readonly [string, Partial<LaunchObserved>, object][] = [
    ['nothing there: the NIC', {}, { do: 'putNic' }],
    ['a NIC of ours: the machine', { nic: nic() }, { do: 'putVm', nicId: '/nic' }],
    ['a NIC that is being made is waited for', { nic: nic({ progress: 'working' }) }, { do: 'wait' }],
    ['a NIC of ours that failed is put once more', { nic: nic({ progress: 'failed' }) }, { do: 'putNic' }],
    [
      'a NIC made for another size is put once more',
      { nic: nic({ acceleratedNetworking: false }) },
      { do: 'putNic' },
    ],
    ['a NIC with other tags is put once more', { nic: nic({ tags: { team: 'b' } }) }, { do: 'putNic' }],
    [
      'a NIC with further tags is used, since a policy may add them',
      { nic: nic({ tags: { TEAM: 'a', cost: '1' } }) },
      { do: 'putVm', nicId: '/nic' },
    ],
    [
      'a NIC of another security group is put once more',
      { nic: nic({ securityGroupId: '/other' }) },
      { do: 'putNic' },
    ],
    [
      'a NIC without its security group is put once more',
      { nic: nic({ securityGroupId: undefined }) },
      { do: 'putNic' },
    ],
    [
      'a NIC with a security group is used where none is wanted, since others may add one',
      { nic: nic(), wantedNic: { ...WANTED, securityGroupId: undefined } },
      { do: 'putVm', nicId: '/nic' },
    ],
    [
      'unless this process has put another one',
      { nic: nic(), wantedNic: { ...WANTED, securityGroupId: undefined }, putNic: WANTED },
      { do: 'putNic' },
    ],
    [
      'a NIC that was put as wanted is used, though a policy has replaced a tag',
      { nic: nic({ tags: { team: 'b' } }), putNic: { ...WANTED, tags: { team: 'a' } } },
      { do: 'putVm', nicId: '/nic' },
    ],
    [
      'a NIC that was put with other tags is put once more',
      { nic: nic({ tags: { team: 'b' } }), putNic: { ...WANTED, tags: { team: 'b' } } },
      { do: 'putNic' },
    ],
    ['a NIC with too few addresses is put once more', { nic: nic({ addresses: 5 }) }, { do: 'putNic' }],
    [
      'a NIC that is being deleted is waited for',
      { nic: nic({ progress: 'deleting', claimUid: 'x' }) },
      { do: 'wait' },
    ],
    ['a NIC still held by a machine is waited for', { nic: nic({ attachedTo: '/vm' }) }, { do: 'wait' }],
    [
      'the NIC of another claim is not taken',
      { nic: nic({ claimUid: 'other' }) },
      { do: 'refuse', part: 'networkInterface', owner: 'other' },
    ],
    [
      'a NIC without an owner is not used',
      { nic: nic({ claimUid: undefined }) },
      { do: 'refuse', part: 'networkInterface', owner: undefined },
    ],
    [
      'our machine that is being made is waited for',
      { vm: vm({ progress: 'working' }) },
      { do: 'wait', for: 'vm' },
    ],
    [
      'the machine of another claim is not taken',
      { vm: vm({ claimUid: 'other' }) },
      { do: 'refuse', part: 'vm', owner: 'other' },
    ],
    ['a VM without an owner is not used', { vm: vm({ claimUid: undefined }) }, { do: 'refuse', part: 'vm' }],
    [
      'a VM without an owner that the claim names is its own',
      { vm: vm({ claimUid: undefined }), ownVmId: VM_ID.toUpperCase() },
      { do: 'settled' },
    ],
    ['a machine that AKS made is not taken', { vm: vm({ ofAks: true }), ownVmId: VM_ID }, { do: 'refuse' }],
    [
      'the VM of another claim that is being deleted is waited for',
      { vm: vm({ claimUid: 'other', progress: 'deleting' }) },
      { do: 'wait', for: 'vm' },
    ],
    [
      'our machine failed',
      { vm: vm({ progress: 'failed', failure: error }) },
      { do: 'fail', part: 'vm', error },
    ],
    [
      'our machine failed and is gone: why it failed goes first',
      { vmFailure: error, ownVmId: VM_ID },
      { do: 'fail', part: 'vm', error },
    ],
    [
      'a machine that the claim names and that is gone is not made again',
      { ownVmId: VM_ID },
      { do: 'vanished' },
    ],
    [
      'the first extension that is missing comes first',
      { vm: vm(), extensions: [extension('a', 'ready'), extension('b', 'absent')] },
      { do: 'putExtension', name: 'b' },
    ],
    [
      'an extension that runs is waited for',
      { vm: vm(), extensions: [extension('a', 'working')] },
      { do: 'wait', for: 'extension' },
    ],
    [
      'an extension that failed fails the launch',
      { vm: vm(), extensions: [extension('a', 'failed', error)] },
      { do: 'fail', part: 'extension', error },
    ],
    [
      'an extension that was canceled is put again',
      { vm: vm(), extensions: [canceled(1)] },
      { do: 'putExtension', name: 'a' },
    ],
    [
      'an extension that is canceled again and again fails the launch',
      { vm: vm(), extensions: [canceled(4)] },
      { do: 'fail', part: 'extension', error: interrupted },
    ],
    [
      'an extension whose operation failed and that is not there is put again',
      {
        vm: vm(),
        extensions: [{ name: 'a', state: 'absent', failure: { error, replaced: false }, puts: 3 }],
      },
      { do: 'putExtension', name: 'a' },
    ],
    [
      'and not for ever',
      {
        vm: vm(),
        extensions: [{ name: 'a', state: 'absent', failure: { error, replaced: false }, puts: 4 }],
      },
      { do: 'fail', part: 'extension', error },
    ],
    [
      'with all its extensions it is settled',
      { vm: vm(), extensions: [extension('a', 'ready')] },
      { do: 'settled' },
    ],
  ];
  test.each(cases)('%s', (_, changes, expected) => {
    expect(nextLaunchStep(observed(changes))).toMatchObject(expected);
  });
});

describe('the next step of a deletion', () => {
  const part = (changes: object = {}) => ({
    id: VM_ID,
    claimUid: MINE as string | undefined,
    progress: 'ready' as Progress,
    attachedTo: undefined,
    ...changes,
  });
  const cases: readonly [string, Partial<DeleteObserved>, object][] = [
    ['nothing there', {}, { do: 'done', kept: [] }],
    ['the machine first', { vm: part(), nic: part(), disk: part() }, { do: 'delete', part: 'vm' }],
    [
      'a VM that is being deleted is waited for',
      { vm: part({ progress: 'deleting' }) },
      { do: 'wait', part: 'vm' },
    ],
    ['then the NIC', { nic: part(), disk: part() }, { do: 'delete', part: 'nic' }],
    [
      'a NIC that something holds is waited for',
      { nic: part({ attachedTo: '/vm' }) },
      { do: 'wait', part: 'nic' },
    ],
    ['then the disk', { disk: part() }, { do: 'delete', part: 'disk' }],
    ['what belongs to another claim stays', { vm: part({ claimUid: 'x' }) }, { do: 'done', kept: ['vm'] }],
    ['what has no owner stays', { vm: part({ claimUid: undefined }) }, { do: 'done', kept: ['vm'] }],
    [
      'what has no owner is deleted when the claim names it',
      { vm: part({ claimUid: undefined }), ownVmId: VM_ID.toLowerCase() },
      { do: 'delete', part: 'vm' },
    ],
    [
      'and its NIC after it',
      { nic: part({ claimUid: undefined }), ownVmId: VM_ID },
      { do: 'delete', part: 'nic' },
    ],
    [
      'a NIC that a VM of another owner holds stays with it',
      { vm: part({ claimUid: 'x' }), nic: part({ attachedTo: VM_ID }) },
      { do: 'done', kept: ['vm', 'nic'] },
    ],
    [
      'a machine that AKS made stays, even when a claim names it',
      { vm: part({ claimUid: undefined, ofAks: true }), nic: part({ claimUid: undefined }), ownVmId: VM_ID },
      { do: 'done', kept: ['vm', 'nic'] },
    ],
  ];
  test.each(cases)('%s', (_, changes, expected) => {
    expect(nextDeleteStep({ claimUid: MINE, ownVmId: undefined, ...changes })).toEqual(expected);
  });
});
