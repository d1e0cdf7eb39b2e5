import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';
import { COMMUNITY_GALLERIES, ImageGallery } from './image-gallery.ts';

const UBUNTU = COMMUNITY_GALLERIES.AKSUbuntu;
const SIG =
  '/subscriptions/10945678-1234-1234-1234-123456789012/resourceGroups/AKS-Ubuntu/providers/Microsoft.Compute/galleries/AKSUbuntu';

describe('node images', () => {
  let simulation: TestAzure;

  beforeEach(async () => {
    simulation = await anAzure();
  });

  afterEach(() => simulation.close());

  test('are rejected in a region without images', async () => {
    const base = `${simulation.subscription}/providers/Microsoft.Compute/locations/eastus/communityGalleries`;
    const code = async (path: string) =>
      (await simulation.call<ErrorBody>(`${base}/${path}/versions?api-version=2025-03-03`)).body.error.code;
    expect(await code('nobody/images/2204gen2containerd')).toBe('CommunityGalleryNotFound');
    expect(await code(`${UBUNTU}/images/nothing`)).toBe('GalleryImageNotFound');
    expect(await code(`${UBUNTU}/images/2004gen2fipscontainerd`), 'FIPS is not public').toBe(
      'GalleryImageNotFound',
    );
  });

  test('are listed by AKS: the newest of each definition, and other images', async () => {
    const base = `${simulation.subscription}/providers/Microsoft.ContainerService/locations/eastus/nodeImageVersions`;
    interface Row {
      readonly os: string;
      readonly sku: string;
      readonly version: string;
      readonly fullName: string;
    }
    const list = async () =>
      (await simulation.call<{ value: Row[] }>(`${base}?api-version=2026-05-02-preview`)).body.value;
    expect(await list()).toContainEqual({
      os: 'AKSUbuntu',
      sku: '2204gen2fipsTLcontainerd',
      version: '202512.18.0',
      fullName: 'AKSUbuntu-2204gen2fipsTLcontainerd-202512.18.0',
    });
    const ubuntu = (rows: Row[]) =>
      rows
        .filter((row) => row.os === 'AKSUbuntu' && row.sku === '2204gen2containerd')
        .map((row) => row.version);
    expect(ubuntu(await list()), 'an old name form comes with it').toEqual(['2022.10.03', '202512.18.0']);
    simulation.azure.catalogue.images.publishImage({
      gallery: 'AKSUbuntu',
      version: '202601.28.0',
      publishedDate: '2026-02-01T00:00:00Z',
    });
    expect(ubuntu(await list())).toContain('202601.28.0');
  });
});

describe('an image reference of a VM', () => {
  const images = new ImageGallery();

  test.each([
    [
      {
        communityGalleryImageId: `/CommunityGalleries/${UBUNTU}/images/2204gen2containerd/versions/202512.18.0`,
      },
      'V2',
      'x64',
    ],
    [
      {
        communityGalleryImageId: `/communitygalleries/${UBUNTU}/Images/2204gen2arm64containerd/Versions/202512.18.0`,
      },
      'V2',
      'Arm64',
    ],
    [{ id: `${SIG}/images/2204containerd/versions/202511.20.0` }, 'V1', 'x64'],
    [{ id: `${SIG}/images/2204gen2fipsTLcontainerd/versions/202512.18.0` }, 'V2', 'x64'],
  ] as const)('%j is found', (reference, generation, architecture) => {
    expect(images.find(reference, 'eastus')).toMatchObject({ generation, architecture });
  });

  test.each([
    {},
    { communityGalleryImageId: `/CommunityGalleries/${UBUNTU}/images/2204gen2containerd/versions/` },
    { communityGalleryImageId: `/CommunityGalleries/${UBUNTU}/images/2204gen2containerd/versions/1.0.0` },
    {
      communityGalleryImageId: `/CommunityGalleries/${UBUNTU}/images/2204gen2fipsTLcontainerd/versions/202512.18.0`,
    },
    { communityGalleryImageId: '/CommunityGalleries/other/images/2204gen2containerd/versions/202512.18.0' },
    { id: `${SIG.replace('AKS-Ubuntu', 'other')}/images/2204containerd/versions/202511.20.0` },
    { publisher: 'Canonical', offer: 'x', sku: 'y', version: 'latest' },
  ])('%j is not', (reference) => {
    expect(images.find(reference, 'eastus')).toBeUndefined();
  });

  test('is not found in an unknown region', () => {
    const communityGalleryImageId = `/CommunityGalleries/${UBUNTU}/images/2204gen2containerd/versions/202512.18.0`;
    expect(images.find({ communityGalleryImageId }, 'nowhere')).toBeUndefined();
  });
});
