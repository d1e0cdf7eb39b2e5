/** Helm values of Karpenter: which files hold them, and what `--set`, parameters of Argo CD and texts of YAML make of them. */

import { find, itemsAt, mergeTrees, type Tree, textAt } from '../../model/tree.ts';
import type { InputProblem } from '../inputs.ts';
import { readInnerYaml } from './inner-yaml.ts';

/** Names of the chart: upstream's and ours. */
const CHARTS: ReadonlySet<string> = new Set(['karpenter', 'chandler']);

export function isKarpenterChart(chart: string | undefined, repository: string | undefined): boolean {
  if (chart !== undefined && CHARTS.has(chart.split('/').at(-1) ?? '')) return true;
  return /(^|\/)karpenter\/karpenter\/?$/.test(repository ?? '');
}

/** Keys below `settings` of any version of the chart, dead ones included. */
const SETTINGS: readonly string[] = [
  'clusterName',
  'clusterEndpoint',
  'clusterCABundle',
  'interruptionQueue',
  'interruptionQueueName',
  'isolatedVPC',
  'reservedENIs',
  'vmMemoryOverheadPercent',
  'defaultInstanceProfile',
  'batchIdleDuration',
  'aws',
];

/** Variables of the controller that only Karpenter's provider for Azure has. */
const VARIABLES: ReadonlySet<string> = new Set([
  'AZURE_NODE_RESOURCE_GROUP',
  'VNET_SUBNET_ID',
  'KUBELET_BOOTSTRAP_TOKEN',
]);

/** The values of Karpenter in a tree: the tree itself, or what an umbrella chart has below `karpenter`. */
export function karpenterValues(tree: Tree): Tree | undefined {
  const own = find(tree, 'settings');
  if (own?.kind === 'map' && SETTINGS.some((key) => own.entries.has(key))) return tree;
  if (itemsAt(tree, 'controller', 'env').some((item) => VARIABLES.has(textAt(item, 'name') ?? '')))
    return tree;
  const nested = find(tree, 'karpenter');
  return nested === undefined || nested === tree ? undefined : karpenterValues(nested);
}

/** A text of YAML inside another file, which may be empty. @param problems gets what is wrong with it. */
export function valuesText(text: Tree, problems: InputProblem[]): Tree | 'empty' | 'broken' {
  const read = readInnerYaml(text);
  if (read === undefined) return 'broken';
  problems.push(...read.problems);
  return read.trees[0] ?? (read.problems.length === 0 ? 'empty' : 'broken');
}

/** `settings.clusterName=x`, a list of which Helm gets as `--set`. Dots in a name are escaped by a backslash. */
export function withSetting(values: Tree | undefined, name: string, value: Tree): Tree {
  const steps = name.split(/(?<!\\)\./).map((step) => step.replaceAll('\\.', '.'));
  const setting = steps.reduceRight<Tree>(
    (inner, step) => ({ kind: 'map', entries: new Map([[step, inner]]), at: value.at }),
    value,
  );
  return mergeTrees(values, setting)!;
}

/** `karpenter` of `helm: { releaseName }`, and the name of the object otherwise. */
export function releaseNameOf(tree: Tree | undefined, otherwise: string): string {
  return textAt(tree, 'releaseName') ?? otherwise;
}
