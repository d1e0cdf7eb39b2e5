/**
 * The two ways to name a zone: ARM says `1`, nodes carry `eastus-1`. A VM outside of all zones carries `0`,
 * the fault domain that AKS writes there.
 */
import { normalLocation } from './resource-sku.ts';

export const REGIONAL_ZONE = '0';

export type PlacementScope = 'zonal' | 'regional';

export function zoneLabel(region: string, armZone: string): string {
  return `${normalLocation(region)}-${armZone}`;
}

/** What ARM's `zones` property gets; none for a regional VM. */
export function armZones(label: string): readonly string[] {
  if (label === REGIONAL_ZONE || label === '') return [];
  return [label.slice(label.lastIndexOf('-') + 1)];
}

/** The label of a VM that ARM shows in these zones. */
export function zoneLabelOf(region: string, zones: readonly string[] | undefined): string {
  const [zone] = zones ?? [];
  return zone === undefined || zone === '' ? REGIONAL_ZONE : zoneLabel(region, zone);
}

export function placementScope(label: string): PlacementScope {
  return label === REGIONAL_ZONE ? 'regional' : 'zonal';
}
