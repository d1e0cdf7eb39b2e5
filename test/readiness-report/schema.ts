/** As much of JSON Schema as the tests of outputs need. */

export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  /** Names that are not in `properties` are refused unless this is true. */
  readonly open?: boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly pattern?: RegExp;
  readonly oneOf?: readonly unknown[];
}

/** What is wrong with a value, each with its path; none for a valid one. */
export function violations(schema: Schema, value: unknown, path = '$'): readonly string[] {
  if (schema.type !== undefined && !hasType(schema.type, value))
    return [`${path}: not of type ${schema.type}`];
  if (Array.isArray(value)) return inList(schema, value, path);
  if (typeof value === 'object' && value !== null) return inObject(schema, value, path);
  return inScalar(schema, value, path);
}

// ---------------------------------------------------------------------------------------------------------------

function inScalar({ oneOf, pattern, minimum }: Schema, value: unknown, path: string): readonly string[] {
  const text = JSON.stringify(value);
  return [
    ...(oneOf?.includes(value) === false ? [`${path}: ${text} is no choice`] : []),
    ...(typeof value === 'string' && pattern?.test(value) === false ? [`${path}: ${text} is no match`] : []),
    ...(typeof value === 'number' && value < (minimum ?? value) ? [`${path}: less than ${minimum}`] : []),
  ];
}

function inList({ items = {} }: Schema, value: readonly unknown[], path: string): readonly string[] {
  return value.flatMap((item, index) => violations(items, item, `${path}[${index}]`));
}

function inObject(
  { required = [], properties, open }: Schema,
  value: object,
  path: string,
): readonly string[] {
  return [
    ...required.filter((name) => !(name in value)).map((name) => `${path}: ${name} is missing`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const own = properties?.[name];
      if (own !== undefined) return violations(own, each, `${path}.${name}`);
      return properties === undefined || open === true ? [] : [`${path}: unknown field ${name}`];
    }),
  ];
}
function hasType(type: NonNullable<Schema['type']>, value: unknown): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
