import { describe, expect, test } from 'vitest';
import { readSku, type SkuFacts } from '../sizes/index.ts';
import { aSku, LOCAL_DISKS, REGION } from '../sizes/skus.fixture.ts';
import { ephemeralMaxSizeGB, ephemeralPlacement } from './ephemeral-disk.ts';

function disksOf(name: string, has: Readonly<Record<string, string>> = LOCAL_DISKS[name] ?? {}) {
  return (readSku(aSku(name.replace('Standard_', ''), { has }), REGION) as SkuFacts).disks;
}

describe('OS disks on the VM itself', () => {
  const sizes: readonly [name: string, maxGB: number, placement: string | undefined][] = [
    ['Standard_D64s_v3', 1717, 'CacheDisk'],
    ['Standard_D16plds_v5', 429, 'CacheDisk'],
    ['Standard_NC24ads_A100_v4', 274, 'CacheDisk'],
    ['Standard_D128ds_v6', 7559, 'NvmeDisk'],
    // The cache of 32 GB is too small for 128 GB; the resource disk of 171 GB is not.
    ['Standard_B20ms', 32, 'ResourceDisk'],
    ['Standard_D2s_v5', 0, undefined],
  ];

  test.each(sizes)('%s: the label says %i GB, a disk of 128 GB goes to %s', (name, maxGB, placement) => {
    expect(ephemeralMaxSizeGB(disksOf(name))).toBe(maxGB);
    expect(ephemeralPlacement(disksOf(name), 128)).toBe(placement);
  });

  test('the first place that is big enough is taken', () => {
    const disks = disksOf('Standard_D8ds_v6', {
      EphemeralOSDiskSupported: 'True',
      SupportedEphemeralOSDiskPlacements: 'NvmeDisk,CacheDisk,ResourceDisk',
      NvmeDiskSizeInMiB: '50000',
      CachedDiskBytes: '100000000000',
      MaxResourceVolumeMB: '286103',
    });
    // 48.8, 93.1 and 279.4 GiB.
    expect(ephemeralPlacement(disks, 48)).toBe('NvmeDisk');
    expect(ephemeralPlacement(disks, 49)).toBe('CacheDisk');
    expect(ephemeralPlacement(disks, 93)).toBe('CacheDisk');
    expect(ephemeralPlacement(disks, 94)).toBe('ResourceDisk');
    expect(ephemeralPlacement(disks, 280)).toBeUndefined();
    expect(ephemeralPlacement(disks, 2048)).toBeUndefined();
  });

  test('a place that Azure does not name is not used', () => {
    const disks = disksOf('Standard_D8d_v5', {
      EphemeralOSDiskSupported: 'True',
      SupportedEphemeralOSDiskPlacements: 'ResourceDisk',
      CachedDiskBytes: '400000000000',
      MaxResourceVolumeMB: '286103',
    });
    expect(ephemeralPlacement(disks, 128)).toBe('ResourceDisk');
  });

  test('without a list of places, cache and resource disk are meant', () => {
    const disks = disksOf('Standard_DS3_v2', {
      EphemeralOSDiskSupported: 'True',
      NvmeDiskSizeInMiB: '900000',
      CachedDiskBytes: '184683593728',
    });
    expect(ephemeralPlacement(disks, 128)).toBe('CacheDisk');
    expect(ephemeralMaxSizeGB(disks)).toBe(184);
  });
});
