/**
 * What the server itself does to metadata on every write: the fields that only it may set, the namespace of the
 * request, generated names, duplicate owner references.
 */
import type { KubeObject, ObjectMeta, Random } from '@chandler/kube';
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { checkMetadataUpdate } from '../builtin/validation/metadata.ts';
import { badRequest, type FieldError } from '../errors.ts';
import { equalJson } from '../storage/json.ts';
import type { Call } from './call.ts';

/** Objects always carry metadata; a body may have left it out. */
export function withMetadata(object: KubeObject): KubeObject {
  if (typeof object.metadata !== 'object' || object.metadata === null) object.metadata = {};
  return object;
}

/** On create, clients cannot choose these. */
export function wipeSystemFields(metadata: ObjectMeta): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete (metadata as { selfLink?: string }).selfLink;
}

/** The object lives where the request says; another namespace in the body is a mistake. */
export function placeInNamespace(metadata: ObjectMeta, call: Call): void {
  const expected = call.resource.namespaced ? (call.namespace ?? '') : '';
  const given = metadata.namespace ?? '';
  if (given === expected) {
    if (expected === '') delete metadata.namespace;
    return;
  }
  if (given === '') metadata.namespace = expected;
  else if (expected === '') delete metadata.namespace;
  else
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

/** On update, the body must name the object of the URL. */
export function requireName(metadata: ObjectMeta, call: Call): void {
  const given = metadata.name ?? '';
  if (given === call.name) return;
  if (given === '') {
    throw badRequest(
      `the name of the object (${call.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  throw badRequest(`the name of the object (${given}) does not match the name on the URL (${call.name})`);
}

export function generateName(base: string, random: Random): string {
  let name = base.slice(0, MAX_GENERATED - SUFFIX_LENGTH);
  for (let index = 0; index < SUFFIX_LENGTH; index++) {
    name += SUFFIX_CHARACTERS[Math.floor(random.next() * SUFFIX_CHARACTERS.length)];
  }
  return name;
}

/** A duplicate owner reference is kept once, with a warning. */
export function dedupOwners(metadata: ObjectMeta, call: Call, after = false): void {
  const owners = metadata.ownerReferences;
  if (owners === undefined || owners === null || owners.length < 2) return;
  const seen = new Set<string>();
  const kept = owners.filter((owner, index) => {
    if (seen.has(owner.uid) && owners.slice(0, index).some((other) => equalJson(other, owner))) return false;
    seen.add(owner.uid);
    return true;
  });
  if (kept.length === owners.length) return;
  metadata.ownerReferences = kept;
  call.warn(
    `.metadata.ownerReferences contains duplicate entries${after ? ' after mutating admission happens' : ''}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${duplicateUids(owners)}`,
  );
}

/**
 * What every update must satisfy, besides the validation of the kind. That validation repeats much of it; a real
 * server repeats errors in the same way, in the list of causes but not in the message.
 */
export function commonUpdateErrors(next: ObjectMeta, current: ObjectMeta): FieldError[] {
  const errors = new FieldErrors();
  checkMetadataUpdate(next, current, errors);
  if (errors.list.length === 0) return errors.list;
  const general = errors.list.filter(({ field }) => !field.startsWith('metadata.finalizers['));
  return [...general.filter(({ field }) => REPORTED_TWICE.test(field)), ...general];
}

/** The fields that an update keeps from what is stored. */
export function carryOver(next: ObjectMeta, current: ObjectMeta): void {
  if ((next.uid === undefined || next.uid === '') && current.uid !== undefined) next.uid = current.uid;
  if (current.creationTimestamp !== undefined) next.creationTimestamp = current.creationTimestamp;
  if (current.deletionTimestamp !== undefined) next.deletionTimestamp = current.deletionTimestamp;
  if (current.deletionGracePeriodSeconds !== undefined && next.deletionGracePeriodSeconds === undefined) {
    next.deletionGracePeriodSeconds = current.deletionGracePeriodSeconds;
  }
}

export function keepGeneration(next: ObjectMeta, current: ObjectMeta): void {
  if (current.generation === undefined) delete next.generation;
  else next.generation = current.generation;
}

// ---------------------------------------------------------------------------------------------------

const MAX_GENERATED = 63;
const SUFFIX_LENGTH = 5;
const REPORTED_TWICE = /^metadata\.(labels|annotations|ownerReferences)/;
const SUFFIX_CHARACTERS = 'bcdfghjklmnpqrstvwxz2456789';

function duplicateUids(owners: readonly { uid: string }[]): string {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { uid } of owners) (seen.has(uid) ? twice : seen).add(uid);
  return [...twice].join(', ');
}
