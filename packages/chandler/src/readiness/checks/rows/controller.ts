/** Checks of where and how the controller runs, as the Helm values set it. */
import { entriesAt, itemsAt, type Tree, textAt, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { each, fail, ofValues, pass, seen, skip, warn } from '../judgements.ts';

const NODE_POOL_LABEL = 'karpenter.sh/nodepool';
const TERMS = [
  'affinity',
  'nodeAffinity',
  'requiredDuringSchedulingIgnoredDuringExecution',
  'nodeSelectorTerms',
] as const;

export const CONTROLLER_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-43',
    title: 'The controller does not run on its own nodes',
    inputs: ['values'],
    criterion:
      'Passes if the values keep the node affinity of the chart (which keeps the controller off nodes with karpenter.sh/nodepool), exclude these nodes themselves or select a node group; fails if they replace that rule by another, or remove it.',
    severity: 'critical',
    phase: 2,
    fix: 'Require that the label karpenter.sh/nodepool does not exist, as the chart does, or select a node group by nodeSelector.',
    docs: DOCS.gettingStarted,
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const evidence = [seen(ofValues(release), 'affinity')];
        const object = release.origin;
        const rule = ruleOf(release.values);
        if (rule === 'unknown') return skip('The affinity is not known.', ['plan'], evidence, { object });
        if (rule === 'kept')
          return release.incomplete.length > 0
            ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
            : pass('The affinity of the chart applies.', evidence, { object });
        if (rule !== 'removed' && rule.length > 0 && rule.every(excludesOwnNodes))
          return pass('The affinity excludes nodes of Karpenter.', evidence, { object });
        const selected = entriesAt(release.values, 'nodeSelector').some(([key]) =>
          NODE_GROUP_LABEL.test(key),
        );
        return selected
          ? pass(
              'A node selector chooses the nodes.',
              [...evidence, seen(ofValues(release), 'nodeSelector')],
              { object },
            )
          : fail('The affinity replaces the rule that keeps the controller off its own nodes.', evidence, {
              object,
            });
      }),
  },
  {
    id: 'K-81',
    title: 'Metrics are collected',
    inputs: ['values'],
    criterion: 'Warns if serviceMonitor.enabled is not true.',
    severity: 'low',
    phase: 2,
    fix: 'Set serviceMonitor.enabled to true, or scrape port 8080 of the controller in another way.',
    docs: 'https://karpenter.sh/docs/reference/metrics/',
    judge: ({ inputs }) =>
      each(inputs.releases, (release) => {
        const evidence = [seen(ofValues(release), 'serviceMonitor', 'enabled')];
        const object = release.origin;
        if (textAt(release.values, 'serviceMonitor', 'enabled') === 'true')
          return pass('A ServiceMonitor is created.', evidence, { object });
        return release.incomplete.length > 0
          ? skip(`It may be set elsewhere: ${release.incomplete[0]}.`, ['values'], evidence, { object })
          : warn('No ServiceMonitor is created.', evidence, { object });
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/**
 * What becomes of the rule of the chart. Helm merges maps, so it is lost only where its list is replaced, or a value above it is
 * null. @returns the terms that replace it.
 */
function ruleOf(values: Tree): 'kept' | 'removed' | 'unknown' | readonly Tree[] {
  let current: Tree | undefined = values;
  for (const step of TERMS) {
    if (current?.kind !== 'map') break;
    current = current.entries.get(step);
    if (current === undefined) return 'kept';
  }
  if (current === undefined || current.kind === 'map') return 'kept';
  if (current.kind === 'unknown') return 'unknown';
  return current.kind === 'list' ? current.items : 'removed';
}

/** A term that names other groups of nodes by a label of their own excludes them, too. */
function excludesOwnNodes(term: Tree): boolean {
  return itemsAt(term, 'matchExpressions').some((expression) => {
    const key = textAt(expression, 'key') ?? '';
    const operator = textAt(expression, 'operator');
    if (key === NODE_POOL_LABEL) return operator === 'DoesNotExist';
    if (!NODE_GROUP_LABEL.test(key)) return false;
    return (
      operator === 'Exists' ||
      (operator === 'In' && itemsAt(expression, 'values').some((value) => textOf(value) !== undefined))
    );
  });
}

const NODE_GROUP_LABEL = /^(eks\.amazonaws\.com\/(nodegroup|compute-type)|karpenter\.sh\/controller)$/;
