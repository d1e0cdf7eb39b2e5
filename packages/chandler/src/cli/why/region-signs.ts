/**
 * The region of a cloud from objects that name regions or zones. A cluster may have nodes of several clouds: those of this
 * one decide, and those of another do not count.
 */
import type { OfflineCatalogue } from '../../cloud/index.ts';

/** The regions and zones that an object names. */
export interface RegionSign {
  /** Whether it is an object of this cloud, or of one that is not known. */
  readonly owner: 'own' | 'other' | 'unknown';
  readonly regions: readonly string[];
  readonly zones: readonly string[];
}

/** @param row the cloud of the object; undefined: not known. */
export function ownerOf(row: { readonly name: string } | undefined, cloud: string): RegionSign['owner'] {
  if (row === undefined) return 'unknown';
  return row.name === cloud ? 'own' : 'other';
}

/** Of several, the first by name. Undefined: they show none. */
export function regionOfSigns(
  signs: readonly RegionSign[],
  { regionOfZone }: Pick<OfflineCatalogue, 'regionOfZone'>,
): string | undefined {
  const own = signs.filter(({ owner }) => owner === 'own');
  const unknown = signs.filter(({ owner }) => owner === 'unknown');
  const named = (from: readonly RegionSign[]) => from.flatMap(({ regions }) => regions.filter(isRegion));
  const ofZones = (from: readonly RegionSign[]) =>
    from.flatMap(({ zones }) => zones.flatMap((zone) => regionOfZone(zone) ?? []));
  // Zones of clouds have different forms, and regions have not.
  const steps = [named(own), ofZones(own), ofZones(unknown), named(unknown)];
  return steps.find((regions) => regions.length > 0)?.sort()[0];
}

/** `westeurope`, `us-gov-west-1`. */
export function isRegion(text: string): boolean {
  return /^[a-z][a-z0-9-]*$/.test(text);
}
