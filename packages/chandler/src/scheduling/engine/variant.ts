/**
 * One relaxation of a pod class, compiled: the requirements in force, the pools and nodes that they leave,
 * and the topology groups that constrain the pod, split by host and by other domains.
 */
import { andBits, andInto, type Bits, emptyBits, orInto } from '../bits.ts';
import type { TopologySpreadConstraint } from '../model.ts';
import type { ReadSpec } from '../pods/read-spec.ts';
import { affinityTermsOf, antiAffinityTermsOf, type Relaxation } from '../pods/relaxations.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { TOLERATE_SOFT_TAINTS } from '../taints.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { ClassContext, DomainRule, PodClass, Variant } from './pod-class.ts';
import type { HostRule, Signatures, TolerationSet } from './signatures.ts';

/** What decides the groups of pods. */
type RuledPods = Pick<PodClass, 'spec' | 'labels' | 'volumes'>;

/** The groups of the rules that pods of a class have about other pods. */
export function groupsOf(context: ClassContext, own: RuledPods, relaxation: Relaxation): TopologyGroup[] {
  const { groups } = context;
  const { spec, labels } = own;
  const found = spreadGroups(context, own, relaxation.spreads);
  // The scheduler looks for pods that match all required terms at once; upstream takes them one by one.
  const { required } = spec.affinity;
  for (const term of affinityTermsOf(spec, relaxation)) {
    const others = required.includes(term) ? required : [];
    found.push(groups.ofTerm('affinity', term, labels.namespace, spec.tolerations, others));
  }
  for (const term of antiAffinityTermsOf(spec, relaxation)) {
    found.push(groups.ofTerm('anti', term, labels.namespace, spec.tolerations));
  }
  return found;
}

/** The groups of the spreads that must hold. */
export function hardSpreadsOf(context: ClassContext, own: RuledPods): readonly TopologyGroup[] {
  const hard = own.spec.spreads.filter((spread) => !isSoft(spread));
  return spreadGroups(context, own, hard);
}

export function compileVariant(
  context: ClassContext,
  signatures: Signatures,
  podClass: PodClass,
  relaxation: Relaxation,
): Variant {
  const { algebra } = context;
  const { spec, volumes } = podClass;
  const required = relaxation.term < 0 ? [] : spec.requiredTerms[relaxation.term]!;
  const strictList = [...spec.nodeSelector, ...required];
  const list = [...strictList, ...(spec.preferredTerms[relaxation.droppedNodePreferences] ?? [])];
  const all = algebra.set(list);
  const strict = algebra.set(strictList);
  const extra = relaxation.toleratesSoftTaints ? [TOLERATE_SOFT_TAINTS] : [];
  const tolerations = signatures.tolerations([...spec.tolerations, ...extra]);
  const counting = context.groups.counting(podClass.labels);
  const rules = topologyRules(context, podClass, relaxation, strict);
  const fitKey = [
    all.id,
    tolerations.id,
    podClass.requests.id,
    spec.ports.map(({ ip, port, protocol }) => `${ip}/${port}/${protocol}`).join(),
    volumes.key,
  ].join(';');
  return {
    podClass,
    relaxation,
    counting,
    groupCount: counting.size,
    all,
    strict,
    contradiction: contradictionIn(algebra, list),
    tolerations,
    alternatives: volumes.alternatives,
    ports: spec.ports,
    ...rules,
    domainKeys: [...new Set(rules.domainRules.map((rule) => rule.group.spec.key))],
    host: signatures.host(rules.hostRules),
    fit: signatures.fit(fitKey),
    nodes: suitableNodes(context, all, tolerations, podClass),
    statics: [],
    narrowings: [],
    choices: new Map(),
    prices: [],
  };
}

/** The node filter of a spread with nodeAffinityPolicy Honor: any required term may match. */
export function filterTermsOf(algebra: Algebra, spec: ReadSpec): RequirementSet[] {
  if (spec.requiredTerms.length > 0) {
    return spec.requiredTerms.map((term) => algebra.set([...spec.nodeSelector, ...term]));
  }
  return spec.nodeSelector.length === 0 ? [] : [algebra.set(spec.nodeSelector)];
}

// ---------------------------------------------------------------------------------------------------------------

function spreadGroups(
  { groups, algebra, regional }: ClassContext,
  { spec, labels, volumes }: RuledPods,
  spreads: readonly TopologySpreadConstraint[],
): TopologyGroup[] {
  if (spreads.length === 0) return [];
  const terms = filterTermsOf(algebra, spec);
  const { tolerations } = spec;
  const reachesZone = regional.reachesZone({
    terms,
    volumes: volumes.alternatives,
    tolerations,
    requests: spec.requests,
  });
  return spreads.map((spread) => {
    const siblings = spec.spreads.filter((other) => isSoft(other) === isSoft(spread));
    return groups.ofSpread(spread, siblings, labels, terms, tolerations, reachesZone);
  });
}

interface TopologyRules {
  readonly domainRules: DomainRule[];
  readonly settles: TopologyGroup[];
  readonly hostRules: HostRule[];
  readonly hostAffinities: HostRule[];
}

