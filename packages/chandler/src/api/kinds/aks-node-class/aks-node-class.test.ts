import { describe, expect, test } from 'vitest';
import { aksNodeClassHash } from '../../hash/drift-hash.ts';
import { aksNodeClassKind, DISK_ENCRYPTION_SET_ID } from './aks-node-class.ts';

const ID =
  '/subscriptions/00000000-0000-0000-0000-000000000001/resourceGroups/my_rg-(1).x/providers/Microsoft.Compute/diskEncryptionSets/des-1';

describe('the disk encryption set of an AKSNodeClass', () => {
  test('is a field of the spec, with id and source in the status', () => {
    expect(aksNodeClassKind.spec.json.properties?.['osDiskDiskEncryptionSetID']?.pattern).toBe(
      DISK_ENCRYPTION_SET_ID,
    );
    expect(aksNodeClassKind.status.json.properties?.['diskEncryptionSet']?.required).toEqual([
      'id',
      'source',
    ]);
  });

  test("stays out of the drift hash, which is upstream's", () => {
    const spec = { imageFamily: 'Ubuntu', osDiskSizeGB: 128 };
    expect(aksNodeClassHash({ spec: { ...spec, osDiskDiskEncryptionSetID: ID } })).toBe(
      aksNodeClassHash({ spec }),
    );
  });

  const pattern = new RegExp(DISK_ENCRYPTION_SET_ID.replace('(?i)', ''), 'i');

  test.each([ID, ID.toLowerCase(), ID.toUpperCase()])('may be %s', (id) => {
    expect(pattern.test(id)).toBe(true);
  });

  test.each(['des-1', '', `${ID}/`, ID.replace('diskEncryptionSets', 'disks'), ID.slice(1), `${ID} `])(
    'may not be "%s"',
    (id) => {
      expect(pattern.test(id)).toBe(false);
    },
  );
});
