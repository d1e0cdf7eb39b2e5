/**
 * Chooses the instance types of each NodePool: a catalogue file, the built-in catalogue of the cloud that serves its node
 * class, or the generic catalogue. Every choice becomes a note of the report.
 */
import type { KubeObject } from '@chandler/kube';
import { KubernetesLabel, type NodePool } from '../../api/index.ts';
import { type CloudDiagnosis, GENERIC_WELL_KNOWN_LABELS, genericCatalogue } from '../../cloud/index.ts';
import { diagnosisOf } from '../../cloud/registry.ts';
import type { InstanceType, StorageClass } from '../../scheduling/index.ts';

import { PLANNER_WORLD } from '../why/planner-world.ts';
import { readCatalogue } from './catalogue-file.ts';
import type { Inventory } from './inventory.ts';
import { namedValues, placesOf } from './places.ts';
import { readText } from './sources.ts';

/** The value of `--catalogue` for the generic catalogue. */
export const GENERIC = 'generic';

export interface Catalogues {
  /** By name, as `SchedulingInput` has them. */
  readonly lists: Readonly<Record<string, readonly InstanceType[]>>;
  readonly wellKnownLabels: readonly string[];
  readonly notes: readonly string[];
  /** StorageClasses that every cluster of the cloud has. */
  readonly storageClasses: readonly StorageClass[];
  /** The name of the list that the NodePool uses. */
  nameFor(pool: NodePool): string;
}

export interface CatalogueChoice {
  /** A file, or `generic`. Undefined: by the node class of each NodePool. */
  readonly catalogue: string | undefined;
  /** Zones of the generic catalogue; any zone implies that catalogue. */
  readonly zones: readonly string[];
}

/** @throws {Failure} for a catalogue file that cannot be used. */
export async function cataloguesFor(inventory: Inventory, choice: CatalogueChoice): Promise<Catalogues> {
  const { catalogue, zones } = choice;
  if (catalogue !== undefined && catalogue !== GENERIC) {
    const types = readCatalogue({ name: catalogue, text: await readText(catalogue) });
    return onlyOne('file', types, []);
  }
  if (catalogue === GENERIC || zones.length > 0) {
    const { types, note } = genericTypes(inventory, zones);
    return onlyOne(GENERIC, types, [note]);
  }
  return byNodeClass(inventory);
}

// ---------------------------------------------------------------------------------------------------------------

function onlyOne(name: string, types: readonly InstanceType[], notes: readonly string[]): Catalogues {
  return {
    lists: { [name]: types },
    wellKnownLabels: GENERIC_WELL_KNOWN_LABELS,
    notes,
    storageClasses: [],
    nameFor: () => name,
  };
}

function genericTypes(inventory: Inventory, zones: readonly string[]) {
  const places = placesOf(inventory, zones);
  const types = genericCatalogue(places);
  const note =
    `Prices and instance types are from the generic catalogue (${types.length} types in ${places.zones.join(', ')}); ` +
    'use --catalogue for another.';
  return { types, note };
}

async function byNodeClass(inventory: Inventory): Promise<Catalogues> {
  const pools = inventory.objects<NodePool>('NodePool');
  const cloud = await diagnosisOf().diagnosis();
  const served = pools.filter((pool) => serves(cloud, pool));
  const lists: Record<string, readonly InstanceType[]> = {};
  const notes: string[] = [];
  if (served.length < pools.length || pools.length === 0) {
    const { types, note } = genericTypes(inventory, []);
    lists[GENERIC] = types;
    notes.push(note);
  }
  if (served.length > 0) {
    const region = regionOf(inventory) ?? cloud.catalogue.homeRegion;
    const provider = await providerOf(cloud, region);
    for (const pool of served) lists[listName(pool)] ??= provider.instanceTypes(nodeClassOf(inventory, pool));
    notes.push(
      `Instance types and prices are those of ${cloud.title} for ${region}: list prices as of ${cloud.catalogue.pricesAsOf}, ` +
        'approximate; availability and quota are not known. Use --catalogue for another.',
      ...missingClasses(inventory, served),
    );
  }
  return {
    lists,
    wellKnownLabels: [...new Set([...GENERIC_WELL_KNOWN_LABELS, ...cloud.catalogue.wellKnownLabels])].sort(),
    notes,
    storageClasses: served.length > 0 ? await storageClassesOf(cloud) : [],
    nameFor: (pool) => (serves(cloud, pool) ? listName(pool) : GENERIC),
  };
}

function serves({ nodeClasses }: CloudDiagnosis, { spec }: NodePool): boolean {
  const { group, kind } = spec.template.spec.nodeClassRef;
  return nodeClasses.some((own) => own.group === group && own.kind === kind);
}

function listName({ spec }: NodePool): string {
  const { kind, name } = spec.template.spec.nodeClassRef;
  return `${kind}/${name}`;
}

function nodeClassOf(inventory: Inventory, { spec }: NodePool): KubeObject | undefined {
  const { kind, name } = spec.template.spec.nodeClassRef;
  return inventory.objects(kind).find(({ metadata }) => metadata.name === name);
}

/** Each of them once, with the first NodePool that uses it. */
function missingClasses(inventory: Inventory, pools: readonly NodePool[]): readonly string[] {
  const notes = new Map<string, string>();
  for (const pool of pools) {
    const { kind, name } = pool.spec.template.spec.nodeClassRef;
    if (notes.has(listName(pool)) || nodeClassOf(inventory, pool) !== undefined) continue;
    notes.set(
      listName(pool),
      `${kind} ${name} of NodePool ${pool.metadata.name} is not in the input; the defaults of its fields are assumed, ` +
        'such as the maximum number of pods and the disk.',
    );
  }
  return [...notes.values()];
}

async function providerOf({ name, catalogue }: CloudDiagnosis, region: string) {
  const { offlineSizes } = await import('../../playground/offline-catalogue.ts');
  const sizes = offlineSizes(name, region, catalogue.homeRegion);
  return catalogue.provider({ world: PLANNER_WORLD, region, sizes, howMany: 'all' });
}

async function storageClassesOf({ name }: CloudDiagnosis): Promise<readonly StorageClass[]> {
  const { offlineStorageClasses } = await import('../../playground/offline-catalogue.ts');
  return offlineStorageClasses(name) as readonly StorageClass[];
}

/** By the label of the region, otherwise by zones of the form `region-1`. */
function regionOf(inventory: Inventory): string | undefined {
  const [named] = namedValues(inventory, KubernetesLabel.region);
  if (named !== undefined) return named;
  const regions = namedValues(inventory, KubernetesLabel.zone).flatMap(
    (zone) => /^([a-z]{5,}\d*)-[1-9]$/.exec(zone)?.[1] ?? [],
  );
  return regions[0];
}
