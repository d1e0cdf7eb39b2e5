/**
 * Affinity between pods. Three rules: the pod's own wish for company, its own wish for distance, and the wish for
 * distance of pods that are there already.
 */
import type { Labels, Pod, PodAffinityTerm, Stored } from '@chandler/kube';
import { matchesSelector } from '../label-selector.ts';
import { labelsOf, namespaceOf } from '../object-facts.ts';
import { type Filter, resolvable, unresolvable } from './filter.ts';
import type { ClusterPicture, NodeInfo, PlacedPod } from './picture.ts';

export const podAffinityFilter: Filter = (pod, picture) => {
  const { podAffinity, podAntiAffinity } = pod.spec.affinity ?? {};
  const company = podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const distance = podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  const repelled = domainsThatRepel(pod, picture);
  if (company.length + distance.length + repelled.size === 0) return undefined;
  const wanted = company.map((term) => resolveTerm(term, namespaceOf(pod)));
  const unwanted = distance.map((term) => resolveTerm(term, namespaceOf(pod)));
  const companions = wanted.length === 0 ? NO_DOMAINS : domainsOfCompany(wanted, picture);
  const strangers = unwanted.map((term) => domainsOf(term, picture));
  const startsAlone = companions.size === 0 && wanted.every((term) => matchesTerm(term, pod, picture));
  return (node) => {
    if (wanted.length > 0 && !hasCompany(wanted, companions, startsAlone, node)) return NO_COMPANY;
    if (unwanted.some((term, at) => strangers[at]!.has(node.labels[term.topologyKey] ?? ABSENT)))
      return TOO_CLOSE;
    return isRepelled(repelled, node.labels) ? REPELLED : undefined;
  };
};

/** A term with its namespaces worked out. */
export interface ResolvedTerm {
  readonly topologyKey: string;
  readonly matches: (labels: Labels) => boolean;
  readonly inNamespace: (namespace: string, picture: ClusterPicture) => boolean;
}

export function resolveTerm(term: PodAffinityTerm, ownNamespace: string): ResolvedTerm {
  const { labelSelector, topologyKey, namespaces = [], namespaceSelector } = term;
  const named = new Set(namespaces);
  if (namespaces.length === 0 && namespaceSelector === undefined) named.add(ownNamespace);
  return {
    topologyKey,
    matches: (labels) => matchesSelector(labelSelector, labels),
    inNamespace: (namespace, picture) =>
      named.has(namespace) ||
      (namespaceSelector !== undefined &&
        matchesSelector(namespaceSelector, picture.lookup.namespaceLabels(namespace))),
  };
}

/** Values of the term's key on nodes that have a matching pod. */
export function domainsOf(term: ResolvedTerm, picture: ClusterPicture): Map<string, number> {
  const domains = new Map<string, number>();
  forEachMatch([term], picture, (placed) => {
    const domain = picture.node(placed.node)?.labels[term.topologyKey];
    if (domain !== undefined) domains.set(domain, (domains.get(domain) ?? 0) + 1);
  });
  return domains;
}

// ---------------------------------------------------------------------------------------------------

const NO_COMPANY = unresolvable("node(s) didn't match pod affinity rules");
const TOO_CLOSE = resolvable("node(s) didn't match pod anti-affinity rules");
const REPELLED = resolvable("node(s) didn't satisfy existing pods anti-affinity rules");
const NO_DOMAINS: ReadonlySet<string> = new Set();
/** No label value contains a space. */
const ABSENT = ' ';

/** `key=value` pairs in which a pod matching all terms was found. */
function domainsOfCompany(terms: readonly ResolvedTerm[], picture: ClusterPicture): ReadonlySet<string> {
  const domains = new Set<string>();
  forEachMatch(terms, picture, (placed) => {
    const labels = picture.node(placed.node)?.labels;
    for (const { topologyKey } of terms) {
      const value = labels?.[topologyKey];
      if (value !== undefined) domains.add(`${topologyKey}=${value}`);
    }
  });
  return domains;
}

function hasCompany(
  terms: readonly ResolvedTerm[],
  companions: ReadonlySet<string>,
  startsAlone: boolean,
  node: NodeInfo,
): boolean {
  if (terms.some((term) => node.labels[term.topologyKey] === undefined)) return false;
  // The first of a group that wants to be together may go anywhere.
  return (
    startsAlone ||
    terms.every(({ topologyKey }) => companions.has(`${topologyKey}=${node.labels[topologyKey]}`))
  );
}

function matchesTerm(term: ResolvedTerm, pod: Stored<Pod>, picture: ClusterPicture): boolean {
  return term.inNamespace(namespaceOf(pod), picture) && term.matches(labelsOf(pod));
}

function forEachMatch(
  terms: readonly ResolvedTerm[],
  picture: ClusterPicture,
  visit: (placed: PlacedPod) => void,
): void {
  const inside = new Map<string, boolean>();
  for (const placed of picture.placed) {
    let counts = inside.get(placed.namespace);
    if (counts === undefined) {
      counts = terms.every((term) => term.inNamespace(placed.namespace, picture));
      inside.set(placed.namespace, counts);
    }
    if (counts && terms.every((term) => term.matches(placed.labels))) visit(placed);
  }
}

/** `key` to values whose nodes hold a pod that does not want this one near. */
function domainsThatRepel(
  pod: Stored<Pod>,
  picture: ClusterPicture,
): ReadonlyMap<string, ReadonlySet<string>> {
  const domains = new Map<string, Set<string>>();
  for (const placed of picture.repelling) {
    for (const term of placed.repels) {
      if (!matchesTerm(resolveTerm(term, placed.namespace), pod, picture)) continue;
      const value = picture.node(placed.node)?.labels[term.topologyKey];
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
