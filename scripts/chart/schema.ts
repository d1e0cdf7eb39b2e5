/** charts/chandler/values.schema.json: what Helm accepts. An unknown key, a wrong type and two identities are rejected by name. */
import { gateName, TEXT_INTEGERS } from '../../packages/chandler/src/chart/index.ts';
import type { OptionRow } from '../../packages/chandler/src/settings/index.ts';
import { describeOption } from './option-text.ts';
import { CHART_OPTIONS, type ChartOption } from './options.ts';
import {
  CONTROLLER,
  GENERAL,
  IDENTITY,
  type JsonSchema,
  MONITORING,
  PAGE,
  PODS,
  SECRET_REF,
  type ValueRow,
} from './values.table.ts';

export function renderSchema(): string {
  return `${JSON.stringify(valuesSchema(), null, 2)}\n`;
}

export function valuesSchema(): JsonSchema {
  const root: Node = { properties: {} };
  for (const { path, schema, doc } of [
    ...GENERAL,
    ...IDENTITY,
    ...PODS,
    ...CONTROLLER,
    ...PAGE,
    ...MONITORING,
  ] as ValueRow[])
    put(root, path.split('.'), { description: doc, ...schema });
  for (const option of CHART_OPTIONS) {
    const description = describeOption(option);
    if (option.place === 'secret') put(root, option.path.split('.'), { description, ...SECRET_REF });
    if (option.place === 'settings') put(root, option.path.split('.'), { description, ...schemaOf(option) });
  }
  const schema = closed(root) as { readonly properties: Readonly<Record<string, JsonSchema>> };
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Values of the chart chandler',
    ...schema,
    properties: {
      ...schema.properties,
      global: { type: 'object', description: 'Set by Helm for parent charts' },
    },
    required: ['cloud', 'image', 'settings'],
    allOf: IDENTITIES,
  };
}

// ---------------------------------------------------------------------------------------------------

interface Node {
  readonly properties: Record<string, Node | JsonSchema>;
}

/** Objects whose other fields are those of Kubernetes. */
const OPEN: ReadonlySet<string> = new Set(['podSecurityContext']);

function put(node: Node, [name, ...rest]: readonly string[], schema: JsonSchema): void {
  if (rest.length === 0) {
    node.properties[name!] = schema;
    return;
  }
  node.properties[name!] ??= { properties: {} };
  put(node.properties[name!] as Node, rest, schema);
}

function closed(node: Node, name = ''): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(node.properties).map(([key, child]) => [key, isNode(child) ? closed(child, key) : child]),
  );
  const required = name === 'settings' ? { required: ['clusterName'] } : {};
  return {
    type: 'object',
    ...(OPEN.has(name) ? {} : { additionalProperties: false }),
    ...required,
    properties,
  };
}

function isNode(child: Node | JsonSchema): child is Node {
  return !('type' in child || 'enum' in child);
}

function schemaOf({ option, path, row }: ChartOption): JsonSchema {
  if (option === 'clusterName') return { type: 'string', minLength: 1 };
  if (option === 'schedulerConfig') return { type: ['object', 'string'] };
  if (row.choices !== undefined) return { enum: row.choices };
  const schema = TYPES[row.type](row);
  if (!TEXT_INTEGERS.has(path.slice('settings.'.length))) return schema;
  return { ...schema, type: ['integer', 'string'], pattern: '^[0-9]+$' };
}

const range = ({ minimum, maximum }: OptionRow): JsonSchema => ({
  ...(minimum === undefined ? {} : { minimum }),
  ...(maximum === undefined ? {} : { maximum }),
});

const TYPES: Readonly<Record<OptionRow['type'], (row: OptionRow) => JsonSchema>> = {
  string: () => ({ type: 'string' }),
  boolean: () => ({ type: 'boolean' }),
  integer: (row) => ({ type: 'integer', ...range(row) }),
  number: (row) => ({ type: 'number', ...range(row) }),
  duration: () => ({ type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$|^0$' }),
  list: () => ({ type: 'array', items: { type: 'string' } }),
  map: () => ({ type: 'object', additionalProperties: { type: 'string' } }),
  url: () => ({ type: 'string', pattern: '^(https?://[^/].*)?$' }),
  base64: () => ({ type: 'string' }),
  gates: (row) => ({
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      Object.keys(row.default as object).map((gate) => [gateName(gate), { type: 'boolean' }]),
    ),
  }),
};

const EMPTY = { maxLength: 0 };
const WORKLOAD_IDENTITY = 'azure.workload.identity/client-id';
const ROLE = 'eks.amazonaws.com/role-arn';

const given = (...path: string[]): JsonSchema => nested(path, { minLength: 1 }, true);
const refused = (...path: string[]): JsonSchema => nested(path, EMPTY, false);
/** A key that may not be there at all. */
const absent = (...path: string[]): JsonSchema => nested(path, false, false);

function nested([name, ...rest]: readonly string[], end: unknown, required: boolean): JsonSchema {
  const inner = rest.length === 0 ? end : nested(rest, end, required);
  return { properties: { [name!]: inner }, ...(required ? { required: [name] } : {}) };
}

const onCloud = (cloud: string): JsonSchema => ({
  properties: { cloud: { const: cloud } },
  required: ['cloud'],
});

/** A controller has one identity: that of its cloud, and either a federated one or a secret. */
const IDENTITIES: readonly JsonSchema[] = [
  when(onCloud('azure'), refused('identity', 'awsRoleArn')),
  when(onCloud('azure'), refused('serviceAccount', 'annotations', ROLE)),
  when(onCloud('aws'), refused('identity', 'azureClientId')),
  when(onCloud('aws'), refused('serviceAccount', 'annotations', WORKLOAD_IDENTITY)),
  when(given('identity', 'azureClientId'), absent('secrets', 'azureClientSecret')),
  when(given('identity', 'awsRoleArn'), absent('secrets', 'awsSecretAccessKey')),
  when(given('serviceAccount', 'annotations', WORKLOAD_IDENTITY), absent('secrets', 'azureClientSecret')),
  when(given('serviceAccount', 'annotations', ROLE), absent('secrets', 'awsSecretAccessKey')),
  when(given('settings', 'azureFederatedTokenFile'), absent('secrets', 'azureClientSecret')),
  when(given('settings', 'awsWebIdentityTokenFile'), absent('secrets', 'awsSecretAccessKey')),
  when(given('identity', 'azureClientId'), refused('serviceAccount', 'annotations', WORKLOAD_IDENTITY)),
  when(given('identity', 'awsRoleArn'), refused('serviceAccount', 'annotations', ROLE)),
];

function when(condition: JsonSchema, rule: JsonSchema): JsonSchema {
  return Object.fromEntries([
    ['if', condition],
    ['then', rule],
  ]);
}
