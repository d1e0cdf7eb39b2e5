/**
 * All topology groups of a snapshot: finds or creates the group of a constraint, knows which domains exist
 * and how many pods are in them, and lists the groups that count a given pod. Two constraints share a group
 * when they count the same pods in the same domains by the same rule.
 */
import { normalizeLabel } from '../../api/index.ts';
import { andBits, type Bits, countBits, isEmptyBits, members, NO_BITS } from '../bits.ts';
import type { PodAffinityTerm, SchedulingInput, Toleration, TopologySpreadConstraint } from '../model.ts';
import type { Algebra, RequirementSet } from '../requirements/algebra.ts';
import { compileSelector, SELECT_NOTHING, type Selector } from '../selectors.ts';
import { untoleratedHardTaint } from '../taints.ts';
import { type DomainSource, domainUniverse } from '../topology/domains.ts';
import { type GroupKind, type GroupSpec, type NodeFilter, TopologyGroup } from '../topology/group.ts';
import type { LabelClass } from '../topology/label-classes.ts';
import { NamespaceIndex } from '../topology/namespaces.ts';
import type { BoundPods } from './bound-pods.ts';
import type { NodeTable } from './nodes.ts';
import { Participation } from './participation.ts';
import type { PoolEntry } from './pools.ts';
import type { RegionalOfferings } from './regional-offerings.ts';
import { mayHaveLabel, surelyHasLabel } from './state-domains.ts';
import type { State } from './states.ts';

export interface RegistryContext {
  readonly algebra: Algebra;
  readonly pools: readonly PoolEntry[];
  readonly templates: readonly (State | null)[];
  readonly nodes: NodeTable;
  readonly bound: BoundPods;
  readonly regional: RegionalOfferings;
  readonly hostKey: number;
  readonly isWellKnown: (key: number) => boolean;
  readonly input: SchedulingInput;
}

/** Groups that count a pod of a label class, wherever it lands. */
export interface Counting {
  seen: number;
  readonly domains: TopologyGroup[];
  readonly hosts: TopologyGroup[];
  /** Groups of pods with an anti-affinity to this one. */
  readonly inverseDomains: TopologyGroup[];
  readonly inverseHosts: TopologyGroup[];
}

export class GroupRegistry {
  readonly all: TopologyGroup[] = [];
  readonly parts: Participation;
  /** Spreads over labels of the user: pods may name values that no pool lists. */
  readonly customSpreads: TopologyGroup[] = [];
  readonly #context: RegistryContext;
  readonly #byKey = new Map<string, TopologyGroup>();
  /** Groups that can select pods of a namespace, in the order in which they were made. */
  readonly #byNamespace = new Map<string, TopologyGroup[]>();
  readonly #counting: (Counting | undefined)[] = [];
  readonly #namespaces: NamespaceIndex;
  readonly #universes = new Map<number, readonly DomainSource[]>();
  readonly #found = new WeakMap<object, Map<string, TopologyGroup>>();

  constructor(context: RegistryContext) {
    this.#context = context;
    this.parts = new Participation(context.algebra, context.nodes);
    this.#namespaces = new NamespaceIndex(context.input);
    for (const { term, namespace } of context.bound.antiAffinities)
      this.ofTerm('inverse', term, namespace, []);
  }

  /**
   * @param siblings the spreads of the pod that hold together with this one: a node must have the labels of all of them.
   * @param reachesZone a new node in a zone could run the pod: then regional offerings are no domain.
   */
  ofSpread(
    spread: TopologySpreadConstraint,
    siblings: readonly TopologySpreadConstraint[],
    pod: LabelClass,
    filterTerms: readonly RequirementSet[],
    tolerations: readonly Toleration[],
    reachesZone: boolean,
  ): TopologyGroup {
    const memo = this.#memoOf(spread);
    const keys = (spread.matchLabelKeys ?? []).map((key) => pod.labels[key]).join();
    const name = [
      pod.namespace,
      keys,
      filterTerms.map((set) => set.id).join(),
      this.#tolerationKey(tolerations),
      reachesZone,
    ].join('|');
    let group = memo.get(name);
    if (group === undefined) {
      group = this.#spreadGroup(spread, siblings, pod, filterTerms, tolerations, reachesZone);
      memo.set(name, group);
    }
    return group;
  }

