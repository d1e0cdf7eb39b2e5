/**
 * Topology spread: how many matching pods each domain has, and whether one more exceeds the skew. Hard
 * constraints reject; soft ones are counted for the score.
 */
import type { LabelSelector, Labels, Pod, Stored, TopologySpreadConstraint } from '@chandler/kube';
import { isEmptySelector, matchesSelector } from '../label-selector.ts';
import { labelsOf, namespaceOf } from '../object-facts.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import { type Filter, resolvable, unresolvable } from './filter.ts';
import { matchesNodeAffinity } from './node-affinity.ts';
import { untolerated } from './taints.ts';

export const spreadFilter: Filter = (pod, snapshot) => {
  const spreads = countSpreads(pod, snapshot, 'DoNotSchedule');
  if (spreads.length === 0) return undefined;
  return (node) => {
    for (const spread of spreads) {
      const domain = node.labels[spread.key];
      if (domain === undefined) return NO_LABEL;
      const count = (spread.counts.get(domain) ?? 0) + spread.self;
      if (count - spread.minimum > spread.maxSkew) return TOO_UNEVEN;
    }
    return undefined;
  };
};

export interface Spread {
  readonly key: string;
  readonly maxSkew: number;
  /** Matching pods by value of the key, over the nodes that count. */
  readonly counts: ReadonlyMap<string, number>;
  readonly minimum: number;
  /** 1 when the pod itself matches. */
  readonly self: number;
}

export function countSpreads(
  pod: Stored<Pod>,
  snapshot: ClusterSnapshot,
  action: 'DoNotSchedule' | 'ScheduleAnyway',
): readonly Spread[] {
  const constraints = (pod.spec.topologySpreadConstraints ?? []).filter(
    (constraint) => constraint.whenUnsatisfiable === action,
  );
  if (constraints.length === 0) return [];
  const keys = constraints.map((constraint) => constraint.topologyKey);
  const eligible = snapshot.nodes.filter((node) => keys.every((key) => node.labels[key] !== undefined));
  return constraints.map((constraint) => countSpread(pod, snapshot, constraint, eligible));
}

// ---------------------------------------------------------------------------------------------------

const TOO_UNEVEN = resolvable("node(s) didn't match pod topology spread constraints");
const NO_LABEL = unresolvable(
  "node(s) didn't match pod topology spread constraints (missing required label)",
);

function countSpread(
  pod: Stored<Pod>,
  snapshot: ClusterSnapshot,
  constraint: TopologySpreadConstraint,
  nodes: readonly NodeInfo[],
): Spread {
  const { topologyKey: key, maxSkew, minDomains = 1 } = constraint;
  const selector = withMatchLabelKeys(constraint, labelsOf(pod));
  const domainOf = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const node of nodes) {
    if (!isCounted(pod, constraint, node)) continue;
    const domain = node.labels[key]!;
    domainOf.set(node.name, domain);
    if (!counts.has(domain)) counts.set(domain, 0);
  }
  if (!isEmptySelector(selector)) {
    for (const placed of snapshot.podsIn(namespaceOf(pod))) {
      const domain = domainOf.get(placed.node);
      if (domain === undefined || placed.terminating || !matchesSelector(selector, placed.labels)) continue;
      counts.set(domain, counts.get(domain)! + 1);
    }
  }
  // Too few domains: the missing ones count as empty.
  const minimum = counts.size < minDomains ? 0 : lowest(counts.values());
  return { key, maxSkew, counts, minimum, self: matchesSelector(selector, labelsOf(pod)) ? 1 : 0 };
}

function lowest(counts: Iterable<number>): number {
  let least = Number.POSITIVE_INFINITY;
  for (const count of counts) if (count < least) least = count;
  return least;
}

function isCounted(pod: Stored<Pod>, constraint: TopologySpreadConstraint, node: NodeInfo): boolean {
  const { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !matchesNodeAffinity(pod, node)) return false;
  return nodeTaintsPolicy !== 'Honor' || untolerated(node.taints, pod.spec.tolerations) === undefined;
}

/** Older API servers leave the merge of the keys to the scheduler; doing it twice changes nothing. */
function withMatchLabelKeys(constraint: TopologySpreadConstraint, labels: Labels): LabelSelector | undefined {
  const { labelSelector, matchLabelKeys = [] } = constraint;
  const known = matchLabelKeys.filter((key) => labels[key] !== undefined);
  if (known.length === 0) return labelSelector;
  // Without a selector nothing matches, whatever the keys say.
  if (labelSelector === undefined) return undefined;
  const merged = known.map((key) => ({ key, operator: 'In', values: [labels[key]!] }));
  return { ...labelSelector, matchExpressions: [...(labelSelector.matchExpressions ?? []), ...merged] };
}
