import { describe, expect, test } from 'vitest';
import type { Sighting } from '../../../causes/index.ts';
import {
  aClaim,
  aClass,
  aController,
  aPod,
  aVm,
  aWaitingPod,
  cloudError,
  cluster,
  condition,
  DES,
  events,
  options,
  plan,
  question,
  refusal,
  sightings,
} from '../../../causes/testing.ts';
import { broken, findings, verdict } from '../../../diagnose/testing.ts';

import type { ValueStation } from '../evidence/value-stations.ts';

const class_ = (reason: string, message: string, witness: 'set' | 'launch' | 'vault' = 'set') =>
  aClass({
    conditions: [
      condition('ValidationSucceeded', 'False', reason, `${message}; to fix this, do something`),
      condition('Ready', 'False', 'UnhealthyDependents'),
    ],
    diskEncryptionSet: { id: DES, source: 'env' },
    findings: [{ reason, witness, message }],
  });

describe('layer 1: configuration', () => {
  test('[000-L1.1] an own key is expected and no disk encryption set is named', () => {
    expect(verdict(question(), options(''), aClass(), cluster(), aController())).toBe('L1.1');
    expect(verdict(question(), options(''), aClass(), cluster(), aPod())).toBe('L1.1');
  });

  test('[000-L1.1] earlier nodes have an own key, so the next ones should', () => {
    expect(verdict(aClaim({ recordedDiskEncryptionSet: DES }), options(''), aClass())).toBe('L1.1');
  });

  test('no own key is no fault where none is requested', () => {
    expect(findings(question(false), options(''), aClass(), cluster(), aController(), aPod())).toEqual([]);
  });

  test('[000-L1.2] the id is malformed: said by the NodeClass, or by the options at the start', () => {
    expect(verdict(class_('DiskEncryptionSetMalformed', 'it has no resource group'))).toBe('L1.2');
    const refused = options('des', {
      problems: [{ option: 'nodeOsdiskDiskencryptionsetId', problem: 'no resource id' }],
    });
    expect(verdict(refused)).toBe('L1.2');
  });

  test('[000-L1.3] the set does not exist, found before anything was launched', () => {
    const [top] = findings(class_('DiskEncryptionSetNotFound', 'there is no such set'));
    expect(top).toMatchObject({ id: 'L1.3', layer: 'configuration', facts: { set: DES } });
    expect(top!.summary).toContain('there is no such set');
    expect(top!.summary).not.toContain('to fix this');
  });

  test('[000-L1.4] the controller is an add-on of AKS, and no set reaches it', () => {
    expect(verdict(question(), options(''), aClass(), aController({ hosting: 'managed' }))).toBe('L1.4');
  });

  test('[000-L1.5] the cluster has a set that is not used', () => {
    expect(verdict(cluster({ diskEncryptionSetId: DES }), options(''), aClass())).toBe('L1.5');
    expect(verdict(question(), cluster({ diskEncryptionSetId: DES }), options(''), aClass())).toBe('L1.5');
  });

  test('another set than that of the cluster is suspicious, the same one in other letters is not', () => {
    const other = findings(cluster({ diskEncryptionSetId: DES }), options(`${DES}-2`), aClass());
    expect(other.map(({ id, weight }) => [id, weight])).toEqual([['L1.5', 'suspicious']]);
    expect(findings(cluster({ diskEncryptionSetId: DES.toUpperCase() }), options(DES), aClass())).toEqual([]);
  });
});

