/**
 * Topology rules, by the final placement of all pods: spread, affinity, anti-affinity. A plan does not record
 * the order in which its pods were placed, so a rule is violated only when no order could explain the result;
 * `replay.ts` finds orders.
 */
import type {
  LabelSelector,
  Pod,
  PodAffinityTerm,
  SchedulingInput,
  TopologySpreadConstraint,
} from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { keepsOff, wantsNode } from './check-node-fit.ts';
import type { FinalNode, Labels } from './final-nodes.ts';
import type { Violation } from './violation.ts';

export function checkTopology(input: SchedulingInput, nodes: readonly FinalNode[]): Violation[] {
  return nodes.flatMap((node) =>
    node.placed.flatMap((pod) => [
      ...checkSpreads(pod, node, nodes),
      ...checkCompany(input, pod, node, nodes),
      ...checkDistance(input, pod, node, nodes),
    ]),
  );
}

/** A missing selector selects nothing, an empty one everything. */
export function selects(selector: LabelSelector | undefined, labels: Labels): boolean {
  if (!selector) return false;
  const { matchLabels = {}, matchExpressions = [] } = selector;
  if (Object.entries(matchLabels).some(([key, value]) => labels[key] !== value)) return false;
  return matchExpressions.every(({ key, operator, values = [] }) => {
    const value = labels[key];
    if (operator === 'In') return value !== undefined && values.includes(value);
    if (operator === 'NotIn') return value === undefined || !values.includes(value);
    return operator === 'Exists' ? value !== undefined : value === undefined;
  });
}

// ---------------------------------------------------------------------------------------------------

function labelsOf(pod: Pod): Labels {
  return pod.metadata.labels ?? {};
}

function namespaceOf(pod: Pod): string {
  return pod.metadata.namespace ?? 'default';
}

function checkSpreads(pod: Pod, node: FinalNode, nodes: readonly FinalNode[]): Violation[] {
  const hard = (pod.spec.topologySpreadConstraints ?? []).filter(
    (c) => c.whenUnsatisfiable !== 'ScheduleAnyway',
  );
  const keys = hard.map((constraint) => constraint.topologyKey);
  return hard.flatMap((constraint) => {
    const detail = unevenness(pod, constraint, keys, node, nodes);
    return detail === undefined ? [] : [{ rule: 'spread' as const, subject: podKey(pod), detail }];
  });
}

/**
 * In the pod's own domain only those are counted that were there before or are bound by the same constraint: others
 * may have come after it. In the emptiest domain all are counted: they may have come before.
 */
function unevenness(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  keys: readonly string[],
  node: FinalNode,
  nodes: readonly FinalNode[],
): string | undefined {
  const { topologyKey, maxSkew, minDomains = 0 } = constraint;
  // kube-scheduler counts nothing for a selector without conditions.
  const countsNothing = isEmpty(effectiveSelector(constraint, pod));
  const domain = node.labels[topologyKey];
  if (domain === undefined) return `${node.name} has no label ${topologyKey}`;
  const selector = effectiveSelector(constraint, pod);
  const same = constraintText(pod, constraint);
  const counted = nodes.filter(
    ({ labels, taints }) =>
      keys.every((key) => labels[key] !== undefined) && countsFor(pod, constraint, labels, taints),
  );
  const all = new Map<string, number>();
  let here = 0;
  for (const { labels, bound, placed } of counted) {
    const at = labels[topologyKey]!;
    const matching = (pods: readonly Pod[]) =>
      pods.filter(
        (other) =>
          namespaceOf(other) === namespaceOf(pod) &&
          !countsNothing &&
          !other.metadata.deletionTimestamp &&
          selects(selector, labelsOf(other)),
      );
    const before = matching(bound).length;
    const after = matching(placed);
    all.set(at, (all.get(at) ?? 0) + before + after.length);
    if (at === domain) here += before + after.filter((other) => isBoundBy(other, same)).length;
  }
  const least = all.size < minDomains ? 0 : Math.min(...all.values());
  if (here - least <= maxSkew) return undefined;
  return `${topologyKey} ${domain} has ${here}, the least is ${least}, maxSkew ${maxSkew}: ${JSON.stringify([...all])}`;
}

function isEmpty({ matchLabels = {}, matchExpressions = [] }: LabelSelector = {}): boolean {
  return Object.keys(matchLabels).length + matchExpressions.length === 0;
}

function isBoundBy(pod: Pod, text: string): boolean {
  return (pod.spec.topologySpreadConstraints ?? []).some(
    (constraint) => constraintText(pod, constraint) === text,
  );
}

/** Two pods with the same text are bound by the same rule over the same nodes. */
function constraintText(pod: Pod, constraint: TopologySpreadConstraint): string {
  const { nodeSelector, affinity, tolerations, topologySpreadConstraints = [] } = pod.spec;
  const keys = topologySpreadConstraints
    .filter((c) => c.whenUnsatisfiable !== 'ScheduleAnyway')
    .map((c) => c.topologyKey);
  return JSON.stringify([
    constraint,
    effectiveSelector(constraint, pod),
    nodeSelector,
    affinity?.nodeAffinity,
    tolerations,
    keys,
  ]);
}

