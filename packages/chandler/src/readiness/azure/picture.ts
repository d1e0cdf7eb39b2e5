/**
 * What one source (the account, a state, a plan, Terraform files) shows of Azure: its objects, their IDs, and what references mean.
 * Sources are not mixed: each must be right by itself, and where they differ, one of them fails.
 */
import type { Inputs, Resource } from '../inputs/inputs.ts';
import { find } from '../model/tree.ts';
import type { AzureKind } from './kinds.table.ts';
import { AZURE_KINDS } from './kinds.table.ts';
import {
  type AzureObject,
  azureObject,
  clusterOfModule,
  MODULE_OUTPUTS,
  patched,
  patchOf,
} from './objects.ts';
import { ANY, hasSymbol, NOT_KNOWN, sameId, symbolOf } from './symbols.ts';

export interface Picture {
  readonly source: Resource['source'];
  of(kind: AzureKind): readonly AzureObject[];
  /** The object with this ID, as far as it is known. */
  at(kind: AzureKind, id: string): AzureObject | undefined;
  /** The ID of an object, with symbols and `?` for what is not known. */
  idOf(object: AzureObject): string;
  /** The text with the meaning of its symbols, as far as it is known. */
  expand(text: string): string;
  /** The name of the node resource group of a cluster. */
  nodeResourceGroup(cluster: AzureObject): string | undefined;
  kubeletIdentity(cluster: AzureObject): string;
  /** The object that a symbol names, and what of it. */
  named(symbol: string): { readonly object: AzureObject; readonly attribute: string } | undefined;
}

const STRENGTHS: readonly Resource['source'][] = ['live', 'state', 'plan', 'terraform'];

/** Strongest source first; none where no source shows anything of Azure. */
export function picturesOf(inputs: Inputs): readonly Picture[] {
  return STRENGTHS.flatMap((source) => {
    const own = inputs.resources.filter((resource) => resource.source === source);
    const patches = own.flatMap((resource) => patchOf(resource) ?? []);
    const objects = [
      ...own.flatMap((resource) => azureObject(resource) ?? []),
      ...(source === 'terraform' ? inputs.moduleCalls.flatMap((call) => clusterOfModule(call) ?? []) : []),
    ];
    if (objects.length === 0) return [];
    return [
      pictureOf(
        source,
        objects.map((object) =>
          patched(
            object,
            patches.filter((patch) => isPatchOf(patch, object, objects)),
          ),
        ),
      ),
    ];
  });
}

// ---------------------------------------------------------------------------------------------------------------

function isPatchOf(patch: AzureObject, object: AzureObject, all: readonly AzureObject[]): boolean {
  if (patch.kind !== object.kind) return false;
  const target = symbolOf(find(patch.values, 'resource_id'));
  const only = all.filter(({ kind }) => kind === object.kind).length === 1;
  return only || target === `{${object.address}.id}` || target === object.text('id');
}

function pictureOf(source: Resource['source'], objects: readonly AzureObject[]): Picture {
  // The longest address first: that of a module begins those of what is in it.
  const byLength = objects.toSorted((a, b) => b.address.length - a.address.length);
  const isOf = (text: string, { address }: AzureObject) =>
    /^\{[^{}]+\}$/.test(text) && picture.named(text)?.object.address === address;
  const picture: Picture = {
    source,
    of: (kind) => objects.filter((object) => object.kind === kind),
    at: (kind, id) => picture.of(kind).find((object) => sameId(picture.idOf(object), id) === 'yes'),
    idOf: (object) => {
      const id = object.text('id');
      return id === undefined || hasSymbol(id) ? spelled(object, picture) : id;
    },
    expand: (text) => text.replace(/\{[^{}]+\}/g, (symbol) => meaningOf(symbol, picture)),
    nodeResourceGroup: (cluster) => {
      const own =
        cluster.field('nodeResourceGroup') === undefined ? undefined : cluster.text('nodeResourceGroup');
      // Its own symbol means nothing else.
      if (own !== undefined) return isOf(own, cluster) ? own : picture.expand(own);
      return source === 'terraform' ? defaultGroup(cluster, picture) : undefined;
    },
    kubeletIdentity: (cluster) => {
      const own = cluster.text('kubeletIdentityId');
      if (own !== undefined && !isOf(own, cluster)) return picture.expand(own);
      // Without one of its own, the cluster gets one in the group of its nodes.
      const group = source === 'terraform' ? picture.nodeResourceGroup(cluster) : undefined;
      const name = source === 'terraform' ? cluster.text('name') : undefined;
      return `/subscriptions/${ANY}/resourceGroups/${group ?? NOT_KNOWN}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name === undefined ? NOT_KNOWN : `${name}-agentpool`}`;
    },
    named: (symbol) => {
      const inner = symbol.slice(1, -1);
      const object = byLength.find(({ address }) => inner.startsWith(`${address}.`));
      return object === undefined ? undefined : { object, attribute: inner.slice(object.address.length + 1) };
    },
  };
  return picture;
}

