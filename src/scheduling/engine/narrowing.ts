/**
 * Where a pod would lead a new node: the states it can be narrowed to, best first, by the pod's own
 * requirements, its volumes and the topology groups that bind it. Unlike upstream a spread does not insist
 * on the one emptiest domain: the next ones are offered too, in case no type is to be had in the first.
 */
import { type Bits, bitsOf, clearBit, fullBits, hasBit, members } from '../bits.ts';
import { takenPort } from '../host-ports.ts';
import { type Algebra, byCodeUnit, type Requirement } from '../requirements/algebra.ts';
import type { Compiled } from './compiled.ts';
import type { PoolEntry } from './pools.ts';
import type { State } from './states.ts';
import type { DomainRule, Variant } from './variant.ts';

/** Grows whenever one of the groups that bind the pod in domains changes. */
export function ruleVersion(variant: Variant): number {
  let sum = 0;
  for (const { group } of variant.domainRules) sum += group.version;
  return sum;
}

/** Where the pod leads without regard to other pods. Found once per state. */
export function staticTargets(compiled: Compiled, variant: Variant, state: State): readonly State[] {
  const known = variant.statics[state.id];
  if (known !== undefined) return known;
  const targets = findStatics(compiled, variant, state);
  variant.statics[state.id] = targets;
  return targets;
}

/** Where the pod leads, the best first; none when it cannot go there now. */
export function targets(compiled: Compiled, variant: Variant, state: State): readonly State[] {
  if (variant.domainRules.length === 0) return staticTargets(compiled, variant, state);
  const version = ruleVersion(variant);
  const known = variant.narrowings[state.id];
  if (known !== undefined && known.version === version) return known.targets;
  const found: State[] = [];
  for (const start of staticTargets(compiled, variant, state)) {
    for (const target of withDomains(compiled, variant, start))
      if (!found.includes(target)) found.push(target);
  }
  variant.narrowings[state.id] = { version, targets: found };
  return found;
}

/** Per label: the requirements that its rules leave, best first; none when they leave nothing. */
export function domainChoices(
  compiled: Compiled,
  variant: Variant,
  state: State,
  key: number,
): readonly Requirement[] {
  const { algebra } = compiled;
  const nodeDomains = state.requirements[key];
  const memo = (nodeDomains?.id ?? -1) * KEY_STRIDE + key;
  const version = ruleVersion(variant);
  const known = variant.choices.get(memo);
  if (known !== undefined && known.version === version) return known.choices;
  const rules = variant.domainRules.filter((rule) => rule.group.spec.key === key);
  const starting = rules.map((rule) => rule.group.spec.kind === 'affinity' && isStarting(algebra, rule));
  const allowed = candidates(compiled, rules, key, nodeDomains).filter((value) =>
    rules.every((rule, index) => allows(algebra, rule, value, starting[index]!)),
  );
  const spreads = rules.filter((rule) => rule.group.spec.kind === 'spread');
  const single = spreads.length > 0 || starting.includes(true);
  const choices = single
    ? byLoad(algebra, key, allowed, spreads).map((value) => algebra.oneOf(key, bitsOf([value])))
    : allowed.length === 0
      ? []
      : [algebra.oneOf(key, bitsOf(allowed))];
  variant.choices.set(memo, { version, choices });
  return choices;
}

/** Whether the rule lets a pod into the domain. */
export function allows(algebra: Algebra, rule: DomainRule, value: number, starting: boolean): boolean {
  const { group, self, podDomains } = rule;
  const mayUse = podDomains === undefined || algebra.has(podDomains, value);
  switch (group.spec.kind) {
    case 'spread':
      return group.spreadAllows(value, self, group.minimum(algebra, podDomains));
    case 'affinity':
      return mayUse && (starting || group.count(value) > 0);
    default:
      return mayUse && group.count(value) === 0;
  }
}

export function isStarting(algebra: Algebra, rule: DomainRule): boolean {
  return rule.self && rule.group.mayStart(algebra, rule.podDomains);
}

/** Rows on whose daemons' ports the pod does not tread. */
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

/** A pod with rules about several labels at once is rare; beyond this many combinations it must wait. */
const MAX_COMBINATIONS = 64;

const KEY_STRIDE = 2 ** 20;

function findStatics({ states }: Compiled, variant: Variant, state: State): State[] {
  if (variant.contradiction !== null || !variant.tolerations.pools[state.pool.index]) return [];
  const open =
    variant.ports.length === 0 ? state : states.within(state, rowsWithFreePorts(state.pool, variant));
  const own = open === null ? null : states.meet(open, variant.all);
  if (own === null) return [];
  if (variant.alternatives === undefined) return [own];
  const found = variant.alternatives.map((alternative) => states.meet(own, alternative));
  return [...new Set(found.filter((target) => target !== null))];
}

function withDomains(compiled: Compiled, variant: Variant, start: State): State[] {
  let frontier: State[] = [start];
  for (const key of variant.domainKeys) {
    const choices = domainChoices(compiled, variant, start, key);
    const next: State[] = [];
    for (const state of frontier) {
      for (const choice of choices) {
        const narrowed = next.length < MAX_COMBINATIONS ? compiled.states.meetOne(state, choice) : null;
        if (narrowed !== null) next.push(narrowed);
      }
    }
    frontier = next;
  }
  return frontier;
}

/** The emptiest first, then by name. */
function byLoad(
  algebra: Algebra,
  key: number,
  values: readonly number[],
  spreads: readonly DomainRule[],
): readonly number[] {
  if (values.length < 2) return values;
  const load = (value: number) => spreads.reduce((sum, { group }) => sum + group.count(value), 0);
  return [...values].sort(
    (first, second) =>
      load(first) - load(second) ||
      byCodeUnit(algebra.words.valueName(key, first), algebra.words.valueName(key, second)),
  );
}

/** Domains to look at: those of the node that the groups know, or where only others' wishes bind, all there can be. */
function candidates(
  compiled: Compiled,
  rules: readonly DomainRule[],
  key: number,
  nodeDomains: Requirement | undefined,
): number[] {
  const own = rules.find((rule) => rule.group.spec.kind !== 'inverse');
  if (nodeDomains !== undefined && !nodeDomains.complement) {
    const values = members(nodeDomains.values);
    return own === undefined ? values : values.filter((value) => hasBit(own.group.known, value));
  }
  const known = members(own === undefined ? compiled.groups.universe(key, undefined) : own.group.known);
  return nodeDomains === undefined
    ? known
    : known.filter((value) => compiled.algebra.has(nodeDomains, value));
}