  #spreadGroup(
    spread: TopologySpreadConstraint,
    siblings: readonly TopologySpreadConstraint[],
    pod: LabelClass,
    filterTerms: readonly RequirementSet[],
    tolerations: readonly Toleration[],
    reachesZone: boolean,
  ): TopologyGroup {
    const extra = (spread.matchLabelKeys ?? [])
      .filter((key) => pod.labels[key] !== undefined)
      .map((key) => ({ key, operator: 'In', values: [pod.labels[key]!] }));
    const honorsTaints = spread.nodeTaintsPolicy === 'Honor';
    const filter: NodeFilter = {
      terms: spread.nodeAffinityPolicy === 'Ignore' ? [] : filterTerms,
      tolerations: honorsTaints ? tolerations : undefined,
      keys: this.#keysBeside(spread, siblings),
    };
    return this.#group(
      {
        kind: 'spread',
        ...this.#key(spread.topologyKey),
        maxSkew: spread.maxSkew,
        minDomains: spread.minDomains ?? null,
        selector: selectorOf(spread.labelSelector, extra),
        namespaces: new Set([pod.namespace]),
        filter,
        zonesOnly: reachesZone,
      },
      `${pod.namespace}|${filter.terms.map((set) => set.id).join()}|${filter.keys.join()}|${reachesZone}`,
      honorsTaints ? tolerations : undefined,
    );
  }

  /** The labels of the other spreads, without those that every node has. */
  #keysBeside(spread: TopologySpreadConstraint, siblings: readonly TopologySpreadConstraint[]): number[] {
    const { algebra, nodes, templates } = this.#context;
    const own = this.#key(spread.topologyKey).key;
    const keys = siblings.map(({ topologyKey }) => this.#key(topologyKey)).filter(({ host }) => !host);
    return [...new Set(keys.map(({ key }) => key))]
      .filter((key) => key !== own)
      .filter(
        (key) =>
          !isEmptyBits(nodes.inDomain(key, -1)) ||
          templates.some((template) => template !== null && !surelyHasLabel(algebra, template, key)),
      )
      .sort((first, second) => first - second);
  }

  /** @param others further terms that a pod must match to be counted. */
  ofTerm(
    kind: Exclude<GroupKind, 'spread'>,
    term: PodAffinityTerm,
    namespace: string,
    tolerations: readonly Toleration[],
    others: readonly PodAffinityTerm[] = [],
  ): TopologyGroup {
    const memo = this.#memoOf(term);
    const name = [kind, namespace, others.length, this.#tolerationKey(tolerations)].join('|');
    let group = memo.get(name);
    if (group === undefined) {
      group = this.#termGroup(kind, term, namespace, tolerations, others);
      memo.set(name, group);
    }
    return group;
  }

  #termGroup(
    kind: Exclude<GroupKind, 'spread'>,
    term: PodAffinityTerm,
    namespace: string,
    tolerations: readonly Toleration[],
    others: readonly PodAffinityTerm[],
  ): TopologyGroup {
    const terms = [term, ...others.filter((other) => other !== term)];
    const namespaces = this.#namespaces.ofAll(terms, namespace);
    const spec: GroupSpec = {
      kind,
      ...this.#key(term.topologyKey),
      maxSkew: 0,
      minDomains: null,
      selector: selectorOfAll(terms),
      namespaces,
      filter: undefined,
      zonesOnly: false,
    };
    return this.#group(spec, namespaces.key, kind === 'inverse' ? undefined : tolerations);
  }

  counting(pod: LabelClass): Counting {
    let counting = this.#counting[pod.id];
    if (counting === undefined) {
      counting = { seen: 0, domains: [], hosts: [], inverseDomains: [], inverseHosts: [] };
      this.#counting[pod.id] = counting;
    }
    const groupsHere = this.#byNamespace.get(pod.namespace) ?? NO_GROUPS;
    for (; counting.seen < groupsHere.length; counting.seen++) {
      const group = groupsHere[counting.seen]!;
      if (!group.selects(pod)) continue;
      const { host, kind } = group.spec;
      if (kind === 'inverse') (host ? counting.inverseHosts : counting.inverseDomains).push(group);
      else (host ? counting.hosts : counting.domains).push(group);
    }
    return counting;
  }

  /** Whether a new node in this state takes part in the group, whichever type is launched. */
  countsState(group: TopologyGroup, state: State): boolean {
    return this.parts.ofState(group, state) === 'in';
  }

  countsNode(group: TopologyGroup, node: number): boolean {
    return this.parts.hasNode(group, node);
  }

  /** The domain of a node in the group; -1 when it does not take part, or the group counts by host. */
  domainOfNode(group: TopologyGroup, node: number): number {
    const { host, kind, key } = group.spec;
    if (host || kind === 'inverse' || !this.countsNode(group, node)) return -1;
    return this.#context.nodes.value(node, key);
  }

  /** Domains that new nodes can be in, in pools whose taints are tolerated and whose nodes can have these labels. */
  universe(
    key: number,
    tolerations: readonly Toleration[] | undefined,
    keys: readonly number[] = NO_KEYS,
  ): Bits {
    let sources = this.#universes.get(key);
    if (sources === undefined) {
      sources = domainUniverse(this.#context.algebra, this.#context.pools, this.#context.templates, key);
      this.#universes.set(key, sources);
    }
    let result: Bits = NO_BITS;
    for (const { pool, values } of sources) {
      if (tolerations !== undefined && untoleratedHardTaint(pool.taints, tolerations) !== undefined) continue;
      const template = this.#context.templates[pool.index] ?? null;
      if (template !== null && !keys.every((other) => mayHaveLabel(template, other))) continue;
      const longer = new Int32Array(Math.max(result.length, values.length));
      longer.set(result);
      for (let word = 0; word < values.length; word++) longer[word]! |= values[word]!;
      result = longer;
    }
    return result;
  }

  /** Cache by constraint: classes with equal specs share the same constraint objects. */
  #memoOf(constraint: object): Map<string, TopologyGroup> {
    let memo = this.#found.get(constraint);
    if (memo === undefined) {
      memo = new Map();
      this.#found.set(constraint, memo);
    }
    return memo;
  }

  #tolerationKey(tolerations: readonly Toleration[]): string {
    return tolerations.length === 0 ? '' : JSON.stringify(tolerations);
  }

  #key(topologyKey: string): { key: number; host: boolean } {
    const key = this.#context.algebra.labels.key(normalizeLabel(topologyKey));
    return { key, host: key === this.#context.hostKey };
  }

  #group(spec: GroupSpec, scope: string, tolerations: readonly Toleration[] | undefined): TopologyGroup {
    const poolKey = this.#poolKey(spec, tolerations);
    const name = [spec.kind, spec.key, spec.maxSkew, spec.minDomains, spec.selector.key, scope, poolKey].join(
      '\n',
    );
    let group = this.#byKey.get(name);
    if (group === undefined) {
      group = new TopologyGroup(this.all.length, spec);
      this.#byKey.set(name, group);
      this.all.push(group);
      if (spec.kind === 'spread' && !spec.host && !this.#context.isWellKnown(spec.key))
        this.customSpreads.push(group);
      for (const namespace of spec.namespaces) {
        const groupsHere = this.#byNamespace.get(namespace);
        if (groupsHere === undefined) this.#byNamespace.set(namespace, [group]);
        else groupsHere.push(group);
      }
      this.#learnDomains(group, tolerations);
      if (spec.kind === 'inverse') this.#countStanding(group, name);
      else this.#countBound(group);
    }
    return group;
  }

  /** Tolerations split a group only when they change the set of tolerated pools. */
  #poolKey(spec: GroupSpec, tolerations: readonly Toleration[] | undefined): string {
    if (tolerations === undefined) return '';
    const pools = this.#context.pools.map((pool) =>
      untoleratedHardTaint(pool.taints, tolerations) ? '0' : '1',
    );
    const honored = spec.filter?.tolerations;
    return `${pools.join('')}${honored === undefined ? '' : JSON.stringify(honored)}`;
  }

  #learnDomains(group: TopologyGroup, tolerations: readonly Toleration[] | undefined): void {
    if (group.spec.host) return;
    const { key, zonesOnly, filter } = group.spec;
    for (const value of members(this.universe(key, tolerations, filter?.keys))) {
      if (!zonesOnly || !this.#context.regional.isRegional(key, value)) group.learnDomain(value);
    }
    if (group.spec.kind === 'inverse') return;
    const takingPart = this.parts.nodes(group);
    for (const [value, nodes] of this.#context.nodes.domains(group.spec.key)) {
      const count = countBits(takingPart === undefined ? nodes : andBits(nodes, takingPart));
      if (value >= 0 && count > 0) group.addNodes(value, count);
    }
  }

  #countBound(group: TopologyGroup): void {
    for (const namespace of group.spec.namespaces) {
      for (const [labels, byNode] of this.#context.bound.tallies(namespace)) {
        if (group.selects(labels)) this.#countOn(group, byNode);
      }
    }
  }

  #countOn(group: TopologyGroup, byNode: ReadonlyMap<string, number>): void {
    for (const [name, count] of byNode) {
      const node = this.#context.nodes.find(name);
      if (node !== undefined && this.countsNode(group, node.index))
        this.countOnNode(group, node.index, count);
    }
  }

  countOnNode(group: TopologyGroup, node: number, change: number): void {
    if (group.spec.host) {
      group.addHost(node, change);
      return;
    }
    const value = this.#context.nodes.value(node, group.spec.key);
    if (value >= 0) group.add(value, change);
  }

  #countStanding(group: TopologyGroup, name: string): void {
    for (const { term, namespace, byNode } of this.#context.bound.antiAffinities) {
      if (this.#nameOfInverse(term, namespace) !== name) continue;
      for (const [nodeName, count] of byNode) {
        const node = this.#context.nodes.find(nodeName);
        if (node !== undefined) this.countOnNode(group, node.index, count);
      }
    }
  }

  #nameOfInverse(term: PodAffinityTerm, namespace: string): string {
    const { key } = this.#key(term.topologyKey);
    const selector = selectorOf(term.labelSelector);
    return ['inverse', key, 0, null, selector.key, this.#namespaces.of(term, namespace).key, ''].join('\n');
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NO_GROUPS: readonly TopologyGroup[] = [];
const NO_KEYS: readonly number[] = [];

/** Selects what all of them select. */
function selectorOfAll(terms: readonly PodAffinityTerm[]): Selector {
  const selectors = terms.map((term) => selectorOf(term.labelSelector));
  if (selectors.length === 1) return selectors[0]!;
  return {
    key: selectors
      .map(({ key }) => key)
      .sort()
      .join('&'),
    matches: (labels) => selectors.every((selector) => selector.matches(labels)),
    labelKeys: [...new Set(selectors.flatMap(({ labelKeys }) => labelKeys))],
  };
}

function selectorOf(...parameters: Parameters<typeof compileSelector>): Selector {
  const compiled = compileSelector(...parameters);
  return 'problem' in compiled ? SELECT_NOTHING : compiled;
}
