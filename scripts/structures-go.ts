/**
 * Reads the struct definitions of the Kubernetes API modules: as much of Go's grammar as type declarations
 * with json tags need. Used by scripts/structures.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface GoField {
  readonly pointer: boolean;
  /** Written even when it is empty: no omitempty. */
  readonly always: boolean;
  /** The type as Go prints it, where it is a named type that is no struct (`v1.PullPolicy`). */
  readonly named?: string;
  /** The embedded struct that the field comes from; it is part of the field's name in errors. */
  readonly embedded?: string;
  /** The same of a list's or map's items. */
  readonly item?: GoField;
}

/** Definition name (`io.k8s.api.core.v1.PodSpec`) to json field name to field. */
export function readGoTypes(modulesDir: string): Map<string, Map<string, GoField>> {
  const packages = loadPackages(modulesDir);
  const types = new Map<string, Map<string, GoField>>();
  for (const [prefix, source] of packages) {
    for (const name of source.structs.keys())
      types.set(`${prefix}.${name}`, fieldsOf(packages, prefix, name));
  }
  return types;
}

// ---------------------------------------------------------------------------------------------------

export interface GoPackage {
  /** The name Go prints before the type: the last element of the path. */
  readonly name: string;
  readonly structs: Map<string, { field: string; type: string; tag: string }[]>;
  /** Named types that are no structs, with what they are made of. */
  readonly others: Map<string, string>;
  /** Import alias to definition prefix. */
  readonly imports: Map<string, string>;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

export function loadPackages(modulesDir: string): Map<string, GoPackage> {
  const folders = readdirSync(modulesDir);
  const newest = (module: string): string => {
    const found = folders
      .filter((folder) => folder.startsWith(`${module}@`))
      .sort()
      .at(-1);
    if (found === undefined) throw new Error(`${modulesDir} does not contain the module ${module}`);
    return join(modulesDir, found);
  };
  const packages = new Map<string, GoPackage>();
  const api = newest('api');
  for (const group of readdirSync(api, { withFileTypes: true })) {
    if (!group.isDirectory()) continue;
    for (const version of readdirSync(join(api, group.name))) {
      if (!/^v\d+$/.test(version)) continue;
      packages.set(
        `io.k8s.api.${group.name}.${version}`,
        readPackage(join(api, group.name, version), version),
      );
    }
  }
  packages.set(META, readPackage(join(newest('apimachinery'), 'pkg/apis/meta/v1'), 'v1'));
  packages.set(
    'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
    readPackage(join(newest('apiextensions-apiserver'), 'pkg/apis/apiextensions/v1'), 'v1'),
  );
  return packages;
}

function readPackage(folder: string, name: string): GoPackage {
  const found: GoPackage = { name, structs: new Map(), others: new Map(), imports: new Map() };
  for (const file of readdirSync(folder)) {
    if (
      !/^(types.*|.*_types|micro_time|time|duration|group_version)\.go$/.test(file) ||
      file.includes('swagger')
    )
      continue;
    readSource(readFileSync(join(folder, file), 'utf8'), found);
  }
  return found;
}

function readSource(text: string, into: GoPackage): void {
  for (const [, alias, path] of text.matchAll(/^\s+(\w*)\s*"(k8s\.io\/[^"]+)"$/gm)) {
    const elements = (path as string).split('/');
    const prefix = `io.k8s.${elements.slice(1).join('.')}`;
    into.imports.set(alias || (elements.at(-1) as string), prefix);
  }
  for (const [, name, body] of text.matchAll(/^type (\w+) struct \{\n([\s\S]*?)^\}/gm)) {
    const fields = [...(body as string).matchAll(/^\t(?:(\w+)\s+)?([^\s`/]+)\s+`([^`]*)`/gm)].map(
      ([, field, type, tag]) => ({
        field: field ?? '',
        type: type as string,
        tag: /json:"([^"]*)"/.exec(tag as string)?.[1] ?? '',
      }),
    );
    into.structs.set(name as string, fields);
  }
  for (const [, name, type] of text.matchAll(/^type (\w+) ([\w.[\]*]+)$/gm))
    into.others.set(name as string, type as string);
}

function fieldsOf(packages: Map<string, GoPackage>, prefix: string, name: string): Map<string, GoField> {
  const source = packages.get(prefix) as GoPackage;
  const fields = new Map<string, GoField>();
  for (const { type, tag } of source.structs.get(name) ?? []) {
    const [json = '', ...options] = tag.split(',');
    if (json === '-') continue;
    if (json === '' && options.includes('inline')) {
      const [inlinePrefix, inlineName] = locate(source, prefix, type.replace('*', ''));
      if (packages.get(inlinePrefix)?.structs.has(inlineName)) {
        for (const [field, shape] of fieldsOf(packages, inlinePrefix, inlineName)) {
          fields.set(field, { ...shape, embedded: inlineName });
        }
      }
      continue;
    }
    fields.set(json, { ...describe(packages, prefix, type), always: !options.includes('omitempty') });
  }
  return fields;
}

function describe(packages: Map<string, GoPackage>, prefix: string, type: string): GoField {
  const source = packages.get(prefix) as GoPackage;
  if (type.startsWith('*')) return { ...describe(packages, prefix, type.slice(1)), pointer: true };
  const list = /^(?:\[\]|map\[[\w.]+\])(.+)$/.exec(type);
  if (list !== null && type !== '[]byte') {
    const item = describe(packages, prefix, list[1] as string);
    const key = /^map\[([\w.]+)\]/.exec(type)?.[1];
    const named =
      key !== undefined && key !== 'string'
        ? { named: `map[${printed(packages, prefix, key)}]${printed(packages, prefix, list[1] as string)}` }
        : {};
    return { pointer: false, always: false, ...named, item };
  }
  const [home, name] = locate(source, prefix, type);
  const made = packages.get(home)?.others.get(name);
  if (made === undefined) return { pointer: false, always: false };
  const inner = describe(packages, home, made);
  return { ...inner, pointer: false, always: false, named: `${packages.get(home)?.name}.${name}` };
}

function printed(packages: Map<string, GoPackage>, prefix: string, type: string): string {
  const [home, name] = locate(packages.get(prefix) as GoPackage, prefix, type);
  if (name !== type || /^[A-Z]/.test(name))
    return `${packages.get(home)?.name ?? home.split('.').at(-1)}.${name}`;
  return name;
}

/** Where a type written in a package is defined. */
function locate(source: GoPackage, prefix: string, type: string): [prefix: string, name: string] {
  const dot = type.indexOf('.');
  if (dot < 0) return [prefix, type];
  return [source.imports.get(type.slice(0, dot)) ?? type.slice(0, dot), type.slice(dot + 1)];
}
