/** Objects of Kubernetes in trees: Lists become separate objects; what has no kind or no name is none. Secrets are not kept. */
import type { Source } from '../../model/finding.ts';
import { find, itemsAt, type Tree, textAt } from '../../model/tree.ts';
import type { Manifest } from '../inputs.ts';

export function manifestsIn(tree: Tree, source: Source = 'manifest'): readonly Manifest[] {
  const kind = textAt(tree, 'kind');
  const apiVersion = textAt(tree, 'apiVersion');
  if (kind === undefined || apiVersion === undefined || kind === 'Secret') return [];
  const items = find(tree, 'items');
  if (kind.endsWith('List') && items?.kind === 'list')
    return itemsAt(tree, 'items').flatMap((item) => manifestsIn(item, source));
  const written = textAt(tree, 'metadata', 'name') ?? textAt(tree, 'metadata', 'generateName');
  const isUnnamed = written === undefined && find(tree, 'metadata', 'name')?.kind === 'unknown';
  if (written === undefined && !isUnnamed) return [];
  const name = written ?? '(not known)';
  const namespace = textAt(tree, 'metadata', 'namespace');
  return [
    {
      apiVersion,
      kind,
      name,
      ...(isUnnamed ? { isUnnamed } : {}),
      ...(namespace === undefined ? {} : { namespace }),
      tree,
      source,
      at: tree.at,
    },
  ];
}

/** The tree of a document is a manifest, as opposed to the values of a chart. */
export function isManifest(tree: Tree): boolean {
  return textAt(tree, 'kind') !== undefined && textAt(tree, 'apiVersion') !== undefined;
}
