/**
 * Writes the shapes of the built-in kinds, `packages/apiserver/src/builtin/structures.gen.ts`, and beside it the
 * layout of the few internal types that refusals show, `internal/layout.gen.ts`.
 *
 *   node scripts/structures.ts --openapi DIR|URL [--token TOKEN] --go-modules DIR
 *
 * Fields, types, defaults, list and merge keys come from the OpenAPI v3 documents of a real kube-apiserver: a folder
 * of `<group path with _>.json` files, or a server's address. What OpenAPI cannot say (is a scalar a pointer, is it
 * left out when empty, what is its Go type called in an error message) comes from the struct tags of the Go modules
 * k8s.io/{api,apimachinery,apiextensions-apiserver,kubernetes}, which `go mod download` leaves in `$(go env GOMODCACHE)/k8s.io`.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type GoField, readGoTypes } from './structures-go.ts';
import { readInternalTypes } from './structures-internal.ts';

const GROUPS = [
  'api/v1',
  'apis/apps/v1',
  'apis/policy/v1',
  'apis/storage.k8s.io/v1',
  'apis/batch/v1',
  'apis/coordination.k8s.io/v1',
  'apis/scheduling.k8s.io/v1',
  'apis/rbac.authorization.k8s.io/v1',
  'apis/authentication.k8s.io/v1',
  'apis/authorization.k8s.io/v1',
  'apis/node.k8s.io/v1',
  'apis/discovery.k8s.io/v1',
  'apis/certificates.k8s.io/v1',
  'apis/apiextensions.k8s.io/v1',
  'apis/events.k8s.io/v1',
  'apis/networking.k8s.io/v1',
  'apis/autoscaling/v1',
  'apis/autoscaling/v2',
] as const;

const OUTPUT = new URL('../packages/apiserver/src/builtin/structures.gen.ts', import.meta.url);
const LAYOUT_OUTPUT = new URL('../packages/apiserver/src/builtin/internal/layout.gen.ts', import.meta.url);

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly default?: unknown;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly [extension: `x-kubernetes-${string}`]: unknown;
}

/** The keys are one letter each; `structures.ts` beside the output says what they mean. */
type Packed = Record<string, unknown>;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { openapi: { type: 'string' }, token: { type: 'string' }, 'go-modules': { type: 'string' } },
  });
  const openapi = values.openapi;
  const modules = values['go-modules'];
  if (openapi === undefined || modules === undefined) {
    process.stderr.write('usage: structures.ts --openapi DIR|URL [--token TOKEN] --go-modules DIR\n');
    process.exitCode = 2;
    return;
  }
  const schemas = new Map<string, Schema>();
  for (const group of GROUPS) {
    const document = await readDocument(openapi, group, values.token);
    for (const [name, schema] of Object.entries(document.components.schemas)) schemas.set(name, schema);
  }
  const goTypes = readGoTypes(modules);
  const definitions: Record<string, Packed> = {};
  const kinds: Record<string, string> = {};
  for (const name of [...schemas.keys()].sort()) {
    const schema = schemas.get(name) as Schema;
    definitions[name] = packDefinition(schema, goTypes.get(name) ?? new Map());
    const owners = (schema['x-kubernetes-group-version-kind'] ?? []) as {
      group: string;
      version: string;
      kind: string;
    }[];
    const [owner] = owners;
    if (owner !== undefined && owners.length === 1)
      kinds[`${owner.group}/${owner.version}/${owner.kind}`] = name;
  }
  const text = JSON.stringify({ kinds, definitions });
  write(OUTPUT, 'the OpenAPI documents of a kube-apiserver', 'PACKED_STRUCTURES', text);
  const layouts = JSON.stringify(readInternalTypes(modules));
  write(LAYOUT_OUTPUT, 'the Go sources of Kubernetes', 'PACKED_LAYOUTS', layouts);
  process.stdout.write(`${Object.keys(definitions).length} definitions, ${text.length} bytes\n`);
}

async function readDocument(
  source: string,
  group: string,
  token: string | undefined,
): Promise<{ components: { schemas: Record<string, Schema> } }> {
  if (!/^https?:/.test(source)) {
    return JSON.parse(readFileSync(`${source}/${group.replaceAll('/', '_')}.json`, 'utf8'));
  }
  const answer = await fetch(`${source}/openapi/v3/${group}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  });
  if (!answer.ok) throw new Error(`${source}/openapi/v3/${group} answered ${answer.status}`);
  return (await answer.json()) as { components: { schemas: Record<string, Schema> } };
}

function packDefinition(schema: Schema, go: ReadonlyMap<string, GoField>): Packed {
  const packed = packNode(schema, undefined);
  if (schema.properties === undefined) return packed;
  packed['p'] = Object.fromEntries(
    Object.entries(schema.properties).map(([field, node]) => [field, packNode(node, go.get(field))]),
  );
  if (schema.required !== undefined) packed['q'] = schema.required;
  return packed;
}

const EXTENSIONS: readonly (readonly [letter: string, name: `x-kubernetes-${string}`])[] = [
  ['l', 'x-kubernetes-list-type'],
  ['k', 'x-kubernetes-list-map-keys'],
  ['m', 'x-kubernetes-map-type'],
  ['s', 'x-kubernetes-patch-strategy'],
  ['y', 'x-kubernetes-patch-merge-key'],
];

function packNode(schema: Schema, go: GoField | undefined): Packed {
  const packed: Packed = {};
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (reference !== undefined) packed['r'] = reference.slice(reference.lastIndexOf('/') + 1);
  else if (schema.type !== undefined) packed['t'] = schema.type;
  if (schema.format !== undefined) packed['f'] = schema.format;
  if (schema.items !== undefined) packed['i'] = packNode(schema.items, go?.item);
  if (typeof schema.additionalProperties === 'object')
    packed['a'] = packNode(schema.additionalProperties, go?.item);
  if (schema.default !== undefined) packed['d'] = schema.default;
  for (const [letter, name] of EXTENSIONS) if (schema[name] !== undefined) packed[letter] = schema[name];
  if (go?.pointer) packed['x'] = 1;
  if (go?.always) packed['w'] = 1;
  if (go?.named !== undefined) packed['g'] = go.named;
  if (go?.embedded !== undefined) packed['e'] = go.embedded;
  return packed;
}

function write(file: URL, source: string, name: string, json: string): void {
  writeFileSync(
    file,
    `// Generated by scripts/structures.ts from ${source}. Do not edit.\nexport const ${name} =\n  ${quote(json)};\n`,
  );
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

await main();
