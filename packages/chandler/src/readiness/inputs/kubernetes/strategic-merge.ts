/**
 * Strategic merge patches as kustomize applies them: of the kinds that Kubernetes itself has, lists of containers, volumes and the
 * like are merged item by item; other lists, and all lists of custom resources, are replaced.
 */
import { mergeTrees, type Tree, textAt } from '../../model/tree.ts';

/** Groups whose schema kustomize knows. */
const BUILT_IN = /^(v1|(apps|batch|autoscaling|policy|networking\.k8s\.io)\/.+)$/;

/** By the name of the list, the field that tells its items apart. */
const MERGE_KEYS: ReadonlyMap<string, string> = new Map([
  ['containers', 'name'],
  ['initContainers', 'name'],
  ['ephemeralContainers', 'name'],
  ['volumes', 'name'],
  ['env', 'name'],
  ['imagePullSecrets', 'name'],
  ['volumeMounts', 'mountPath'],
  ['volumeDevices', 'devicePath'],
  ['hostAliases', 'ip'],
  ['topologySpreadConstraints', 'topologyKey'],
]);

export function strategicMerge(apiVersion: string, under: Tree, patch: Tree): Tree {
  return BUILT_IN.test(apiVersion) ? merged(under, patch) : mergeTrees(under, patch)!;
}

// ---------------------------------------------------------------------------------------------------------------

function merged(under: Tree, patch: Tree): Tree {
  if (under.kind !== 'map' || patch.kind !== 'map' || textAt(patch, '$patch') === 'replace')
    return without(patch, '$patch');
  const entries = new Map(under.entries);
  for (const [name, value] of patch.entries) {
    const own = entries.get(name);
    const key = MERGE_KEYS.get(name);
    if (value.kind === 'scalar' && value.value === null) entries.delete(name);
    else if (own === undefined) entries.set(name, value);
    else if (own.kind === 'list' && value.kind === 'list' && key !== undefined)
      entries.set(name, { ...own, items: mergedItems(own.items, value.items, key) });
    else entries.set(name, merged(own, value));
  }
  return { ...under, entries };
}

function mergedItems(under: readonly Tree[], patches: readonly Tree[], key: string): readonly Tree[] {
  if (patches.some((item) => textAt(item, '$patch') === 'replace'))
    return patches.filter((item) => textAt(item, '$patch') !== 'replace');
  const items = [...under];
  for (const patch of patches) {
    const index = items.findIndex((item) => textAt(item, key) === textAt(patch, key));
    const isDeleted = textAt(patch, '$patch') === 'delete';
    if (index < 0) items.push(...(isDeleted ? [] : [patch]));
    else items.splice(index, 1, ...(isDeleted ? [] : [merged(items[index]!, patch)]));
  }
  return items;
}

function without(tree: Tree, name: string): Tree {
  if (tree.kind !== 'map' || !tree.entries.has(name)) return tree;
  return { ...tree, entries: new Map([...tree.entries].filter(([own]) => own !== name)) };
}
