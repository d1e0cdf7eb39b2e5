/**
 * The wire object of the ResourceSkus list, as far as it is read, and small readers over it. Everything on the wire
 * may be missing. `ResourceSku` of the SDK fits this shape.
 */

export interface ResourceSku {
  readonly name?: string;
  readonly resourceType?: string;
  /** The family in which Azure counts quota: `standardDSv5Family`. */
  readonly family?: string;
  readonly locations?: readonly string[];
  readonly locationInfo?: readonly SkuLocation[];
  readonly capabilities?: readonly Capability[];
  readonly restrictions?: readonly SkuRestriction[];
}

export interface SkuLocation {
  readonly location?: string;
  readonly zones?: readonly string[];
  readonly zoneDetails?: readonly {
    readonly name?: readonly string[];
    /** How Azure spells it. */
    readonly Name?: readonly string[];
    readonly capabilities?: readonly Capability[];
  }[];
}

export interface Capability {
  readonly name?: string;
  readonly value?: string;
}

export interface SkuRestriction {
  /** `Location` or `Zone`. */
  readonly type?: string;
  /** Of locations, for either type. */
  readonly values?: readonly string[];
  readonly restrictionInfo?: { readonly locations?: readonly string[]; readonly zones?: readonly string[] };
  /** `QuotaId` or `NotAvailableForSubscription`. */
  readonly reasonCode?: string;
}

/** Display names (`East US`) and names (`eastus`) are the same place. */
export function sameLocation(first: string, second: string): boolean {
  return normalLocation(first) === normalLocation(second);
}

export function normalLocation(location: string): string {
  return location.replaceAll(' ', '').toLowerCase();
}

export type Capabilities = ReadonlyMap<string, string>;

/** By name; the first of a name counts. */
export function capabilitiesOf(list: readonly Capability[] | undefined): Capabilities {
  const found = new Map<string, string>();
  for (const { name, value } of list ?? [])
    if (name !== undefined && value !== undefined && !found.has(name)) found.set(name, value);
  return found;
}

export function isTrue(capabilities: Capabilities, name: string): boolean {
  return capabilities.get(name)?.toLowerCase() === 'true';
}

/** A number that is not negative; nothing for anything else. */
export function numberOf(capabilities: Capabilities, name: string): number | undefined {
  const text = capabilities.get(name);
  if (text === undefined || !/^[0-9]+(\.[0-9]+)?$/.test(text.trim())) return undefined;
  return Number(text);
}

/** `V1,V2` as a list. */
export function listOf(capabilities: Capabilities, name: string): readonly string[] {
  const text = capabilities.get(name) ?? '';
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Zones of the location that are open to this subscription, in order. */
export function openZones(sku: ResourceSku, location: string): readonly string[] {
  const here = (sku.locationInfo ?? []).filter((info) => sameLocation(info.location ?? '', location));
  const closed = new Set<string>();
  for (const restriction of sku.restrictions ?? []) {
    if (restriction.type === 'Location' || !concerns(restriction, location)) continue;
    for (const zone of restriction.restrictionInfo?.zones ?? []) closed.add(zone);
  }
  const zones = new Set(here.flatMap((info) => info.zones ?? []));
  return [...zones].filter((zone) => !closed.has(zone)).sort();
}

/** Why the size may not be used anywhere in the location: the reason code, or an empty one. Nothing if it may. */
export function closedInLocation(sku: ResourceSku, location: string): string | undefined {
  const found = (sku.restrictions ?? []).find(
    (restriction) => restriction.type === 'Location' && concerns(restriction, location),
  );
  return found === undefined ? undefined : (found.reasonCode ?? '');
}

/** Zones in which the capability is there. */
export function zonesWith(sku: ResourceSku, location: string, capability: string): readonly string[] {
  const zones = new Set<string>();
  for (const info of sku.locationInfo ?? []) {
    if (!sameLocation(info.location ?? '', location)) continue;
    for (const detail of info.zoneDetails ?? []) {
      if (!isTrue(capabilitiesOf(detail.capabilities), capability)) continue;
      for (const zone of detail.name ?? detail.Name ?? []) zones.add(zone);
    }
  }
  return [...zones].sort();
}

// ---------------------------------------------------------------------------------------------------------------

function concerns(restriction: SkuRestriction, location: string): boolean {
  return (restriction.values ?? []).some((value) => sameLocation(value, location));
}
