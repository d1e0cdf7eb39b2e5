import { describe, expect, test } from 'vitest';
import { gpuDriver, gpuOf, gpuRunsOn } from './gpu.ts';
import { GPU_SIZES } from './gpus.table.ts';
import { parseSize } from './size-name.ts';

const SIZES = GPU_SIZES.flatMap(({ sizes, manufacturer }) => sizes.map((size) => ({ size, manufacturer })));

describe('GPU sizes', () => {
  test('every size of the table is listed once and its name is understood', () => {
    expect(new Set(SIZES.map(({ size }) => size.toLowerCase())).size).toBe(SIZES.length);
    for (const { size } of SIZES) expect([size, parseSize(size)]).not.toEqual([size, undefined]);
    expect(SIZES.filter(({ manufacturer }) => manufacturer === 'amd')).toHaveLength(7);
  });

  const drivers: readonly [size: string, type: string, version: string, tag: string][] = [
    ['Standard_NC24lds_xl_RTXPRO6000BSE_v6', 'grid-v20', '595.58.03', '20260609172331'],
    ['Standard_NC288ds_xl_RTXPRO6000BSE_v6', 'grid-v20', '595.58.03', '20260609172331'],
    ['Standard_NV36adms_A10_v5', 'grid', '570.211.01', '20260522192315'],
    ['Standard_NC8ads_A10_v4', 'grid', '570.211.01', '20260522192315'],
    ['Standard_NC6', 'cuda', '470.82.01', '20260629214430'],
    ['Standard_NC24r', 'cuda', '470.82.01', '20260629214430'],
    ['Standard_NC6s_v3', 'cuda-lts', '580.159.04', '20260629214430'],
    ['Standard_NV6', 'cuda-lts', '580.159.04', '20260629214430'],
    ['Standard_NC4as_T4_v3', 'cuda-lts', '580.159.04', '20260629214430'],
    ['Standard_ND96isr_H100_v5', 'cuda-lts', '580.159.04', '20260629214430'],
  ];

  test.each(drivers)('%s gets driver %s %s', (size, type, version, imageTag) => {
    expect(gpuDriver(size)).toEqual({ type, version, imageTag });
  });

  test('AMD GPUs and sizes without a GPU get no driver', () => {
    expect(gpuDriver('Standard_ND96isr_MI300X_v5')).toBeUndefined();
    expect(gpuDriver('Standard_D4s_v5')).toBeUndefined();
    expect(gpuOf('Standard_ND96isr_MI300X_v5')?.manufacturer).toBe('amd');
  });

  test('promotional names are the same VM, in any case', () => {
    expect(gpuOf('standard_nc6_promo')).toEqual(gpuOf('Standard_NC6'));
    expect(gpuOf('STANDARD_NC24ADS_A100_V4')?.manufacturer).toBe('nvidia');
  });

  test('a GPU runs on the image families it is supported on, and no GPU on all', () => {
    expect(gpuRunsOn('Standard_NC6s_v2', 'Ubuntu2204')).toBe(true);
    expect(gpuRunsOn('Standard_NC6s_v2', 'AzureLinux')).toBe(false);
    expect(gpuRunsOn('Standard_NC24ads_A100_v4', 'AzureLinux')).toBe(true);
    expect(gpuRunsOn('Standard_ND128isr_GB300_v6', 'AzureLinux')).toBe(false);
    expect(gpuRunsOn('Standard_D2s_v5', 'AzureLinux')).toBe(true);
  });
});
