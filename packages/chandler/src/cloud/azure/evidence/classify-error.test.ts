import { describe, expect, test } from 'vitest';
import { EvidenceRecorder, findCauses } from '../../../causes/index.ts';
import { claimErrors, type GatherContext } from '../../../diagnose/testing.ts';

import { ARM_ERRORS } from '../causes/arm-errors.ts';
import { azureDiagnosis } from '../diagnosis.ts';
import { CALL_ROWS, CAPACITY_ROWS, SERVICE_ROWS } from '../errors/error-rows.ts';
import { rowOf } from './classify-error.ts';

const TABLE = { name: 'arm', about: '', causes: ARM_ERRORS };

function evidenceOf(reason: string, message: string) {
  const recorder = new EvidenceRecorder('kubernetes', 0);
  const event = {
    reason,
    message,
    type: 'Warning',
    object: '',
    name: '',
    count: 1,
    lastMs: 0,
    firstMs: 0,
    component: 'karpenter',
  } as const;
  claimErrors({ recorder, cloud: azureDiagnosis() } as unknown as GatherContext, 'a', [event]);
  return recorder.evidence();
}

function classified(reason: string, message: string) {
  return evidenceOf(reason, message).first('cloudError');
}

describe('what Azure said, read from an event', () => {
  test.each([
    [
      'AsyncProvisioningError',
      'NodeClaim a event: AllocationFailed: Allocation failed',
      'AllocationFailure',
      'AllocationFailed',
    ],
    [
      'AsyncProvisioningError',
      'NodeClaim a event: x: KeyVaultAccessForbidden: no access to the vault',
      'KeyVaultAccessMissing',
      'KeyVaultAccessForbidden',
    ],
    [
      'AsyncProvisioningError',
      'OperationNotAllowed: approved standardDSv5Family Cores quota of a VM with disk encryption set des, Location: westeurope',
      'SubscriptionQuotaReached',
      'OperationNotAllowed',
    ],
    [
      'AsyncProvisioningError',
      'SubscriptionNotFound: The subscription 1 could not be found.',
      'AsyncProvisioningError',
      'SubscriptionNotFound',
    ],
    [
      'AsyncProvisioningError',
      'SubscriptionNotFound: The subscription of diskEncryptionSets/des could not be found.',
      'DiskEncryptionSetSubscriptionUnreachable',
      'SubscriptionNotFound',
    ],
    [
      'AsyncProvisioningError',
      'BadRequest: The tag with key owner does not exist.',
      'AsyncProvisioningError',
      'BadRequest',
    ],
    [
      'AsyncProvisioningError',
      'BadRequest: The key https://kv.vault.azure.net/keys/disks/1 is disabled. See the error ImageNotFound.',
      'KeyDisabled',
      'BadRequest',
    ],
    ['InsufficientCapacityError', 'no instance types available', 'InsufficientCapacityError', undefined],
    ['SubnetFull', 'the subnet is full: SubnetIsFull: no addresses', 'SubnetFull', 'SubnetIsFull'],
    [
      'CreateInstanceFailed',
      'Azure did not make the machine: BrandNewError: who knows',
      'CreateInstanceFailed',
      'BrandNewError',
    ],
  ])('%s, %s', (reason, message, expected, code) => {
    expect(classified(reason, message)).toMatchObject({ reason: expected, code, claim: 'a' });
    expect(classified(reason, message)?.message).not.toContain('NodeClaim a event');
  });

  test.each([
    ['MachineElsewhere', 'CreateFailed'],
    ['ManagedByAKS', 'ManagedElsewhere'],
    ['InternalError', 'CreateFailed'],
    ['SubnetIDInvalid', 'NodeClassNotReady'],
    ['UnsupportedFields', 'NodeClassNotReady'],
    ['InvalidRequirement', 'CreateFailed'],
  ])('that the controller itself gave the reason %s', (reason, errorKind) => {
    expect(classified(reason, 'x')).toMatchObject({ reason, errorKind });
  });

  test('a VM in another resource group is to be found again, not to be deleted', () => {
    const [cause] = findCauses([TABLE], evidenceOf('MachineElsewhere', 'claim a names b'));
    expect(cause).toMatchObject({ id: 'azure.vm-elsewhere' });
    expect(cause?.fix).toContain('node-resource-group');
    const [ofAks] = findCauses([TABLE], evidenceOf('ManagedByAKS', 'VM a'));
    expect(ofAks).toMatchObject({ id: 'azure.machine-of-aks' });
    expect(ofAks?.fix).toContain('delete-machines');
  });

  test('an event that is none of the cloud is left alone', () => {
    expect(classified('UnregisteredTaintMissing', 'x')).toBeUndefined();
  });
});

describe('the table of errors', () => {
  test('every reason by which the controller classifies has a cause of its own, or one for all clouds', () => {
    const explained = new Set(['Throttled', 'CloudUnreachable', 'ExtensionFailed', 'OSProvisioningFailed']);
    const reasons = [...CAPACITY_ROWS, ...CALL_ROWS, ...SERVICE_ROWS].map(({ reason }) => reason);
    const texts = ARM_ERRORS.map(({ symptom }) => symptom).join(' ');
    expect(reasons.filter((reason) => !explained.has(reason) && !texts.includes(reason))).toEqual([]);
  });

  test('rows of one code are distinguished by the message', () => {
    expect(rowOf('OperationNotAllowed: LowPriorityCores')?.row.block?.what).toBe('spot');
    expect(rowOf('OperationNotAllowed: Family Cores quota')?.row.block?.what).toBe('type');
    expect(rowOf('nothing that is known')).toBeUndefined();
  });
});