/** `MC_group_cluster_region`: what Azure chooses. */
function defaultGroup(cluster: AzureObject, picture: Picture): string | undefined {
  const parts = ['resourceGroup', 'name', 'location'].map((name) => cluster.text(name));
  const texts = parts.map((part) => (part === undefined ? undefined : picture.expand(part)));
  const own = cluster.text('nodeResourceGroup');
  if (
    texts.some((text) => text === undefined || hasSymbol(text)) ||
    cluster.field('nodeResourceGroup') !== undefined
  )
    return own;
  const [group, name, location] = texts as readonly string[];
  return `MC_${group}_${name}_${regionName(location!)}`.slice(0, 80);
}

/** `West Europe` is `westeurope`. */
export function regionName(text: string): string {
  return text.replace(/\s+/g, '').toLowerCase();
}

function meaningOf(symbol: string, picture: Picture): string {
  if (/[{.]data\.azurerm_(subscription|client_config)\./.test(symbol)) {
    if (symbol.endsWith('.subscription_id}')) return ANY;
    return symbol.endsWith('.id}') ? `/subscriptions/${ANY}` : symbol;
  }
  const found = picture.named(symbol);
  if (found === undefined) return symbol;
  const { object, attribute } = found;
  if (attribute === 'id' || attribute === 'aks_id') return picture.idOf(object);
  if (object.kind === 'cluster') {
    const group = picture.nodeResourceGroup(object);
    if (attribute === 'node_resource_group') return group ?? symbol;
    if (attribute === 'node_resource_group_id')
      return group === undefined ? symbol : `/subscriptions/${ANY}/resourceGroups/${group}`;
    if (/^kubelet_identity\.(0\.)?user_assigned_identity_id$/.test(attribute))
      return picture.kubeletIdentity(object);
  }
  const output = Object.entries(MODULE_OUTPUTS).find(([, name]) => name === attribute)?.[0];
  const returned = output === undefined ? undefined : object.text(output);
  if (returned !== undefined && returned !== symbol) return picture.expand(returned);
  // A data source whose argument is known.
  const own = symbolOf(find(object.values, ...attribute.split('.')));
  return own === undefined || own === symbol ? symbol : picture.expand(own);
}

function spelled(object: AzureObject, picture: Picture): string {
  const text = (name: string) => {
    const own = object.text(name);
    return own === undefined || own === '' ? NOT_KNOWN : picture.expand(own);
  };
  const { arm } = AZURE_KINDS[object.kind];
  if (object.kind === 'resourceGroup') return `/subscriptions/${ANY}/resourceGroups/${text('name')}`;
  if (symbolOf(object.field('parent')) !== undefined) return childOf(text('parent'), arm, text('name'));
  const group = `/subscriptions/${ANY}/resourceGroups/${text('resourceGroup')}`;
  if (object.kind === 'subnet')
    return `${group}/providers/Microsoft.Network/virtualNetworks/${text('virtualNetwork')}/subnets/${text('name')}`;
  return `${group}/providers/${arm}/${text('name')}`;
}

/** Below a resource group, or below another resource. */
function childOf(parent: string, arm: string, name: string): string {
  const isGroup = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+$/i.test(parent);
  return isGroup ? `${parent}/providers/${arm}/${name}` : `${parent}/${arm.split('/').at(-1)}/${name}`;
}
