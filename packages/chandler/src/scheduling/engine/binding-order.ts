/**
 * Finds pods that a plan places, but that kube-scheduler could not bind in any order. A spread over a label whose value is open for
 * a new node does not count the pods there: it expects them to be bound last. A spread over a label that is decided counts them, and
 * other pods rely on that. Pods with both spreads may then need the same pods last for the one, and first for the other. Whether
 * there is an order is found out by binding the pods one after another, by counts alone, on the nodes that are the cheapest. Where
 * there is one there, and none on other nodes that the cloud may choose, the claims are kept to the cheapest ones.
 */
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { members } from '../bits.ts';
import type { PlannedClaim } from '../plan.ts';
import type { TopologyGroup } from '../topology/group.ts';
import { type Item, leastWaiting, type ToBind } from './binding-by-counts.ts';
import { type Launch, otherLaunches } from './other-launches.ts';
import type { DomainRule, PodClass } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

export interface Unordered {
  /** How many pods would wait. */
  readonly waiting: number;
  /** The classes of the pods that one spread expects last and another one relies on. */
  readonly classes: ReadonlySet<PodClass>;
}

/** Undefined: there is an order. @param planned the claims of the run. */
export function unorderedPods(run: Run, planned: readonly Launch[]): Unordered | undefined {
  const parts = partsOfRun(run);
  if (parts.length === 0) return undefined;
  const places = new Places(run, planned);
  const classes = new Set<PodClass>();
  let waiting = 0;
  for (const part of parts) {
    const last = places.expectedLast(part);
    if (last.size === 0) continue;
    const pods = leastWaiting(new Picture(run, places, part));
    waiting += pods;
    if (pods > 0) for (const podClass of last) classes.add(podClass);
  }
  return waiting === 0 ? undefined : { waiting, classes };
}

/**
 * The claims that must become the nodes that are the cheapest: there is an order for these, and none where the cloud chooses others.
 * Only some of the choices are tried, in small plans. @param planned the claims of a run with an order.
 */
export function claimsToKeep(run: Run, planned: readonly PlannedClaim[]): ReadonlySet<number> {
  const kept = new Set<number>();
  const parts = partsOfRun(run);
  if (parts.length === 0) return kept;
  const places = new Places(run, planned);
  for (const part of parts) {
    if (places.expectedLast(part).size === 0) continue;
    const open = places.openClaims(part);
    const tries = Math.min(MAX_TRIES, Math.floor(MAX_BOUND_AGAIN / run.queue.length));
    for (const launches of otherLaunches(run, planned, open).take(tries)) {
      if (leastWaiting(new Picture(run, new Places(run, launches), part)) === 0) continue;
      for (const claim of open) kept.add(claim);
      break;
    }
  }
  return kept;
}

// ---------------------------------------------------------------------------------------------------------------

/** Choices of the cloud that are tried. */
const MAX_TRIES = 32;
/** Pods, in all tries together. */
const MAX_BOUND_AGAIN = 6_000;

function partsOfRun({ queue }: Run): Part[] {
  const all = [...new Set(queue.map(({ podClass }) => podClass))];
  // Nobody relies on pods whose class decides domains before everything is decided.
  if (!all.some(hasTwoSpreads) || all.some(({ decidesDomains }) => decidesDomains)) return [];
  return [...partsOf(all)];
}

function domainSpreads({ hardSpreads }: PodClass): TopologyGroup[] {
  return hardSpreads.filter(({ spec }) => !spec.host);
}

function hasTwoSpreads(podClass: PodClass): boolean {
  return domainSpreads(podClass).length > 1;
}

/** Classes whose spreads count each other's pods. */
interface Part {
  readonly classes: ReadonlySet<PodClass>;
  readonly groups: ReadonlySet<TopologyGroup>;
}

