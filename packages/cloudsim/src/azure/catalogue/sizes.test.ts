import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type ErrorBody, type TestAzure } from '../cluster/azure.fixture.ts';
import { AzureSizes } from './size-catalogue.ts';
import { shortName } from './size-family.ts';
import type { Sku } from './sku-list.ts';

let simulation: TestAzure;

beforeEach(async () => {
  simulation = await anAzure();
});

afterEach(() => simulation.close());

async function skus(filter = "location eq 'eastus'", version = '2021-07-01'): Promise<readonly Sku[]> {
  const query = `api-version=${version}&$filter=${encodeURIComponent(filter)}`;
  const answer = await simulation.call<{ value: Sku[] }>(
    `${simulation.subscription}/providers/Microsoft.Compute/skus?${query}`,
  );
  expect(answer.status).toBe(200);
  return answer.body.value;
}

function capability(sku: Sku | undefined, name: string): string | undefined {
  return sku?.capabilities.find((one) => one.name === name)?.value;
}

function named(list: readonly Sku[], name: string): Sku {
  const sku = list.find((one) => one.name === name);
  if (sku === undefined) throw new Error(`no ${name}`);
  return sku;
}

describe('the table of sizes', () => {
  const sizes = new AzureSizes();

  test('has far more than 150 real sizes, each once', () => {
    expect(sizes.all.length).toBeGreaterThan(500);
    expect(new Set(sizes.all.map((size) => size.name.toLowerCase())).size).toBe(sizes.all.length);
  });

  test('contains no impossible values', () => {
    for (const size of sizes.all) {
      expect(size.vCpus, size.name).toBeGreaterThan(0);
      expect(size.vCpusAvailable, size.name).toBeLessThanOrEqual(size.vCpus);
      expect(size.memoryGiB / size.vCpus, size.name).toBeGreaterThanOrEqual(0.5);
      expect(size.networkInterfaces, size.name).toBeGreaterThanOrEqual(1);
      if (size.family.ephemeral === 'nvme') expect(size.nvmeMiB, size.name).toBeGreaterThan(0);
      if (size.family.ephemeral === 'cache') expect(size.cachedGiB, size.name).toBeGreaterThan(0);
      if (size.family.ephemeral === 'resource') expect(size.resourceGiB, size.name).toBeGreaterThan(0);
      // The name of newer sizes contains the number of vCPUs: this detects a shifted column.
      const inName = /^[A-Z]+(\d+)[a-z]*_(\w+_)?v[4-9]$/.exec(shortName(size))?.[1];
      if (inName !== undefined) expect(size.vCpus, size.name).toBe(Number(inName));
    }
  });

  test.each([
    ['Standard_D64s_v3', { CacheDisk: 1600, ResourceDisk: 512 }],
    ['Standard_B20ms', { CacheDisk: 30, ResourceDisk: 160 }],
    ['Standard_D16plds_v5', { CacheDisk: 400, ResourceDisk: 600 }],
    ['Standard_NC24ads_A100_v4', { CacheDisk: 256, ResourceDisk: 64 }],
    ['Standard_D128ds_v6', { NvmeDisk: 7040 }],
    ['Standard_D4s_v5', {}],
  ])('%s takes an ephemeral OS disk of up to %j GiB', (name, room) => {
    expect(sizes.sizeOf(name, 'southcentralus')).toBeUndefined();
    expect(sizes.sizeOf(name, 'eastus')?.ephemeralGB).toEqual(room);
  });

  test('is found in any spelling, in the regions that have it', () => {
    expect(sizes.sizeOf('standard_d4S_V5', 'East US')).toMatchObject({
      name: 'Standard_D4s_v5',
      family: 'standardDSv5Family',
      vCpus: 4,
      memoryGiB: 16,
      zones: ['1', '2', '3'],
      spot: true,
    });
    expect(sizes.sizeOf('Standard_ND96isr_MI300X_v5', 'westeurope')).toBeDefined();
    expect(sizes.sizeOf('Standard_ND96isr_MI300X_v5', 'eastus')).toBeUndefined();
  });
});

