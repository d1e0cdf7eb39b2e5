/**
 * Ownership across the scale subresource: a Scale shows who owns the replicas of the object behind it, and what a
 * write of the Scale did to that is carried back. Only the path of the replicas passes through.
 *
 * A write of a Scale is: `scaleEntries` into the current Scale, `trackUpdate` or `applyConfiguration` on it (with the
 * structure of Scale, `autoscaling/v1` and subresource `scale`), `entriesBehindScale` into the object.
 */
import type { ManagedFieldsEntry } from '@chandler/kube';
import { difference, has, isEmpty, setOfPaths } from './field-set.ts';
import { type Owners, readStored, writeEntries } from './managed-fields.ts';

/** Where the replicas are, by each apiVersion under which the object may have owners. */
export type ReplicasPaths = Readonly<Record<string, readonly string[]>>;

export const SCALE_API_VERSION = 'autoscaling/v1';

export function scaleEntries(
  entries: readonly ManagedFieldsEntry[] | undefined,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const shown: Owners = new Map();
  for (const [id, owner] of readStored(entries)) {
    const path = paths[owner.apiVersion];
    if (path === undefined || !has(owner.set, stepsOf(path))) continue;
    shown.set(id, { ...owner, apiVersion: SCALE_API_VERSION, set: SCALE_REPLICAS });
  }
  return writeEntries(shown);
}

/** `apiVersion` is the one under which the object behind the Scale is served. */
export function entriesBehindScale(
  entries: readonly ManagedFieldsEntry[] | undefined,
  scale: readonly ManagedFieldsEntry[] | undefined,
  apiVersion: string,
  paths: ReplicasPaths,
): ManagedFieldsEntry[] | undefined {
  const owners: Owners = new Map();
  const scalers = readStored(scale);
  for (const [id, owner] of readStored(entries)) {
    const path = paths[owner.apiVersion];
    if (path === undefined) continue;
    if (!has(owner.set, stepsOf(path)) || scalers.delete(id)) {
      owners.set(id, owner);
      continue;
    }
    const set = difference(owner.set, setOfPaths([path]));
    if (!isEmpty(set)) owners.set(id, { ...owner, set });
  }
  const path = paths[apiVersion];
  for (const [id, scaler] of scalers) {
    if (path === undefined || !has(scaler.set, stepsOf(SCALE_PATH))) continue;
    // The time of the write is not preserved: real entries have none either.
    owners.set(id, { ...scaler, apiVersion, set: setOfPaths([path]), time: undefined });
  }
  return writeEntries(owners);
}

// ---------------------------------------------------------------------------------------------------

const SCALE_PATH = ['spec', 'replicas'];
const SCALE_REPLICAS = setOfPaths([SCALE_PATH]);

function stepsOf(path: readonly string[]): string[] {
  return path.map((name) => `f:${name}`);
}