/** Those in which a class has two spreads. */
function* partsOf(all: readonly PodClass[]): Generator<Part> {
  const hard = new Set(all.flatMap(domainSpreads));
  const groupsOf = (podClass: PodClass) => [
    ...domainSpreads(podClass),
    ...podClass.counting.domains.filter((group) => hard.has(group)),
  ];
  const classesOf = new Map<TopologyGroup, PodClass[]>();
  for (const podClass of all) {
    for (const group of new Set(groupsOf(podClass))) {
      const list = classesOf.get(group);
      if (list === undefined) classesOf.set(group, [podClass]);
      else list.push(podClass);
    }
  }
  const seen = new Set<PodClass>();
  for (const owner of all) {
    if (seen.has(owner) || !hasTwoSpreads(owner)) continue;
    const classes = new Set([owner]);
    const groups = new Set<TopologyGroup>();
    for (const podClass of classes) {
      seen.add(podClass);
      for (const group of groupsOf(podClass)) {
        if (groups.has(group)) continue;
        groups.add(group);
        for (const other of classesOf.get(group)!) classes.add(other);
      }
    }
    yield { classes, groups };
  }
}

/** Pods on one node or claim. */
interface Place {
  readonly claim: number | undefined;
  readonly node: number | undefined;
  /** The place of the first of them in the queue. */
  readonly at: number;
  pods: number;
}

/** Where the pods of a run are. */
class Places {
  readonly #run: Run;
  readonly #planned: readonly Launch[];
  readonly #byClass = new Map<PodClass, Place[]>();
  /** One claim of each kind, for the domains that they will be. */
  readonly #differentClaims: readonly number[];

  constructor(run: Run, planned: readonly Launch[]) {
    this.#run = run;
    this.#planned = planned;
    const { claims, queue, placements } = run;
    const different = new Map<string, number>();
    claims.pods.forEach((pods, claim) => {
      for (const at of pods) this.#add(queue[at]!.podClass, { claim, node: undefined, at, pods: 1 });
      const { cheapest } = planned[claim]!;
      different.set([claims.states[claim]!.id, cheapest.zone, cheapest.capacityType].join(), claim);
    });
    this.#differentClaims = [...different.values()];
    placements.forEach((placement, at) => {
      if (placement?.node === undefined) return;
      this.#add(queue[at]!.podClass, { claim: undefined, node: placement.node, at, pods: 1 });
    });
  }

