/**
 * Opens a claim for a pod that fits nowhere else: in the first pool by weight that can launch a node for it.
 * When compatible reserved capacity is held by other claims, pools of lower weight are not tried and the pod
 * waits.
 */
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
  for (const pool of run.compiled.pools) {
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
  const slot = findRow(run, variant, open, -1);
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
