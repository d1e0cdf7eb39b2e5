/**
 * Server-side apply: a configuration is merged into the object, what its manager applied before and now leaves out is
 * removed unless others own it, and fields that others own cause a conflict or, with force, are taken over.
 */
import type { KubeObject } from '@chandler/kube';
import { ApiError, badRequest } from '../errors.ts';
import { filterSet } from './compare.ts';
import { conflictError } from './conflict.ts';
import { fieldSetOf, withNamedFields } from './extract.ts';
import { difference, EMPTY, has, intersection, isEmpty, pathsOf, setOfSteps, union } from './field-set.ts';
import { allowedByLastApplied, renewLastApplied } from './last-applied.ts';
import { identityOf, type Owners, type Ownership, readStored, writeEntries } from './managed-fields.ts';
import { mergeValues, removePaths } from './merge.ts';
import {
  type Conflicts,
  findConflicts,
  fitOwners,
  recordUpdate,
  takeChanges,
  withoutUnowned,
} from './ownership.ts';
import { type ApplyRequest, emptyObject, filterOf, inVersion, type Versioned, versioned } from './request.ts';
import { setEntries, withoutEntries } from './track-update.ts';
import { sameValue } from './typed-value.ts';
import { describeMisfits, misfits } from './validate.ts';

/** The manager under which kubectl applies, client-side and server-side. */
const KUBECTL = 'kubectl';

/** Owns the fields of an object that existed before the first apply and that no manager owns. */
const BEFORE_FIRST_APPLY = 'before-first-apply';

export function applyConfiguration(
  current: KubeObject | undefined,
  config: KubeObject,
  request: ApplyRequest,
): KubeObject {
  checkKind(current, config, request);
  const live = withoutEntries(
    current ?? { apiVersion: request.apiVersion, kind: config.kind as string, metadata: {} },
  );
  const owners = readStored(current?.metadata.managedFields);
  if (owners.size === 0 && current !== undefined) {
    recordUpdate(
      owners,
      versioned(emptyObject(request), request),
      versioned(live, request),
      request,
      BEFORE_FIRST_APPLY,
    );
  }
  checkConfiguration(config, request);
  const { object, owners: after } = applyOrRefuse(owners, live, config, request);
  setEntries(object, writeEntries(after));
  if (request.manager === KUBECTL) renewLastApplied(object, config);
  return object;
}

// ---------------------------------------------------------------------------------------------------

interface Applied {
  readonly object: KubeObject;
  readonly owners: Owners;
}

function checkKind(current: KubeObject | undefined, config: KubeObject, request: ApplyRequest): void {
  const kind = request.kind ?? current?.kind ?? request.structure.name?.split('.').at(-1);
  if (config.apiVersion === request.apiVersion && (kind === undefined || config.kind === kind)) return;
  throw badRequest(`invalid object type: ${describeKind(config)}`);
}

function checkConfiguration(config: KubeObject, request: ApplyRequest): void {
  if (Array.isArray(config.metadata?.managedFields)) throw badRequest('metadata.managedFields must be nil');
  const found = misfits(config, versioned(config, request).type);
  if (found.length === 0) return;
  const { namespace = '', name = '' } = config.metadata ?? {};
  const subject = `${namespace}/${name}; ${describeKind(config)}`;
  throw new ApiError(500, '', `failed to create typed patch object (${subject}): ${describeMisfits(found)}`);
}

/** `apps/v1, Kind=Deployment`; nothing is known of an object without both. */
function describeKind(object: KubeObject): string {
  const { apiVersion, kind } = object;
  const parts = typeof apiVersion === 'string' ? apiVersion.split('/') : [];
  if (parts.length === 0 || parts.length > 2) return '/, Kind=';
  const [group, version] = parts.length === 1 ? ['', parts[0]] : parts;
  return `${group}/${version}, Kind=${typeof kind === 'string' ? kind : ''}`;
}

/** Conflicts reject the apply, except when kubectl takes over what it had applied client-side. */
function applyOrRefuse(owners: Owners, live: KubeObject, config: KubeObject, request: ApplyRequest): Applied {
  const attempt = merge(new Map(owners), live, config, request);
  if (!(attempt instanceof Map)) return attempt;
  if (request.manager !== KUBECTL) throw conflictError(attempt, owners);
  const allowed = allowedByLastApplied(live, versioned(live, request).type, request.apiVersion);
  if (allowed === undefined) throw conflictError(attempt, owners);
  const refused: Conflicts = new Map();
  for (const [id, set] of attempt) {
    const paths = pathsOf(set).filter((path) => !has(allowed, path));
    if (paths.length > 0) refused.set(id, setOfSteps(paths));
  }
  if (refused.size > 0) throw conflictError(refused, owners);
  return merge(new Map(owners), live, config, { ...request, force: true }) as Applied;
}

