/** Rules between one pod and one node: taints and node requirements. */
import type { Taint } from '@chandler/kube';
import type { LabelRequirement, Pod, Toleration } from '../../packages/chandler/src/scheduling/index.ts';

import { podKey } from './builders.ts';
import { admits, type FinalNode, type Labels } from './final-nodes.ts';
import type { Violation } from './violation.ts';

export function checkNodeFit(nodes: readonly FinalNode[]): Violation[] {
  return nodes.flatMap((node) =>
    node.placed.flatMap((pod) => [...checkTaints(pod, node), ...checkLabels(pod, node)]),
  );
}

/** Node selector, and one of the required terms. */
export function wantsNode(pod: Pod, labels: Labels): boolean {
  const { nodeSelector = {}, affinity } = pod.spec;
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  return required === undefined || terms.some(({ matchExpressions = [] }) => holds(matchExpressions, labels));
}

export function keepsOff(taint: Taint, tolerations: readonly Toleration[]): boolean {
  if (taint.effect === 'PreferNoSchedule') return false;
  return !tolerations.some((toleration) => tolerates(toleration, taint));
}

// ---------------------------------------------------------------------------------------------------

function holds(requirements: readonly LabelRequirement[], labels: Labels): boolean {
  return (
    requirements.length > 0 &&
    requirements.every((requirement) => admits(requirement, labels[requirement.key]))
  );
}

function checkTaints(pod: Pod, node: FinalNode): Violation[] {
  return node.taints
    .filter((taint) => keepsOff(taint, pod.spec.tolerations ?? []))
    .map(({ key, effect }) => ({
      rule: 'taints',
      subject: podKey(pod),
      detail: `does not tolerate ${key}:${effect} of ${node.name}`,
    }));
}

function checkLabels(pod: Pod, node: FinalNode): Violation[] {
  if (wantsNode(pod, node.labels)) return [];
  return [
    {
      rule: 'node affinity',
      subject: podKey(pod),
      detail: `${node.name} does not match: ${JSON.stringify(node.labels)}`,
    },
  ];
}

function tolerates(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  const has = taint.value ?? '';
  if (operator === 'Lt' || operator === 'Gt') {
    if (!/^-?\d+$/.test(has) || !/^-?\d+$/.test(value)) return false;
    return operator === 'Lt' ? Number(has) < Number(value) : Number(has) > Number(value);
  }
  return value === has;
}
