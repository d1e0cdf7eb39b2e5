/**
 * The instance types of the region, per node class. Sizes come from Azure every twelve hours; a list is built when it
 * is needed and kept until something it depends on has changed: sizes, prices, quota, or the memory of what could
 * not be launched. Then only the changed types are built again. When to read sizes again is data (`dueAtMs`); the loop is the
 * caller's.
 */
import type { Clock, Log } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';

import {
  type RefusedSku,
  type RegionSizes,
  type ResourceSku,
  readRegion,
  type SkuFacts,
  type SkuRefusal,
} from '../sizes/index.ts';
import { type AzureInstanceType, type FittedSize, instanceType, sizeFitter } from './instance-type.ts';
import { offeredRequirements } from './labels.ts';
import { nodeClassRefusal } from './node-class-checks.ts';
import {
  type AzureOffering,
  type OfferingSources,
  type OfferingTemplate,
  offeringsOf,
  offeringTemplateFinder,
} from './offerings.ts';
import { type InstanceTypeOptions, type Parameters, parametersKey, parametersOf } from './parameters.ts';
import { type RegionPrices, regionPrices } from './size-prices.ts';

export interface InstanceTypeProviderInput extends OfferingSources {
  readonly clock: Clock;
  readonly log: Log;
  readonly options: InstanceTypeOptions;
  /** All SKUs of the subscription, or only those of the region. */
  readonly listSkus: () => Promise<Iterable<ResourceSku>>;
}

export const SIZES_REFRESH_MS: number = 12 * 60 * 60_000;
/** The interval after a failed read. */
export const SIZES_RETRY_MS: number = 60_000;

export class InstanceTypeProvider {
  readonly #input: InstanceTypeProviderInput;
  #sizes: RegionSizes | undefined;
  #byName: ReadonlyMap<string, SkuFacts> = new Map();
  #sequence = 0;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<boolean> | undefined;
  /** Sizes fitted to parameters, by their key; of these sizes. */
  readonly #fitted = new Map<string, readonly FittedSize[]>();
  /** What `#markets` and `#current` were built from. */
  #generation = '';
  readonly #markets = new Map<SkuFacts, Market>();
  /** Of these sizes and this list. */
  #prices: { readonly generation: string; readonly prices: RegionPrices } | undefined;
  /** Keys of the lists that are as new as `#markets`. */
  readonly #current = new Set<string>();
  readonly #lists = new Map<string, readonly AzureInstanceType[]>();

  constructor(input: InstanceTypeProviderInput) {
    this.#input = input;
  }

  /** Whether sizes were read at least once; before that there are no instance types. */
  get loaded(): boolean {
    return this.#sizes !== undefined;
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return this.#dueAtMs;
  }

  /** Grows when a refresh found other sizes than the one before. */
  get sequence(): number {
    return this.#sequence;
  }

