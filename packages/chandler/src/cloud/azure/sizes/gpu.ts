/**
 * Which sizes have GPUs that nodes can use, on which operating systems, and which driver a node has to install.
 * The driver must be the one that the node image was built with: another one beside its libraries makes the GPU
 * invisible. The sizes themselves stand in `gpus.table.ts`.
 */
import {
  GPU_DRIVERS,
  GPU_SIZES,
  type GpuDriverName,
  type GpuManufacturer,
  type GpuOs,
} from './gpus.table.ts';

export interface Gpu {
  readonly manufacturer: GpuManufacturer;
  readonly os: readonly GpuOs[];
  /** Nothing where no driver can be installed for it. */
  readonly driver: GpuDriverName | undefined;
}

/** What bootstrap gets: GPU_DRIVER_TYPE, GPU_DRIVER_VERSION, GPU_IMAGE_SHA. */
export interface GpuDriver {
  readonly type: GpuDriverName;
  readonly version: string;
  readonly imageTag: string;
}

/** The GPU of a size, by its full name in any case; nothing for sizes without one, or with one that is not known. */
export function gpuOf(sizeName: string): Gpu | undefined {
  return BY_NAME.get(normal(sizeName));
}

/** The driver for the size; nothing without an NVIDIA GPU. Whether the node class wants one, the caller asks. */
export function gpuDriver(sizeName: string): GpuDriver | undefined {
  const name = gpuOf(sizeName)?.driver;
  return name === undefined ? undefined : { type: name, ...GPU_DRIVERS[name] };
}

/** Whether the GPU works on the image family; sizes without a GPU work on all. */
export function gpuRunsOn(sizeName: string, imageFamily: string): boolean {
  const gpu = gpuOf(sizeName);
  if (gpu === undefined) return true;
  const wanted = imageFamily === 'AzureLinux' ? AZURE_LINUX : imageFamily.startsWith('Ubuntu') ? UBUNTU : [];
  return wanted.some((os) => gpu.os.includes(os));
}

// ---------------------------------------------------------------------------------------------------------------

const UBUNTU: readonly GpuOs[] = ['ubuntu'];
const AZURE_LINUX: readonly GpuOs[] = ['azurelinux', 'azurelinux3'];

function normal(sizeName: string): string {
  const lower = sizeName.toLowerCase().replace(/_promo$/, '');
  return lower.startsWith('standard_') ? lower : `standard_${lower}`;
}

const BY_NAME: ReadonlyMap<string, Gpu> = new Map(
  GPU_SIZES.flatMap(({ sizes, manufacturer, os, driver }) =>
    sizes.map((size) => [normal(size), { manufacturer, os, driver }] as const),
  ),
);