describe('layers 2 and 3: on the way to the VM', () => {
  const at = (station: ValueStation, value: string): Sighting => ({ station, value, seenIn: 'journey' });
  const STATIONS: readonly ValueStation[] = [
    'configured',
    'options',
    'nodeClass',
    'launchTemplate',
    'plan',
    'vmObject',
    'vmRequest',
    'vm',
  ];
  const lostAt = (station: ValueStation) =>
    sightings(
      ...STATIONS.map((each) => at(each, STATIONS.indexOf(each) < STATIONS.indexOf(station) ? DES : '')),
    );

  test.each([
    ['[000-L2.1]', 'L2.1', 'options'],
    ['[000-L2.2]', 'L2.2', 'nodeClass'],
    ['[000-L2.3]', 'L2.3', 'launchTemplate'],
    ['[000-L3.1]', 'L3.1', 'plan'],
    ['[000-L3.2]', 'L3.2', 'vmObject'],
    ['[000-L3.3]', 'L3.3', 'vmRequest'],
    ['[000-L3.4]', 'L3.4', 'vm'],
  ] as const)('%s the value is lost, and %s is found at %s, also under a pod that runs', (_, id, station) => {
    expect(broken(lostAt(station), aPod(), aVm())).toEqual([id]);
  });

  test('where some stations were not read, the first where it is missing counts', () => {
    const [top] = findings(sightings(at('options', DES), at('launchTemplate', DES), at('vm', '')));
    expect(top).toMatchObject({ id: 'L3.4', facts: { before: DES, station: 'launchTemplate', now: 'none' } });
  });

  test('a value that arrives, in whatever letters, or that was never there, is not lost', () => {
    expect(findings(sightings(at('options', DES), at('vm', DES.toUpperCase())))).toEqual([]);
    expect(findings(sightings(at('options', ''), at('vm', '')))).toEqual([]);
    expect(findings(sightings(at('options', ''), at('vm', DES)))).toEqual([]);
  });
});

describe('layer 4: Azure', () => {
  test.each([
    ['[000-L4.1]', 'L4.1', 'DiskEncryptionSetNotFound'],
    ['[000-L4.2]', 'L4.2', 'DiskEncryptionSetRBACMissing'],
    ['[000-L4.3]', 'L4.3', 'KeyVaultAccessMissing'],
    ['[000-L4.4]', 'L4.4', 'KeyDisabled'],
    ['[000-L4.4]', 'L4.4', 'KeyExpired'],
    ['[000-L4.4]', 'L4.4', 'KeyDeleted'],
    ['[000-L4.5]', 'L4.5', 'KeyVaultUnreachable'],
  ])('%s: %s when a launch is refused with %s, reported by the error or by the claim', (_, id, reason) => {
    expect(broken(cloudError(reason), aWaitingPod())).toEqual([id]);
    const claim = aClaim({ conditions: [condition('Launched', 'Unknown', reason, 'Azure refused')] });
    expect(broken(claim, aWaitingPod())).toEqual([id]);
  });

  test.each([
    ['L4.2', 'DiskEncryptionSetRBACMissing'],
    ['L4.3', 'KeyVaultAccessMissing'],
    ['L4.4', 'KeyDisabled'],
    ['L4.5', 'KeyVaultUnreachable'],
    ['disk-encryption.wrong-region', 'DiskEncryptionSetWrongRegion'],
  ])('%s is also what the NodeClass has found out beforehand', (id, reason) => {
    expect(broken(class_(reason, 'found', 'vault'))).toEqual([id]);
  });

  test('a set that Azure does not find when a VM is made is layer 4, though the class then says so too', () => {
    const records = [
      cloudError('DiskEncryptionSetNotFound'),
      class_('DiskEncryptionSetNotFound', 'ARM said so', 'launch'),
    ];
    expect(verdict(...records)).toBe('L4.1');
  });

  test('a failed rotation stops nothing and is only suspicious', () => {
    const rotation = aClass({
      conditions: [
        condition('ValidationSucceeded', 'True'),
        condition('DiskEncryptionVerified', 'False', 'KeyDisabled', 'the last rotation'),
      ],
    });
    expect(findings(rotation).map(({ id, weight }) => [id, weight])).toEqual([['L4.4', 'suspicious']]);
  });

  test('[000-L4.5] a VM with an own key that is never finished makes the vault suspicious', () => {
    const records = [
      aClaim({ conditions: [condition('Launched', 'Unknown', 'AwaitingReconciliation')] }),
      aClass({ diskEncryptionSet: { id: DES, source: 'env' } }),
      {
        kind: 'journey',
        reading: { from: 'kubernetes', what: 'journey', atMs: 0 },
        claim: 'default-x7k2p',
        stages: [{ name: 'vmOperation', atMs: 0, outcome: 'waiting' }],
      } as const,
    ];
    expect(findings(...records).map(({ id }) => id)).toEqual(['cloud.launch-hangs', 'L4.5']);
  });
});

test('the first broken layer comes first, and what follows from it after', () => {
  const ids = broken(
    class_('DiskEncryptionSetNotFound', 'gone'),
    cloudError('DiskEncryptionSetNotFound'),
    aWaitingPod(),
    plan(refusal('NoOffering')),
    events(),
  );
  expect(ids).toEqual(['L1.3', 'L4.1', 'scheduling.no-offering']);
});