function merge(
  owners: Owners,
  live: KubeObject,
  config: KubeObject,
  request: ApplyRequest,
): Applied | Conflicts {
  const before = versioned(live, request);
  fitOwners(owners, before, request);
  const { type } = before;
  const identity = {
    manager: request.manager === '' ? 'unknown' : request.manager,
    operation: 'Apply' as const,
    apiVersion: request.apiVersion,
    subresource: request.subresource ?? '',
  };
  const id = identityOf(identity);
  const last = owners.get(id);
  const set = filterSet(fieldSetOf(config, type), filterOf(request));
  owners.set(id, { ...identity, time: last?.time, set });
  const merged = { ...before, value: mergeValues(live, config, type) };
  const after = prune(merged, owners, last, request);
  if (!request.force) {
    const conflicts = findConflicts(owners, before, after, request, id);
    if (conflicts.size > 0) return conflicts;
  }
  takeChanges(owners, before, after, request, id);
  const changed = !sameValue(live, after.value);
  settleOwn(owners, id, changed ? request.now : undefined);
  return { object: copyForEntries((changed ? after.value : live) as KubeObject), owners };
}

/** An applier's entry is as of the last time that it changed the object, if ever. */
function settleOwn(owners: Owners, id: string, time: string | undefined): void {
  const own = owners.get(id);
  if (own === undefined) return;
  const set = withoutUnowned(own.set);
  if (isEmpty(set)) owners.delete(id);
  else owners.set(id, { ...own, set, time: time ?? own.time });
}

function copyForEntries(object: KubeObject): KubeObject {
  return { ...object, metadata: { ...object.metadata } };
}

/** The merged object without fields that its manager applied last time, omits this time, and no other manager owns. */
function prune(
  merged: Versioned,
  owners: Owners,
  last: Ownership | undefined,
  request: ApplyRequest,
): Versioned {
  if (last === undefined || isEmpty(last.set)) return merged;
  const then = inVersion(merged, last.apiVersion, request);
  if (then === undefined) return merged;
  const stripped = { ...then, value: removed(then, withNamedFields(last.set, then.type)) };
  const owned = addBackOwned(then, stripped, owners, request);
  const pruned = addBackDangling(then, owned, last, request);
  return inVersion(pruned, request.apiVersion, request) ?? merged;
}

function removed(from: Versioned, set: typeof EMPTY): unknown {
  return removePaths(from.value, set, from.type) ?? null;
}

/** Fields that any manager owns, including the applying one by its new configuration, are restored. */
function addBackOwned(
  merged: Versioned,
  pruned: Versioned,
  owners: Owners,
  request: ApplyRequest,
): Versioned {
  const byVersion = new Map<string, typeof EMPTY>();
  for (const owner of owners.values()) {
    byVersion.set(owner.apiVersion, union(byVersion.get(owner.apiVersion) ?? EMPTY, owner.set));
  }
  // First in the version that was pruned: other versions may not convert without fields that are restored here.
  const versions = [...byVersion.keys()].sort(
    (a, b) => rank(a, pruned.apiVersion) - rank(b, pruned.apiVersion),
  );
  let result = pruned;
  for (const version of versions) {
    const whole = inVersion(merged, version, request);
    const rest = inVersion(result, version, request);
    if (whole === undefined || rest === undefined) continue;
    const { type } = whole;
    const kept = union(
      withNamedFields(fieldSetOf(rest.value, type), type),
      withNamedFields(byVersion.get(version) ?? EMPTY, type),
    );
    const all = withNamedFields(fieldSetOf(whole.value, type), type);
    result = { ...whole, value: removed(whole, difference(all, kept)) };
  }
  return result;
}

function rank(version: string, first: string): number {
  return version === first ? 0 : 1;
}

/** What the applying manager had not applied last time was not its to remove. */
function addBackDangling(
  merged: Versioned,
  pruned: Versioned,
  last: Ownership,
  request: ApplyRequest,
): Versioned {
  const rest = inVersion(pruned, last.apiVersion, request);
  if (rest === undefined) return merged;
  const { type } = merged;
  const gone = difference(
    withNamedFields(fieldSetOf(merged.value, type), type),
    withNamedFields(fieldSetOf(rest.value, type), type),
  );
  return { ...merged, value: removed(merged, intersection(gone, withNamedFields(last.set, type))) };
}
