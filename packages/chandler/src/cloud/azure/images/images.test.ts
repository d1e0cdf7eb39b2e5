import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { AKSNodeClassSpec } from '../../../api/index.ts';
import { hardcoded } from '../../../settings/index.ts';

import { resolveFamily } from './family.ts';
import { IMAGE_CACHE_MS, type ImageReaders, imageCatalogue } from './image-catalogue.ts';
import { imageIdOf, imageReference, parseImageId } from './image-id.ts';
import { compareVersions, newestCommunityVersion, newestNodeImages } from './versions.ts';

const TRUSTED = { security: { trustedLaunch: { secureBoot: true } } };
const FIPS = { fipsMode: 'FIPS' } as const;

describe('[001-image-family] which family a node class means', () => {
  test.each<[AKSNodeClassSpec, string, string, string]>([
    [{}, '1.33.0', 'Ubuntu2204', 'plain'],
    [{}, '1.34.0', 'Ubuntu2404', 'plain'],
    [{ imageFamily: 'Ubuntu', ...FIPS, ...TRUSTED }, '1.34.0', 'Ubuntu2204', 'fipsTrustedLaunch'],
    [FIPS, '1.34.0', 'Ubuntu2004', 'fips'],
    [TRUSTED, '1.34.0', 'Ubuntu2204', 'trustedLaunch'],
    [{ imageFamily: 'Ubuntu2204' }, '1.36.0', 'Ubuntu2204', 'plain'],
    [{ imageFamily: 'Ubuntu2404' }, '1.30.0', 'Ubuntu2404', 'plain'],
    [{ imageFamily: 'AzureLinux' }, '1.32.0', 'AzureLinux3', 'plain'],
    [{ imageFamily: 'AzureLinux' }, '1.31.9', 'AzureLinux2', 'plain'],
    [{ imageFamily: 'Ubuntu', fipsMode: 'Disabled' }, '1.33.0', 'Ubuntu2204', 'plain'],
  ])('%j with %s is %s, %s', (spec, version, name, variant) => {
    const resolved = resolveFamily(spec, hardcoded(version));
    expect([resolved.family.name, resolved.variant]).toEqual([name, variant]);
  });

  test.each<[AKSNodeClassSpec, string, string[]]>([
    [{}, '1.33.0', ['2204gen2containerd', '2204containerd', '2204gen2arm64containerd']],
    [{}, '1.34.0', ['2404gen2containerd', '2404containerd', '2404gen2arm64containerd']],
    [TRUSTED, '1.33.0', ['2204gen2TLcontainerd']],
    [FIPS, '1.33.0', ['2004gen2fipscontainerd', '2004fipscontainerd']],
    [{ ...FIPS, ...TRUSTED }, '1.33.0', ['2204gen2fipsTLcontainerd']],
    [{ imageFamily: 'Ubuntu2204', ...FIPS }, '1.33.0', []],
    [{ imageFamily: 'AzureLinux' }, '1.31.0', ['V2gen2', 'V2', 'V2gen2arm64']],
    [{ imageFamily: 'AzureLinux', ...FIPS }, '1.31.0', ['V2gen2fips', 'V2fips']],
    [{ imageFamily: 'AzureLinux', ...FIPS }, '1.33.0', ['V3gen2fips', 'V3fips', 'V3gen2arm64fips']],
    [{ imageFamily: 'AzureLinux', ...TRUSTED }, '1.33.0', ['V3gen2TL']],
  ])('%j with %s starts from %j', (spec, version, names) => {
    const { definitions } = resolveFamily(spec, hardcoded(version));
    expect(definitions.map((definition) => definition.name)).toEqual(names);
  });

  test('an invalid version is a named error', () => {
    expect(() => resolveFamily({}, hardcoded('latest'))).toThrow(
      expect.objectContaining({ code: 'malformedVersion' }),
    );
  });
});

