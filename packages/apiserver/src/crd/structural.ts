/**
 * Whether a schema is structural: every field has a type outside of `allOf`, `anyOf`, `oneOf` and `not`, and those
 * only narrow what is there. Errors come sorted, as the API server gives them.
 */
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { sameJson } from '../cel/declaration.ts';
import { RegexError, re2 } from '../cel/regex.ts';
import { type FieldError, fieldErrorText } from '../errors.ts';
import { ownField } from '../storage/json.ts';
import type { JsonSchema } from './types.ts';

export function structuralErrors(schema: JsonSchema, path: string): FieldError[] {
  const errors = new FieldErrors();
  checkNode(schema, 'root', path, errors);
  checkComplete(schema, schema, path, path, errors);
  const keyed = errors.list.map((error) => ({ error, text: fieldErrorText(error) }));
  return keyed
    .sort((one, two) => (one.text < two.text ? -1 : Number(one.text > two.text)))
    .map(({ error }) => error);
}

/** Whether it can be decided at all: some keywords are not allowed in a structural schema. */
export function isConvertible(schema: JsonSchema): boolean {
  const unsupported =
    schema.id ||
    schema.$schema ||
    schema.$ref ||
    schema.patternProperties ||
    schema.dependencies ||
    schema.definitions;
  if (unsupported || schema.additionalItems !== undefined || Array.isArray(schema.items)) return false;
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return false;
  return subschemas(schema).every(isConvertible);
}

