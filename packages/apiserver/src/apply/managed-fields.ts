/**
 * The entries of `metadata.managedFields`: reads them, identifies managers, and writes them back in the order of a real
 * server. It does not interpret their field sets.
 */
import type { ManagedFieldsEntry } from '@chandler/kube';
import { canonicalSet, EMPTY, type FieldSet, isEmpty } from './field-set.ts';
import { goJson } from './path-element.ts';

export interface Ownership {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly set: FieldSet;
}

/** Managers by identity. */
export type Owners = Map<string, Ownership>;

/**
 * The identity of a manager: an updater is another one in each API version, an applier is not. It is also what
 * managers are sorted by in messages.
 */
export function identityOf(
  entry: Pick<Ownership, 'manager' | 'operation' | 'apiVersion' | 'subresource'>,
): string {
  const parts = [
    entry.manager === '' ? '' : `"manager":${goJson(entry.manager)}`,
    `"operation":"${entry.operation}"`,
    entry.operation === 'Apply' ? '' : `"apiVersion":${goJson(entry.apiVersion)}`,
    entry.subresource === '' ? '' : `"subresource":${goJson(entry.subresource)}`,
  ];
  return `{${parts.filter((part) => part !== '').join(',')}}`;
}

/** Entries that this server wrote: their sets are canonical already. */
export function readStored(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  const owners: Owners = new Map();
  for (const entry of entries ?? []) add(owners, entry, entry.fieldsV1 ?? EMPTY);
  return owners;
}

/** Entries that a client wrote. Throws when one of them is not well formed. */
export function readForeign(entries: readonly ManagedFieldsEntry[] | undefined): Owners {
  const owners: Owners = new Map();
  for (const [index, entry] of (entries ?? []).entries()) {
    if (entry.operation !== 'Apply' && entry.operation !== 'Update')
      throw new Error('operation must be `Apply` or `Update`');
    if (!entry.apiVersion) throw new Error('apiVersion must not be empty');
    if (!entry.fieldsType) throw new Error(`missing fieldsType in managed fields entry ${index}`);
    if (entry.fieldsType !== 'FieldsV1') {
      throw new Error(`invalid fieldsType ${goJson(entry.fieldsType)} in managed fields entry ${index}`);
    }
    add(owners, entry, canonicalSet(entry.fieldsV1 ?? EMPTY));
  }
  return owners;
}

/** Undefined when no field has an owner. */
export function writeEntries(owners: Owners): ManagedFieldsEntry[] | undefined {
  if (owners.size === 0) return undefined;
  const sorted = [...owners.values()];
  if (sorted.length > 1) sorted.sort(compareEntries);
  return sorted.map((owner) => {
    const entry: ManagedFieldsEntry = {
      manager: owner.manager,
      operation: owner.operation,
      apiVersion: owner.apiVersion,
    };
    if (owner.time !== undefined) entry.time = owner.time;
    entry.fieldsType = 'FieldsV1';
    entry.fieldsV1 = owner.set;
    if (owner.subresource !== '') entry.subresource = owner.subresource;
    return entry;
  });
}

export function dropEmpty(owners: Owners): void {
  for (const [id, owner] of owners) if (isEmpty(owner.set)) owners.delete(id);
}

/** Oldest first; an entry without a time is older than all. */
export function compareTimes(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  return seconds(a) - seconds(b);
}

// ---------------------------------------------------------------------------------------------------

function add(owners: Owners, entry: ManagedFieldsEntry, set: FieldSet): void {
  const owner: Ownership = {
    manager: entry.manager ?? '',
    operation: entry.operation ?? 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    time: entry.time,
    set,
  };
  owners.set(identityOf(owner), owner);
}

function seconds(time: string | undefined): number {
  return time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);
}

function compareEntries(a: Ownership, b: Ownership): number {
  return (
    compareText(a.operation, b.operation) ||
    compareTimes(a.time, b.time) ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
