/**
 * The schema of a version as it is published under `/openapi/v3`: apiVersion, kind and metadata are described, the
 * kind is named, and int-or-string is spelled out for clients that do not know the extension.
 */
import type { JsonSchema } from './types.ts';

export function publishedSchema(
  schema: JsonSchema,
  kind: { readonly group: string; readonly version: string; readonly kind: string },
): Readonly<Record<string, unknown>> {
  const published = spelledOut(schema);
  return {
    ...published,
    properties: { ...(published['properties'] as object | undefined), ...META_PROPERTIES },
    'x-kubernetes-group-version-kind': [kind],
  };
}

// ---------------------------------------------------------------------------------------------------

const META_PROPERTIES = {
  apiVersion: {
    type: 'string',
    description:
      'The group and version of the schema this object is written in. Objects of other served versions are converted.',
  },
  kind: {
    type: 'string',
    description: 'The name of the kind of this object, in CamelCase. It cannot be changed.',
  },
  metadata: {
    description: 'What every object has: name, labels, annotations, owners and the like.',
    allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }],
  },
};

function spelledOut(schema: JsonSchema): Record<string, unknown> {
  const { properties, items, additionalProperties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const intOrString = schema['x-kubernetes-int-or-string'] === true && schema.anyOf === undefined;
  const fields =
    properties === undefined
      ? undefined
      : Object.fromEntries(
          Object.entries(properties).map(([name, property]) => [name, spelledOut(property)]),
        );
  return {
    ...schema,
    ...(fields === undefined && !isEmbedded
      ? {}
      : { properties: { ...fields, ...(isEmbedded ? META_PROPERTIES : {}) } }),
    ...(items === undefined ? {} : { items: spelledOut(items) }),
    ...(typeof additionalProperties === 'object'
      ? { additionalProperties: spelledOut(additionalProperties) }
      : {}),
    ...(intOrString ? { anyOf: [{ type: 'integer' }, { type: 'string' }] } : {}),
  };
}
