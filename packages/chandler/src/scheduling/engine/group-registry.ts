/**
 * All topology groups of a snapshot: finds or creates the group of a constraint, knows which domains exist
 * and how many pods are in them. Two constraints share a group when they count the same pods in the same domains by the
 * same rule. `active-groups.ts` knows which groups are in force.
 */
import { normalizeLabel } from '../../api/index.ts';
import { andBits, type Bits, countBits, isEmptyBits, members, NO_BITS } from '../bits.ts';
import type { PodAffinityTerm, SchedulingInput, Toleration, TopologySpreadConstraint } from '../model.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { selectorOfAll, spreadSelectorOf } from '../selectors.ts';
import { untoleratedHardTaint } from '../taints.ts';
import { type DomainSource, domainUniverse } from '../topology/domains.ts';
import { type GroupKind, type GroupSpec, type NodeFilter, TopologyGroup } from '../topology/group.ts';
import type { LabelClass } from '../topology/label-classes.ts';
import { NamespaceIndex } from '../topology/namespaces.ts';
import { ActiveGroups, type Counting } from './active-groups.ts';
import type { BoundAntiAffinity, BoundPods } from './bound-pods.ts';
import type { LeavingPods } from './leaving-pods.ts';
import type { NodeTable } from './nodes.ts';
import { Participation } from './participation.ts';
import type { PoolEntry } from './pools.ts';
import { canReach, mayGetLabel } from './reachable-domains.ts';
import type { RegionalOfferings } from './regional-offerings.ts';
import { surelyHasLabel } from './state-domains.ts';
import type { State, StateTable } from './states.ts';

export interface RegistryContext {
  readonly algebra: Algebra;
  readonly pools: readonly PoolEntry[];
  readonly templates: readonly (State | null)[];
  readonly states: StateTable;
  readonly nodes: NodeTable;
  readonly bound: BoundPods;
  readonly leaving: LeavingPods;
  readonly regional: RegionalOfferings;
  readonly hostKey: number;
  readonly isWellKnown: (key: number) => boolean;
  /** Values of a label that pods to place name: their requirements with listed values. */
  readonly namedValues: (key: number) => readonly Requirement[];
  /** Whether a pod to place excludes values of a label. */
  readonly isAvoided: (key: number) => boolean;
  readonly input: SchedulingInput;
}

export class GroupRegistry {
  readonly parts: Participation;
  readonly #context: RegistryContext;
  readonly #active = new ActiveGroups();
  readonly #byKey = new Map<string, TopologyGroup>();
  /** The anti-affinities of bound pods that a group stands for. */
  readonly #standing = new Map<TopologyGroup, BoundAntiAffinity[]>();
  #custom: CustomSpreads = { of: [], count: 0, groups: [] };
  readonly #namespaces: NamespaceIndex;
  readonly #universes = new Map<number, readonly DomainSource[]>();
  readonly #found = new WeakMap<object, Map<string, TopologyGroup>>();

  constructor(context: RegistryContext) {
    this.#context = context;
    this.parts = new Participation(context.algebra, context.nodes);
    this.#namespaces = new NamespaceIndex(context.input);
    for (const standing of context.bound.antiAffinities) this.#stand(standing);
  }

  /** The groups in force. */
  get all(): readonly TopologyGroup[] {
    return this.#active.all;
  }

  /** Those that spread over labels of the user: pods may name values that no pool lists. */
  get customSpreads(): readonly TopologyGroup[] {
    const { all } = this;
    const { of, count } = this.#custom;
    if (of !== all || count !== all.length) {
      const isCustom = ({ spec: { kind, host, key } }: TopologyGroup) =>
        kind === 'spread' && !host && !this.#context.isWellKnown(key);
      this.#custom = { of: all, count: all.length, groups: all.filter(isCustom) };
    }
    return this.#custom.groups;
  }

