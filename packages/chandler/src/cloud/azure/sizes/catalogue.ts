/**
 * The sizes of a region that may become nodes, and every other with the reason why not. The checks are an ordered
 * list; the first that fails is the reason that is reported.
 */
import { gpuOf } from './gpu.ts';
import { closedInLocation, type ResourceSku, sameLocation } from './resource-sku.ts';
import { isConfidential, parseSize, type Size } from './size-name.ts';
import { isRefusal, readSku, type SkuFacts } from './sku-facts.ts';
import type { RefusedSku, SkuRefusal } from './sku-refusal.ts';

export interface RegionSizes {
  /** By name. */
  readonly offered: readonly SkuFacts[];
  /** By name. */
  readonly refused: readonly RefusedSku[];
}

export const MIN_VCPUS = 2;
export const MIN_MEMORY_GIB = 3.5;

/** Reads a ResourceSkus list, of which other resource types and other regions are left out. */
export function readRegion(skus: Iterable<ResourceSku>, region: string): RegionSizes {
  const offered = new Map<string, SkuFacts>();
  const refused = new Map<string, SkuRefusal>();
  for (const sku of skus) {
    const name = sku.name ?? '';
    if (!isVmOf(sku, region) || offered.has(name) || refused.has(name)) continue;
    const read = readSku(sku, region);
    const refusal = isRefusal(read) ? read : refusalOf(sku, read, region);
    if (refusal !== undefined) refused.set(name, refusal);
    else offered.set(name, read as SkuFacts);
  }
  return {
    offered: [...offered.values()].sort(byName),
    refused: [...refused].map(([name, refusal]) => ({ name, refusal })).sort(byName),
  };
}

/** What the name alone tells, for files that name sizes. */
export function refusalOfName(name: string): SkuRefusal | undefined {
  const size = parseSize(name);
  if (size === undefined || !/^(Standard|Basic)_/.test(name)) return { code: 'NameNotUnderstood', name };
  for (const check of [refusedByAks, knownToFail, constrained, confidential]) {
    const refusal = check({ name, size });
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** Too weak for the agents of a node; AKS refuses them. */
const REFUSED_BY_AKS: ReadonlySet<string> = new Set([
  ...['Standard_A0', 'Standard_A1', 'Standard_A1_v2', 'Standard_B1s', 'Standard_B1ms'],
  ...['Standard_F1', 'Standard_F1s', 'Basic_A0', 'Basic_A1', 'Basic_A2', 'Basic_A3', 'Basic_A4'],
]);

const KNOWN_TO_FAIL: ReadonlySet<string> = new Set(['Standard_E64i_v3', 'Standard_E64is_v3']);

type Named = { readonly name: string; readonly size: Size };

function refusedByAks({ name }: Named): SkuRefusal | undefined {
  return REFUSED_BY_AKS.has(name) ? { code: 'RefusedByAks' } : undefined;
}

function knownToFail({ name }: Named): SkuRefusal | undefined {
  return KNOWN_TO_FAIL.has(name) ? { code: 'KnownToFail' } : undefined;
}

function constrained({ size }: Named): SkuRefusal | undefined {
  return size.constrainedCpus === undefined
    ? undefined
    : { code: 'ConstrainedCpus', vcpus: size.constrainedCpus };
}

function confidential({ size }: Named): SkuRefusal | undefined {
  return isConfidential(size) ? { code: 'Confidential' } : undefined;
}

type Check = (facts: SkuFacts, sku: ResourceSku, region: string) => SkuRefusal | undefined;

const CHECKS: readonly Check[] = [
  refusedByAks,
  knownToFail,
  (_, sku, region) => {
    const reason = closedInLocation(sku, region);
    return reason === undefined ? undefined : { code: 'ClosedInRegion', reason };
  },
  ({ vcpus }) => (vcpus < MIN_VCPUS ? { code: 'TooFewCpus', vcpus, needed: MIN_VCPUS } : undefined),
  ({ memoryGiB }) =>
    memoryGiB < MIN_MEMORY_GIB
      ? { code: 'TooLittleMemory', memoryGiB, neededGiB: MIN_MEMORY_GIB }
      : undefined,
  constrained,
  confidential,
  ({ name, gpus }) => (gpus > 0 && gpuOf(name) === undefined ? { code: 'UnknownGpu', gpus } : undefined),
];

function refusalOf(sku: ResourceSku, facts: SkuFacts, region: string): SkuRefusal | undefined {
  for (const check of CHECKS) {
    const refusal = check(facts, sku, region);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function isVmOf(sku: ResourceSku, region: string): boolean {
  if (sku.resourceType?.toLowerCase() !== 'virtualmachines') return false;
  return (sku.locations ?? []).some((location) => sameLocation(location, region));
}

function byName(first: { readonly name: string }, second: { readonly name: string }): number {
  if (first.name === second.name) return 0;
  return first.name < second.name ? -1 : 1;
}
