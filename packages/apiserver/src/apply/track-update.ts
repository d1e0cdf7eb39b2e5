/**
 * `metadata.managedFields` of a plain write: create, replace or patch.
 */
import type { KubeObject, ManagedFieldsEntry } from '@chandler/kube';
import { type Owners, readForeign, readStored, writeEntries } from './managed-fields.ts';
import { recordUpdate } from './ownership.ts';
import { UnkeyedItem } from './path-element.ts';
import { emptyObject, type ManagerRequest, versioned } from './request.ts';
import { sameValue } from './typed-value.ts';
import { misfits } from './validate.ts';

export function trackUpdate(
  next: KubeObject,
  current: KubeObject | undefined,
  request: ManagerRequest,
): void {
  const owners = ownersBefore(next, current, request);
  // Once a client has thrown away the record of an existing object, it stays away until the next apply.
  const tracked = owners.size > 0 || current === undefined;
  setEntries(next, tracked ? entriesAfter(owners, next, current, request) : undefined);
}

/**
 * Takes back times that moved when nothing else changed, so that a write which changes nothing is one. To be called
 * when `next` is complete.
 */
export function keepTimesOfNoop(next: KubeObject, current: KubeObject): void {
  const before = current.metadata.managedFields;
  const after = next.metadata.managedFields;
  if (before === undefined || after === undefined || before.length !== after.length) return;
  if (after.every((entry, i) => entry.time === before[i]?.time)) return;
  if (!after.every((entry, i) => sameValue({ ...entry, time: '' }, { ...before[i], time: '' }))) return;
  next.metadata.managedFields = before;
  if (!sameValue(next, current)) next.metadata.managedFields = after;
}

export function setEntries(object: KubeObject, entries: ManagedFieldsEntry[] | undefined): void {
  if (entries === undefined) delete object.metadata.managedFields;
  else object.metadata.managedFields = entries;
}

/** The object without its record of owners, which is no part of what is compared. */
export function withoutEntries(object: KubeObject): KubeObject {
  if (object.metadata.managedFields === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

// ---------------------------------------------------------------------------------------------------

function entriesAfter(
  owners: Owners,
  next: KubeObject,
  current: KubeObject | undefined,
  request: ManagerRequest,
): ManagedFieldsEntry[] | undefined {
  const before = versioned(current === undefined ? emptyObject(request) : withoutEntries(current), request);
  const after = versioned(withoutEntries(next), request);
  // A built-in kind has been decoded into its type; a custom resource is validated only later.
  if (request.structure.name === undefined && misfits(after.value, after.type, true).length > 0)
    return undefined;
  try {
    recordUpdate(owners, before, after, request, request.manager);
  } catch (error) {
    // Items that cannot be distinguished cannot be tracked; no record is better than a wrong one.
    if (error instanceof UnkeyedItem) return undefined;
    throw error;
  }
  return writeEntries(owners);
}

/** Clients may write the record themselves, but not through a subresource, and not lose it by leaving it out. */
function ownersBefore(next: KubeObject, current: KubeObject | undefined, request: ManagerRequest): Owners {
  const stored = current?.metadata.managedFields;
  const written = next.metadata.managedFields;
  if (request.subresource !== undefined && request.subresource !== '') return readStored(stored);
  if (written === undefined || written === null) return readStored(stored);
  if (isReset(written)) return new Map();
  if (sameValue(written, stored)) return readStored(stored);
  try {
    return readForeign(written);
  } catch {
    return readStored(stored);
  }
}

/** An empty list, or a list of one empty entry, asks to forget all owners. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  if (entries.length === 0) return true;
  return entries.length === 1 && sameValue(entries[0], {});
}
