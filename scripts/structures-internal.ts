/**
 * The layout of the server's internal types. Some error messages show a value, or the difference of two, as
 * Go prints the internal type: its own field names in its own order, complete. Used by scripts/structures.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type GoPackage, loadPackages } from './structures-go.ts';

/** Go name, key in the versioned JSON, and what it is: see `internal/layout.ts` beside the output. */
export type InternalField = readonly [goName: string, key: string, type: string];

const GROUPS = ['core', 'apps', 'policy', 'rbac', 'storage'] as const;

/** The types that error messages show. */
const ROOTS = [
  'core.PodSpec',
  'core.PersistentVolumeClaimSpec',
  'core.PersistentVolumeSource',
  'core.SecurityContext',
  'core.ServicePort',
  'core.Taint',
  'apps.DeploymentStrategy',
  'apps.StatefulSetUpdateStrategy',
  'apps.DaemonSetUpdateStrategy',
  'policy.PodDisruptionBudgetSpec',
  'rbac.RoleRef',
  'storage.CSINodeDriver',
  'storage.VolumeAttachmentSpec',
];

export function readInternalTypes(modulesDir: string): Record<string, InternalField[]> {
  const kubernetes = readdirSync(modulesDir)
    .filter((folder) => folder.startsWith('kubernetes@'))
    .sort()
    .at(-1);
  if (kubernetes === undefined) throw new Error(`${modulesDir} does not contain the module kubernetes`);
  const versioned = loadPackages(modulesDir);
  const sources = new Map(
    GROUPS.map((group) => [
      group as string,
      readFileSync(join(modulesDir, kubernetes, 'pkg/apis', group, 'types.go'), 'utf8'),
    ]),
  );
  const layouts: Record<string, InternalField[]> = {};
  const open = [...ROOTS];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (layouts[name] !== undefined) continue;
    const layout = layoutOf(name, sources, versioned);
    layouts[name] = layout;
    for (const [, , type] of layout) {
      const reference = /o:([\w.]+)$/.exec(type)?.[1];
      if (reference !== undefined) open.push(reference);
    }
  }
  return Object.fromEntries(Object.entries(layouts).sort(([one], [other]) => (one < other ? -1 : 1)));
}

// ---------------------------------------------------------------------------------------------------

function layoutOf(
  name: string,
  sources: ReadonlyMap<string, string>,
  versioned: ReadonlyMap<string, GoPackage>,
): InternalField[] {
  const [group, type] = name.split('.') as [string, string];
  const body = new RegExp(`^type ${type} struct \\{\\n([\\s\\S]*?)^\\}`, 'm').exec(sources.get(group)!)?.[1];
  if (body === undefined) throw new Error(`internal type ${name} not found`);
  const keys = new Map(
    (versioned.get(`io.k8s.api.${group}.v1`)?.structs.get(type) ?? []).map(({ field, tag }) => [
      field,
      tag.split(',')[0]!,
    ]),
  );
  const fields: InternalField[] = [];
  for (const line of body.split('\n')) {
    const match = /^\t(\w+)(?:\s+([^\s/`]+))?\s*(?:\/\/.*)?$/.exec(line);
    if (match === null) continue;
    const [, field, given] = match as unknown as [string, string, string | undefined];
    // The fields of an embedded struct take its position, and are read from the same object.
    if (given === undefined) fields.push(...layoutOf(`${group}.${field}`, sources, versioned));
    else
      fields.push([
        field,
        keys.get(field) || `${field[0]!.toLowerCase()}${field.slice(1)}`,
        typeOf(given, group, sources),
      ]);
  }
  return fields;
}

/** A prefix for each pointer, list or map around it, then the innermost: s, i, b, t (as it is on the wire), o:Struct. */
function typeOf(type: string, group: string, sources: ReadonlyMap<string, string>): string {
  if (type.startsWith('*')) return `p${typeOf(type.slice(1), group, sources)}`;
  if (type.startsWith('[]')) return `l${typeOf(type.slice(2), group, sources)}`;
  const map = /^map\[[\w.]+\](.+)$/.exec(type);
  if (map !== null) return `m${typeOf(map[1]!, group, sources)}`;
  if (type === 'string') return 's';
  if (type === 'bool') return 'b';
  if (/^u?int(8|16|32|64)?$/.test(type)) return 'i';
  if (/^resource\.Quantity$/.test(type)) return 'q';
  if (/^(metav1|intstr|runtime)\./.test(type)) return type === 'intstr.IntOrString' ? 'i' : 't';
  const [home, name] = type.includes('.')
    ? [type.split('.')[0] === 'api' ? 'core' : type.split('.')[0]!, type.split('.')[1]!]
    : [group, type];
  if (name === 'UID') return 's';
  const source = sources.get(home);
  if (source === undefined) return 't';
  if (new RegExp(`^type ${name} struct \\{`, 'm').test(source)) return `o:${home}.${name}`;
  const made = new RegExp(`^type ${name} ([\\w.\\[\\]*]+)$`, 'm').exec(source)?.[1];
  if (made === undefined) throw new Error(`type ${home}.${name} not found`);
  return typeOf(made, home, sources);
}