describe('the list of SKUs', () => {
  test('is that of the region, with capabilities as texts and zones', async () => {
    const d4 = named(await skus(), 'Standard_D4ds_v5');
    expect(d4).toMatchObject({
      resourceType: 'virtualMachines',
      tier: 'Standard',
      size: 'D4ds_v5',
      family: 'standardDDSv5Family',
      locations: ['eastus'],
      restrictions: [],
    });
    expect(d4.locationInfo[0]?.zones).toEqual(['1', '2', '3']);
    expect(d4.locationInfo[0]?.zoneDetails[0]?.capabilities).toEqual([
      { name: 'UltraSSDAvailable', value: 'True' },
    ]);
    expect(capability(d4, 'vCPUs')).toBe('4');
    expect(capability(d4, 'MemoryGB')).toBe('16');
    expect(capability(d4, 'CachedDiskBytes')).toBe('107374182400');
    expect(capability(d4, 'MaxResourceVolumeMB')).toBe('153600');
    expect(capability(d4, 'SupportedEphemeralOSDiskPlacements')).toBe('ResourceDisk,CacheDisk');
    expect(capability(d4, 'HyperVGenerations')).toBe('V1,V2');
    expect(capability(d4, 'GPUs')).toBeUndefined();
  });

  test('contains sizes that a controller must filter out', async () => {
    const list = await skus();
    expect(new Set(list.map((sku) => sku.resourceType))).toContain('disks');
    expect(capability(named(list, 'Standard_D4ps_v6'), 'CpuArchitectureType')).toBe('Arm64');
    expect(capability(named(list, 'Standard_D4ps_v5'), 'TrustedLaunchDisabled')).toBe('True');
    expect(capability(named(list, 'Standard_NC4as_T4_v3'), 'GPUs')).toBe('1');
    expect(capability(named(list, 'Standard_M8-2ms'), 'vCPUsAvailable')).toBe('2');
    expect(capability(named(list, 'Standard_B4ms'), 'LowPriorityCapable')).toBe('False');
    expect(named(list, 'Basic_A0').tier).toBe('Basic');
    expect(named(list, 'Standard_NC6_Promo').restrictions).toEqual([
      {
        type: 'Location',
        values: ['eastus'],
        restrictionInfo: { locations: ['eastus'] },
        reasonCode: 'NotAvailableForSubscription',
      },
    ]);
    expect(named(await skus("location eq 'westeurope'"), 'Standard_E4as_v4').restrictions).toMatchObject([
      { type: 'Zone', restrictionInfo: { zones: ['2'] } },
    ]);
  });

  test('shows a new restriction at once', async () => {
    simulation.azure.catalogue.sizes.restrict('Standard_D4s_v5', 'eastus');
    expect(named(await skus(), 'Standard_D4s_v5').restrictions).toHaveLength(1);
    expect(simulation.azure.catalogue.sizes.sizeOf('Standard_D4s_v5', 'eastus')?.restricted).toEqual({
      region: true,
    });
  });

  test('is empty for an unknown region, and contains all regions without a filter', async () => {
    expect(await skus("location eq 'nowhere'")).toEqual([]);
    expect(new Set((await skus('')).flatMap((sku) => sku.locations))).toEqual(
      new Set(['eastus', 'westeurope']),
    );
  });

  test('can be as long as that of a real region', async () => {
    const long = new AzureSizes({ skusAtLeast: 1200 }).skus('eastus');
    const machines = long.filter((sku) => sku.resourceType === 'virtualMachines');
    expect(machines).toHaveLength(1200);
    expect(new Set(machines.map((sku) => sku.name)).size).toBe(1200);
  });

  test('is rejected without api-version, with a wrong one, and without a token', async () => {
    const path = `${simulation.subscription}/providers/Microsoft.Compute/skus`;
    expect((await simulation.call<ErrorBody>(path)).body.error.code).toBe('MissingApiVersionParameter');
    expect((await simulation.call<ErrorBody>(`${path}?api-version=2001-01-01`)).status).toBe(400);
    expect((await simulation.callWith<ErrorBody>(undefined, `${path}?api-version=2021-07-01`)).status).toBe(
      401,
    );
  });
});
