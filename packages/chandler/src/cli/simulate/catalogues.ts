/**
 * Chooses the instance types of each NodePool: a catalogue file, the built-in catalogue of the cloud that serves its node
 * class or that is asked for by name, or the generic catalogue. Every choice becomes a note of the report.
 */
import type { KubeObject } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import {
  type CatalogueRow,
  GENERIC_WELL_KNOWN_LABELS,
  genericCatalogue,
  type OfflineCatalogue,
} from '../../cloud/index.ts';
import { CATALOGUES } from '../../cloud/registry.ts';
import type { InstanceType, StorageClass } from '../../scheduling/index.ts';

import { PLANNER_WORLD } from '../why/planner-world.ts';
import { readCatalogue } from './catalogue-file.ts';
import type { Inventory } from './inventory.ts';
import { placesOf } from './places.ts';
import { regionOf } from './region.ts';
import { readText } from './sources.ts';

/** The value of `--catalogue` for the generic catalogue. */
export const GENERIC = 'generic';

export interface Catalogues {
  /** By name, as `SchedulingInput` has them. */
  readonly lists: Readonly<Record<string, readonly InstanceType[]>>;
  readonly wellKnownLabels: readonly string[];
  /** As `SchedulingInput` has it; absent where no cloud of the NodePools has reservations. */
  readonly reservationLabel?: string;
  readonly notes: readonly string[];
  /** StorageClasses that every cluster of the cloud has. */
  readonly storageClasses: readonly StorageClass[];
  /** The name of the list that the NodePool uses. */
  nameFor(pool: NodePool): string;
}

export interface CatalogueChoice {
  /** A file, `generic`, or the name of a built-in catalogue. Undefined: by the node class of each NodePool. */
  readonly catalogue: string | undefined;
  /** Zones of the generic catalogue; any zone implies that catalogue. */
  readonly zones: readonly string[];
  /** Lets others have their turn: after each list of instance types. Default: it does not. */
  readonly pause?: () => Promise<void> | void;
}

/** @throws {Failure} for a catalogue file that cannot be used. */
export async function cataloguesFor(inventory: Inventory, choice: CatalogueChoice): Promise<Catalogues> {
  const { catalogue, zones, pause = () => undefined } = choice;
  const named = CATALOGUES.find(({ name }) => name === catalogue);
  if (named !== undefined) return builtIn(inventory, () => named, pause);
  if (catalogue !== undefined && catalogue !== GENERIC) {
    const types = readCatalogue({ name: catalogue, text: await readText(catalogue) });
    return onlyOne('file', types, []);
  }
  if (catalogue === GENERIC || zones.length > 0) {
    const { types, note } = genericTypes(inventory, zones);
    return onlyOne(GENERIC, types, [note]);
  }
  return builtIn(inventory, (pool) => CATALOGUES.find((row) => serves(row, pool)), pause);
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

/** @param rowOf the catalogue of a NodePool; undefined for the generic one. */
async function builtIn(
  inventory: Inventory,
  rowOf: (pool: NodePool) => CatalogueRow | undefined,
  pause: () => Promise<void> | void,
): Promise<Catalogues> {
  const pools = inventory.objects<NodePool>('NodePool');
  const lists: Record<string, readonly InstanceType[]> = {};
  const notes: string[] = [];
  const wellKnownLabels = new Set(GENERIC_WELL_KNOWN_LABELS);
  const storageClasses: StorageClass[] = [];
  let reservationLabel: string | undefined;
  if (pools.length === 0 || pools.some((pool) => rowOf(pool) === undefined)) {
    const { types, note } = genericTypes(inventory, []);
    lists[GENERIC] = types;
    notes.push(note);
  }
  const rows = CATALOGUES.filter((row) => pools.some((pool) => rowOf(pool) === row));
  const used = await Promise.all(rows.map(async (row) => ({ row, catalogue: await row.catalogue() })));
  for (const { row, catalogue } of used) {
    const served = pools.filter((pool) => rowOf(pool) === row);
    const others = used.filter((each) => each.row !== row).map((each) => each.catalogue);
    const region =
      regionOf({ inventory, cloud: row.name, catalogue, others, pools: served }) ?? catalogue.homeRegion;
    await pause();
    const provider = await providerOf(row, catalogue, region);
    for (const pool of served) {
      const name = listName(row, pool);
      if (name in lists) continue;
      await pause();
      lists[name] = provider.instanceTypes(nodeClassOf(inventory, row, pool));
    }
    await pause();
    notes.push(
      `Instance types and prices are those of ${row.title} for ${region}: list prices as of ${catalogue.pricesAsOf}, ` +
        'approximate; availability and quota are not known. Use --catalogue for another.',
      ...(catalogue.priceNotes?.(region) ?? []),
      ...missingClasses(inventory, row, served),
    );
    for (const label of catalogue.wellKnownLabels) wellKnownLabels.add(label);
    reservationLabel ??= catalogue.reservationLabel;
    storageClasses.push(...(await storageClassesOf(row)));
  }
  return {
    lists,
    wellKnownLabels: [...wellKnownLabels].sort(),
    ...(reservationLabel === undefined ? {} : { reservationLabel }),
    notes,
    storageClasses,
    nameFor: (pool) => {
      const row = rowOf(pool);
      return row === undefined ? GENERIC : listName(row, pool);
    },
  };
}

function serves({ nodeClasses }: CatalogueRow, { spec }: NodePool): boolean {
  const { group, kind } = spec.template.spec.nodeClassRef;
  return nodeClasses.some((own) => own.group === group && own.kind === kind);
}

/** A NodePool of another cloud has the defaults of the catalogue that was asked for. */
function listName(row: CatalogueRow, pool: NodePool): string {
  const { kind, name } = pool.spec.template.spec.nodeClassRef;
  return serves(row, pool) ? `${kind}/${name}` : row.name;
}

function nodeClassOf(inventory: Inventory, row: CatalogueRow, pool: NodePool): KubeObject | undefined {
  if (!serves(row, pool)) return undefined;
  const { kind, name } = pool.spec.template.spec.nodeClassRef;
  return inventory.objects(kind).find(({ metadata }) => metadata.name === name);
}

/** Each of them once, with the first NodePool that uses it. */
function missingClasses(
  inventory: Inventory,
  row: CatalogueRow,
  pools: readonly NodePool[],
): readonly string[] {
  const notes = new Map<string, string>();
  for (const pool of pools) {
    const { kind, name } = pool.spec.template.spec.nodeClassRef;
    const list = listName(row, pool);
    if (!serves(row, pool) || notes.has(list) || nodeClassOf(inventory, row, pool) !== undefined) continue;
    notes.set(
      list,
      `${kind} ${name} of NodePool ${pool.metadata.name} is not in the input; the defaults of its fields are assumed, ` +
        'such as the maximum number of pods and the disk.',
    );
  }
  return [...notes.values()];
}

async function providerOf({ name }: CatalogueRow, catalogue: OfflineCatalogue, region: string) {
  const { offlineSizes } = await import('../../playground/offline-catalogue.ts');
  const sizes = offlineSizes(name, region, catalogue.homeRegion);
  return catalogue.provider({ world: PLANNER_WORLD, region, sizes, howMany: 'all' });
}

async function storageClassesOf({ name }: CatalogueRow): Promise<readonly StorageClass[]> {
  const { offlineStorageClasses } = await import('../../playground/offline-catalogue.ts');
  return offlineStorageClasses(name) as readonly StorageClass[];
}
