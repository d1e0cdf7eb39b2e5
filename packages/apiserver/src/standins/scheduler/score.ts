/**
 * The best of the feasible nodes: preferences of the pod, spread, free resources. Each score is scaled to 0…100
 * over the candidates and weighed; equal nodes are decided by name, so the same cluster always gives the same
 * choice. Not the numbers of kube-scheduler, but the same preferences.
 */
import type { Pod, Stored } from '@chandler/kube';
import { controllerOf, namespaceOf } from '../object-facts.ts';
import { podRequests } from '../resources.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import { matchesTerm } from './node-affinity.ts';
import { domainsOf, resolveTerm } from './pod-affinity.ts';
import { countPreferNoSchedule } from './taints.ts';
import { countSpreads } from './topology-spread.ts';

export function chooseNode(
  pod: Stored<Pod>,
  nodes: readonly NodeInfo[],
  snapshot: ClusterSnapshot,
): NodeInfo | undefined {
  if (nodes.length <= 1) return nodes[0];
  const totals = new Float64Array(nodes.length);
  for (const { weight, prepare } of CONCERNS) {
    const measure = prepare(pod, snapshot);
    if (measure) addWeighted(totals, nodes.map(measure), weight);
  }
  let best = 0;
  // Nodes come in order of name: only a better one replaces the best so far.
  for (let at = 1; at < nodes.length; at++) if (totals[at]! > totals[best]! + EQUAL_ENOUGH) best = at;
  return nodes[best];
}

// ---------------------------------------------------------------------------------------------------

/** More is better. Undefined: the pod has no such preference. */
type Measure = (node: NodeInfo) => number;

const CONCERNS: readonly {
  readonly weight: number;
  readonly prepare: (pod: Stored<Pod>, snapshot: ClusterSnapshot) => Measure | undefined;
}[] = [
  { weight: 3, prepare: (pod) => (node) => -countPreferNoSchedule(node.taints, pod.spec.tolerations) },
  { weight: 2, prepare: preferredNodes },
  { weight: 2, prepare: preferredPodAffinity },
  { weight: 2, prepare: evenSpread },
  { weight: 1, prepare: fewSiblings },
  { weight: 1, prepare: freeShare },
  // Decides only between nodes that are equal otherwise: pods that ask for nothing do not all go to the first.
  { weight: 0.001, prepare: () => (node) => -node.pods.size },
];

const EQUAL_ENOUGH = 1e-9;

function addWeighted(totals: Float64Array, values: readonly number[], weight: number): void {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high === low) return;
  for (let at = 0; at < values.length; at++) {
    totals[at] = totals[at]! + (weight * 100 * (values[at]! - low)) / (high - low);
  }
}

function preferredNodes(pod: Stored<Pod>): Measure | undefined {
  const terms = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  if (terms.length === 0) return undefined;
  return (node) => {
    let score = 0;
    for (const { weight, preference } of terms) if (matchesTerm(preference, node)) score += weight;
    return score;
  };
}

function preferredPodAffinity(pod: Stored<Pod>, snapshot: ClusterSnapshot): Measure | undefined {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const preferences = [
    ...(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((preferred) => ({
      preferred,
      sign: 1,
    })),
    ...(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map((preferred) => ({
      preferred,
      sign: -1,
    })),
  ];
  if (preferences.length === 0) return undefined;
  const counted = preferences.map(({ preferred, sign }) => {
    const term = resolveTerm(preferred.podAffinityTerm, namespaceOf(pod));
    return { key: term.topologyKey, weight: sign * preferred.weight, domains: domainsOf(term, snapshot) };
  });
  return (node) => {
    let score = 0;
    for (const { key, weight, domains } of counted)
      score += weight * (domains.get(node.labels[key] ?? '') ?? 0);
    return score;
  };
}

function evenSpread(pod: Stored<Pod>, snapshot: ClusterSnapshot): Measure | undefined {
  const spreads = countSpreads(pod, snapshot, 'ScheduleAnyway');
  if (spreads.length === 0) return undefined;
  return (node) => {
    let crowd = 0;
    for (const { key, counts, maxSkew } of spreads) {
      const domain = node.labels[key];
      crowd += (domain === undefined ? MISSING_DOMAIN : (counts.get(domain) ?? 0)) / maxSkew;
    }
    return -crowd;
  };
}

/** A node without the label goes last. */
const MISSING_DOMAIN = 1e6;

function fewSiblings(pod: Stored<Pod>, snapshot: ClusterSnapshot): Measure | undefined {
  const owner = controllerOf(pod)?.uid;
  return owner === undefined ? undefined : (node) => -snapshot.siblings(owner, node.name);
}

/** Free share of CPU and memory after the pod is there. */
function freeShare(pod: Stored<Pod>): Measure {
  const requests = podRequests(pod.spec);
  return (node) => {
    let share = 0;
    for (const name of ['cpu', 'memory']) {
      const allocatable = node.allocatable.get(name) ?? 0;
      if (allocatable <= 0) continue;
      share += 1 - ((node.used.get(name) ?? 0) + (requests.get(name) ?? 0)) / allocatable;
    }
    return share;
  };
}