  /**
   * Asks Azure for its sizes when it is time, once however many ask. Whether it did.
   * @throws what `listSkus` throws; the sizes that were known stay.
   */
  refreshIfDue(): Promise<boolean> {
    if (this.#refreshing !== undefined) return this.#refreshing;
    if (this.#input.clock.monotonic() < this.#dueAtMs) return Promise.resolve(false);
    this.#refreshing = this.#refreshFromAzure().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** @throws {CloudError} when none of the sizes can become a node; what was known stays. */
  refresh(skus: Iterable<ResourceSku>): void {
    const sizes = readRegion(skus, this.#input.region);
    if (sizes.offered.length === 0) throw noSizes(this.#input.region, sizes.refused.length);
    this.#dueAtMs = this.#input.clock.monotonic() + SIZES_REFRESH_MS;
    if (this.#sizes !== undefined && JSON.stringify(this.#sizes) === JSON.stringify(sizes)) return;
    this.#sizes = sizes;
    this.#byName = new Map(sizes.offered.map((sku) => [sku.name, sku]));
    this.#fitted.clear();
    this.#lists.clear();
    this.#markets.clear();
    const templatesOf = offeringTemplateFinder(this.#input.region);
    for (const sku of sizes.offered)
      this.#markets.set(sku, { templates: templatesOf(sku), offerings: [], requirements: [] });
    this.#sequence += 1;
    this.#input.log.debug('discovered instance types', {
      offered: sizes.offered.length,
      refused: sizes.refused.length,
    });
  }

  /**
   * By name. The list and everything in it is shared: it must not be changed.
   * @throws {CloudError} before the first refresh.
   */
  forNodeClass(nodeClass: AKSNodeClass): readonly AzureInstanceType[] {
    this.#bringUpToDate();
    const parameters = parametersOf(nodeClass, this.#input.options);
    const key = parametersKey(parameters);
    const before = this.#lists.get(key);
    if (before !== undefined && this.#current.has(key)) return before;
    const list = this.#fittedTo(parameters, key).map((size, index) => {
      const { offerings, requirements } = this.#markets.get(size.sku)!;
      const known = before?.[index];
      return known?.offerings === offerings ? known : instanceType(size, offerings, requirements);
    });
    keep(this.#lists, key, list);
    this.#current.add(key);
    return list;
  }

  /** What is known about a size that may become a node. */
  get(sizeName: string): SkuFacts | undefined {
    return this.#byName.get(sizeName);
  }

  /** Sizes that are not offered to the node class, or to no class at all, each with the reason. By name. */
  refusedFor(nodeClass: AKSNodeClass): readonly RefusedSku[] {
    const parameters = parametersOf(nodeClass, this.#input.options);
    const { offered, refused } = this.#sizes ?? { offered: [], refused: [] };
    const own = offered.flatMap((sku): RefusedSku[] => {
      const refusal = nodeClassRefusal(sku, parameters);
      return refusal === undefined ? [] : [{ name: sku.name, refusal }];
    });
    return [...refused, ...own].sort((first, second) => (first.name < second.name ? -1 : 1));
  }

  /** Why the size is not offered; `unknown` when Azure does not list it in this region. */
  whyNot(sizeName: string, nodeClass: AKSNodeClass): SkuRefusal | 'unknown' | undefined {
    const found = this.refusedFor(nodeClass).find(({ name }) => name === sizeName);
    if (found !== undefined) return found.refusal;
    return this.#byName.has(sizeName) ? undefined : 'unknown';
  }

  async #refreshFromAzure(): Promise<boolean> {
    try {
      this.refresh(await this.#input.listSkus());
      return true;
    } catch (error) {
      this.#dueAtMs = this.#input.clock.monotonic() + SIZES_RETRY_MS;
      throw error;
    }
  }

  #fittedTo(parameters: Parameters, key: string): readonly FittedSize[] {
    const known = this.#fitted.get(key);
    if (known !== undefined) return known;
    const sizes = (this.#sizes?.offered ?? [])
      .filter((sku) => nodeClassRefusal(sku, parameters) === undefined)
      .map(sizeFitter(parameters, this.#input.region));
    keep(this.#fitted, key, sizes);
    return sizes;
  }

  #bringUpToDate(): void {
    if (this.#sizes === undefined) throw notLoaded(this.#input.region);
    const { prices, quota, unavailable } = this.#input;
    const generation = [this.#sequence, prices.sequence, quota.sequence, unavailable.sequence].join();
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#current.clear();
    const sources = { ...this.#input, priceOf: this.#currentPrices().of };
    for (const [sku, { templates, offerings: before }] of this.#markets) {
      const offerings = offeringsOf(sku, templates, sources, before);
      if (offerings === before) continue;
      this.#markets.set(sku, { templates, offerings, requirements: offeredRequirements(offerings) });
    }
  }

  #currentPrices(): RegionPrices {
    const { prices: reader, log } = this.#input;
    const generation = `${this.#sequence},${reader.sequence}`;
    if (this.#prices?.generation === generation) return this.#prices.prices;
    const prices = regionPrices(this.#markets.keys(), reader);
    const { estimated } = prices;
    if (estimated.length > 0 && estimated.join() !== this.#prices?.prices.estimated.join())
      log.info('prices of sizes that no price list has are estimated', {
        sizes: estimated.length,
        of: this.#markets.size,
        examples: estimated.slice(0, 5),
      });
    this.#prices = { generation, prices };
    return prices;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** The offerings of a size now. */
interface Market {
  readonly templates: readonly OfferingTemplate[];
  readonly offerings: readonly AzureOffering[];
  readonly requirements: readonly LabelRequirement[];
}

/** Node classes with parameters of their own; more than anybody has. */
const MAX_LISTS = 64;

function keep<T>(lists: Map<string, T>, key: string, list: T): void {
  if (!lists.has(key) && lists.size >= MAX_LISTS) lists.delete(lists.keys().next().value!);
  lists.set(key, list);
}

function notLoaded(region: string): CloudError {
  return new CloudError('Unreachable', `the VM sizes of ${region} have not been read from Azure yet`, {
    reason: 'InstanceTypeResolutionFailed',
  });
}

function noSizes(region: string, refused: number): CloudError {
  return new CloudError(
    'Unreachable',
    `Azure lists no VM size in ${region} that nodes can use (${refused} sizes are not usable)`,
    { reason: 'InstanceTypeResolutionFailed' },
  );
}
