import { ComputeManagementClient } from '@azure/arm-compute';
import { anAzure, COMMUNITY_GALLERIES, type TestAzure } from '@chandler/cloudsim/azure/testing';
import { collect } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sdkOptions } from './sdk.fixture.ts';

const UBUNTU = COMMUNITY_GALLERIES.AKSUbuntu;

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure({ catalogue: { quota: { family: 100 } } });
});

afterEach(() => simulation.close());

const client = () =>
  new ComputeManagementClient(
    simulation.credential,
    simulation.server.settings.subscriptionId,
    sdkOptions(simulation),
  );

describe('node images', () => {
  async function newest(definition: string): Promise<string | undefined> {
    const versions = await collect(client().communityGalleryImageVersions.list('eastus', UBUNTU, definition));
    const dated = versions.map((one) => [one.publishedDate?.getTime() ?? 0, one.name] as const);
    return dated.sort(([one], [other]) => other - one)[0]?.[1];
  }

  test('have several dated versions in the community gallery, the newest neither first nor last', async () => {
    const versions = await collect(
      client().communityGalleryImageVersions.list('eastus', UBUNTU, '2204gen2containerd'),
    );
    expect(versions).toHaveLength(5);
    expect(versions[0]?.name).not.toBe('202512.18.0');
    expect(versions.at(-1)?.name).not.toBe('202512.18.0');
    expect(await newest('2204gen2containerd')).toBe('202512.18.0');
    expect(versions[0]?.location).toBe('eastus');
  });

  test('can be updated at run time', async () => {
    const { images } = simulation.azure.catalogue;
    const publishedDate = '2026-02-01T00:00:00Z';
    images.publishImage({
      gallery: 'AKSUbuntu',
      definition: '2204gen2containerd',
      version: '202601.28.0',
      publishedDate,
    });
    expect(await newest('2204gen2containerd')).toBe('202601.28.0');
    expect(await newest('2204containerd')).toBe('202512.18.0');
    images.publishImage({
      gallery: 'AKSUbuntu',
      version: '202602.10.0',
      publishedDate: '2026-02-14T00:00:00Z',
    });
    expect(await newest('2204containerd')).toBe('202602.10.0');
    images.withdrawImage('AKSUbuntu', '2204containerd');
    expect(await newest('2204containerd')).toBeUndefined();
  });
});

describe('the list of sizes', () => {
  test('is readable by the official client', async () => {
    const list = await collect(client().resourceSkus.list({ filter: "location eq 'eastus'" }));
    const h100 = list.find((sku) => sku.name === 'Standard_ND96isr_H100_v5');
    expect(h100?.capabilities?.find((one) => one.name === 'GPUs')?.value).toBe('8');
    expect(h100?.locationInfo?.[0]?.zones).toEqual(['3']);
  });
});

describe('the list of usages', () => {
  test('shows used cores by family to the official client', async () => {
    const { quota, sizes } = simulation.azure.catalogue;
    const size = sizes.sizeOf('Standard_D8s_v5', 'eastus')!;
    quota.take({ vmId: '/vm/1', region: 'eastus', size, spot: false });
    quota.setLimit('eastus', 'standardDSv5Family', 16);
    const usages = await collect(client().usage.list('eastus'));
    const of = (name: string) => usages.find((one) => one.name?.value === name);
    expect(of('standardDSv5Family')).toMatchObject({
      currentValue: 8,
      limit: 16,
      unit: 'Count',
      name: { localizedValue: 'Standard DSv5 Family vCPUs' },
    });
    expect(of('standardESv5Family')).toMatchObject({ currentValue: 0, limit: 100 });
    expect(of('Standard NCASv3_T4 Family')?.name?.localizedValue).toBe('Standard NCASv3_T4 Family vCPUs');
    expect(of('cores')).toMatchObject({ currentValue: 8, limit: 10_000 });
    expect(of('lowPriorityCores')).toMatchObject({ currentValue: 0 });
    expect(of('virtualMachines')).toMatchObject({ currentValue: 1 });
  });
});
