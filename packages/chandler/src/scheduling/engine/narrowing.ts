/**
 * The states to which a pod narrows a new node, best first, by the pod's own requirements, its volumes and
 * its topology groups. Unlike upstream, a spread is not limited to the domain with the lowest count: further
 * domains follow, in case no type is available in the first. Among domains with equal counts the cheapest comes first. A
 * required anti-affinity chooses a single domain, too; upstream leaves all of them open, and places one such pod per plan.
 */
import { type Bits, bitsOf, clearBit, fullBits, hasBit, members } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import type { Algebra, Requirement } from '../requirements/algebra.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { Compiled } from './compiled.ts';
import type { DomainChoice, DomainRule, Variant } from './pod-class.ts';
import type { PoolEntry } from './pools.ts';
import { isCertain, settled } from './settle.ts';
import { priceFor } from './state-price.ts';
import type { State } from './states.ts';

/** Incremented when one of the domain groups of the pod changes. */
export function ruleVersion(variant: Variant): number {
  let sum = 0;
  for (const { group } of variant.domainRules) sum += group.version;
  return sum;
}

/** The states without regard to other pods. Computed once per state. */
export function staticTargets(compiled: Compiled, variant: Variant, state: State): readonly State[] {
  const known = variant.statics[state.id];
  if (known !== undefined) return known;
  const targets = findStatics(compiled, variant, state);
  variant.statics[state.id] = targets;
  return targets;
}

/** The states after adding the pod, best first; empty when it cannot be added now. */
export function targets(compiled: Compiled, variant: Variant, state: State): readonly State[] {
  const statics = staticTargets(compiled, variant, state);
  if (variant.domainRules.length === 0 || statics.length === 0) return statics;
  if (statics.length === 1 && variant.settles.length === 0 && hasFixedDomains(variant, statics[0]!)) {
    return fixedDomainsAllow(compiled, variant, statics[0]!) ? statics : NO_STATES;
  }
  const version = ruleVersion(variant);
  const known = variant.narrowings[state.id];
  if (known !== undefined && known.version === version) return known.targets;
  const found = findTargets(compiled, variant, state, domainChoices);
  variant.narrowings[state.id] = { version, targets: found };
  return found;
}

/** Pods on a claim that a group does not count until the domain of the claim is decided. */
export type Uncounted = ReadonlyMap<TopologyGroup, number>;

/** As `targets`, for a claim with such pods: they will be in the same domain as the pod. */
export function targetsBeside(
  compiled: Compiled,
  variant: Variant,
  state: State,
  uncounted: Uncounted,
): readonly State[] {
  return findTargets(compiled, variant, state, (_compiled, _variant, start, key) =>
    choicesFor(compiled, variant, start.requirements[key], key, uncounted),
  );
}

/** Per label: what its rules allow, the lowest load first. */
export function domainChoices(
  compiled: Compiled,
  variant: Variant,
  state: State,
  key: number,
): readonly DomainChoice[] {
  const nodeDomains = state.requirements[key];
  const memo = (nodeDomains?.id ?? -1) * KEY_STRIDE + key;
  const version = ruleVersion(variant);
  const known = variant.choices.get(memo);
  if (known !== undefined && known.version === version) return known.choices;
  const choices = choicesFor(compiled, variant, nodeDomains, key, NO_UNCOUNTED);
  variant.choices.set(memo, { version, choices });
  return choices;
}

/** Whether the pod may go where the label has no domain: no rule on the label constrains the pod itself. */
export function needsNoDomain({ domainRules }: Variant, key: number): boolean {
  return domainRules.every(({ group, onlyDecides }) => group.spec.key !== key || onlyDecides);
}

/** Whether others only want to know the label, and the node has none of the domains: there is nothing to decide. */
export function isOutside(
  { states }: Compiled,
  variant: Variant,
  state: State,
  key: number,
  choices: readonly DomainChoice[],
): boolean {
  return (
    needsNoDomain(variant, key) &&
    choices.every(({ requirement }) => states.meetOne(state, requirement) === null)
  );
}

/** Whether the rule allows a pod in the domain. @param others pods that enter the domain with it. */
export function allows(algebra: Algebra, rule: DomainRule, value: number, others = 0): boolean {
  const { group, self, podDomains } = rule;
  if (rule.onlyDecides) return true;
  const mayUse = podDomains === undefined || algebra.has(podDomains, value);
  switch (group.spec.kind) {
    case 'spread':
      return others === 0 && group.possibleCount(value) === 0
        ? group.spreadAllows(value, self, group.minimum(algebra, podDomains))
        : group.spreadAllowsWith(algebra, podDomains, value, self, others);
    case 'affinity':
      if (!mayUse || group.count(value) + others > 0) return mayUse;
      return rule.followsLeaving ? group.mayStartIn(value, self) : isStarting(rule);
    default:
      return mayUse && group.count(value) === 0;
  }
}

