/**
 * Finds pods that a plan places, but that kube-scheduler could not bind in any order. A spread over a label whose value is open for
 * a new node does not count the pods there: it expects them to be bound last. A spread over a label that is decided counts them, and
 * other pods rely on that. Pods with both spreads may then need the same pods last for the one, and first for the other. Whether
 * there is an order is found out by binding the pods one after another, by counts alone, on the nodes that are the cheapest.
 */
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { members } from '../bits.ts';
import type { PlannedClaim } from '../plan.ts';
import type { TopologyGroup } from '../topology/group.ts';
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
export function unorderedPods(run: Run, planned: readonly PlannedClaim[]): Unordered | undefined {
  const all = [...new Set(run.queue.map(({ podClass }) => podClass))];
  const owners = all.filter((podClass) => domainSpreads(podClass).length > 1);
  // Nobody relies on pods whose class decides domains before everything is decided.
  if (owners.length === 0 || all.some(({ decidesDomains }) => decidesDomains)) return undefined;
  const places = new Places(run, planned);
  const classes = new Set<PodClass>();
  let waiting = 0;
  for (const part of partsOf(all, owners)) {
    const last = places.expectedLast(part);
    if (last.size === 0 || places.podsOf(part) > MAX_PODS) continue;
    const pods = leastWaiting(run, places, part);
    waiting += pods;
    if (pods > 0) for (const podClass of last) classes.add(podClass);
  }
  return waiting === 0 ? undefined : { waiting, classes };
}

// ---------------------------------------------------------------------------------------------------------------

/** More pods that depend on each other take too long. */
const MAX_PODS = 1_000;

function domainSpreads({ hardSpreads }: PodClass): TopologyGroup[] {
  return hardSpreads.filter(({ spec }) => !spec.host);
}

/** Classes whose spreads select each other's pods. */
interface Part {
  readonly classes: ReadonlySet<PodClass>;
  readonly groups: ReadonlySet<TopologyGroup>;
  /** Those with two spreads. */
  readonly owners: readonly PodClass[];
}

function* partsOf(all: readonly PodClass[], owners: readonly PodClass[]): Generator<Part> {
  const seen = new Set<PodClass>();
  for (const owner of owners) {
    if (seen.has(owner)) continue;
    const classes = new Set([owner]);
    const groups = new Set<TopologyGroup>();
    for (const podClass of classes) {
      for (const group of domainSpreads(podClass)) {
        if (groups.has(group)) continue;
        groups.add(group);
        for (const other of all) if (group.selects(other.labels)) classes.add(other);
      }
    }
    for (const podClass of classes) seen.add(podClass);
    yield { classes, groups, owners: owners.filter((each) => classes.has(each)) };
  }
}

/** In the best of a few orders. */
function leastWaiting(run: Run, places: Places, part: Part): number {
  let least = Number.POSITIVE_INFINITY;
  for (const order of [byQueue, byStrictness]) {
    for (const inTurn of [false, true]) {
      least = Math.min(least, new Binding(run, places, part).waiting(order, inTurn));
      if (least === 0) return 0;
    }
  }
  return least;
}

