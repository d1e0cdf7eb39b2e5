/**
 * GPU sizes of Azure that AKS nodes can use, with the operating systems on which they are supported, and the drivers
 * that AKS node images are built with.
 * Source: Azure's size documentation, AKS's GPU support and the GPU images of AgentBaker. Date: 2026-08-21.
 */

export type GpuManufacturer = 'nvidia' | 'amd';
export type GpuOs = 'ubuntu' | 'azurelinux' | 'azurelinux3' | 'windows';
export type GpuDriverName = 'cuda' | 'cuda-lts' | 'grid' | 'grid-v20';

/** Version and tag of `aks-gpu-<name>`. */
export const GPU_DRIVERS: Readonly<
  Record<GpuDriverName, { readonly version: string; readonly imageTag: string }>
> = {
  cuda: { version: '470.82.01', imageTag: '20260629214430' },
  'cuda-lts': { version: '580.159.04', imageTag: '20260629214430' },
  grid: { version: '570.211.01', imageTag: '20260522192315' },
  'grid-v20': { version: '595.58.03', imageTag: '20260609172331' },
};

export interface GpuSizes {
  readonly sizes: readonly string[];
  readonly manufacturer: GpuManufacturer;
  readonly os: readonly GpuOs[];
  readonly driver: GpuDriverName | undefined;
}

/** First generations: Azure Linux was never built for them. */
const FIRST: readonly GpuOs[] = ['ubuntu', 'windows'];
const BOTH_LINUX: readonly GpuOs[] = ['ubuntu', 'windows', 'azurelinux', 'azurelinux3'];
const NEWER: readonly GpuOs[] = ['ubuntu', 'windows', 'azurelinux3'];
const UBUNTU_ONLY: readonly GpuOs[] = ['ubuntu'];

export const GPU_SIZES: readonly GpuSizes[] = [
  // K80
  { sizes: ['NC6', 'NC12', 'NC24', 'NC24r'], manufacturer: 'nvidia', os: FIRST, driver: 'cuda' },
  // P100
  {
    sizes: ['NC6s_v2', 'NC12s_v2', 'NC24s_v2', 'NC24rs_v2'],
    manufacturer: 'nvidia',
    os: FIRST,
    driver: 'cuda-lts',
  },
  // V100
  {
    sizes: ['NC6s_v3', 'NC12s_v3', 'NC24s_v3', 'NC24rs_v3', 'ND40rs_v2', 'ND40s_v3'],
    manufacturer: 'nvidia',
    os: BOTH_LINUX,
    driver: 'cuda-lts',
  },
  // P40
  { sizes: ['ND6s', 'ND12s', 'ND24s', 'ND24rs'], manufacturer: 'nvidia', os: FIRST, driver: 'cuda-lts' },
  // T4
  {
    sizes: ['NC4as_T4_v3', 'NC8as_T4_v3', 'NC16as_T4_v3', 'NC64as_T4_v3'],
    manufacturer: 'nvidia',
    os: BOTH_LINUX,
    driver: 'cuda-lts',
  },
  // M60
  { sizes: ['NV6', 'NV12', 'NV24', 'NV24r'], manufacturer: 'nvidia', os: FIRST, driver: 'cuda-lts' },
  { sizes: ['NV12s_v3', 'NV24s_v3', 'NV48s_v3'], manufacturer: 'nvidia', os: FIRST, driver: 'cuda-lts' },
  // A10
  {
    sizes: ['NC8ads_A10_v4', 'NC16ads_A10_v4', 'NC32ads_A10_v4'],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'grid',
  },
  {
    sizes: [
      ...['NV6ads_A10_v5', 'NV12ads_A10_v5', 'NV18ads_A10_v5', 'NV36ads_A10_v5', 'NV36adms_A10_v5'],
      'NV72ads_A10_v5',
    ],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'grid',
  },
  // A100
  {
    sizes: ['NC24ads_A100_v4', 'NC48ads_A100_v4', 'NC96ads_A100_v4'],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'cuda-lts',
  },
  {
    sizes: [
      ...['ND96asr_v4', 'ND112asr_A100_v4', 'ND120asr_A100_v4'],
      ...['ND96amsr_A100_v4', 'ND112amsr_A100_v4', 'ND120amsr_A100_v4', 'ND96amsrf_A100_v4'],
      ...['ND96ams_v4', 'ND96ams_A100_v4', 'ND96ams_A100_flex_v4', 'ND96amsf_A100_v4'],
    ],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'cuda-lts',
  },
  // H100
  {
    sizes: ['NC40ads_H100_v5', 'NC80adis_H100_v5'],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'cuda-lts',
  },
  {
    sizes: [
      ...['ND96isr_H100_v5', 'ND96is_H100_v5', 'ND96is_noIB_H100_v5', 'ND96is_flex_H100_v5'],
      ...['ND96isf_H100_v5', 'ND96isrf_H100_v5'],
    ],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'cuda-lts',
  },
  // H200
  {
    sizes: ['ND96isr_H200_v5', 'ND96is_H200_v5', 'ND96isf_H200_v5', 'ND96isrf_H200_v5'],
    manufacturer: 'nvidia',
    os: NEWER,
    driver: 'cuda-lts',
  },
  // GB200, GB300
  {
    sizes: ['ND128isr_NDR_GB200_v6', 'ND128isr_GB300_v6'],
    manufacturer: 'nvidia',
    os: UBUNTU_ONLY,
    driver: 'cuda-lts',
  },
  // RTX PRO 6000, Blackwell Server Edition
  {
    sizes: [
      ...['NC36ds_xl_RTXPRO6000BSE_v6', 'NC72ds_xl_RTXPRO6000BSE_v6'],
      ...['NC144ds_xl_RTXPRO6000BSE_v6', 'NC288ds_xl_RTXPRO6000BSE_v6'],
      ...['NC24lds_xl_RTXPRO6000BSE_v6', 'NC36lds_xl_RTXPRO6000BSE_v6', 'NC72lds_xl_RTXPRO6000BSE_v6'],
      ...['NC144lds_xl_RTXPRO6000BSE_v6', 'NC288lds_xl_RTXPRO6000BSE_v6'],
    ],
    manufacturer: 'nvidia',
    os: UBUNTU_ONLY,
    driver: 'grid-v20',
  },
  // Radeon Pro V710
  {
    sizes: ['NV4ads_V710_v5', 'NV8ads_V710_v5', 'NV12ads_V710_v5', 'NV24ads_V710_v5', 'NV28adms_V710_v5'],
    manufacturer: 'amd',
    os: UBUNTU_ONLY,
    driver: undefined,
  },
  // Instinct MI300X
  {
    sizes: ['ND96isr_MI300X_v5', 'ND96is_MI300X_v5'],
    manufacturer: 'amd',
    os: UBUNTU_ONLY,
    driver: undefined,
  },
];