export function subschemas(schema: JsonSchema): JsonSchema[] {
  const { items, additionalProperties, properties, allOf = [], anyOf = [], oneOf = [], not } = schema;
  return [
    ...(items === undefined ? [] : Array.isArray(items) ? (items as JsonSchema[]) : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...Object.values(properties ?? {}),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...(not === undefined ? [] : [not]),
  ];
}

// ---------------------------------------------------------------------------------------------------

type Level = 'root' | 'item' | 'field';

const NO_TYPE: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

function checkNode(schema: JsonSchema, level: Level, path: string, errors: FieldErrors): void {
  const { items, additionalProperties, properties = {} } = schema;
  if (schema.type === 'array' && items === undefined) errors.required(`${path}.items`, 'must be specified');
  if (items !== undefined) checkNode(items, 'item', `${path}.items`, errors);
  for (const [name, property] of Object.entries(properties)) {
    checkNode(property, 'field', `${path}.properties[${name}]`, errors);
  }
  if (additionalProperties !== undefined) {
    if (level === 'root') errors.forbidden(`${path}.additionalProperties`, 'must not be used at the root');
    if (typeof additionalProperties === 'object') {
      checkNode(additionalProperties, 'field', `${path}.additionalProperties`, errors);
    }
  }
  checkExtensions(schema, path, errors);
  const skipAnyOf = sameJson(schema.anyOf, INT_OR_STRING);
  const skipFirst = sameJson(schema.allOf?.[0]?.anyOf, INT_OR_STRING);
  checkCombinations(schema, { skipAnyOf, skipFirst }, path, errors);
  checkType(schema, level, path, errors);
  checkMeta(schema, level, path, errors);
}

function checkExtensions(schema: JsonSchema, path: string, errors: FieldErrors): void {
  if (!schema['x-kubernetes-int-or-string']) return;
  for (const extension of [
    'x-kubernetes-preserve-unknown-fields',
    'x-kubernetes-embedded-resource',
  ] as const) {
    if (schema[extension]) {
      errors.invalid(`${path}.${extension}`, true, 'must be false if x-kubernetes-int-or-string is true');
    }
  }
}

function checkType(schema: JsonSchema, level: Level, path: string, errors: FieldErrors): void {
  const type = schema.type ?? '';
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const preserves = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (embedded && type !== 'object') {
    const why = 'must be object if x-kubernetes-embedded-resource is true';
    if (type === '') errors.required(`${path}.type`, why);
    else errors.invalid(`${path}.type`, type, why);
  } else if (type === '' && !schema['x-kubernetes-int-or-string'] && !preserves) {
    errors.required(`${path}.type`, NO_TYPE[level]);
  }
  if (embedded && schema.additionalProperties !== undefined) {
    errors.forbidden(
      `${path}.additionalProperties`,
      'must not be used if x-kubernetes-embedded-resource is set',
    );
  }
  if (level === 'root' && type !== '' && type !== 'object') {
    errors.invalid(`${path}.type`, type, 'must be object at the root');
  }
  if (embedded && !preserves && Object.keys(schema.properties ?? {}).length === 0) {
    errors.required(
      `${path}.properties`,
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    );
  }
}

function checkMeta(schema: JsonSchema, level: Level, path: string, errors: FieldErrors): void {
  const isResource = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const { metadata, ...rest } = schema.properties ?? {};
  for (const name of ['kind', 'apiVersion']) {
    const declared = rest[name];
    if (isResource && declared !== undefined && declared.type !== 'string') {
      errors.invalid(`${path}.properties[${name}].type`, declared.type ?? '', 'must be string');
    }
  }
  if (metadata === undefined) return;
  const at = `${path}.properties[metadata]`;
  if (isResource && metadata.type !== 'object')
    errors.invalid(`${at}.type`, metadata.type ?? '', 'must be object');
  if (level === 'root' && !onlyNames(metadata)) {
    errors.forbidden(
      at,
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    );
  }
}

function onlyNames(metadata: JsonSchema): boolean {
  const { type: _type, default: _default, properties, ...rest } = metadata;
  const names = Object.keys(properties ?? {});
  return Object.keys(rest).length === 0 && names.every((name) => name === 'name' || name === 'generateName');
}

function checkCombinations(
  schema: JsonSchema,
  skip: { skipAnyOf: boolean; skipFirst: boolean },
  path: string,
  errors: FieldErrors,
): void {
  if (!skip.skipAnyOf) {
    schema.anyOf?.forEach((nested, index) => {
      checkNested(nested, false, `${path}.anyOf[${index}]`, errors);
    });
  }
  schema.allOf?.forEach((nested, index) => {
    checkNested(nested, skip.skipFirst && index === 0, `${path}.allOf[${index}]`, errors);
  });
  schema.oneOf?.forEach((nested, index) => {
    checkNested(nested, false, `${path}.oneOf[${index}]`, errors);
  });
  if (schema.not !== undefined) checkNested(schema.not, false, `${path}.not`, errors);
  if (schema.pattern) checkPattern(schema.pattern, `${path}.pattern`, errors);
}

function checkPattern(pattern: string, path: string, errors: FieldErrors): void {
  try {
    re2(pattern);
  } catch (error) {
    if (!(error instanceof RegexError)) throw error;
    errors.invalid(path, pattern, `must be a valid regular expression, but isn't: ${error.message}`);
  }
}

/** What a nested schema may not say, and in which words. */
const FORBIDDEN_NESTED: readonly (readonly [keyof JsonSchema, string])[] = [
  ['type', 'must be empty to be structural'],
  ['additionalProperties', 'must be undefined to be structural'],
  ['default', 'must be undefined to be structural'],
  ['title', 'must be empty to be structural'],
  ['description', 'must be empty to be structural'],
  ['nullable', 'must be false to be structural'],
  ['x-kubernetes-preserve-unknown-fields', 'must be false to be structural'],
  ['x-kubernetes-embedded-resource', 'must be false to be structural'],
  ['x-kubernetes-int-or-string', 'must be false to be structural'],
  ['x-kubernetes-list-map-keys', 'must be empty to be structural'],
  ['x-kubernetes-list-type', 'must be undefined to be structural'],
  ['x-kubernetes-map-type', 'must be undefined to be structural'],
  ['x-kubernetes-validations', 'must be empty to be structural'],
];

function checkNested(schema: JsonSchema, skipAnyOf: boolean, path: string, errors: FieldErrors): void {
  checkCombinations(schema, { skipAnyOf, skipFirst: false }, path, errors);
  if (schema.items !== undefined) checkNested(schema.items, false, `${path}.items`, errors);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    checkNested(property, false, `${path}.properties[${name}]`, errors);
  }
  for (const [field, why] of FORBIDDEN_NESTED) if (schema[field]) errors.forbidden(`${path}.${field}`, why);
  if (schema.properties?.['metadata'] !== undefined) {
    errors.forbidden(`${path}.properties[metadata]`, 'must not be specified in a nested context');
  }
}

/** What is narrowed must be declared; only what the root narrows is looked at. */
function checkComplete(
  schema: JsonSchema,
  spine: JsonSchema,
  spinePath: string,
  path: string,
  errors: FieldErrors,
): void {
  if (schema.not !== undefined) checkNarrowed(schema.not, spine, spinePath, `${path}.not`, errors);
  for (const word of ['allOf', 'anyOf', 'oneOf'] as const) {
    schema[word]?.forEach((nested, index) => {
      checkNarrowed(nested, spine, spinePath, `${path}.${word}[${index}]`, errors);
    });
  }
}

function checkNarrowed(
  nested: JsonSchema,
  spine: JsonSchema | undefined,
  spinePath: string,
  path: string,
  errors: FieldErrors,
): void {
  if (spine === undefined) {
    errors.required(spinePath, `because it is defined in ${path}`);
    return;
  }
  checkComplete(nested, spine, spinePath, path, errors);
  if (nested.items !== undefined) {
    checkNarrowed(nested.items, spine.items, `${spinePath}.items`, `${path}.items`, errors);
  }
  for (const [name, property] of Object.entries(nested.properties ?? {})) {
    const key = `properties[${name}]`;
    checkNarrowed(
      property,
      ownField(spine.properties, name) as JsonSchema | undefined,
      `${spinePath}.${key}`,
      `${path}.${key}`,
      errors,
    );
  }
}
