/** A schema of Kubernetes as kubeconform should use it. */
export type JsonSchema = { readonly [key: string]: unknown };

/** Without descriptions and extensions; an object with fields has no others. */
export function strict(schema: JsonSchema): JsonSchema {
  return cleaned(schema) as JsonSchema;
}

// ---------------------------------------------------------------------------------------------------

const DROPPED = /^(description|title|default|x-kubernetes-.*)$/;

function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  const schema = value as JsonSchema;
  // A value that may be a number or a text.
  if (schema['format'] === 'int-or-string' || schema['x-kubernetes-int-or-string'] === true)
    return { type: ['integer', 'string'] };
  const kept = Object.entries(schema).filter(([key]) => !DROPPED.test(key));
  const result: Record<string, unknown> = {};
  for (const [key, each] of kept) {
    const isNames = key === 'properties' || key === 'definitions';
    result[key] = isNames
      ? Object.fromEntries(Object.entries(each as JsonSchema).map(([name, inner]) => [name, cleaned(inner)]))
      : cleaned(each);
  }
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || 'additionalProperties' in schema;
  return 'properties' in schema && !isOpen ? { ...result, additionalProperties: false } : result;
}
