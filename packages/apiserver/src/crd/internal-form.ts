/**
 * Parts of a definition as a real API server prints them in its errors: it shows its internal types, with every field
 * under its Go name, whether it was given or not.
 */
import type { CrdColumn, CrdVersion, JsonSchema, ScalePaths, ValidationRule } from './types.ts';

/** JSON names of a schema's fields in the order of the Go type, with their Go names. */
export const SCHEMA_FIELDS: readonly (readonly [keyof JsonSchema, string])[] = [
  ['id', 'ID'],
  ['$schema', 'Schema'],
  ['$ref', 'Ref'],
  ['description', 'Description'],
  ['type', 'Type'],
  ['nullable', 'Nullable'],
  ['format', 'Format'],
  ['title', 'Title'],
  ['default', 'Default'],
  ['maximum', 'Maximum'],
  ['exclusiveMaximum', 'ExclusiveMaximum'],
  ['minimum', 'Minimum'],
  ['exclusiveMinimum', 'ExclusiveMinimum'],
  ['maxLength', 'MaxLength'],
  ['minLength', 'MinLength'],
  ['pattern', 'Pattern'],
  ['maxItems', 'MaxItems'],
  ['minItems', 'MinItems'],
  ['uniqueItems', 'UniqueItems'],
  ['multipleOf', 'MultipleOf'],
  ['enum', 'Enum'],
  ['maxProperties', 'MaxProperties'],
  ['minProperties', 'MinProperties'],
  ['required', 'Required'],
  ['items', 'Items'],
  ['allOf', 'AllOf'],
  ['oneOf', 'OneOf'],
  ['anyOf', 'AnyOf'],
  ['not', 'Not'],
  ['properties', 'Properties'],
  ['additionalProperties', 'AdditionalProperties'],
  ['patternProperties', 'PatternProperties'],
  ['dependencies', 'Dependencies'],
  ['additionalItems', 'AdditionalItems'],
  ['definitions', 'Definitions'],
  ['externalDocs', 'ExternalDocs'],
  ['example', 'Example'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'XListType'],
  ['x-kubernetes-map-type', 'XMapType'],
  ['x-kubernetes-validations', 'XValidations'],
];

export function internalSchema(schema: JsonSchema): unknown {
  return Object.fromEntries(
    SCHEMA_FIELDS.map(([field, name]) => [name, internalField(field, schema[field])]),
  );
}

export function internalRule(rule: ValidationRule): unknown {
  return {
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

export function internalVersion(version: CrdVersion): unknown {
  const schema = version.schema?.openAPIV3Schema;
  return {
    Name: version.name,
    Served: version.served,
    Storage: version.storage,
    Deprecated: version.deprecated ?? false,
    DeprecationWarning: version.deprecationWarning ?? null,
    Schema:
      version.schema === undefined
        ? null
        : { OpenAPIV3Schema: schema === undefined ? null : internalSchema(schema) },
    Subresources: version.subresources === undefined ? null : internalSubresources(version.subresources),
    AdditionalPrinterColumns: version.additionalPrinterColumns?.map(internalColumn) ?? null,
    SelectableFields: version.selectableFields?.map(({ jsonPath }) => ({ JSONPath: jsonPath })) ?? null,
  };
}

// ---------------------------------------------------------------------------------------------------

const EMPTY_TEXTS: ReadonlySet<string> = new Set([
  'id',
  '$schema',
  'description',
  'type',
  'format',
  'title',
  'pattern',
]);
const FALSE_FLAGS: ReadonlySet<string> = new Set([
  'nullable',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'uniqueItems',
  'x-kubernetes-embedded-resource',
  'x-kubernetes-int-or-string',
]);

function internalField(field: string, value: unknown): unknown {
  if (value === undefined) return EMPTY_TEXTS.has(field) ? '' : FALSE_FLAGS.has(field) ? false : null;
  switch (field) {
    case 'items':
      return { Schema: internalSchema(value as JsonSchema), JSONSchemas: null };
    case 'allOf':
    case 'oneOf':
    case 'anyOf':
      return (value as JsonSchema[]).map(internalSchema);
    case 'not':
      return internalSchema(value as JsonSchema);
    case 'properties':
    case 'patternProperties':
    case 'definitions':
      return sortedSchemas(value as Record<string, JsonSchema>);
    case 'additionalProperties':
    case 'additionalItems':
      return typeof value === 'boolean'
        ? { Allows: value, Schema: null }
        : { Allows: true, Schema: internalSchema(value as JsonSchema) };
    case 'x-kubernetes-validations':
      return (value as ValidationRule[]).map(internalRule);
    default:
      return value;
  }
}

function sortedSchemas(schemas: Readonly<Record<string, JsonSchema>>): unknown {
  const names = Object.keys(schemas).sort();
  return Object.fromEntries(names.map((name) => [name, internalSchema(schemas[name]!)]));
}

function internalSubresources(subresources: { status?: object; scale?: ScalePaths }): unknown {
  const { status, scale } = subresources;
  const paths = scale && {
    SpecReplicasPath: scale.specReplicasPath,
    StatusReplicasPath: scale.statusReplicasPath,
    LabelSelectorPath: scale.labelSelectorPath ?? null,
  };
  return { Status: status === undefined ? null : {}, Scale: paths ?? null };
}

function internalColumn(column: CrdColumn): unknown {
  return {
    Name: column.name,
    Type: column.type,
    Format: column.format ?? '',
    Description: column.description ?? '',
    Priority: column.priority ?? 0,
    JSONPath: column.jsonPath,
  };
}
