/** Node constraints of a pod: node selector, node affinity, a named node, an unschedulable node. */
import type { LabelSelectorRequirement, Labels, NodeSelector, NodeSelectorTerm, Pod } from '@chandler/kube';
import { matchesRequirement } from '../label-selector.ts';
import { type Filter, unresolvable } from './filter.ts';
import { tolerates } from './taints.ts';

/** Pods of DaemonSets select their node by field; other nodes are not evaluated. */
export const namedNodeFilter: Filter = (pod) => {
  const names = namedNodes(requiredNodeSelector(pod));
  return names && ((node) => (names.has(node.name) ? undefined : NOT_NAMED));
};

export const nodeNameFilter: Filter = (pod) => {
  const name = pod.spec.nodeName;
  if (name === undefined || name === '') return undefined;
  return (node) => (node.name === name ? undefined : OTHER_NAME);
};

export const unschedulableFilter: Filter = (pod) => {
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (tolerates(pod.spec.tolerations, cordon)) return undefined;
  return (node) => (node.node.spec?.unschedulable === true ? CORDONED : undefined);
};

export const nodeAffinityFilter: Filter = (pod) => {
  const { nodeSelector } = pod.spec;
  const required = requiredNodeSelector(pod);
  if (nodeSelector === undefined && required === undefined) return undefined;
  return (node) => (matchesNodeAffinity(pod, node) ? undefined : NO_MATCH);
};

/** Node selector and required node affinity together. */
export function matchesNodeAffinity(pod: Pick<Pod, 'spec'>, node: { name: string; labels: Labels }): boolean {
  const { nodeSelector } = pod.spec;
  for (const key in nodeSelector) if (node.labels[key] !== nodeSelector[key]) return false;
  const required = requiredNodeSelector(pod);
  return required === undefined || matchesNodeSelector(required, node);
}

/** One of the terms must hold; a term without any requirement never does. */
export function matchesNodeSelector(selector: NodeSelector, node: { name: string; labels: Labels }): boolean {
  return (selector.nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

export function matchesTerm(term: NodeSelectorTerm, node: { name: string; labels: Labels }): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, node.labels)) &&
    matchFields.every((requirement) => matchesField(requirement, node.name))
  );
}

// ---------------------------------------------------------------------------------------------------

const NOT_NAMED = unresolvable("node(s) didn't satisfy plugin(s) [NodeAffinity]");
const OTHER_NAME = unresolvable("node(s) didn't match the requested node name");
const CORDONED = unresolvable('node(s) were unschedulable');
const NO_MATCH = unresolvable("node(s) didn't match Pod's node affinity/selector");

function requiredNodeSelector(pod: Pick<Pod, 'spec'>): NodeSelector | undefined {
  return pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
}

/** `metadata.name` is the only field there is. */
function matchesField({ key, operator, values = [] }: LabelSelectorRequirement, name: string): boolean {
  if (key !== 'metadata.name' || values.length !== 1) return false;
  if (operator === 'In') return values[0] === name;
  return operator === 'NotIn' && values[0] !== name;
}

/** The names, when every term names nodes. */
function namedNodes(selector: NodeSelector | undefined): Set<string> | undefined {
  const terms = selector?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const fields = (term.matchFields ?? []).filter(
      ({ key, operator }) => key === 'metadata.name' && operator === 'In',
    );
    if (fields.length === 0) return undefined;
    const [first, ...rest] = fields.map((field) => field.values ?? []);
    const common = first!.filter((name) => rest.every((names) => names.includes(name)));
    for (const name of common) names.add(name);
  }
  return names;
}
