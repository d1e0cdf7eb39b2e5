/**
 * Replace and patch, up to storing: builds the next object from the current one and validates the transition. It also
 * removes an object when an update removes its last finalizer.
 */
import type { KubeObject, Stored as StoredObject } from '@chandler/kube';
import { keepTimesOfNoop } from '../apply/index.ts';
import { mustAuthorize } from '../edge/auth/attributes.ts';
import { conflict, internalFault, invalid, notFound, STALE_OBJECT } from '../errors.ts';
import { cloneJson, equalJson } from '../storage/json.ts';
import { Stored, toStorage } from '../storage/stored.ts';
import { attributesOf, type Call } from './call.ts';
import { storeNew } from './create.ts';
import { resourceVersionProblem } from './go-values.ts';
import { carryOver, commonUpdateErrors, dedupOwners, keepGeneration, placeInNamespace } from './metadata.ts';
import { storageConflict } from './preconditions.ts';

export interface UpdatePlan {
  /** The object that the client wants, in the request's version; `current` is frozen, the result is private. */
  next(current: StoredObject | undefined): KubeObject;
  /** The request names the object's uid: another object of that name is a conflict. */
  readonly uid?: string;
  /** Server-side apply creates what does not exist. */
  readonly createMissing?: boolean;
  /** What the server writes for itself (bindings, conditions of an eviction) passes no plugin. */
  readonly skipAdmission?: boolean;
}

export interface Updated {
  readonly item: Stored;
  readonly created: boolean;
}

export function updateObject(call: Call, plan: UpdatePlan): Updated {
  const { resource, parts } = call;
  const stored = parts.store.get(resource.storage.key, call.namespace ?? '', call.objectName);
  if (stored === undefined) return { item: createByUpdate(call, plan), created: true };
  const current = stored.as(resource).object;
  if (plan.uid !== undefined && plan.uid !== current.metadata.uid) {
    throw storageConflict(resource, current, 'UID', plan.uid, current.metadata.uid);
  }
  const next = plan.next(current);
  const attributes = { operation: 'UPDATE', call, object: next, current } as const;
  if (!plan.skipAdmission) parts.admission.mutate(attributes);
  dedupOwners(next.metadata, call, true);
  checkVersion(call, next, current);
  beforeUpdate(call, next, current);
  keepTimesOfNoop(next, current);
  if (!plan.skipAdmission) parts.admission.validate(attributes);
  return { item: commit(call, next, stored), created: false };
}

// ---------------------------------------------------------------------------------------------------

function createByUpdate(call: Call, plan: UpdatePlan): Stored {
  const { resource } = call;
  if (!plan.createMissing && !resource.strategy.allowCreateOnUpdate)
    throw notFound(resource, call.objectName);
  const next = plan.next(undefined);
  mustAuthorize(call.parts.authorizer, attributesOf(call, 'create'));
  placeInNamespace(next.metadata, call);
  delete next.metadata.resourceVersion;
  return storeNew(call, next);
}

function checkVersion(call: Call, next: KubeObject, current: StoredObject): void {
  const { resource } = call;
  const given = next.metadata.resourceVersion ?? '';
  const problem = given === '' ? undefined : resourceVersionProblem(given);
  if (problem !== undefined) throw internalFault(problem);
  if (given === '' || given === '0') {
    if (resource.strategy.allowUnconditionalUpdate) {
      next.metadata.resourceVersion = current.metadata.resourceVersion;
      return;
    }
    // The real server names the resource where the kind belongs, and prints the number it did not get.
    throw invalid({ group: resource.group, kind: resource.plural }, call.objectName, [
      {
        reason: 'FieldValueInvalid',
        field: 'metadata.resourceVersion',
        value: 0,
        detail: 'must be specified for an update',
      },
    ]);
  }
  if (given !== current.metadata.resourceVersion) throw conflict(resource, call.objectName, STALE_OBJECT);
}

function beforeUpdate(call: Call, next: KubeObject, current: KubeObject): void {
  const { strategy } = call.resource;
  placeInNamespace(next.metadata, call);
  keepGeneration(next.metadata, current.metadata);
  strategy.prepareForUpdate(next, current, call);
  carryOver(next.metadata, current.metadata);
  const errors = [
    ...commonUpdateErrors(next.metadata, current.metadata),
    ...strategy.validateUpdate(next, current, call),
  ];
  if (errors.length > 0) throw invalid(call.resource, next.metadata.name ?? '', errors);
}

function commit(call: Call, next: KubeObject, stored: Stored): Stored {
  const { resource, parts } = call;
  const key = resource.storage.key;
  const encoded = toStorage(next, resource);
  if (isFinished(encoded, key)) {
    if (call.dryRun) return Stored.unsaved(encoded, 0).as(resource);
    // The answer shows the object as it was updated; only its DELETED event has the revision of the end.
    const answer = Stored.unsaved(cloneJson(encoded), stored.revision);
    parts.store.delete(key, stored, encoded);
    return answer.as(resource);
  }
  if (equalJson(encoded, stored.object)) return stored.as(resource);
  if (call.dryRun) return Stored.unsaved(encoded, 0).as(resource);
  return parts.store.update(key, encoded).as(resource);
}

/** Being deleted, without finalizers or grace period left. */
function isFinished(object: KubeObject, key: string): boolean {
  const { metadata } = object;
  if (metadata.deletionTimestamp === undefined || (metadata.deletionGracePeriodSeconds ?? 0) !== 0)
    return false;
  if ((metadata.finalizers?.length ?? 0) > 0) return false;
  if (key !== 'namespaces') return true;
  const finalizers = (object['spec'] as { finalizers?: unknown[] } | undefined)?.finalizers;
  return (finalizers?.length ?? 0) === 0;
}
