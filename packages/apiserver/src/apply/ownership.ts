/**
 * How ownership changes when an object changes: a manager loses what others changed or removed, and the manager of the
 * change gains it. The same rules apply to plain writes (which always succeed) and applies (which may be rejected).
 */
import { type Comparison, compare, filterComparison, filterSet } from './compare.ts';
import { fitToType } from './extract.ts';
import { difference, EMPTY, type FieldSet, intersection, isEmpty, setOfPaths, union } from './field-set.ts';
import { compareTimes, dropEmpty, identityOf, type Owners, type Ownership } from './managed-fields.ts';
import { filterOf, inVersion, type ManagerRequest, type Versioned } from './request.ts';

/** Fields that only the server sets, or that identify the object: no manager owns them. */
const UNOWNED: FieldSet = setOfPaths([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
]);

/** Of more updaters than this, the oldest become one. */
const MAX_UPDATERS = 10;
const OLD_UPDATERS = 'ancient-changes';

export function withoutUnowned(set: FieldSet): FieldSet {
  return difference(set, UNOWNED);
}

/** Fields that other managers own and this change would take from them. */
export type Conflicts = Map<string, FieldSet>;

/**
 * Ownership after a plain write: `owners` is changed in place. The writing manager gets what the write added or modified,
 * and a new time if there was a change.
 */
export function recordUpdate(
  owners: Owners,
  before: Versioned,
  after: Versioned,
  request: ManagerRequest,
  manager: string,
): void {
  fitOwners(owners, before, request);
  const comparison = takeChanges(owners, before, after, request, undefined);
  const gained = withoutUnowned(filterSet(union(comparison.modified, comparison.added), filterOf(request)));
  if (!isEmpty(gained)) gain(owners, gained, request, manager);
  capUpdaters(owners);
}

/** What an apply by `self` would take from others. */
export function findConflicts(
  owners: Owners,
  before: Versioned,
  after: Versioned,
  request: ManagerRequest,
  self: string,
): Conflicts {
  const conflicts: Conflicts = new Map();
  const compared = comparer(before, after, request);
  for (const [id, owner] of owners) {
    if (id === self) continue;
    const comparison = compared(owner.apiVersion);
    if (comparison === undefined) continue;
    const taken = intersection(owner.set, union(comparison.modified, comparison.added));
    if (!isEmpty(taken)) conflicts.set(id, taken);
  }
  return conflicts;
}

/** Takes from every manager but `self` what changed; returns the change as the request's version sees it. */
export function takeChanges(
  owners: Owners,
  before: Versioned,
  after: Versioned,
  request: ManagerRequest,
  self: string | undefined,
): Comparison {
  const compared = comparer(before, after, request);
  for (const [id, owner] of owners) {
    if (id === self) continue;
    const comparison = compared(owner.apiVersion);
    if (comparison === undefined) {
      owners.delete(id);
      continue;
    }
    const { added, modified, removed } = comparison;
    let set = owner.set;
    for (const lost of [added, modified, removed]) if (!isEmpty(lost)) set = difference(set, lost);
    if (set !== owner.set) owners.set(id, { ...owner, set });
  }
  dropEmpty(owners);
  return compared(request.apiVersion) ?? NO_CHANGE;
}

/** Fits the sets of all owners to the types of today; those of built-in kinds do not change. */
export function fitOwners(owners: Owners, live: Versioned, request: ManagerRequest): void {
  if (request.structure.name !== undefined) return;
  for (const [id, owner] of owners) {
    const here = inVersion(live, owner.apiVersion, request);
    if (here === undefined) {
      owners.delete(id);
      continue;
    }
    const set = fitToType(owner.set, here.type);
    if (set !== owner.set) owners.set(id, { ...owner, set });
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_CHANGE: Comparison = { added: EMPTY, modified: EMPTY, removed: EMPTY };

/** The change as owners of each version see it, worked out once per version. */
function comparer(
  before: Versioned,
  after: Versioned,
  request: ManagerRequest,
): (apiVersion: string) => Comparison | undefined {
  const known = new Map<string, Comparison | undefined>();
  const filter = filterOf(request);
  return (apiVersion) => {
    if (known.has(apiVersion)) return known.get(apiVersion);
    const left = inVersion(before, apiVersion, request);
    const right = inVersion(after, apiVersion, request);
    const comparison =
      left === undefined || right === undefined
        ? undefined
        : filterComparison(compare(left.value, right.value, right.type), filter);
    known.set(apiVersion, comparison);
    return comparison;
  };
}

function gain(owners: Owners, set: FieldSet, request: ManagerRequest, manager: string): void {
  const identity = {
    manager: manager === '' ? 'unknown' : manager,
    operation: 'Update' as const,
    apiVersion: request.apiVersion,
    subresource: request.subresource ?? '',
  };
  const id = identityOf(identity);
  const previous = owners.get(id);
  owners.set(id, {
    ...identity,
    time: request.now,
    set: previous === undefined ? set : union(set, previous.set),
  });
}

function capUpdaters(owners: Owners): void {
  if (owners.size <= MAX_UPDATERS) return;
  const updaters = [...owners].filter(([, owner]) => owner.operation === 'Update');
  let excess = updaters.length - MAX_UPDATERS;
  if (excess <= 0) return;
  updaters.sort(([a, left], [b, right]) => compareTimes(left.time, right.time) || (a < b ? -1 : 1));
  const firstOfVersion = new Map<string, string>();
  const joined = new Map<string, FieldSet[]>();
  for (const [id, owner] of updaters) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(owner.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(owner.apiVersion, id);
      continue;
    }
    joinOld(owners, joined, first, [id, owner]);
    excess--;
  }
  for (const [id, sets] of joined) owners.set(id, { ...owners.get(id)!, set: unionOf(sets) });
}

/** Puts an updater together with the oldest one of its version, under one name for both. */
function joinOld(
  owners: Owners,
  joined: Map<string, FieldSet[]>,
  first: string,
  [id, owner]: [string, Ownership],
): void {
  const bucket = {
    manager: OLD_UPDATERS,
    operation: 'Update' as const,
    apiVersion: owner.apiVersion,
    subresource: '',
  };
  const bucketId = identityOf(bucket);
  const sets = joined.get(bucketId) ?? [owners.get(bucketId)?.set ?? owners.get(first)?.set ?? EMPTY];
  if (!owners.has(bucketId)) owners.delete(first);
  owners.delete(id);
  sets.push(owner.set);
  joined.set(bucketId, sets);
  owners.set(bucketId, { ...bucket, time: owner.time, set: EMPTY });
}

/** By halves: a client may write a record of very many managers. */
function unionOf(sets: readonly FieldSet[]): FieldSet {
  if (sets.length <= 1) return sets[0] ?? EMPTY;
  const middle = sets.length >> 1;
  return union(unionOf(sets.slice(0, middle)), unionOf(sets.slice(middle)));
}
