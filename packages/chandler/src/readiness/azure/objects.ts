/** A thing of Azure as one source shows it: a resource of azurerm or azapi, a call of the module Azure/aks, or a live answer. */
import type { ModuleCall, Resource } from '../inputs/inputs.ts';
import type { Evidence } from '../model/finding.ts';
import type { Place } from '../model/place.ts';
import { find, fromValue, type Path, placeAt, type Tree, textAt, textOf } from '../model/tree.ts';
import { AZURE_KINDS, type AzureKind, type FieldPaths, type KindRow } from './kinds.table.ts';
import { symbolOf } from './symbols.ts';

export interface AzureObject {
  readonly kind: AzureKind;
  readonly source: Resource['source'];
  readonly address: string;
  readonly at: Place;
  /** It is looked up, not made here. */
  readonly isData: boolean;
  readonly values: Tree;
  /** Undefined: the source does not set it. */
  field(name: string): Tree | undefined;
  /** The field as a text with symbols; what Azure sets is the symbol of the field itself. Undefined: not known, or absent. */
  text(name: string): string | undefined;
  /** The field as evidence. */
  seen(name: string): Evidence;
}

export function azureObject(resource: Resource): AzureObject | undefined {
  const { type, values } = resource;
  if (type === 'azapi_resource') {
    const arm = armType(values);
    const kind = kinds().find((each) => AZURE_KINDS[each].arm === arm);
    return kind === undefined ? undefined : made(resource, kind, 'arm', withBody(values));
  }
  const kind = kinds().find((each) => (AZURE_KINDS[each] as KindRow).types.includes(type));
  return kind === undefined ? undefined : made(resource, kind, 'azurerm', values);
}

/** What azapi_update_resource changes of another resource: fields that it sets win over those of the resource. */
export function patchOf(resource: Resource): AzureObject | undefined {
  if (resource.type !== 'azapi_update_resource') return undefined;
  const arm = armType(resource.values);
  const kind = kinds().find((each) => AZURE_KINDS[each].arm === arm);
  return kind === undefined ? undefined : made(resource, kind, 'arm', withBody(resource.values));
}

export function patched(object: AzureObject, patches: readonly AzureObject[]): AzureObject {
  if (patches.length === 0) return object;
  const owner = (name: string) => patches.find((patch) => patch.field(name) !== undefined) ?? object;
  return {
    ...object,
    field: (name) => owner(name).field(name),
    text: (name) => owner(name).text(name),
    seen: (name) => owner(name).seen(name),
  };
}

export function clusterOfModule(call: ModuleCall): AzureObject | undefined {
  if (!AKS_MODULE.test(call.moduleSource)) return undefined;
  const { address, at, arguments: values } = call;
  return made({ source: 'terraform', address, mode: 'managed', at }, 'cluster', 'module', values);
}

// ---------------------------------------------------------------------------------------------------------------

type Shape = 'azurerm' | 'arm' | 'module';

const AKS_MODULE = /(^|\/)Azure\/(terraform-azurerm-)?aks(\/azurerm)?(\/\/v4)?(\.git)?(\?.*)?$/i;

/** Outputs of the module by the field that they return. */
export const MODULE_OUTPUTS: Readonly<Record<string, string>> = {
  id: 'aks_id',
  name: 'aks_name',
  oidcIssuerUrl: 'oidc_issuer_url',
  nodeResourceGroup: 'node_resource_group',
  fqdn: 'cluster_fqdn',
  privateFqdn: 'cluster_private_fqdn',
  kubeletIdentityId: 'kubelet_identity.0.user_assigned_identity_id',
};

function kinds(): readonly AzureKind[] {
  return Object.keys(AZURE_KINDS) as AzureKind[];
}

function armType(values: Tree): string {
  return (textAt(values, 'type') ?? '').split('@')[0]!.toLowerCase();
}

