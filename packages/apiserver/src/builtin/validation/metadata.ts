/** What every object's metadata must satisfy, when it is created and when it changes. */
import type { ObjectMeta, OwnerReference } from '@chandler/kube';
import { type FieldErrors, IMMUTABLE, NOT_NEGATIVE, sameValue } from './field-errors.ts';
import { checkLabels } from './labels.ts';
import { labelName, type NameRule, qualifiedName } from './names.ts';

const PATH = 'metadata';
const ANNOTATIONS_LIMIT = 256 * 1024;

export function checkMetadata(
  meta: ObjectMeta,
  namespaced: boolean,
  nameRule: NameRule,
  errors: FieldErrors,
): void {
  if (meta.generateName)
    errors.invalidFor(`${PATH}.generateName`, meta.generateName, nameRule(meta.generateName, true));
  if (!meta.name) errors.required(`${PATH}.name`, 'name or generateName is required');
  else errors.invalidFor(`${PATH}.name`, meta.name, nameRule(meta.name));
  if (!namespaced) {
    if (meta.namespace) errors.forbidden(`${PATH}.namespace`, 'not allowed on this type');
  } else if (!meta.namespace) errors.required(`${PATH}.namespace`);
  else errors.invalidFor(`${PATH}.namespace`, meta.namespace, labelName(meta.namespace));
  if ((meta.generation ?? 0) < 0) errors.invalid(`${PATH}.generation`, meta.generation, NOT_NEGATIVE);
  checkParts(meta, errors);
}

export function checkMetadataUpdate(next: ObjectMeta, current: ObjectMeta, errors: FieldErrors): void {
  if (current.deletionTimestamp !== undefined) checkNoNewFinalizers(next, current, errors);
  if ((next.generation ?? 0) < (current.generation ?? 0)) {
    errors.invalid(`${PATH}.generation`, next.generation ?? 0, 'must not be decremented');
  }
  for (const field of FIXED) {
    if (!sameValue(next[field], current[field])) errors.invalid(`${PATH}.${field}`, next[field], IMMUTABLE);
  }
  checkParts(next, errors);
}

export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  path: string,
  errors: FieldErrors,
): void {
  let size = 0;
  for (const key in annotations) {
    // Annotation keys may have capitals in their prefix, label keys may not.
    errors.invalidFor(path, key, qualifiedName(key.toLowerCase()));
    size += key.length + annotations[key]!.length;
  }
  if (size > ANNOTATIONS_LIMIT) errors.tooLong(path, ANNOTATIONS_LIMIT);
}

/** Built-in kinds take only standard finalizers and qualified ones; custom resources take any qualified name. */
export function checkFinalizerNames(meta: ObjectMeta, errors: FieldErrors): void {
  const finalizers = meta.finalizers ?? [];
  for (let index = 0; index < finalizers.length; index++) {
    const finalizer = finalizers[index]!;
    if (finalizer.includes('/') || STANDARD_FINALIZERS.has(finalizer)) continue;
    errors.invalid(
      `${PATH}.finalizers[${index}]`,
      finalizer,
      'name is neither a standard finalizer name nor is it fully qualified',
    );
  }
}

// ---------------------------------------------------------------------------------------------------

const FIXED = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function checkParts(meta: ObjectMeta, errors: FieldErrors): void {
  checkLabels(meta.labels, `${PATH}.labels`, errors);
  checkAnnotations(meta.annotations, `${PATH}.annotations`, errors);
  if (meta.ownerReferences !== undefined) checkOwners(meta.ownerReferences, errors);
  if (meta.finalizers !== undefined) checkFinalizers(meta.finalizers, errors);
}

function checkOwners(owners: readonly OwnerReference[], errors: FieldErrors): void {
  const path = `${PATH}.ownerReferences`;
  let controller: OwnerReference | undefined;
  for (const owner of owners) {
    const apiVersion = owner.apiVersion ?? '';
    const version = apiVersion.includes('/') ? apiVersion.slice(apiVersion.indexOf('/') + 1) : apiVersion;
    if (version === '' || version.includes('/')) {
      errors.invalid(`${path}.apiVersion`, apiVersion, 'version must not be empty');
    }
    for (const field of ['kind', 'name', 'uid'] as const) {
      if (!owner[field]) errors.invalid(`${path}.${field}`, '', 'must not be empty');
    }
    if (apiVersion === 'v1' && owner.kind === 'Event') {
      errors.invalid(path, shownOwner(owner), '/v1, Kind=Event is disallowed from being an owner');
    }
    if (!owner.controller) continue;
    if (controller !== undefined) {
      errors.invalid(
        path,
        owners.map(shownOwner),
        `Only one reference can have Controller set to true. Found "true" in references for ${controller.kind}/${controller.name} and ${owner.kind}/${owner.name}`,
      );
    }
    controller ??= owner;
  }
}

/** Fields in Go's order. */
function shownOwner({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: OwnerReference): unknown {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller === undefined ? {} : { controller }),
    ...(blockOwnerDeletion === undefined ? {} : { blockOwnerDeletion }),
  };
}

function checkFinalizers(finalizers: readonly string[], errors: FieldErrors): void {
  const path = `${PATH}.finalizers`;
  for (const finalizer of finalizers) errors.invalidFor(path, finalizer, qualifiedName(finalizer));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    errors.invalid(path, finalizers, 'finalizer orphan and foregroundDeletion cannot be both set');
  }
}

function checkNoNewFinalizers(next: ObjectMeta, current: ObjectMeta, errors: FieldErrors): void {
  const known = new Set(current.finalizers);
  const added = (next.finalizers ?? []).filter((finalizer) => !known.has(finalizer)).sort();
  if (added.length === 0) return;
  const shown = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
  errors.forbidden(
    `${PATH}.finalizers`,
    `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown}}`,
  );
}
