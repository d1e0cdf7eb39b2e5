/** The error for a body of another kind than its path. */
import { cannotBeHandled } from '../decode/strict.ts';
import type { ApiError } from '../errors.ts';
import { structureOf } from './structures.ts';

/** Undefined when kind and apiVersion fit or were left out. */
export function foreignKindError(
  given: Readonly<Record<string, unknown>>,
  type: { readonly group: string; readonly kind: string },
  expectedApiVersion: string,
): ApiError | undefined {
  const apiVersion = (given['apiVersion'] as string | undefined | null) || expectedApiVersion;
  const kind = (given['kind'] as string | undefined | null) || type.kind;
  if (apiVersion === expectedApiVersion && kind === type.kind) return undefined;
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = slash < 0 ? apiVersion : apiVersion.slice(slash + 1);
  const why =
    structureOf(group, version, kind) === undefined
      ? `no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/runtime/scheme.go:111"`
      : `converting (${version}.${kind}) to (${internalPackage(type.group)}.${type.kind}): unknown conversion`;
  return cannotBeHandled({ kind, version, expectedKind: type.kind }, why);
}

// ---------------------------------------------------------------------------------------------------

/** Go's name for the package of a group's internal types: the group without its domain. */
function internalPackage(group: string): string {
  return group === '' ? 'core' : group.split('.')[0]!;
}
