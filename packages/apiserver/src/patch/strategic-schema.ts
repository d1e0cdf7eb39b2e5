/**
 * What a strategic merge patch asks of a kind's shape: how the field of a struct merges, and what its items are.
 */
import type { Structure } from '../structure.ts';
import { unforeseen } from './patch-error.ts';

export interface ListField {
  /** The shape of an item. */
  readonly item: Structure | undefined;
  /** The merge key of items; empty for lists of scalars. */
  readonly mergeKey: string;
  readonly strategy: Structure['patchStrategy'];
}

export function structFieldOf(structure: Structure | undefined, name: string): Structure | undefined {
  if (structure === undefined) return undefined;
  const { properties } = structure;
  if (properties === undefined) throw noStruct(structure, name);
  const exact = Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (exact !== undefined) return exact;
  const folded = Object.keys(properties).find((field) => field.toLowerCase() === name.toLowerCase());
  if (folded === undefined) throw noField(structure, name);
  return properties[folded];
}

export function listItemOf(structure: Structure | undefined, name: string): ListField {
  const field = structFieldOf(structure, name);
  return { item: field?.items, mergeKey: field?.patchMergeKey ?? '', strategy: field?.patchStrategy };
}

export function mergesLists(strategy: Structure['patchStrategy']): boolean {
  return strategy === 'merge' || strategy === 'merge,retainKeys';
}

/** What Go calls the shape, for messages. */
export function shapeKind(structure: Structure | undefined): string {
  if (structure === undefined) return 'struct';
  return structure.additional === undefined ? (KINDS[structure.type] ?? 'string') : 'map';
}

// ---------------------------------------------------------------------------------------------------

const KINDS: Partial<Record<Structure['type'], string>> = {
  object: 'struct',
  array: 'slice',
  any: 'struct',
  quantity: 'struct',
  intOrString: 'struct',
};

function noStruct(structure: Structure, name: string): Error {
  const kind = shapeKind(structure);
  if (kind === 'struct') return noField(structure, name);
  return unforeseen(`merging an object in json but data type is not struct, instead is: ${kind}`);
}

function noField(structure: Structure, name: string): Error {
  const type = structure.name?.split('.').at(-1) ?? '';
  return unforeseen(`unable to find api field in struct ${type} for the json field ${JSON.stringify(name)}`);
}
