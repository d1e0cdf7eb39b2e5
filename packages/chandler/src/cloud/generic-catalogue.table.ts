/**
 * The machines of a cloud that does not exist but could: families with the ratios of memory to cpu and the
 * sizes that all clouds sell. Prices follow one formula (`generic-catalogue.ts`), so that plans can be
 * compared; they are nobody's list prices.
 */
export interface Family {
  /** `general-v2`; the first part of a type's name. */
  readonly name: string;
  readonly generation: number;
  readonly arch: 'amd64' | 'arm64';
  /** As AWS and Azure call such families in their labels. */
  readonly awsCategory: string;
  readonly azureFamily: string;
  readonly cpus: readonly number[];
  readonly memoryPerCpuGib: number;
  /** Times the price of the formula. */
  readonly priceFactor: number;
  readonly gpus?: { readonly name: string; readonly perCpus: number; readonly price: number };
}

const SMALL = [1, 2] as const;
const USUAL = [2, 4, 8, 16, 32, 48, 64, 96] as const;

function both(
  name: string,
  awsCategory: string,
  azureFamily: string,
  memoryPerCpuGib: number,
  cpus: readonly number[],
  generation: number,
  priceFactor: number,
): Family[] {
  const shape = { generation, awsCategory, azureFamily, cpus, memoryPerCpuGib };
  return [
    { name, arch: 'amd64', priceFactor, ...shape },
    { name: `${name}-arm`, arch: 'arm64', priceFactor: priceFactor * 0.8, ...shape },
  ];
}

export const FAMILIES: readonly Family[] = [
  ...both('burstable', 't', 'B', 2, SMALL, 3, 0.85),
  ...both('burstable-memory', 't', 'B', 4, SMALL, 3, 0.85),
  ...both('general-v1', 'm', 'D', 4, USUAL, 5, 1),
  ...both('general-v2', 'm', 'D', 4, USUAL, 6, 1.05),
  ...both('compute-v1', 'c', 'F', 2, USUAL, 5, 1),
  ...both('compute-v2', 'c', 'F', 2, USUAL, 6, 1.05),
  ...both('memory-v1', 'r', 'E', 8, USUAL, 5, 1),
  ...both('memory-v2', 'r', 'E', 8, USUAL, 6, 1.05),
  ...both('big-memory', 'x', 'M', 16, [16, 32, 64, 96], 2, 1.3),
  {
    name: 'gpu',
    generation: 5,
    arch: 'amd64',
    awsCategory: 'g',
    azureFamily: 'N',
    cpus: [8, 32, 64],
    memoryPerCpuGib: 4,
    priceFactor: 1,
    gpus: { name: 'nvidia.com/gpu', perCpus: 8, price: 0.75 },
  },
];