function topologyRules(
  context: ClassContext,
  podClass: PodClass,
  relaxation: Relaxation,
  strict: RequirementSet,
): TopologyRules {
  const { groups, algebra } = context;
  const { labels } = podClass;
  const found = groupsOf(context, podClass, relaxation);
  const { tolerations, affinity, antiAffinity } = podClass.spec;
  const claiming = new Set(
    antiAffinity.required.map((term) => groups.ofTerm('anti', term, labels.namespace, tolerations)),
  );
  const following = new Set(
    affinity.required.map((term) =>
      groups.ofTerm('affinity', term, labels.namespace, tolerations, affinity.required),
    ),
  );
  const rules: TopologyRules = { domainRules: [], settles: [], hostRules: [], hostAffinities: [] };
  for (const group of new Set(found)) {
    const self = group.selects(labels);
    if (!group.spec.host) {
      const podDomains = podDomainsOf(algebra, group, strict);
      rules.domainRules.push({
        group,
        self,
        podDomains,
        onlyDecides: false,
        claimsDomain: claiming.has(group),
        followsLeaving: following.has(group),
      });
    } else if (group.spec.kind === 'affinity') rules.hostAffinities.push({ group, self });
    else rules.hostRules.push({ group, self });
  }
  const { domains, hosts, inverseDomains, inverseHosts } = groups.counting(labels);
  const isFollowed = [...domains, ...hosts].some(({ spec }) => spec.kind === 'affinity');
  if (podClass.decidesDomains || isFollowed || comesBeforeOthers(rules)) informOthers(rules, domains, found);
  for (const group of inverseHosts) rules.hostRules.push({ group, self: false });
  for (const group of inverseDomains) {
    const podDomains = strict.items.find((item) => item.key === group.spec.key);
    rules.domainRules.push({
      group,
      self: false,
      podDomains,
      onlyDecides: false,
      claimsDomain: false,
      followsLeaving: false,
    });
  }
  return rules;
}

/** Spreads of other pods that count the pod must know its domain, and whether its node takes part. */
function informOthers(
  { domainRules, settles }: TopologyRules,
  counting: readonly TopologyGroup[],
  own: readonly TopologyGroup[],
): void {
  const decided = new Set(
    domainRules.flatMap(({ group: { spec } }) => (spec.kind === 'spread' ? [spec.key] : [])),
  );
  for (const group of counting) {
    const { kind, key, filter } = group.spec;
    if (kind !== 'spread') continue;
    if (filter!.terms.length > 0 && !own.includes(group)) settles.push(group);
    if (!decided.has(key))
      domainRules.push({
        group,
        self: false,
        podDomains: undefined,
        onlyDecides: true,
        claimsDomain: false,
        followsLeaving: false,
      });
  }
}

/**
 * Spreads that count a pod must know its domain when the pod has an affinity to its own group and is the first
 * of it, when the pod is itself spread over some label, or when other pods have an affinity to it. The domain of other pods may
 * stay undecided: they can be bound last.
 */
function comesBeforeOthers({ domainRules, hostAffinities }: TopologyRules): boolean {
  const isFirst = ({ group, self }: HostRule) => self && group.spec.kind === 'affinity';
  return (
    domainRules.some((rule) => rule.group.spec.kind === 'spread' || isFirst(rule)) ||
    hostAffinities.some(isFirst)
  );
}

/**
 * The domains that a spread considers: those that any required term allows, not only the current one, and all
 * domains with nodeAffinityPolicy Ignore. Upstream considers the current term only.
 */
function podDomainsOf(
  algebra: Algebra,
  group: TopologyGroup,
  strict: RequirementSet,
): Requirement | undefined {
  const { key, kind, filter } = group.spec;
  if (kind !== 'spread') return strict.items.find((item) => item.key === key);
  const terms = filter?.terms ?? [];
  const conditions = terms.map((set) => set.items.find((item) => item.key === key));
  if (conditions.length < 2 || conditions.includes(undefined)) {
    return conditions.length === 1 ? conditions[0] : undefined;
  }
  return algebra.anyOf(key, conditions as Requirement[]);
}

function isSoft({ whenUnsatisfiable }: TopologySpreadConstraint): boolean {
  return whenUnsatisfiable === 'ScheduleAnyway';
}

function contradictionIn(algebra: Algebra, list: readonly Requirement[]): Variant['contradiction'] {
  const byKey = new Map<number, Requirement>();
  for (const second of list) {
    const first = byKey.get(second.key);
    if (first !== undefined && !algebra.overlaps(first, second)) return { first, second };
    byKey.set(second.key, first === undefined ? second : algebra.meet(first, second));
  }
  return null;
}

function suitableNodes(
  { nodes }: ClassContext,
  all: RequirementSet,
  tolerations: TolerationSet,
  { requests, volumes: { alternatives, contradictory } }: PodClass,
): Bits {
  if (contradictory) return emptyBits(nodes.all.length);
  const suitable = andBits(nodes.meetingAll(all), tolerations.nodes);
  andInto(suitable, nodes.usable);
  andInto(suitable, nodes.withRoom(requests));
  if (alternatives !== undefined) {
    const any = emptyBits(nodes.all.length);
    for (const alternative of alternatives) orInto(any, nodes.meetingAll(alternative));
    andInto(suitable, any);
  }
  return suitable;
}
