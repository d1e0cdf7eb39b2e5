/**
 * Opens a claim for a pod that fits nowhere else: in the first pool by weight that can launch a node for it.
 * When compatible reserved capacity is held by other claims, pools of lower weight are not tried and the pod
 * waits.
 */
import { emptyBits, members, setBit } from '../bits.ts';
import { commit, findRow, roomyRows } from './claim-checks.ts';
import { fraction } from './fraction.ts';
import { requiredAffinityGroups } from './host-rules.ts';
import { hasFixedDomains, staticTargets, targets } from './narrowing.ts';
import type { Variant } from './pod-class.ts';
import type { PoolEntry } from './pools.ts';
import type { Outcome, Run } from './run.ts';
import type { State } from './states.ts';

export function openClaim(run: Run, variant: Variant, pod: number): Outcome {
  // A new node has no pods: an affinity to pods on the host cannot be satisfied there.
  if (variant.hostAffinities.length > 0 && requiredAffinityGroups(variant).length > 0) return 'refused';
  for (const pool of poolsInTurn(run)) {
    if (variant.fit.rejectedPools.has(pool.index)) continue;
    const outcome = openIn(run, variant, pod, pool);
    if (outcome !== 'refused') return outcome;
  }
  return 'refused';
}

/** The pod alone on a new node. */
export function totalsOfPod(run: Run, variant: Variant): void {
  const { slots, amounts } = variant.podClass.requests;
  run.totals.fill(0);
  for (let index = 0; index < slots.length; index++) run.totals[slots[index]!] = amounts[index]!;
}

// ---------------------------------------------------------------------------------------------------------------

function openIn(run: Run, variant: Variant, pod: number, pool: PoolEntry): Outcome {
  const template = run.limits.template(pool);
  if (template === null) {
    variant.fit.rejectedPools.add(pool.index);
    return 'refused';
  }
  run.attempts++;
  totalsOfPod(run, variant);
  const open = varied(run, variant, targets(run.compiled, variant, template));
  const slot = findRow(run, variant, withSmaller(run, pool, open), -1);
  if (slot === 'reserved') return 'reserved';
  if (slot === undefined) {
    if (!hasRoomLater(run, variant, template, open)) variant.fit.rejectedPools.add(pool.index);
    return 'refused';
  }
  const claim = run.claims.open(template);
  commit(run, variant, pod, claim, slot);
  if (run.limits.hasLimits(pool)) run.limits.charge(pool, roomyRows(run, slot.state));
  return 'placed';
}

/** By weight, or with the chosen one first. */
function poolsInTurn({ choice, claims, compiled: { pools } }: Run): readonly PoolEntry[] {
  if (choice.pool === 0 || pools.length < 2 || choice.usual.has(claims.count)) return pools;
  const chosen = pools[Math.floor(fraction(choice.pool, claims.count) * pools.length)]!;
  return [chosen, ...pools.filter((pool) => pool !== chosen)];
}

/**
 * Under a limit, first the best state with fewer types: with those that are no larger than the chosen one, in what is limited. A
 * claim is charged with the largest of its types, so this one leaves more of the limit to others.
 */
function withSmaller(run: Run, pool: PoolEntry, open: readonly State[]): readonly State[] {
  const { choice, limits, claims, compiled } = run;
  if (choice.size === 0 || pool.limits.size === 0 || choice.usual.has(claims.count)) return open;
  const best = open[0];
  if (best === undefined) return open;
  // It would relax minValues rather than keep more types.
  if (pool.hasMinValues && compiled.options.minValuesPolicy === 'BestEffort') return open;
  const rows = members(roomyRows(run, best));
  if (rows.length < 2) return open;
  const capacityOf = (row: number, slot: number) => pool.catalogue.rows[row]!.capacity[slot] ?? 0;
  const chosen = rows[Math.floor(fraction(choice.size, claims.count) * rows.length)]!;
  const slots = [...limits.remaining(pool).keys()];
  const allowed = emptyBits(pool.catalogue.rows.length);
  for (const row of rows) {
    if (slots.every((slot) => capacityOf(row, slot) <= capacityOf(chosen, slot))) setBit(allowed, row);
  }
  const smaller = compiled.states.within(best, allowed);
  return smaller === null || smaller === best ? open : [smaller, ...open];
}

/** The chosen state first; the others follow in case it has no room. What others want to know is decided where it can be. */
function varied({ variation, claims }: Run, variant: Variant, open: readonly State[]): readonly State[] {
  if (variation === 0 || open.length < 2) return open;
  const decided = open.flatMap((state, index) => (hasFixedDomains(variant, state) ? [index] : []));
  const choice = fraction(variation, claims.count);
  const first =
    decided.length > 0 ? decided[Math.floor(choice * decided.length)]! : Math.floor(choice * open.length);
  return [open[first]!, ...open.slice(0, first), ...open.slice(first + 1)];
}

function hasRoomLater(run: Run, variant: Variant, template: State, open: readonly State[]): boolean {
  if (template.pool.catalogue.hasReservations) return true;
  if (variant.domainRules.length === 0) return false;
  const wider = staticTargets(run.compiled, variant, template).filter((target) => !open.includes(target));
  return wider.some(
    (target) => template.pool.fit.roomiest(target.rows, run.totals, 0, run.claims.stride) >= 0,
  );
}
