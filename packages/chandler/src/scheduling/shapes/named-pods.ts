/**
 * Validates pods: pods without a name, with a duplicate name or of the wrong shape are reported and skipped.
 * Only the parts of the spec that differ between pods of one kind are checked here; the rest is checked once
 * per kind where the spec is read, and an invalid pod is refused there.
 */
import type { Pod } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { LABELS, OWNERS, RESOURCE_CLAIMS, VOLUMES } from './object-shapes.ts';
import { type FieldError, isObject, type Shape, withoutNulls } from './shape.ts';

/** Valid pods, and their names as `namespace/name`. */
export interface NamedPods {
  readonly pods: readonly Pod[];
  readonly keys: readonly string[];
  readonly names: ReadonlySet<string>;
}

export const NO_PODS: NamedPods = { pods: [], keys: [], names: new Set() };

/** Pods to place. @param others names that are in use. */
export function admitPods(
  given: readonly Pod[] | undefined,
  others: ReadonlySet<string>,
  errors: InputError[],
): NamedPods {
  const pods: Pod[] = [];
  const keys: string[] = [];
  const names = new Set<string>();
  const list = listOr(given, 'pods', errors);
  for (let index = 0; index < list.length; index++) {
    const pod = admitPod(list[index]!, index, errors);
    if (pod === undefined) continue;
    const key = podKey(pod);
    const before = names.size;
    names.add(key);
    if (names.size === before || others.has(key)) {
      errors.push({ object: `Pod/${key}`, field: 'metadata.name', problem: 'duplicate name' });
      continue;
    }
    pods.push(pod);
    keys.push(key);
  }
  return { pods, keys, names };
}

/** Bound pods: duplicate names are allowed. */
export function admitBound(given: readonly Pod[] | undefined, errors: InputError[]): readonly Pod[] {
  const admitted = listOr(given, 'boundPods', errors).map((pod, index) => admitPod(pod, index, errors));
  return admitted.filter((pod) => pod !== undefined);
}

/** `namespace/name`. */
export function podKey({ metadata }: Pod): string {
  return `${namespaceOf(metadata)}/${metadata.name}`;
}

export function namespaceOf(metadata: { readonly namespace?: string }): string {
  return metadata.namespace ?? 'default';
}

export function listOr<T>(list: readonly T[] | undefined, field: string, errors: InputError[]): readonly T[] {
  if (Array.isArray(list)) return list;
  if (list !== undefined && list !== null) errors.push({ object: 'input', field, problem: 'must be a list' });
  return [];
}

// ---------------------------------------------------------------------------------------------------------------

function admitPod(given: Pod, index: number, errors: InputError[]): Pod | undefined {
  if (podError(given) === undefined) return given;
  const pod = withoutNulls(given);
  const fieldError = podError(pod);
  if (fieldError === undefined) return pod;
  errors.push({ object: `Pod/${nameForError(pod, index)}`, ...fieldError });
  return undefined;
}

function nameForError(pod: unknown, index: number): string {
  const metadata = isObject(pod) ? pod['metadata'] : undefined;
  if (!isObject(metadata) || metadata['name'] === undefined) return `${index}`;
  return `${metadata['namespace'] ?? 'default'}/${metadata['name']}`;
}

/** Written out, since it runs for every pod. Null counts as an error: the pod is then checked again without nulls. */
function podError(pod: Pod): FieldError | undefined {
  if (!isObject(pod) || !isObject(pod.metadata)) return { field: 'metadata', problem: 'missing' };
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, labels, ownerReferences } =
    pod.metadata;
  if (typeof name !== 'string' || name === '') return { field: 'metadata.name', problem: 'missing' };
  if (!isStringOrMissing(namespace)) return notAString('metadata.namespace');
  if (!isStringOrMissing(uid)) return notAString('metadata.uid');
  if (!isStringOrMissing(creationTimestamp)) return notAString('metadata.creationTimestamp');
  if (!isStringOrMissing(deletionTimestamp)) return notAString('metadata.deletionTimestamp');
  return (
    errorIn('metadata.labels', labels, LABELS) ??
    errorIn('metadata.ownerReferences', ownerReferences, OWNERS) ??
    specError(pod)
  );
}

/** A pod without a spec is refused where the spec is read. */
function specError({ spec, status }: Pod): FieldError | undefined {
  if (status !== undefined && !isObject(status)) return { field: 'status', problem: 'must be an object' };
  if (!isStringOrMissing(status?.phase)) return notAString('status.phase');
  if (!isObject(spec)) return undefined;
  const { nodeName, priority, volumes, resourceClaims } = spec;
  if (!isStringOrMissing(nodeName)) return notAString('spec.nodeName');
  if (priority !== undefined && !Number.isFinite(priority))
    return { field: 'spec.priority', problem: 'must be a number' };
  return (
    errorIn('spec.volumes', volumes, VOLUMES) ??
    errorIn('spec.resourceClaims', resourceClaims, RESOURCE_CLAIMS)
  );
}

function errorIn(field: string, value: unknown, shape: Shape): FieldError | undefined {
  const fieldError = value === undefined ? undefined : shape(value);
  if (fieldError === undefined) return undefined;
  const inner =
    fieldError.field === '' || fieldError.field.startsWith('[') ? fieldError.field : `.${fieldError.field}`;
  return { field: `${field}${inner}`, problem: fieldError.problem };
}

function isStringOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function notAString(field: string): FieldError {
  return { field, problem: 'must be a string' };
}
