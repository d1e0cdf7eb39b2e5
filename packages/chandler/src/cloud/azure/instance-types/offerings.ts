/**
 * The offerings of a size: every available zone, and without a zone, on demand and spot. All are listed; those that
 * are unavailable have a reason.
 */
import { AksLabel, AzureLabel, CapacityType, KarpenterLabel, KubernetesLabel } from '../../../api/index.ts';
import type { LabelRequirement, Offering } from '../../../scheduling/index.ts';
import type { OfferingRef, UnavailableEntry } from '../../index.ts';

import {
  armZones,
  type PlacementScope,
  placementScope,
  REGIONAL_ZONE,
  type SkuFacts,
  zoneLabel,
} from '../sizes/index.ts';

export interface AzureOffering extends Offering {
  readonly zone: string;
  readonly capacityType: BuyableCapacityType;
  readonly placementScope: PlacementScope;
  readonly ultraSsd: boolean;
  /** No price list has it. */
  readonly priceEstimated?: true;
  /** Why it is not available; nothing when it is. */
  readonly refusal?: OfferingRefusal;
}

export type BuyableCapacityType = 'on-demand' | 'spot';

export type OfferingRefusal =
  /** Azure sells no spot VMs of this size here. */
  | { readonly code: 'NotSpotCapable' }
  /** It failed recently and is not tried again yet. */
  | { readonly code: 'RecentlyFailed'; readonly entry: UnavailableEntry }
  | QuotaRefusal;

export interface QuotaRefusal {
  readonly code: 'QuotaExceeded';
  readonly family: string;
  readonly limit: number;
  readonly used: number;
  readonly needed: number;
}

export interface OfferingSources {
  readonly region: string;
  readonly prices: PriceReader;
  readonly quota: QuotaReader;
  readonly unavailable: UnavailableReader;
}

/** `sequence` grows when an answer may have changed. */
export interface PriceReader {
  readonly sequence: number;
  /** US dollars per hour; nothing where it has to be estimated. */
  price(sizeName: string, capacityType: BuyableCapacityType): number | undefined;
}

export interface SizePrice {
  /** US dollars per hour. */
  readonly price: number;
  readonly estimated: boolean;
}

export type SizePrices = (sku: SkuFacts, capacityType: BuyableCapacityType) => SizePrice;

export interface QuotaReader {
  readonly sequence: number;
  /** Why the quota of the family has not enough cores left on demand; nothing when it has, or when that is not known. */
  refusal(family: string, vcpus: number): QuotaRefusal | undefined;
}

export interface UnavailableReader {
  readonly sequence: number;
  why(offering: OfferingRef): UnavailableEntry | undefined;
}

/** One offering of a size without price and availability. */
export interface OfferingTemplate {
  readonly zone: string;
  readonly capacityType: BuyableCapacityType;
  readonly placementScope: PlacementScope;
  readonly ultraSsd: boolean;
  readonly requirements: readonly LabelRequirement[];
  /** The key in the cache of unavailable offerings. */
  readonly ref: OfferingRef;
}

/**
 * Lists the offering templates of a size: on demand before spot, zones in order, the regional ones last. They change
 * with the size only. A few requirement lists serve the thousands of offerings of a region.
 */
export function offeringTemplateFinder(region: string): (sku: SkuFacts) => readonly OfferingTemplate[] {
  const lists = new Map<string, readonly LabelRequirement[]>();
  const requirements = (zone: string, capacityType: BuyableCapacityType, ultraSsd: boolean) => {
    const key = `${zone}|${capacityType}|${ultraSsd}`;
    const list = lists.get(key) ?? requirementsOf(zone, capacityType, ultraSsd);
    lists.set(key, list);
    return list;
  };
  return (sku) =>
    [...sku.zones.map((zone) => zoneLabel(region, zone)), REGIONAL_ZONE].flatMap((zone) => {
      const ultraSsd = hasUltraSsd(sku, zone);
      return CAPACITY_TYPES.map((capacityType) => ({
        zone,
        capacityType,
        placementScope: placementScope(zone),
        ultraSsd,
        requirements: requirements(zone, capacityType, ultraSsd),
        ref: offeringRef(sku, zone, capacityType),
      }));
    });
}

