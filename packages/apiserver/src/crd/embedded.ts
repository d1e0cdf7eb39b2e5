/**
 * Whole objects inside a custom resource (`x-kubernetes-embedded-resource`): their apiVersion, kind and metadata are
 * read and checked as those of any object are, wherever they stand.
 */
import type { ObjectMeta } from '@chandler/kube';
import { definition } from '../builtin/structures.ts';
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { checkMetadata } from '../builtin/validation/metadata.ts';
import { dns1035Name, pathSegmentName } from '../builtin/validation/names.ts';
import { jsonTypeName } from '../decode/parse.ts';
import { DecodeError } from '../decode/scalars.ts';
import { decodeTyped } from '../decode/typed.ts';
import { type FieldError, fieldErrorText } from '../errors.ts';
import { isFields } from './correlate.ts';
import { sortedKeys } from './findings.ts';
import type { Shape } from './shape.ts';

/** Reads `metadata` in place as Go would; gives the paths of unknown fields. Throws a DecodeError. */
export function readMetadata(owner: Record<string, unknown>, path: string): string[] {
  const metadata = owner['metadata'];
  if (metadata === undefined || metadata === null) {
    owner['metadata'] = {};
    return [];
  }
  if (!isFields(metadata)) {
    throw new DecodeError(
      `json: cannot unmarshal ${jsonTypeName(metadata)} into Go value of type v1.ObjectMeta`,
    );
  }
  const unknown = decodeTyped(metadata, definition(OBJECT_META)).map((field) => `${path}metadata.${field}`);
  delete metadata['selfLink'];
  if (metadata['creationTimestamp'] === null) delete metadata['creationTimestamp'];
  return unknown;
}

/** Reads every embedded object, in place; gives the paths of unknown fields. Throws a DecodeError. */
export function readEmbedded(value: unknown, shape: Shape | undefined, path = ''): string[] {
  if (shape === undefined || !(shape.embedded || shape.hasEmbedded)) return [];
  const unknown: string[] = [];
  if (isFields(value) && shape.embedded) unknown.push(...readOne(value, path));
  eachChild(value, shape, path, (child, childShape, childPath) => {
    unknown.push(...readEmbedded(child, childShape, childPath));
  });
  return unknown;
}

export function checkEmbedded(value: unknown, shape: Shape | undefined, path = ''): FieldError[] {
  if (shape === undefined || !(shape.embedded || shape.hasEmbedded)) return [];
  const errors: FieldError[] = [];
  if (isFields(value) && shape.embedded) errors.push(...checkOne(value, path));
  eachChild(value, shape, path, (child, childShape, childPath) => {
    errors.push(...checkEmbedded(child, childShape, childPath));
  });
  return errors;
}

// ---------------------------------------------------------------------------------------------------

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function eachChild(
  value: unknown,
  shape: Shape,
  path: string,
  visit: (child: unknown, shape: Shape | undefined, path: string) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, shape.items, `${path}[${index}]`);
  }
  if (!isFields(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const property = shape.properties.get(key);
    if (property !== undefined) visit(item, property, path === '' ? key : `${path}.${key}`);
    else if (typeof shape.additional === 'object') visit(item, shape.additional, `${path}[${key}]`);
  }
}

function readOne(object: Record<string, unknown>, path: string): string[] {
  for (const field of ['apiVersion', 'kind']) {
    const given = object[field];
    if (given !== undefined && typeof given !== 'string')
      throw invalidAt(`${path}.${field}`, given, 'must be a string');
  }
  if (object['metadata'] === undefined) return [];
  const before = structuredClone(object['metadata']);
  try {
    return readMetadata(object, `${path}.`);
  } catch (error) {
    if (error instanceof DecodeError) throw invalidAt(`${path}.metadata`, before, error.message);
    throw error;
  }
}

function invalidAt(field: string, value: unknown, detail: string): DecodeError {
  return new DecodeError(
    fieldErrorText({ reason: 'FieldValueInvalid', field, value: sortedKeys(value), detail }),
  );
}

function checkOne(object: Record<string, unknown>, path: string): FieldError[] {
  const errors = new FieldErrors();
  for (const field of ['apiVersion', 'kind']) {
    if (object[field] === undefined) errors.required(`${path}.${field}`);
    else if (object[field] === '') errors.invalid(`${path}.${field}`, '', 'must not be empty');
  }
  const apiVersion = object['apiVersion'];
  if (typeof apiVersion === 'string' && apiVersion.split('/').length > 2) {
    errors.invalid(`${path}.apiVersion`, apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  }
  const kind = object['kind'];
  if (typeof kind === 'string' && kind !== '') {
    const problems = dns1035Name(kind.toLowerCase());
    if (problems.length > 0) {
      errors.invalid(
        `${path}.kind`,
        kind,
        `may have mixed case, but should otherwise match: ${problems.join(',')}`,
      );
    }
  }
  return [...errors.list, ...metadataErrors(object['metadata'] as ObjectMeta | undefined, path)];
}

function metadataErrors(metadata: ObjectMeta | undefined, path: string): FieldError[] {
  if (metadata === undefined) return [];
  const errors = new FieldErrors();
  checkMetadata(
    { ...metadata, name: metadata.name || 'fakename' },
    Boolean(metadata.namespace),
    pathSegmentName,
    errors,
  );
  return errors.list.map((error) => ({ ...error, field: `${path}.${error.field}` }));
}
