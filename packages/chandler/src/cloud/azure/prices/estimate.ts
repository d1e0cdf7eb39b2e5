/**
 * What a size costs that no price list names: the price of the nearest size that has one, in proportion to cores, memory
 * and GPUs; without one of its family, fixed rates. Good for ranking sizes against each other. Karpenter uses 999 dollars
 * instead. Then a running node of such a size looks like the most expensive one and is replaced, and among
 * several such sizes the name decides instead of the number of cores.
 */
import type { SkuFacts } from '../sizes/index.ts';

export type SizeToPrice = Pick<SkuFacts, 'name' | 'size' | 'vcpus' | 'memoryGiB' | 'gpus'>;

export interface PricedSize {
  readonly size: SizeToPrice;
  /** US dollars per hour, on demand. */
  readonly price: number;
}

/** Prices on demand, estimated from these. */
export function priceEstimator(priced: Iterable<PricedSize>): (size: SizeToPrice) => number {
  const byFamily = new Map<string, PricedSize[]>();
  for (const known of priced) {
    const key = familyOf(known.size);
    byFamily.set(key, [...(byFamily.get(key) ?? []), known]);
  }
  return (size) => {
    const near = nearest(size, byFamily.get(familyOf(size)) ?? []);
    const price = near === undefined ? atFixedRates(size) : near.price * ratio(size, near.size);
    return Number(price.toPrecision(6));
  };
}

/** The middle one; nothing when there are none. */
export function median(values: readonly number[]): number | undefined {
  return values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)];
}

// ---------------------------------------------------------------------------------------------------------------

/** US dollars per hour; about what general purpose sizes and GPUs of the middle class cost in eastus. */
const RATES = { vcpu: 0.034, memoryGiB: 0.0035, gpu: 2.9 };

function atFixedRates({ vcpus, memoryGiB, gpus }: SizeToPrice): number {
  return vcpus * RATES.vcpu + memoryGiB * RATES.memoryGiB + gpus * RATES.gpu;
}

/** Of sizes with GPUs the number of GPUs decides, since these have the same kind of GPU. */
function ratio(size: SizeToPrice, near: SizeToPrice): number {
  return size.gpus > 0 ? size.gpus / near.gpus : atFixedRates(size) / atFixedRates(near);
}

/** GPUs of different kinds have nothing in common. */
function familyOf({ size, gpus }: SizeToPrice): string {
  return gpus > 0 ? `${size.family}${size.subfamily}|${size.accelerator ?? size.version ?? ''}` : size.family;
}

function nearest(wanted: SizeToPrice, known: readonly PricedSize[]): PricedSize | undefined {
  let best: { readonly known: PricedSize; readonly distance: readonly number[] } | undefined;
  for (const candidate of known) {
    const distance = distanceOf(wanted, candidate.size);
    if (best === undefined || isNearer(distance, best.distance)) best = { known: candidate, distance };
  }
  return best?.known;
}

/** What matters most comes first. */
function distanceOf(wanted: SizeToPrice, known: SizeToPrice): readonly number[] {
  return [
    Number(wanted.size.subfamily !== known.size.subfamily),
    differentLetters(wanted.size.features, known.size.features),
    Math.abs(versionNumber(wanted) - versionNumber(known)),
    Math.abs(Math.log(atFixedRates(wanted) / atFixedRates(known))),
  ];
}

function isNearer(first: readonly number[], second: readonly number[]): boolean {
  const index = first.findIndex((value, position) => value !== second[position]);
  return index >= 0 && first[index]! < second[index]!;
}

function differentLetters(first: string, second: string): number {
  const only = (text: string, other: string) => [...text].filter((letter) => !other.includes(letter)).length;
  return only(first, second) + only(second, first);
}

function versionNumber({ size }: SizeToPrice): number {
  return Number(size.version?.slice(1) ?? 1);
}