describe('which version is the newest', () => {
  test('in a community gallery, the one published last', () => {
    expect(
      newestCommunityVersion([
        { name: '202509.01.0', publishedDate: '2025-09-02T00:00:00Z' },
        { name: '202508.20.1', publishedDate: '2025-09-03T00:00:00+00:00' },
        { name: '202601.01.0' },
      ]),
    ).toBe('202508.20.1');
    expect(newestCommunityVersion([])).toBeUndefined();
  });

  test('published together, the greater number', () => {
    const publishedDate = '2025-09-02T00:00:00Z';
    expect(
      newestCommunityVersion([
        { name: '202509.9.0', publishedDate },
        { name: '202509.10.0', publishedDate },
      ]),
    ).toBe('202509.10.0');
  });

  test('among shared images, the greatest number of each, of one system', () => {
    const newest = newestNodeImages(
      [
        { os: 'AKSUbuntu', sku: '2204gen2containerd', version: '202509.9.0' },
        { os: 'AKSUbuntu', sku: '2204gen2containerd', version: '202509.10.0' },
        { os: 'AKSUbuntu', sku: '2204gen2containerd', version: '202508.30.0' },
        { os: 'AKSWindows', sku: '2204gen2containerd', version: '209901.01.0' },
        { os: 'AKSUbuntu', sku: '2404containerd' },
      ],
      'AKSUbuntu',
    );
    expect([...newest]).toEqual([['2204gen2containerd', '202509.10.0']]);
  });

  test.each([
    ['1.2', '1.2.0', 0],
    ['1.10', '1.9', 1],
    ['202501.x', '202501.0', -1],
  ])('%s against %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });
});

describe('[001-image-provider] the catalogue of images', () => {
  const versions = [{ name: '202609.01.0', publishedDate: '2026-09-01T00:00:00Z' }];

  function catalogue(readers: Partial<ImageReaders>, useSig = false, world = virtualWorld()) {
    return imageCatalogue({
      clock: world.clock,
      readers: {
        listCommunityVersions: async () => versions,
        listNodeImageVersions: async () => [],
        ...readers,
      },
      useSig: hardcoded(useSig),
      sigSubscriptionId: hardcoded('sig-sub'),
    });
  }

  test('names community images with what they are for', async () => {
    const images = await catalogue({}).newest({}, hardcoded('1.33.0'));
    expect(images[1]).toEqual({
      id: '/CommunityGalleries/AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2/images/2204containerd/versions/202609.01.0',
      requirements: [
        { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
        { key: 'karpenter.azure.com/sku-hyperv-generation', operator: 'In', values: ['1'] },
      ],
    });
  });

  test('names shared images, and leaves out those that the region does not have', async () => {
    const listNodeImageVersions = async () => [
      { os: 'AKSAzureLinux', sku: 'V3gen2', version: '202609.01.0' },
      { os: 'AKSAzureLinux', sku: 'V3gen2arm64', version: '202609.02.0' },
    ];
    const images = await catalogue({ listNodeImageVersions }, true).newest(
      { imageFamily: 'AzureLinux' },
      hardcoded('1.33.0'),
    );
    expect(images.map((image) => image.id)).toEqual([
      '/subscriptions/sig-sub/resourceGroups/AKS-AzureLinux/providers/Microsoft.Compute/galleries/AKSAzureLinux/images/V3gen2/versions/202609.01.0',
      '/subscriptions/sig-sub/resourceGroups/AKS-AzureLinux/providers/Microsoft.Compute/galleries/AKSAzureLinux/images/V3gen2arm64/versions/202609.02.0',
    ]);
  });

  test('an empty gallery is an error, not an id without a version', async () => {
    const empty = { listCommunityVersions: async () => [] };
    await expect(catalogue(empty).newest({}, hardcoded('1.33.0'))).rejects.toMatchObject({
      name: 'CloudError',
      reason: 'ImagesNotFound',
    });
    await expect(catalogue({}, true).newest({}, hardcoded('1.33.0'))).rejects.toMatchObject({
      reason: 'ImagesNotFound',
    });
  });

  test('asks the galleries again after three days, and for another version of Kubernetes', async () => {
    const world = virtualWorld();
    let asked = 0;
    const images = catalogue(
      {
        listCommunityVersions: async () => {
          asked += 1;
          return versions;
        },
      },
      false,
      world,
    );
    await images.newest(TRUSTED, hardcoded('1.33.0'));
    await images.newest(TRUSTED, hardcoded('1.33.0'));
    expect(asked).toBe(1);
    await images.newest(TRUSTED, hardcoded('1.33.1'));
    expect(asked).toBe(2);
    await world.clock.advance(IMAGE_CACHE_MS);
    await images.newest(TRUSTED, hardcoded('1.33.0'));
    expect(asked).toBe(3);
    images.forget();
    await images.newest(TRUSTED, hardcoded('1.33.0'));
    expect(asked).toBe(4);
  });

  test('a failed read is not cached', async () => {
    let fail = true;
    const images = catalogue({
      listCommunityVersions: async () => {
        if (fail) throw new Error('no network');
        return versions;
      },
    });
    await expect(images.newest({}, hardcoded('1.33.0'))).rejects.toThrow('no network');
    fail = false;
    expect(await images.newest({}, hardcoded('1.33.0'))).toHaveLength(3);
  });
});

describe('ids of images', () => {
  test('are taken apart', () => {
    expect(parseImageId('/CommunityGalleries/g/images/d/versions/1.2.3')).toEqual({
      base: '/CommunityGalleries/g/images/d',
      definition: 'd',
      version: '1.2.3',
      community: true,
    });
    expect(parseImageId('publisher:offer:sku:1')).toBeUndefined();
  });

  test('go into the VM where they belong', () => {
    const community = '/communityGalleries/g/images/d/versions/1';
    expect(imageReference(community)).toEqual({ communityGalleryImageId: community });
    expect(imageReference('/subscriptions/s')).toEqual({ id: '/subscriptions/s' });
  });

  test('are read back from a VM', () => {
    expect(imageIdOf({ communityGalleryImageId: 'c' })).toBe('c');
    expect(imageIdOf({ id: 'i', communityGalleryImageId: 'c' })).toBe('i');
    expect(imageIdOf({ sharedGalleryImageId: 's' })).toBe('s');
    expect(imageIdOf({ publisher: 'p', offer: 'o', sku: 's', version: 'v' })).toBe('p:o:s:v');
    expect(imageIdOf()).toBeUndefined();
  });
});