/** The offerings with current price and availability. The previous list if nothing has changed. */
export function offeringsOf(
  sku: SkuFacts,
  templates: readonly OfferingTemplate[],
  sources: Omit<OfferingSources, 'prices'> & { readonly priceOf: SizePrices },
  before: readonly AzureOffering[] = [],
): readonly AzureOffering[] {
  const prices = {
    'on-demand': sources.priceOf(sku, 'on-demand'),
    spot: sources.priceOf(sku, 'spot'),
  };
  const refusalOf = {
    'on-demand': sources.quota.refusal(sku.family, sku.vcpus),
    spot: sku.spotCapable ? undefined : NOT_SPOT_CAPABLE,
  };
  let same = before.length === templates.length;
  const offerings = templates.map((template, index) => {
    const price = prices[template.capacityType];
    const refusal = refusalOf[template.capacityType] ?? recentFailure(sources.unavailable, template.ref);
    const known = before[index];
    const samePrice = known?.price === price.price && (known.priceEstimated === true) === price.estimated;
    if (samePrice && sameRefusal(known.refusal, refusal)) return known;
    same = false;
    return offeringOf(template, price, refusal);
  });
  return same ? before : offerings;
}

export function offeringRef(sku: SkuFacts, zone: string, capacityType: BuyableCapacityType): OfferingRef {
  return { instanceType: sku.name, zone, capacityType, family: sku.family, vcpus: sku.vcpus };
}

// ---------------------------------------------------------------------------------------------------------------

const CAPACITY_TYPES: readonly BuyableCapacityType[] = [CapacityType.onDemand, CapacityType.spot];

const NOT_SPOT_CAPABLE: OfferingRefusal = { code: 'NotSpotCapable' };

function offeringOf(
  template: OfferingTemplate,
  { price, estimated }: SizePrice,
  refusal: OfferingRefusal | undefined,
): AzureOffering {
  const { zone, capacityType, ultraSsd, requirements } = template;
  const available = refusal === undefined;
  const offering: AzureOffering = {
    requirements,
    price,
    available,
    zone,
    capacityType,
    placementScope: template.placementScope,
    regional: template.placementScope === 'regional',
    ultraSsd,
    ...(estimated ? { priceEstimated: true } : {}),
  };
  return refusal === undefined ? offering : { ...offering, refusal };
}

function recentFailure(unavailable: UnavailableReader, ref: OfferingRef): OfferingRefusal | undefined {
  const entry = unavailable.why(ref);
  return entry === undefined ? undefined : { code: 'RecentlyFailed', entry };
}

function sameRefusal(first: OfferingRefusal | undefined, second: OfferingRefusal | undefined): boolean {
  if (first === undefined || second === undefined) return first === second;
  if (first.code === 'RecentlyFailed' && second.code === 'RecentlyFailed')
    return first.entry === second.entry;
  if (first.code === 'QuotaExceeded' && second.code === 'QuotaExceeded')
    return first.limit === second.limit && first.used === second.used && first.needed === second.needed;
  return first.code === second.code;
}

function hasUltraSsd(sku: SkuFacts, zone: string): boolean {
  const [armZone] = armZones(zone);
  return armZone === undefined ? sku.ultraSsdRegional : sku.ultraSsdZones.includes(armZone);
}

function requirementsOf(
  zone: string,
  capacityType: BuyableCapacityType,
  ultraSsd: boolean,
): readonly LabelRequirement[] {
  const priority = capacityType === CapacityType.spot ? 'spot' : 'regular';
  return [
    { key: KarpenterLabel.capacityType, operator: 'In', values: [capacityType] },
    { key: AksLabel.scaleSetPriority, operator: 'In', values: [priority] },
    { key: AksLabel.priority, operator: 'In', values: [priority] },
    { key: KubernetesLabel.zone, operator: 'In', values: [zone] },
    { key: AzureLabel.placementScope, operator: 'In', values: [placementScope(zone)] },
    { key: AzureLabel.skuStorageUltraSsd, operator: 'In', values: ultraSsd ? ['true', 'false'] : ['false'] },
  ];
}