function effectiveSelector(
  { labelSelector, matchLabelKeys = [] }: TopologySpreadConstraint,
  pod: Pod,
): LabelSelector | undefined {
  if (!labelSelector) return undefined;
  const own = matchLabelKeys.filter((key) => labelsOf(pod)[key] !== undefined);
  const extra = own.map((key) => ({ key, operator: 'In', values: [labelsOf(pod)[key]!] }));
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...extra] };
}

function countsFor(
  pod: Pod,
  constraint: TopologySpreadConstraint,
  labels: Labels,
  taints: FinalNode['taints'],
): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !wantsNode(pod, labels)) return false;
  return (
    nodeTaintsPolicy === 'Ignore' || !taints.some((taint) => keepsOff(taint, pod.spec.tolerations ?? []))
  );
}

/**
 * For each term, a pod in the same domain that matches all terms at once, as kube-scheduler counts them. The first of a
 * group that selects itself may be alone.
 */
function checkCompany(
  input: SchedulingInput,
  pod: Pod,
  node: FinalNode,
  nodes: readonly FinalNode[],
): Violation[] {
  const terms = pod.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.flatMap((term) => {
    const say = (detail: string): Violation[] => [{ rule: 'affinity', subject: podKey(pod), detail }];
    const domain = node.labels[term.topologyKey];
    if (domain === undefined) return say(`${node.name} has no label ${term.topologyKey}`);
    // A pod on a node without the labels is in no domain: for kube-scheduler it is not there.
    const found = matchesOf(input, pod, terms, nodes).filter((match) =>
      terms.some(({ topologyKey }) => match.node.labels[topologyKey] !== undefined),
    );
    if (found.some((other) => other.node.labels[term.topologyKey] === domain)) return [];
    const matchesItself = terms.every((each) => isMatch(input, pod, each, pod));
    return matchesItself && mayStart(input, pod, term, node, found)
      ? []
      : say(`no match for ${JSON.stringify(term)} in ${domain}`);
  });
}

/**
 * Nobody was there before, and no other domain was started: one in which all that match have the same given. A pod that
 * matches without the given may have been placed later.
 */
function mayStart(
  input: SchedulingInput,
  pod: Pod,
  term: PodAffinityTerm,
  node: FinalNode,
  found: readonly Match[],
): boolean {
  const text = JSON.stringify(term);
  const hasAffinity = (other: Pod) =>
    (other.spec.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some(
      (theirs) => JSON.stringify(theirs) === text && isMatch(input, other, theirs, pod),
    );
  const started = new Map<string, boolean>();
  for (const other of found) {
    const domain = other.node.labels[term.topologyKey];
    if (domain === undefined || domain === node.labels[term.topologyKey]) continue;
    started.set(domain, (started.get(domain) ?? true) && hasAffinity(other.pod));
  }
  return found.every(({ isNew }) => isNew) && ![...started.values()].includes(true);
}

/** Its own anti-affinity and that of all other pods: two new pods cannot both have been first. */
function checkDistance(
  input: SchedulingInput,
  pod: Pod,
  node: FinalNode,
  nodes: readonly FinalNode[],
): Violation[] {
  const violations: Violation[] = [];
  for (const other of nodes) {
    for (const neighbour of [...other.bound, ...other.placed]) {
      if (neighbour === pod) continue;
      const why =
        repulsion(input, pod, neighbour, node, other) ?? repulsion(input, neighbour, pod, other, node);
      if (why)
        violations.push({
          rule: 'anti-affinity',
          subject: podKey(pod),
          detail: `${podKey(neighbour)} is too close: ${why}`,
        });
    }
  }
  return violations;
}

function repulsion(
  input: SchedulingInput,
  pod: Pod,
  other: Pod,
  node: FinalNode,
  otherNode: FinalNode,
): string | undefined {
  const terms = pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const hit = terms.find(
    (t) =>
      node.labels[t.topologyKey] !== undefined &&
      node.labels[t.topologyKey] === otherNode.labels[t.topologyKey] &&
      isMatch(input, pod, t, other),
  );
  return hit && `${podKey(pod)} wants ${JSON.stringify(hit)}`;
}

interface Match {
  readonly pod: Pod;
  readonly node: FinalNode;
  readonly isNew: boolean;
}

/** All pods that every one of the terms selects, except the pod itself. */
function matchesOf(
  input: SchedulingInput,
  pod: Pod,
  terms: readonly PodAffinityTerm[],
  nodes: readonly FinalNode[],
): Match[] {
  return nodes
    .flatMap((node) => [
      ...node.bound.map((other) => ({ pod: other, node, isNew: false })),
      ...node.placed.map((other) => ({ pod: other, node, isNew: true })),
    ])
    .filter((match) => match.pod !== pod && terms.every((term) => isMatch(input, pod, term, match.pod)));
}

function isMatch(input: SchedulingInput, pod: Pod, term: PodAffinityTerm, other: Pod): boolean {
  if (!selects(term.labelSelector, labelsOf(other))) return false;
  const { namespaces = [], namespaceSelector } = term;
  const theirs = namespaceOf(other);
  if (namespaces.includes(theirs)) return true;
  if (namespaceSelector) {
    const known = (input.namespaces ?? []).find(({ name }) => name === theirs);
    return selects(namespaceSelector, known?.labels ?? {});
  }
  return namespaces.length === 0 && theirs === namespaceOf(pod);
}