/** Equal pods on one node or claim. */
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
  readonly #planned: readonly PlannedClaim[];
  readonly #byClass = new Map<PodClass, Place[]>();
  /** One of each kind, for the domains that they will be. */
  readonly #differentClaims: readonly number[];

  constructor(run: Run, planned: readonly PlannedClaim[]) {
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
    else if (last!.claim !== undefined && last!.claim === place.claim) last!.pods++;
    else list.push(place);
  }

  of(podClass: PodClass): readonly Place[] {
    return this.#byClass.get(podClass) ?? [];
  }

  podsOf({ classes }: Part): number {
    let sum = 0;
    for (const podClass of classes) for (const { pods } of this.of(podClass)) sum += pods;
    return sum;
  }

  /** Classes of pods on claims that two spreads of one class select, of which one expects them last. */
  expectedLast({ classes, owners }: Part): ReadonlySet<PodClass> {
    const { claims, counts } = this.#run;
    const isOpen = (group: TopologyGroup, state: State) =>
      counts.domainOf(group, state) < 0 && counts.openDomains(group, state).length > 0;
    const found = new Set<PodClass>();
    for (const podClass of classes) {
      const selecting = owners
        .map((owner) => domainSpreads(owner).filter((group) => group.selects(podClass.labels)))
        .flatMap((groups) => (groups.length > 1 ? groups : []));
      const isLast = ({ claim }: Place) =>
        claim !== undefined &&
        selecting.some((group) => !counts.countsLate(podClass) || isOpen(group, claims.states[claim]!));
      if (selecting.length > 0 && this.of(podClass).some(isLast)) found.add(podClass);
    }
    return found;
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

  domainsOfClaims(group: TopologyGroup): ReadonlySet<number> {
    return new Set(this.#differentClaims.map((claim) => this.domainOf(group, { claim, node: undefined })));
  }
}

/** Pods of a place, with what binds them and whom they count for. */
interface Item {
  /** The spreads that must hold, with the domains of the node. */
  readonly rules: readonly { readonly rule: DomainRule; readonly domain: number }[];
  /** The spreads that count the pods, with the domains of the node. */
  readonly counting: readonly { readonly group: TopologyGroup; readonly domain: number }[];
  /** Whether one of them does not count them in the plan. */
  readonly isLast: boolean;
  readonly at: number;
  left: number;
}

type Order = (first: Item, second: Item) => number;

const byQueue: Order = (first, second) => first.at - second.at;

const byStrictness: Order = (first, second) =>
  strictness(first) - strictness(second) || byQueue(first, second);

function strictness({ rules }: Item): number {
  return Math.min(...rules.map(({ rule }) => rule.group.spec.maxSkew));
}

class Binding {
  readonly #run: Run;
  /** By spread: pods by domain, as they are bound. */
  readonly #counts = new Map<TopologyGroup, Int32Array>();
  /** By spread: the domains that have nodes. */
  readonly #domains = new Map<TopologyGroup, readonly number[]>();
  readonly #items: Item[] = [];

  constructor(run: Run, places: Places, { classes, groups }: Part) {
    this.#run = run;
    for (const group of groups) {
      const ofClaims = places.domainsOfClaims(group);
      const exists = (value: number) => group.nodeCount(value) > 0 || ofClaims.has(value);
      this.#domains.set(group, members(group.known).filter(exists));
      const counts = group.counts.slice();
      for (const [domain, pods] of run.counts.uncountedIn(group)) counts[domain]! += pods;
      this.#counts.set(group, counts);
    }
    for (const podClass of classes) this.#read(podClass, places);
  }

  /**
   * How many pods with spreads cannot be bound. Pods without are bound where that helps.
   * @param inTurn the nodes take turns with one pod each.
   */
  waiting(order: Order, inTurn: boolean): number {
    const free = this.#items.filter(({ rules }) => rules.length === 0);
    free.sort((first, second) => Number(first.isLast) - Number(second.isLast) || byQueue(first, second));
    let bound = this.#items.filter(({ rules }) => rules.length > 0).sort(order);
    for (;;) {
      let isProgress = false;
      for (const item of bound) {
        while (item.left > 0 && this.#blocking(item) === undefined) {
          this.#bind(item);
          isProgress = true;
          if (inTurn) break;
        }
      }
      bound = bound.filter(({ left }) => left > 0);
      if (bound.length === 0) return 0;
      if (isProgress) continue;
      const helping = bound.map((item) => this.#helping(item, free)).find((item) => item !== undefined);
      if (helping === undefined) return bound.reduce((sum, { left }) => sum + left, 0);
      this.#bind(helping);
    }
  }

  #read(podClass: PodClass, places: Places): void {
    const counting = [...this.#counts.keys()].filter((group) => group.selects(podClass.labels));
    const rules = hardRules(this.#run, podClass);
    for (const place of places.of(podClass)) {
      const item: Item = {
        rules: rules.map((rule) => ({ rule, domain: places.domainOf(rule.group, place) })),
        counting: counting.map((group) => ({ group, domain: places.domainOf(group, place) })),
        isLast: counting.some((group) => !places.isCounted(group, place)),
        at: place.at,
        left: place.pods,
      };
      this.#items.push(item);
      // Before anything is bound, pods of the plan do not count.
      for (const { group, domain } of item.counting)
        if (domain >= 0 && places.isCounted(group, place)) this.#counts.get(group)![domain]! -= place.pods;
    }
  }

  #bind(item: Item): void {
    item.left--;
    for (const { group, domain } of item.counting) {
      const counts = this.#counts.get(group)!;
      if (domain >= 0 && domain < counts.length) counts[domain]! += 1;
    }
  }

  /** The spread that does not allow a further pod there. */
  #blocking({ rules }: Item): Item['rules'][number] | undefined {
    return rules.find(({ rule, domain }) => {
      if (domain < 0) return false;
      const count = (this.#counts.get(rule.group)![domain] ?? 0) + Number(rule.self);
      return count - this.#minimum(rule) > rule.group.spec.maxSkew;
    });
  }

  /** A pod without spreads in a domain that has the fewest pods of the spread that blocks the item. */
  #helping(item: Item, free: readonly Item[]): Item | undefined {
    const { rule } = this.#blocking(item)!;
    const { group } = rule;
    const minimum = this.#minimum(rule);
    const isLeast = (domain: number) => (this.#counts.get(group)![domain] ?? 0) === minimum;
    return free.find(
      ({ left, counting }) =>
        left > 0 && counting.some((each) => each.group === group && each.domain >= 0 && isLeast(each.domain)),
    );
  }

  /** Over the domains that have nodes, as for kube-scheduler. */
  #minimum({ group, podDomains }: DomainRule): number {
    const { algebra } = this.#run.compiled;
    const counts = this.#counts.get(group)!;
    let minimum = Number.MAX_SAFE_INTEGER;
    let eligible = 0;
    for (const value of this.#domains.get(group)!) {
      if (podDomains !== undefined && !algebra.has(podDomains, value)) continue;
      eligible++;
      minimum = Math.min(minimum, counts[value] ?? 0);
    }
    const { minDomains } = group.spec;
    return minDomains !== null && eligible < minDomains ? 0 : minimum;
  }
}

function hardRules({ compiled: { classes } }: Run, podClass: PodClass): DomainRule[] {
  if (podClass.problem !== null || podClass.hardSpreads.length === 0) return [];
  const variant = classes.variant(podClass, podClass.relaxations.length - 1)!;
  return variant.domainRules.filter(
    ({ group, onlyDecides }) => !onlyDecides && podClass.hardSpreads.includes(group),
  );
}
