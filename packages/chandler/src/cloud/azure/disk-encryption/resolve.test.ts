import { describe, expect, test } from 'vitest';
import { hardcoded, type Sourced } from '../../../settings/index.ts';
import { isMalformed, parseDiskEncryptionSetId, sameResourceId } from './disk-encryption-set-id.ts';
import { EncryptionType, osDiskRefusal } from './os-disk-refusal.ts';
import { describeConflict, resolveDiskEncryptionSet } from './resolve.ts';

const id = (name: string) =>
  `/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/${name}`;
const NOT_SET: Sourced<string | undefined> = hardcoded('');
const fromEnv = (value: string): Sourced<string> => ({
  value,
  source: 'env',
  path: 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
});
const fromCluster = (value: string): Sourced<string> => ({
  value,
  source: 'cluster',
  path: 'properties.diskEncryptionSetID',
});
const classWith = (value?: string) => ({
  spec: value === undefined ? {} : { osDiskDiskEncryptionSetID: value },
});

describe('which disk encryption set is used', () => {
  test("the NodeClass's own field, before the option, before the cluster", () => {
    const sources = {
      nodeClass: classWith(id('a')),
      option: fromEnv(id('b')),
      cluster: fromCluster(id('c')),
    };
    expect(resolveDiskEncryptionSet(sources)).toMatchObject({
      chosen: { value: id('a'), source: 'NodeClass', path: 'spec.osDiskDiskEncryptionSetID' },
      others: [{ source: 'env' }, { source: 'cluster' }],
    });
    expect(resolveDiskEncryptionSet({ ...sources, nodeClass: {} }).chosen?.source).toBe('env');
  });

  test("[000-L1.5] the managed cluster's, when nothing else names one", () => {
    const choice = resolveDiskEncryptionSet({
      nodeClass: {},
      option: NOT_SET,
      cluster: fromCluster(id('c')),
    });
    expect(choice.chosen).toEqual(fromCluster(id('c')));
    expect(choice.conflict).toBeUndefined();
  });

  test('[000-L1.1] none, when none is named', () => {
    expect(resolveDiskEncryptionSet({ nodeClass: {}, option: NOT_SET, cluster: undefined })).toEqual({
      others: [],
    });
    expect(
      resolveDiskEncryptionSet({
        nodeClass: classWith(' '),
        option: hardcoded(undefined),
        cluster: undefined,
      }).chosen,
    ).toBeUndefined();
  });

  test('says which won when two differ, and nothing when they differ in case only', () => {
    const choice = resolveDiskEncryptionSet({
      nodeClass: {},
      option: fromEnv(id('a')),
      cluster: fromCluster(id('b')),
    });
    expect(describeConflict(choice.conflict!)).toBe(
      `${id('a')} from the environment variable NODE_OSDISK_DISKENCRYPTIONSET_ID is used; ${id('b')} from the managed cluster, property properties.diskEncryptionSetID is ignored`,
    );
    const same = resolveDiskEncryptionSet({
      nodeClass: {},
      option: fromEnv(id('a')),
      cluster: fromCluster(id('A').toUpperCase()),
    });
    expect(same.conflict).toBeUndefined();
    expect(same.others).toHaveLength(1);
  });

  test('[000-L1.2] a malformed one stays chosen, and says what is wrong with it', () => {
    const choice = resolveDiskEncryptionSet({
      nodeClass: {},
      option: fromEnv('my-des'),
      cluster: fromCluster(id('b')),
    });
    expect(choice.chosen?.value).toBe('my-des');
    expect(choice.malformed).toContain('must start with /subscriptions/');
  });
});

describe('the id of a disk encryption set', () => {
  test('is read in any case', () => {
    expect(parseDiskEncryptionSetId(` ${id('Des-1').toLowerCase()} `)).toMatchObject({
      subscription: '00000000-0000-0000-0000-000000000001',
      resourceGroup: 'keys',
      name: 'des-1',
    });
    expect(sameResourceId(id('a'), `${id('A').toUpperCase()}/`)).toBe(true);
    expect(sameResourceId(undefined, id('a'))).toBe(false);
    expect(sameResourceId(undefined, undefined)).toBe(true);
  });

  test.each([
    ['my-des', 'start with /subscriptions/'],
    ['/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/disks/d', 'diskEncryptionSets'],
    ['/subscriptions/s/resourceGroup/g/providers/Microsoft.Compute/diskEncryptionSets/d', 'resourceGroups'],
    ['/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/', 'empty segment'],
    ['/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/d/x', '8 segments'],
    ['/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/a b', 'character'],
    [`/${'x'.repeat(500)}`, 'subscriptions'],
  ])('%s is malformed: %s', (text, problem) => {
    const parsed = parseDiskEncryptionSetId(text);
    expect(isMalformed(parsed) && parsed.problem).toContain(problem);
    expect(isMalformed(parsed) && parsed.problem.length).toBeLessThan(200);
  });
});

describe('what Azure would refuse, found before the request', () => {
  test('is a set for confidential VMs, on ephemeral and managed disks alike', () => {
    expect(osDiskRefusal(EncryptionType.confidentialVm)).toContain('ephemeral or managed');
  });

  test.each([EncryptionType.customerKey, EncryptionType.platformAndCustomerKeys, undefined])(
    'is not %s',
    (type) => {
      expect(osDiskRefusal(type)).toBeUndefined();
    },
  );
});