/** The node has a single domain for every label of the rules. */
export function hasFixedDomains({ domainKeys }: Variant, { requirements }: State): boolean {
  for (const key of domainKeys) if ((requirements[key]?.only ?? -1) < 0) return false;
  return true;
}

/** Rows whose daemons do not use the pod's host ports. */
export function rowsWithFreePorts(pool: PoolEntry, variant: Variant): Bits {
  const rows = fullBits(pool.catalogue.rows.length);
  if (variant.ports.length === 0) return rows;
  const blocked = pool.daemonGroups.map((group) => takenPort(variant.ports, group.ports) !== undefined);
  for (let row = 0; row < pool.groupOfRow.length; row++) {
    if (blocked[pool.groupOfRow[row]!]) clearBit(rows, row);
  }
  return rows;
}

// ---------------------------------------------------------------------------------------------------------------

/** Pods with rules on several labels are rare; further combinations are ignored. */
const MAX_COMBINATIONS = 64;

const KEY_STRIDE = 2 ** 20;

function findStatics(compiled: Compiled, variant: Variant, state: State): readonly State[] {
  const { states } = compiled;
  if (variant.contradiction !== null || !variant.tolerations.pools[state.pool.index]) return [];
  const open =
    variant.ports.length === 0 ? state : states.within(state, rowsWithFreePorts(state.pool, variant));
  const own = open === null ? null : states.meet(open, variant.all);
  if (own === null) return [];
  if (variant.alternatives === undefined) return [own];
  const met = variant.alternatives.flatMap((alternative) => states.meet(own, alternative) ?? []);
  const found = [...new Set(met)];
  if (found.length < 2) return found;
  const price = (target: State) => priceFor(compiled, variant, target);
  return found.sort((first, second) => ascending(price(first), price(second)));
}

const NO_STATES: readonly State[] = [];

/** The same result as the choices, without computing them. */
function fixedDomainsAllow(
  { algebra }: Compiled,
  { domainRules }: Variant,
  { requirements }: State,
): boolean {
  for (const rule of domainRules) {
    const value = requirements[rule.group.spec.key]!.only;
    if (!allows(algebra, rule, value)) return false;
    if (isOwn(rule) && !hasBit(rule.group.known, value)) return false;
  }
  return true;
}

type Choices = typeof domainChoices;

const NO_UNCOUNTED: Uncounted = new Map();

interface Option {
  readonly state: State;
  /** By label of the rules. */
  readonly loads: readonly number[];
  /** How much is left open that spreads of other pods want to know. */
  readonly undecided: number;
}

function findTargets(compiled: Compiled, variant: Variant, state: State, choices: Choices): State[] {
  const inEachWay = (option: Option): Option[] =>
    settled(compiled, variant.settles, option.state).map((way) => ({
      state: way,
      loads: option.loads,
      undecided: option.undecided + (isCertain(compiled, variant.settles, way) ? 0 : 1),
    }));
  const starts = staticTargets(compiled, variant, state);
  const open = starts.flatMap((start) => withDomains(compiled, variant, start, choices));
  const options = variant.settles.length === 0 ? open : open.flatMap(inEachWay);
  if (options.length > 1) options.sort((first, second) => byLoadAndPrice(compiled, variant, first, second));
  return [...new Set(options.map((option) => option.state))];
}

function withDomains(compiled: Compiled, variant: Variant, start: State, choicesOf: Choices): Option[] {
  let frontier: Option[] = [{ state: start, loads: [], undecided: 0 }];
  for (const key of variant.domainKeys) {
    const choices = choicesOf(compiled, variant, start, key);
    const next: Option[] = [];
    for (const option of frontier) addInDomains(compiled, variant, option, key, choices, next);
    frontier = next;
  }
  return frontier;
}

/** Adds the option in each of the domains. */
function addInDomains(
  compiled: Compiled,
  variant: Variant,
  { state, loads, undecided }: Option,
  key: number,
  choices: readonly DomainChoice[],
  next: Option[],
): void {
  if (isOutside(compiled, variant, state, key, choices)) {
    if (next.length < MAX_COMBINATIONS) next.push({ state, loads: [...loads, 0], undecided });
    return;
  }
  for (const { requirement, load } of choices) {
    const narrowed = next.length < MAX_COMBINATIONS ? compiled.states.meetOne(state, requirement) : null;
    if (narrowed !== null) next.push({ state: narrowed, loads: [...loads, load], undecided });
  }
  // A single domain may be too few for minValues.
  const open = state.pool.hasMinValues ? withOpenDomain(compiled, variant, state, key, choices) : null;
  if (open !== null) next.push({ state: open, loads: [...loads, 0], undecided: undecided + 1 });
}

