/**
 * Inter-pod affinity. Three rules: the affinity of the pod itself, its anti-affinity, and the anti-affinity of pods that
 * are already on nodes.
 */
import type { Labels, Pod, PodAffinityTerm, Stored } from '@chandler/kube';
import { matchesSelector } from '../label-selector.ts';
import { labelsOf, namespaceOf } from '../object-facts.ts';
import type { ClusterSnapshot, NodeInfo, PlacedPod } from './cluster-snapshot.ts';
import { type Filter, resolvable, unresolvable } from './filter.ts';

export const podAffinityFilter: Filter = (pod, snapshot) => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const affinity = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const antiAffinity = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelled = domainsWithAntiAffinity(pod, snapshot);
  if (affinity.length + antiAffinity.length + repelled.size === 0) return undefined;
  const affinityTerms = affinity.map((term) => resolveTerm(term, namespaceOf(pod)));
  const antiAffinityTerms = antiAffinity.map((term) => resolveTerm(term, namespaceOf(pod)));
  const matchedDomains = affinityTerms.length === 0 ? NO_DOMAINS : affinityDomains(affinityTerms, snapshot);
  const excludedDomains = antiAffinityTerms.map((term) => domainsOf(term, snapshot));
  const isFirstOfGroup =
    matchedDomains.size === 0 && affinityTerms.every((term) => matchesTerm(term, pod, snapshot));
  return (node) => {
    if (affinityTerms.length > 0 && !satisfiesAffinity(affinityTerms, matchedDomains, isFirstOfGroup, node))
      return AFFINITY_NOT_MET;
    if (
      antiAffinityTerms.some((term, at) => excludedDomains[at]!.has(node.labels[term.topologyKey] ?? ABSENT))
    )
      return ANTI_AFFINITY_NOT_MET;
    return isRepelled(repelled, node.labels) ? EXISTING_ANTI_AFFINITY : undefined;
  };
};

/** A term with its namespaces worked out. */
export interface ResolvedTerm {
  readonly topologyKey: string;
  readonly matches: (labels: Labels) => boolean;
  readonly inNamespace: (namespace: string, snapshot: ClusterSnapshot) => boolean;
}

export function resolveTerm(term: PodAffinityTerm, ownNamespace: string): ResolvedTerm {
  const { labelSelector, topologyKey, namespaces = [], namespaceSelector } = term;
  const named = new Set(namespaces);
  if (namespaces.length === 0 && namespaceSelector === undefined) named.add(ownNamespace);
  return {
    topologyKey,
    matches: (labels) => matchesSelector(labelSelector, labels),
    inNamespace: (namespace, snapshot) =>
      named.has(namespace) ||
      (namespaceSelector !== undefined &&
        matchesSelector(namespaceSelector, snapshot.lookup.namespaceLabels(namespace))),
  };
}

/** Values of the term's key on nodes that have a matching pod. */
export function domainsOf(term: ResolvedTerm, snapshot: ClusterSnapshot): Map<string, number> {
  const domains = new Map<string, number>();
  forEachMatch([term], snapshot, (placed) => {
    const domain = snapshot.node(placed.node)?.labels[term.topologyKey];
    if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + 1);
  });
  return domains;
}

// ---------------------------------------------------------------------------------------------------

const AFFINITY_NOT_MET = unresolvable("node(s) didn't match pod affinity rules");
const ANTI_AFFINITY_NOT_MET = resolvable("node(s) didn't match pod anti-affinity rules");
const EXISTING_ANTI_AFFINITY = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");
const NO_DOMAINS: ReadonlySet<string> = new Set();
/** No label value contains a space. */
const ABSENT = ' ';

/** `key=value` pairs in which a pod matching all terms was found. */
function affinityDomains(terms: readonly ResolvedTerm[], snapshot: ClusterSnapshot): ReadonlySet<string> {
  const domains = new Set<string>();
  forEachMatch(terms, snapshot, (placed) => {
    const labels = snapshot.node(placed.node)?.labels;
    for (const { topologyKey } of terms) {
      const value = labels?.[topologyKey];
      if (value !== undefined) domains.add(`${topologyKey}=${value}`);
    }
  });
  return domains;
}

function satisfiesAffinity(
  terms: readonly ResolvedTerm[],
  matchedDomains: ReadonlySet<string>,
  isFirstOfGroup: boolean,
  node: NodeInfo,
): boolean {
  if (terms.some((term) => node.labels[term.topologyKey] === undefined)) return false;
  // The first pod of a group with affinity to itself may run on any node.
  return (
    isFirstOfGroup ||
    terms.every(({ topologyKey }) => matchedDomains.has(`${topologyKey}=${node.labels[topologyKey]}`))
  );
}

function matchesTerm(term: ResolvedTerm, pod: Stored<Pod>, snapshot: ClusterSnapshot): boolean {
  return term.inNamespace(namespaceOf(pod), snapshot) && term.matches(labelsOf(pod));
}

function forEachMatch(
  terms: readonly ResolvedTerm[],
  snapshot: ClusterSnapshot,
  visit: (placed: PlacedPod) => void,
): void {
  const inside = new Map<string, boolean>();
  for (const placed of snapshot.placed) {
    let counts = inside.get(placed.namespace);
    if (counts === undefined) {
      counts = terms.every((term) => term.inNamespace(placed.namespace, snapshot));
      inside.set(placed.namespace, counts);
    }
    if (counts && terms.every((term) => term.matches(placed.labels))) visit(placed);
  }
}

/** `key` to values of nodes that run a pod with anti-affinity to this one. */
function domainsWithAntiAffinity(
  pod: Stored<Pod>,
  snapshot: ClusterSnapshot,
): ReadonlyMap<string, ReadonlySet<string>> {
  const domains = new Map<string, Set<string>>();
  for (const placed of snapshot.repelling) {
    for (const term of placed.repels) {
      if (!matchesTerm(resolveTerm(term, placed.namespace), pod, snapshot)) continue;
      const value = snapshot.node(placed.node)?.labels[term.topologyKey];
      if (value === undefined) continue;
      const values = domains.get(term.topologyKey);
      if (values) values.add(value);
      else domains.set(term.topologyKey, new Set([value]));
    }
  }
  return domains;
}

function isRepelled(repelled: ReadonlyMap<string, ReadonlySet<string>>, labels: Labels): boolean {
  for (const [key, values] of repelled) if (values.has(labels[key] ?? ABSENT)) return true;
  return false;
}
