/**
 * Finds pods that a plan places, but that kube-scheduler could not bind in any order. Pods that are selected by a spread over a
 * label whose value is open for their node do not count there: the spread expects them to be bound last. For a spread over a label
 * that is decided they count, and other pods rely on them. Pods with both spreads may then need the same pods first for the one,
 * and last for the other.
 */
import { hasBit } from '../bits.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { DomainRule, PodClass } from './pod-class.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

export interface Unordered {
  /** How many pods would wait, about: those that are too many once the others are bound. */
  readonly waiting: number;
  /** The classes of the pods that would have to be bound both first and last. */
  readonly classes: ReadonlySet<PodClass>;
}

/** Undefined: there is an order. */
export function unorderedPods(run: Run): Unordered | undefined {
  const owners = [...new Set(run.queue.map(({ podClass }) => podClass))].filter(
    ({ hardSpreads }) => hardSpreads.length > 1,
  );
  const classes = new Set<PodClass>();
  let waiting = 0;
  for (const owner of owners) {
    const rules = hardRules(run, owner);
    const unsure = unsurePods(run, rules);
    if (unsure.every(({ size }) => size === 0)) continue;
    const tallies = rules.map((rule) => tally(run, owner, rule, unsure));
    const late = tallies.reduce((sum, each) => sum + tooManyIfLast(run, each), 0);
    const early = late === 0 ? 0 : tallies.reduce((sum, each) => sum + tooManyIfFirst(run, each), 0);
    if (early === 0) continue;
    waiting += early;
    for (const ofClaim of unsure) for (const podClass of ofClaim) classes.add(podClass);
  }
  return classes.size === 0 ? undefined : { waiting, classes };
}

// ---------------------------------------------------------------------------------------------------------------

function hardRules({ compiled: { classes } }: Run, podClass: PodClass): DomainRule[] {
  if (podClass.problem !== null) return [];
  const variant = classes.variant(podClass, podClass.relaxations.length - 1)!;
  return variant.domainRules.filter(
    ({ group, onlyDecides }) => !onlyDecides && podClass.hardSpreads.includes(group),
  );
}

type Classes = ReadonlySet<PodClass>;

/** By claim: the classes of its pods that at least two of the spreads select, and that one of them expects last. */
function unsurePods(run: Run, rules: readonly DomainRule[]): readonly Classes[] {
  const { claims, counts } = run;
  return claims.states.map((state, claim) => {
    const isUnsure = (podClass: PodClass) => {
      if (podClass.decidesDomains) return false;
      const selecting = rules.filter(({ group }) => group.selects(podClass.labels));
      if (selecting.length < 2) return false;
      return !counts.countsLate(podClass) || selecting.some(({ group }) => isOpen(run, group, state));
    };
    return new Set([...new Set(claims.classes[claim]!)].filter(isUnsure));
  });
}

function isOpen({ counts }: Run, group: TopologyGroup, state: State): boolean {
  return counts.domainOf(group, state) < 0 && counts.openDomains(group, state).length > 0;
}

/** By domain of one spread. */
interface Tally {
  readonly rule: DomainRule;
  /** Pods with the spread. */
  readonly owned: ReadonlyMap<number, number>;
  /** Pods that another of the spreads expects last, and that count for this one. */
  readonly counted: ReadonlyMap<number, number>;
  /** Pods that this spread expects last: they do not count, although they are in the domain or may be. */
  readonly expectedLast: ReadonlyMap<number, number>;
}

function tally(run: Run, owner: PodClass, rule: DomainRule, unsure: readonly Classes[]): Tally {
  const { claims, counts, compiled, placements, queue } = run;
  const { group } = rule;
  const owned = new Map<number, number>();
  const counted = new Map<number, number>();
  const expectedLast = new Map<number, number>();
  claims.states.forEach((state, claim) => {
    const classes = claims.classes[claim]!;
    const others = classes.filter(
      (podClass) => unsure[claim]!.has(podClass) && group.selects(podClass.labels),
    ).length;
    const domain = counts.domainOf(group, state);
    if (domain >= 0) {
      addTo(owned, domain, classes.filter((podClass) => podClass === owner).length);
      addTo(counted, domain, others);
    } else if (others > 0)
      for (const value of counts.openDomains(group, state)) addTo(expectedLast, value, others);
  });
  placements.forEach((placement, index) => {
    if (placement?.node === undefined || queue[index]!.podClass !== owner) return;
    const value = compiled.groups.domainOfNode(group, placement.node);
    if (value >= 0) addTo(owned, value, 1);
  });
  for (const [value, pods] of counts.uncountedIn(group)) {
    const late = Math.min(pods, counted.get(value) ?? 0);
    addTo(counted, value, -late);
    addTo(expectedLast, value, late);
  }
  return { rule, owned, counted, expectedLast };
}

function addTo(counts: Map<number, number>, value: number, pods: number): void {
  if (pods !== 0) counts.set(value, (counts.get(value) ?? 0) + pods);
}

/** How many pods with the spread are too many if the others are bound after them. */
function tooManyIfLast(run: Run, { rule: { group, podDomains }, owned, counted }: Tally): number {
  for (const [value, pods] of counted) group.add(value, -pods);
  const minimum = group.minimum(run.compiled.algebra, podDomains);
  let sum = 0;
  for (const [value, pods] of owned) sum += tooMany(group, value, group.count(value), minimum, pods);
  for (const [value, pods] of counted) group.add(value, pods);
  return sum;
}

/** The same if they are bound before them, in the worst of the domains that are open. */
function tooManyIfFirst(run: Run, { rule: { group, podDomains }, owned, expectedLast }: Tally): number {
  const minimum = group.minimum(run.compiled.algebra, podDomains);
  let sum = 0;
  for (const [value, pods] of owned) {
    const count = group.count(value) + (expectedLast.get(value) ?? 0);
    sum += tooMany(group, value, count, minimum, pods);
  }
  return sum;
}

function tooMany(group: TopologyGroup, value: number, count: number, minimum: number, owned: number): number {
  if (!hasBit(group.known, value)) return 0;
  return Math.min(owned, Math.max(0, count - minimum - group.spec.maxSkew));
}
