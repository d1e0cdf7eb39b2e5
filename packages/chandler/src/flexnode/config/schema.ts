/** The JSON schema of config files, made from the table; for editors and for checks before a machine is at hand. */
import { CONFIG_ROWS, IGNORED_KEYS } from './keys.table.ts';
import type { ConfigRow, ConfigType } from './row.ts';

export function renderConfigSchema(): string {
  return `${JSON.stringify(configSchema(), null, 2)}\n`;
}

export function configSchema(): JsonSchema {
  const root: JsonSchema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'chandler flexnode',
    description:
      'Configuration of chandler flexnode. Generated from packages/chandler/src/flexnode/config/keys.table.ts.',
    type: 'object',
    properties: {},
    additionalProperties: false,
  };
  for (const row of CONFIG_ROWS) {
    put(root, row.path, valueSchema(row), row.required === true);
    if (row.requiredWith !== undefined) demand(objectAt(root, row.requiredWith), lastName(row.path));
    for (const other of row.alsoNamed ?? []) {
      const { pattern: _pattern, default: _default, ...rest } = valueSchema(row);
      put(root, other.path, { ...rest, description: `Alias of ${row.path}.` });
    }
  }
  for (const gone of IGNORED_KEYS)
    put(root, gone.path, { deprecated: true, description: `Has no effect: ${gone.why}.` });
  return root;
}

export interface JsonSchema {
  $schema?: string;
  title?: string;
  description?: string;
  type?: string | readonly string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  enum?: readonly string[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  default?: unknown;
  deprecated?: boolean;
  const?: unknown;
  anyOf?: readonly JsonSchema[];
}

// ---------------------------------------------------------------------------------------------------

const TYPES: Readonly<Record<ConfigType, (row: ConfigRow) => JsonSchema>> = {
  string: (row) => ({ type: 'string', ...choicesOf(row), ...patternOf(row) }),
  boolean: () => ({ type: 'boolean' }),
  integer: (row) => ({
    type: 'integer',
    ...(row.minimum === undefined ? {} : { minimum: row.minimum }),
    ...(row.maximum === undefined ? {} : { maximum: row.maximum }),
  }),
  texts: () => ({ anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] }),
  map: (row) => ({
    type: 'object',
    ...(row.names === undefined ? {} : { propertyNames: { enum: row.names } }),
    additionalProperties: { type: 'string', ...patternOf(row) },
  }),
  object: () => ({ type: 'object' }),
};

function valueSchema(row: ConfigRow): JsonSchema {
  return {
    description: `${row.doc}.`,
    ...TYPES[row.type](row),
    ...(row.fallback === undefined ? {} : { default: row.fallback }),
  };
}

function choicesOf(row: ConfigRow): JsonSchema {
  return row.choices === undefined ? {} : { enum: [...row.choices, ...Object.keys(row.otherChoices ?? {})] };
}

/** An empty text counts as left out. */
function patternOf(row: ConfigRow): JsonSchema {
  if (row.pattern === undefined) return {};
  return { pattern: row.required === true || row.type === 'map' ? row.pattern : `^$|${row.pattern}` };
}

function put(root: JsonSchema, path: string, schema: JsonSchema, required = false): void {
  const parent = objectAt(root, path.split('.').slice(0, -1).join('.'));
  parent.properties![lastName(path)] = schema;
  if (!required) return;
  const names = path.split('.');
  for (let depth = 1; depth <= names.length; depth++)
    demand(objectAt(root, names.slice(0, depth - 1).join('.')), names[depth - 1]!);
}

function objectAt(root: JsonSchema, path: string): JsonSchema {
  let here = root;
  for (const name of path === '' ? [] : path.split('.')) {
    here.properties![name] ??= { type: 'object', properties: {}, additionalProperties: false };
    here = here.properties![name];
  }
  return here;
}

function demand(object: JsonSchema, name: string): void {
  object.required ??= [];
  if (!object.required.includes(name)) object.required.push(name);
}

function lastName(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