  /** Labels by which a group, in force or not, divides nodes. */
  get topologyKeys(): ReadonlySet<number> {
    return new Set([...this.#byKey.values()].map(({ spec }) => spec.key));
  }

  /** Groups of a pod of the snapshot: they are in force for every request. */
  keep(groups: readonly TopologyGroup[]): void {
    for (const group of groups) this.#active.addOfOwnPods(group);
  }

  /**
   * A request begins.
   * @param removed names of the removed nodes.
   * @param added groups of its extra pods.
   */
  begin(removed: readonly string[], added: Iterable<TopologyGroup>): void {
    this.#active.begin({ added, emptied: this.#emptied(removed) });
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
        selector: spreadSelectorOf(spread.labelSelector, extra),
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
      selector: selectorOfAll(terms.map(({ labelSelector }) => labelSelector)),
      namespaces,
      filter: undefined,
      zonesOnly: false,
    };
    return this.#group(spec, namespaces.key, kind === 'inverse' ? undefined : tolerations);
  }

  counting(pod: LabelClass): Counting {
    return this.#active.counting(pod);
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
      sources = domainUniverse(
        this.#context.algebra,
        this.#context.pools,
        this.#context.templates,
        key,
        this.#context.isWellKnown(key) ? NO_REQUIREMENTS : this.#context.namedValues(key),
      );
      this.#universes.set(key, sources);
    }
    let result: Bits = NO_BITS;
    for (const { pool, values } of sources) {
      if (tolerations !== undefined && untoleratedHardTaint(pool.taints, tolerations) !== undefined) continue;
      const template = this.#context.templates[pool.index] ?? null;
      if (template !== null && !keys.every((other) => mayGetLabel(this.#context, template, other))) continue;
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
      group = new TopologyGroup(this.#byKey.size, spec);
      this.#byKey.set(name, group);
      this.#learnDomains(group, tolerations);
      if (spec.kind !== 'inverse') this.#countBound(group);
      if (spec.kind === 'affinity' && !spec.host) this.#context.leaving.countIn(group);
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
    const { kind, key, zonesOnly, filter } = group.spec;
    for (const value of members(this.universe(key, tolerations, filter?.keys))) {
      if (zonesOnly && this.#context.regional.isRegional(key, value)) continue;
      if (kind !== 'spread' || canReach(this.#context, group, value)) group.learnDomain(value);
    }
    if (kind === 'inverse') return;
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

  /** Creates the group of an anti-affinity of bound pods and counts these pods. */
  #stand(standing: BoundAntiAffinity): void {
    const group = this.ofTerm('inverse', standing.term, standing.namespace, []);
    const known = this.#standing.get(group);
    if (known === undefined) {
      this.#standing.set(group, [standing]);
      this.#active.addOfBoundPods(group);
    } else known.push(standing);
    for (const [name, count] of standing.byNode) {
      const node = this.#context.nodes.find(name);
      if (node !== undefined) this.countOnNode(group, node.index, count);
    }
  }

  /** Groups of bound pods that are all on these nodes. */
  #emptied(removed: readonly string[]): ReadonlySet<TopologyGroup> {
    const names = new Set(removed);
    const found = new Set<TopologyGroup>();
    for (const name of names) {
      for (const { labels, keepsAway } of this.#context.bound.countedOn(name)) {
        for (const term of keepsAway) found.add(this.ofTerm('inverse', term, labels.namespace, []));
      }
    }
    for (const group of found) {
      const isGone = ({ byNode }: BoundAntiAffinity) => [...byNode.keys()].every((name) => names.has(name));
      if (!this.#standing.get(group)!.every(isGone)) found.delete(group);
    }
    return found;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** The spreads over labels of the user among these groups, when there were so many. */
interface CustomSpreads {
  readonly of: readonly TopologyGroup[];
  readonly count: number;
  readonly groups: readonly TopologyGroup[];
}

const NO_KEYS: readonly number[] = [];
const NO_REQUIREMENTS: readonly Requirement[] = [];