function made(
  { source, address, mode, at }: Pick<Resource, 'source' | 'address' | 'mode' | 'at'>,
  kind: AzureKind,
  shape: Shape,
  values: Tree,
): AzureObject {
  const fields: Readonly<Record<string, FieldPaths>> = AZURE_KINDS[kind].fields;
  const pathsOf = (name: string): readonly Path[] => {
    const row = fields[name];
    if (shape === 'module') return (row?.module ?? []).map((argument) => [argument]);
    return row?.[shape] ?? [];
  };
  // A module has defaults of its own, and a data source says only how it is found.
  const absent =
    shape === 'module'
      ? 'is left to the module'
      : mode === 'data' && source === 'terraform'
        ? 'is read when Terraform runs'
        : undefined;
  const found = (name: string) => pathsOf(name).find((path) => find(values, ...path) !== undefined);
  const field = (name: string): Tree | undefined => {
    const path = found(name);
    if (path !== undefined) return find(values, ...path);
    return absent === undefined || fields[name] === undefined
      ? undefined
      : { kind: 'unknown', why: absent, at };
  };
  const what = (path: Path) => [address, ...path].join('.');
  return {
    kind,
    source,
    address,
    at,
    isData: mode === 'data',
    values,
    field,
    text: (name) => {
      const tree = found(name) === undefined ? undefined : field(name);
      if (tree !== undefined) return symbolOf(tree);
      return source === 'terraform' ? ownSymbol(shape, address, name, pathsOf(name)) : undefined;
    },
    seen: (name) => {
      const path = found(name) ?? pathsOf(name)[0] ?? [name];
      const output = found(name) === undefined && shape === 'module' ? MODULE_OUTPUTS[name] : undefined;
      if (output !== undefined) return { source, what: what([output]), value: `{${what([output])}}`, at };
      return evidenceAt(field(name), source, what(path), field(name)?.at ?? placeAt(values, ...path));
    },
  };
}

/** What Azure sets, and Terraform returns. */
function ownSymbol(shape: Shape, address: string, name: string, [path]: readonly Path[]): string | undefined {
  if (shape === 'module')
    return MODULE_OUTPUTS[name] === undefined ? undefined : `{${address}.${MODULE_OUTPUTS[name]}}`;
  if (path === undefined) return undefined;
  const steps = shape === 'arm' && path[0] === 'body' ? ['output', ...path.slice(1)] : path;
  return `{${[address, ...steps].join('.')}}`;
}

/** A reference is a value: it is known whose it is. */
export function evidenceAt(
  tree: Tree | undefined,
  source: Evidence['source'],
  what: string,
  at: Place,
): Evidence {
  const symbol = symbolOf(tree);
  if (tree === undefined) return { source, what, note: 'absent', at };
  if (symbol !== undefined) return { source, what, value: symbol, at };
  if (tree.kind === 'unknown') return { source, what, note: `not known: it ${tree.why}`, unknown: true, at };
  if (tree.kind !== 'list') return { source, what, at };
  const texts = tree.items.map(symbolOf);
  return texts.every((text) => text !== undefined)
    ? { source, what, value: texts.join(', '), at }
    : { source, what, at };
}

/** The body is an object, what `jsonencode` makes of one, or its text. */
function withBody(values: Tree): Tree {
  const body = find(values, 'body');
  const plain = body === undefined ? undefined : plainBody(body);
  if (plain === undefined || plain === body || values.kind !== 'map') return values;
  return { ...values, entries: new Map(values.entries).set('body', plain) };
}

function plainBody(body: Tree): Tree {
  if (body.kind === 'unknown' && body.call?.name === 'jsonencode') return body.call.args[0] ?? body;
  const text = body.kind === 'scalar' ? textOf(body) : undefined;
  if (text === undefined) return body;
  try {
    return fromValue(JSON.parse(text), body.at);
  } catch {
    return { kind: 'unknown', why: 'is no JSON', at: body.at };
  }
}