  #add(podClass: PodClass, place: Place): void {
    const list = this.#byClass.get(podClass);
    const last = list?.at(-1);
    if (list === undefined) this.#byClass.set(podClass, [place]);
    else if (last!.claim === place.claim && last!.node === place.node) last!.pods++;
    else list.push(place);
  }

  of(podClass: PodClass): readonly Place[] {
    return this.#byClass.get(podClass) ?? [];
  }

  /** Classes of pods on claims that two spreads of one class count, of which one expects them last. */
  expectedLast({ classes }: Part): ReadonlySet<PodClass> {
    const { claims, counts } = this.#run;
    const pairs = [...classes].filter(hasTwoSpreads).map(domainSpreads);
    const found = new Set<PodClass>();
    for (const podClass of classes) {
      const own = new Set(podClass.counting.domains);
      const counting = pairs
        .map((groups) => groups.filter((group) => own.has(group)))
        .flatMap((groups) => (groups.length > 1 ? groups : []));
      // A domain that is decided now may have been open when other pods were placed.
      const mayBeUncounted = !counts.countsLate(podClass) || podClass.spec.spreads.length === 0;
      const isLast = ({ claim }: Place) =>
        claim !== undefined &&
        counting.some((group) => mayBeUncounted || this.#isOpen(group, claims.states[claim]!));
      if (counting.length > 0 && this.of(podClass).some(isLast)) found.add(podClass);
    }
    return found;
  }

  /** The claims with pods that count in one of several domains. */
  openClaims({ classes, groups }: Part): number[] {
    const { states } = this.#run.claims;
    const found = new Set<number>();
    for (const podClass of classes) {
      const counting = podClass.counting.domains.filter((group) => groups.has(group));
      for (const { claim } of this.of(podClass)) {
        if (claim !== undefined && counting.some((group) => this.#isOpen(group, states[claim]!)))
          found.add(claim);
      }
    }
    return [...found].sort((first, second) => first - second);
  }

  #isOpen(group: TopologyGroup, state: State): boolean {
    const { counts } = this.#run;
    return counts.domainOf(group, state) < 0 && counts.openDomains(group, state).length > 0;
  }

  /** The domain of the node, or of the cheapest node that the claim can become; -1: it does not take part, or is in none that is known. */
  domainOf(group: TopologyGroup, { claim, node }: Pick<Place, 'claim' | 'node'>): number {
    const { counts, compiled, claims } = this.#run;
    if (claim === undefined) return compiled.groups.domainOfNode(group, node!);
    const state = claims.states[claim]!;
    const decided = counts.domainOf(group, state);
    if (decided >= 0) return decided;
    const { labels, cheapest } = this.#planned[claim]!;
    const key = compiled.algebra.labels.keyName(group.spec.key);
    const ofOffering: Record<string, string | null> = {
      [KubernetesLabel.zone]: cheapest.zone,
      [KarpenterLabel.capacityType]: cheapest.capacityType,
    };
    const name = ofOffering[key] ?? labels[key];
    const isNamed = (value: number) => compiled.algebra.labels.valueName(group.spec.key, value) === name;
    return counts.openDomains(group, state).find(isNamed) ?? -1;
  }

  /** Whether the plan counts the pods of the place for the group. */
  isCounted(group: TopologyGroup, { claim }: Place): boolean {
    const { counts, claims } = this.#run;
    return claim === undefined || counts.domainOf(group, claims.states[claim]!) >= 0;
  }

  /** The domains of the group that have nodes, as kube-scheduler will see them. */
  domainsWithNodes(group: TopologyGroup): readonly number[] {
    const ofClaims = new Set(
      this.#differentClaims.map((claim) => this.domainOf(group, { claim, node: undefined })),
    );
    return members(group.known).filter((value) => group.nodeCount(value) > 0 || ofClaims.has(value));
  }
}

/** The pods of a part, and what is there before they are bound. */
class Picture implements ToBind {
  readonly #run: Run;
  readonly items: readonly Item[];
  /** By spread: pods by domain. */
  readonly counts = new Map<TopologyGroup, Int32Array>();
  /** By spread: the domains that have nodes. */
  readonly domains = new Map<TopologyGroup, readonly number[]>();

  constructor(run: Run, places: Places, { classes, groups }: Part) {
    this.#run = run;
    for (const group of groups) {
      const domains = places.domainsWithNodes(group);
      const counts = new Int32Array(
        Math.max(group.counts.length, ...members(group.known).map((value) => value + 1)),
      );
      counts.set(group.counts);
      if (run.counts.late === 'bound')
        for (const [domain, pods] of run.counts.uncountedIn(group)) counts[domain]! += pods;
      this.domains.set(group, domains);
      this.counts.set(group, counts);
    }
    this.items = [...classes].flatMap((podClass) => this.#itemsOf(podClass, places));
  }

  isEligible({ podDomains }: DomainRule, domain: number): boolean {
    return podDomains === undefined || this.#run.compiled.algebra.has(podDomains, domain);
  }

  #itemsOf(podClass: PodClass, places: Places): Item[] {
    const counting = podClass.counting.domains.filter((group) => this.counts.has(group));
    const rules = hardRules(this.#run, podClass);
    const merged = new Map<string, Item>();
    for (const place of places.of(podClass)) {
      const item: Item = {
        rules: rules.map((rule) => ({ rule, domain: places.domainOf(rule.group, place) })),
        counting: counting.map((group) => ({ group, domain: places.domainOf(group, place) })),
        isLast: counting.some((group) => !places.isCounted(group, place)),
        at: place.at,
        pods: place.pods,
      };
      // Before anything is bound, pods of the plan do not count.
      for (const { group, domain } of item.counting)
        if (domain >= 0 && places.isCounted(group, place)) this.counts.get(group)![domain]! -= place.pods;
      const key = [...item.rules, ...item.counting].map(({ domain }) => domain).join();
      const same = merged.get(`${key}/${item.isLast}`);
      if (same === undefined) merged.set(`${key}/${item.isLast}`, item);
      else same.pods += item.pods;
    }
    return [...merged.values()];
  }
}

function hardRules({ compiled: { classes } }: Run, podClass: PodClass): DomainRule[] {
  if (podClass.problem !== null || podClass.hardSpreads.length === 0) return [];
  const variant = classes.variant(podClass, podClass.relaxations.length - 1)!;
  return variant.domainRules.filter(
    ({ group, onlyDecides }) => !onlyDecides && podClass.hardSpreads.includes(group),
  );
}