/**
 * The node in any of the domains, where one is chosen only because spreads of other pods want to know it, or to keep other
 * pods out of no more than that one.
 */
function withOpenDomain(
  { algebra, states }: Compiled,
  variant: Variant,
  state: State,
  key: number,
  choices: readonly DomainChoice[],
): State | null {
  if (needsNoDomain(variant, key)) return state;
  const rules = variant.domainRules.filter(({ group }) => group.spec.key === key);
  const isBound = (rule: DomainRule) =>
    isStarting(rule) || (rule.group.spec.kind === 'spread' && isOwn(rule));
  const isDecided = rules.some(({ onlyDecides, claimsDomain }) => onlyDecides || claimsDomain);
  if (choices.length < 2 || rules.some(isBound) || !isDecided) return null;
  return states.meetOne(
    state,
    algebra.oneOf(key, bitsOf(choices.map(({ requirement }) => requirement.only))),
  );
}

/**
 * The lowest load on the first label, then on the next ones, then the most that is decided, then the lowest price; equal
 * ones stay in order of names, with nodes outside of all zones last.
 */
function byLoadAndPrice(compiled: Compiled, variant: Variant, first: Option, second: Option): number {
  for (let index = 0; index < first.loads.length; index++) {
    const difference = first.loads[index]! - (second.loads[index] ?? 0);
    if (difference !== 0) return difference;
  }
  if (first.undecided !== second.undecided) return first.undecided - second.undecided;
  return ascending(priceFor(compiled, variant, first.state), priceFor(compiled, variant, second.state));
}

/** Also for infinite numbers. */
function ascending(first: number, second: number): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function choicesFor(
  compiled: Compiled,
  variant: Variant,
  nodeDomains: Requirement | undefined,
  key: number,
  uncounted: Uncounted,
): readonly DomainChoice[] {
  const { algebra } = compiled;
  const rules = variant.domainRules.filter((rule) => rule.group.spec.key === key);
  const allowed = candidates(compiled, rules, key, nodeDomains).filter((value) =>
    rules.every((rule) => allows(algebra, rule, value, uncounted.get(rule.group))),
  );
  const spreads = rules.filter((rule) => rule.group.spec.kind === 'spread');
  if (spreads.length === 0 && !rules.some((rule) => rule.claimsDomain || isStarting(rule))) {
    return allowed.length === 0 ? [] : [{ requirement: algebra.oneOf(key, bitsOf(allowed)), load: 0 }];
  }
  // Spreads of other pods do not ask for balance.
  const own = spreads.filter(({ onlyDecides }) => !onlyDecides);
  const load = (value: number) => own.reduce((sum, { group }) => sum + group.count(value), 0);
  const { regional } = compiled.classes.context;
  return algebra
    .valuesByName(key, bitsOf(allowed))
    .map((value) => ({ value, load: load(value), outside: Number(regional.isRegional(key, value)) }))
    .sort((first, second) => first.load - second.load || first.outside - second.outside)
    .map((each) => ({ requirement: algebra.exactly(key, each.value), load: each.load }));
}

/** The pod has an affinity to its own group and is the first of it. */
function isStarting({ group, self }: DomainRule): boolean {
  return self && group.spec.kind === 'affinity' && group.mayStart;
}

/** The rule constrains the pod itself and knows the domains to choose from. */
function isOwn({ group, onlyDecides }: DomainRule): boolean {
  return group.spec.kind !== 'inverse' && !onlyDecides;
}

/** Candidate domains: those of the node that the groups know, or all possible ones when only inverse rules apply. */
function candidates(
  compiled: Compiled,
  rules: readonly DomainRule[],
  key: number,
  nodeDomains: Requirement | undefined,
): number[] {
  const own = rules.find(isOwn);
  if (nodeDomains !== undefined && !nodeDomains.complement) {
    const values = members(nodeDomains.values);
    return own === undefined ? values : values.filter((value) => hasBit(own.group.known, value));
  }
  const known = members(own === undefined ? compiled.groups.universe(key, undefined) : own.group.known);
  return nodeDomains === undefined
    ? known
    : known.filter((value) => compiled.algebra.has(nodeDomains, value));
}
