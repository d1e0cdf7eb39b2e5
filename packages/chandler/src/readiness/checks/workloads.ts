/** Workloads as checks see them: the template of their pods, and which PodDisruptionBudgets select them. */
import type { LabelSelector } from '@chandler/kube';
import { compileSelector } from '../../scheduling/index.ts';
import type { Inputs, Manifest } from '../inputs/inputs.ts';
import { find, type Path, type Tree, textsAt, toValue } from '../model/tree.ts';
import { folderOfManifest } from './judgements.ts';

/** By kind, where the template of the pods is; a Pod is its own. */
const TEMPLATES: ReadonlyMap<string, Path> = new Map<string, Path>([
  ['Deployment', ['spec', 'template']],
  ['StatefulSet', ['spec', 'template']],
  ['DaemonSet', ['spec', 'template']],
  ['ReplicaSet', ['spec', 'template']],
  ['Job', ['spec', 'template']],
  ['CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
  ['Pod', []],
]);

export interface Workload {
  readonly manifest: Manifest;
  /** The path of its pod template. */
  readonly template: Path;
  /** The labels of its pods. */
  readonly labels: Readonly<Record<string, string>>;
}

export function workloadsOf({ manifests }: Inputs): readonly Workload[] {
  return manifests.flatMap((manifest) => {
    const template = TEMPLATES.get(manifest.kind);
    // A pod of a workload is judged as the workload.
    if (template === undefined || find(manifest.tree, 'metadata', 'ownerReferences') !== undefined) return [];
    return [{ manifest, template, labels: textsAt(manifest.tree, ...template, 'metadata', 'labels') }];
  });
}

export function podDisruptionBudgets({ manifests }: Inputs): readonly Manifest[] {
  return manifests.filter(({ kind }) => kind === 'PodDisruptionBudget');
}

/** Whether a PodDisruptionBudget is about the pods of a workload: same namespace, and its selector matches. */
export function selectionOf(budget: Manifest): (workload: Workload) => boolean {
  const selector = find(budget.tree, 'spec', 'selector');
  if (selector === undefined || !isSelector(selector)) return () => false;
  const compiled = compileSelector(toValue(selector) as LabelSelector);
  if ('problem' in compiled) return () => false;
  return ({ manifest, labels }) => isSameNamespace(budget, manifest) && compiled.matches(labels);
}

// ---------------------------------------------------------------------------------------------------------------

/** Without a namespace, folders are environments: `dev/` and `prod/` have the same names. */
function isSameNamespace(one: Manifest, other: Manifest): boolean {
  if (one.namespace !== undefined || other.namespace !== undefined)
    return (one.namespace ?? 'default') === (other.namespace ?? 'default');
  return folderOfManifest(one) === folderOfManifest(other);
}

/** The API server rejects other shapes, so they select nothing. */
function isSelector(tree: Tree): boolean {
  const labels = find(tree, 'matchLabels');
  const expressions = find(tree, 'matchExpressions');
  return (
    tree.kind === 'map' &&
    (labels === undefined || labels.kind === 'map') &&
    (expressions === undefined ||
      (expressions.kind === 'list' &&
        expressions.items.every((item) => {
          const values = find(item, 'values');
          return item.kind === 'map' && (values === undefined || values.kind === 'list');
        })))
  );
}
