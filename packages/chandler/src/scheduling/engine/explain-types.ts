/**
 * Why no instance type of a pool matches: each type under the first condition it fails, and for the pool the
 * condition that is closest to being met.
 */
import { type Bits, fullBits, hasBit, members, orBits } from '../bits.ts';
import { type HostPort, takenPort } from '../host-ports.ts';
import type { PoolRefusal, Refusal, TypeFilter } from '../refusal.ts';
import type { Requirement } from '../requirements/algebra.ts';
import { requirementText } from '../requirements/text.ts';
import { ATTACHMENT_PREFIX } from '../resources.ts';
import { minValuesUnmet } from './min-values.ts';
import { domainChoices, isOutside, staticTargets, targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import type { Variant } from './pod-class.ts';
import { HIDDEN_LABELS, type PoolEntry } from './pools.ts';
import type { Run } from './run.ts';
import { soldOutRows } from './sold-out.ts';
import { rowsMeeting, type State } from './states.ts';
import { Tally } from './tally.ts';

export function explainTypes(
  run: Run,
  variant: Variant,
  pool: PoolEntry,
  template: State,
): Omit<PoolRefusal, 'nodePool'> {
  totalsOfPod(run, variant);
  const special = specialRefusal(run, variant, pool);
  const requirements = requirementsAsked(run, variant, template);
  const asked: Conditions = {
    conditions: conditionsOf(pool, requirements),
    offerings: run.compiled.states.offeringsUnder(pool, requirements),
    within: run.limits.rowsWithin(pool),
  };
  const tally = new Tally();
  // Types that the pool itself excludes are not reported.
  const eligible = members(rowsMeeting(pool, template.requirements, fullBits(pool.catalogue.rows.length)));
  // From the largest down, so that each group reports the type that comes closest.
  const verdicts = eligible.reverse().map((row) => {
    const verdict = judge(run, variant, pool, row, asked);
    const { name } = pool.catalogue.rows[row]!.type;
    const reason = reasonOf(verdict);
    if (reason !== FINE && !tally.count(reason, name)) {
      tally.add(reason, name, () => refusalOf(run, variant, pool, verdict));
    }
    return verdict;
  });
  const filter = filterOf(run, pool, verdicts, requirements);
  return {
    refusal: special ?? summary(run, variant, pool, verdicts, requirements, asked),
    types: tally.result(),
    filter,
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** The conditions that every type is checked against. */
interface Conditions {
  readonly conditions: readonly { readonly requirement: Requirement; readonly rows: Bits }[];
  readonly offerings: Bits;
  /** Rows within the limits. */
  readonly within: Bits;
}

interface Verdict {
  readonly row: number;
  readonly unmet: Requirement | undefined;
  readonly hasOffering: boolean;
  /** The slot that lacks the largest share; -1 when there is room. */
  readonly lacking: number;
  readonly share: number;
  readonly limited: boolean;
  /** A host port of the pod that daemons on the type use. */
  readonly port: HostPort | undefined;
}

/** minValues and reservations: single types match, but not the set. */
function specialRefusal(run: Run, variant: Variant, pool: PoolEntry): Refusal | undefined {
  const template = run.limits.template(pool);
  if (template === null) return undefined;
  for (const state of targets(run.compiled, variant, template)) {
    const rows = pool.fit.fitting(state.rows, run.totals, 0, run.claims.stride);
    if (!rows.some((word) => word !== 0)) continue;
    const [unmet] = minValuesUnmet(run.compiled.algebra, state, rows, run.compiled.options.maxInstanceTypes);
    if (unmet !== undefined) {
      const key = run.compiled.algebra.labels.keyName(unmet.requirement.key);
      return { code: 'MinValuesUnmet', key, wanted: unmet.requirement.minValues!, found: unmet.found };
    }
    const ids = run.reservations.compatibleWith(state, rows);
    if (ids.length > 0) return { code: 'ReservedOnly', reservations: ids };
  }
  return undefined;
}

function requirementsAsked(run: Run, variant: Variant, template: State): (Requirement | undefined)[] {
  const { algebra } = run.compiled;
  const requirements = template.requirements.slice();
  const add = (requirement: Requirement) => {
    const own = requirements[requirement.key];
    requirements[requirement.key] = own === undefined ? requirement : algebra.meet(own, requirement);
  };
  variant.all.items.forEach(add);
  // All alternatives failed; the first is reported.
  variant.alternatives?.[0]?.items.forEach(add);
  const [start] = staticTargets(run.compiled, variant, template);
  if (start === undefined) return requirements;
  for (const key of variant.domainKeys) {
    const choices = domainChoices(run.compiled, variant, start, key);
    if (isOutside(run.compiled, variant, start, key, choices)) continue;
    const values = choices.map(({ requirement }) => requirement.values).reduce(orBits, new Int32Array(0));
    add(algebra.oneOf(key, values));
  }
  return requirements;
}

function conditionsOf(
  { catalogue }: PoolEntry,
  requirements: readonly (Requirement | undefined)[],
): Conditions['conditions'] {
  return catalogue.typeKeys.flatMap((key) => {
    const requirement = requirements[key];
    return requirement === undefined ? [] : [{ requirement, rows: catalogue.rowsMeeting(requirement)! }];
  });
}

function judge(
  run: Run,
  variant: Variant,
  pool: PoolEntry,
  row: number,
  { conditions, offerings, within }: Conditions,
): Verdict {
  const { catalogue } = pool;
  const unmet = conditions.find(({ rows }) => !hasBit(rows, row))?.requirement;
  const [lacking, share] = worstLack(run, pool, row);
  let hasOffering = false;
  for (let at = catalogue.offeringStart[row]!; at < catalogue.offeringStart[row + 1]!; at++) {
    if (hasBit(offerings, at)) hasOffering = true;
  }
  const limited = !hasBit(within, row);
  const port = takenPort(variant.ports, pool.daemonGroups[pool.groupOfRow[row]!]!.ports);
  return { row, unmet, hasOffering, lacking, share, limited, port };
}

function worstLack(run: Run, pool: PoolEntry, row: number): [slot: number, share: number] {
  const { resources } = run.compiled;
  const free = pool.fit.free[row]!;
  let worst = -1;
  let most = 1;
  for (let slot = 0; slot < run.totals.length; slot++) {
    const total = run.totals[slot]!;
    const has = free[slot] ?? 0;
    if (total <= 0 ? has >= 0 : total <= has) continue;
    const share = has <= 0 ? Number.POSITIVE_INFINITY : total / has;
    if (worst >= 0 && (share < most || (share === most && resources.compareSlots(worst, slot) < 0))) continue;
    worst = slot;
    most = share;
  }
  return [worst, most];
}

/** Values in place of a slot; labels start at `LABELS`. */
const FINE = -1;
const LIMIT = -2;
const PORT = -3;
const OFFERING = -4;
const LABELS = 2 ** 20;

/** Equal for types with the same first reason. */
function reasonOf({ unmet, hasOffering, lacking, limited, port }: Verdict): number {
  if (limited) return LIMIT;
  if (unmet !== undefined) return LABELS + unmet.key;
  if (port !== undefined) return PORT;
  if (lacking >= 0) return lacking;
  return hasOffering ? FINE : OFFERING;
}

function refusalOf(run: Run, variant: Variant, pool: PoolEntry, verdict: Verdict): Refusal {
  const { row, unmet, lacking, limited, port } = verdict;
  if (limited) return limitOf(run, pool, [row]);
  if (unmet !== undefined) return unmetRefusal(run, variant, pool, unmet, [row]);
  if (port !== undefined) return { code: 'HostPortTaken', ...port };
  return lacking >= 0 ? lackOf(run, pool, row, lacking) : { code: 'NoOffering' };
}

function unmetRefusal(
  run: Run,
  variant: Variant,
  pool: PoolEntry,
  wanted: Requirement,
  rows: readonly number[],
): Refusal {
  const { algebra } = run.compiled;
  const own = rows.flatMap((row) =>
    pool.catalogue.rows[row]!.type.requirements.items.filter((item) => item.key === wanted.key),
  );
  const values = own.map((item) => item.values).reduce(orBits, new Int32Array(0));
  return {
    code: 'RequirementIncompatible',
    key: algebra.labels.keyName(wanted.key),
    wanted: requirementText(algebra, wanted),
    offered: requirementText(algebra, own.length === 1 ? own[0]! : algebra.oneOf(wanted.key, values)),
    source: isAskedByVolume(variant, pool, wanted.key, rows) ? 'volume' : 'pod',
  };
}

/** The volumes have a requirement on the label, and the types meet the pod's own one. */
function isAskedByVolume(variant: Variant, pool: PoolEntry, key: number, rows: readonly number[]): boolean {
  if (variant.alternatives?.[0]?.items.some((item) => item.key === key) !== true) return false;
  const own = variant.all.items.find((item) => item.key === key);
  return own === undefined || rows.every((row) => hasBit(pool.catalogue.rowsMeeting(own)!, row));
}

function lackOf(run: Run, pool: PoolEntry, row: number, slot: number): Refusal {
  const { resources } = run.compiled;
  const name = resources.name(slot);
  if (name.startsWith(ATTACHMENT_PREFIX)) {
    const limit = pool.fit.free[row]![slot] ?? 0;
    const driver = name.slice(ATTACHMENT_PREFIX.length);
    return { code: 'VolumeLimit', driver, limit, used: 0, wanted: run.totals[slot]! };
  }
  const daemons = pool.daemonGroups[pool.groupOfRow[row]!]!.amounts[slot] ?? 0;
  const requested = run.totals[slot]! + daemons;
  const available = (pool.fit.free[row]![slot] ?? 0) + daemons;
  return {
    code: 'ResourceInsufficient',
    resource: resources.name(slot),
    requested: resources.text(slot, requested),
    available: resources.text(slot, available),
    missing: resources.text(slot, requested - available),
  };
}

/** The limit that all these rows exceed. */
function limitOf(run: Run, pool: PoolEntry, rows: readonly number[]): Refusal {
  const { resources } = run.compiled;
  const needs = [...run.limits.remaining(pool)].map(([slot, left]) => ({
    slot,
    left,
    needed: Math.min(...rows.map((row) => pool.catalogue.rows[row]!.capacity[slot] ?? 0)),
  }));
  const { slot, left, needed } = needs.find((need) => need.needed > need.left) ?? needs[0]!;
  return {
    code: 'LimitExceeded',
    resource: resources.name(slot),
    limit: resources.text(slot, pool.limits.get(slot)!),
    remaining: resources.text(slot, left),
    needed: resources.text(slot, needed),
  };
}

/** The obstacle that is closest to being met. */
function summary(
  run: Run,
  variant: Variant,
  pool: PoolEntry,
  verdicts: readonly Verdict[],
  requirements: readonly (Requirement | undefined)[],
  { conditions }: Conditions,
): Refusal {
  const good = verdicts.filter(
    ({ unmet, hasOffering, lacking }) => unmet === undefined && hasOffering && lacking < 0,
  );
  const limited = good.filter((verdict) => verdict.limited);
  if (limited.length > 0 && limited.length === good.length) {
    return limitOf(
      run,
      pool,
      limited.map(({ row }) => row),
    );
  }
  const open = verdicts.filter((verdict) => !verdict.limited);
  const meeting = open.filter(({ unmet }) => unmet === undefined);
  if (meeting.length === 0 && open.length > 0) {
    const rows = open.map(({ row }) => row);
    const metByNone = conditions.find((each) => !rows.some((row) => hasBit(each.rows, row)));
    if (metByNone !== undefined) return unmetRefusal(run, variant, pool, metByNone.requirement, rows);
  }
  const sellable = meeting.filter(({ hasOffering }) => hasOffering);
  const small = sellable.filter(({ lacking }) => lacking >= 0);
  if (small.length > 0) {
    const best = small.reduce((first, second) => (second.share < first.share ? second : first));
    return lackOf(run, pool, best.row, best.lacking);
  }
  const port = open.find((verdict) => reasonOf(verdict) === PORT);
  if (port !== undefined && sellable.length > 0) return refusalOf(run, variant, pool, port);
  if (meeting.length > 0) return { code: 'NoOffering' };
  return { code: 'NoTypeMeetsAll', requirements: texts(run, requirements) };
}

function filterOf(
  run: Run,
  pool: PoolEntry,
  verdicts: readonly Verdict[],
  requirements: readonly (Requirement | undefined)[],
): TypeFilter {
  const open = verdicts.filter(({ limited }) => !limited);
  // As in upstream, a type without an available offering counts as one without room.
  const met = ({ unmet }: Verdict) => unmet === undefined;
  const fits = ({ lacking, hasOffering }: Verdict) => lacking < 0 && hasOffering;
  const { resources } = run.compiled;
  const sums = pool.daemonGroups.map((group) =>
    resources.texts(Array.from(run.totals, (total, slot) => total + (group.amounts[slot] ?? 0))),
  );
  const bySize = [...pool.daemonGroups.keys()].sort(
    (first, second) =>
      (pool.daemonGroups[first]!.amounts[0] ?? 0) - (pool.daemonGroups[second]!.amounts[0] ?? 0),
  );
  const own = resources.texts(run.totals);
  return {
    requirementsMet: open.some(met),
    fits: open.some(fits),
    hasOffering: open.some(({ hasOffering }) => hasOffering),
    requirementsAndFits: open.some((verdict) => met(verdict) && verdict.lacking < 0 && !verdict.hasOffering),
    requirementsAndOffering: open.some(
      (verdict) => met(verdict) && verdict.hasOffering && verdict.lacking >= 0,
    ),
    fitsAndOffering: open.some((verdict) => fits(verdict) && !met(verdict)),
    fitsUnsold:
      !open.some(fits) &&
      (verdicts.some((verdict) => met(verdict) && verdict.lacking < 0 && !verdict.hasOffering) ||
        soldOutRows(pool, requirements).some((row) => worstLack(run, pool, row)[0] < 0)),
    requirements: texts(run, requirements),
    resources: { least: sums[bySize[0] ?? 0] ?? own, most: sums[bySize[bySize.length - 1] ?? 0] ?? own },
  };
}

function texts(run: Run, requirements: readonly (Requirement | undefined)[]): string[] {
  const { algebra } = run.compiled;
  return requirements
    .filter((requirement) => requirement !== undefined)
    .filter((requirement) => !HIDDEN_LABELS.has(algebra.labels.keyName(requirement.key)))
    .map((requirement) => requirementText(algebra, requirement))
    .sort();
}
