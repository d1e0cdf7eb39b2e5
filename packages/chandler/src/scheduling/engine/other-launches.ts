/**
 * What the cloud may make of claims instead of the cheapest node, by zone and capacity type; and how a claim is kept to the zone and
 * capacity type of the cheapest one.
 */
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { hasBit } from '../bits.ts';
import type { PlannedClaim } from '../plan.ts';
import type { Requirement } from '../requirements/algebra.ts';
import type { Run } from './run.ts';
import type { State } from './states.ts';

/** What a claim becomes, as far as its labels are known. */
export interface Launch extends Pick<PlannedClaim, 'labels'> {
  readonly cheapest: Pick<PlannedClaim['cheapest'], 'zone' | 'capacityType'>;
}

/** All open claims elsewhere, together and in turn, and then each of them alone. Without a claim that can be elsewhere: nothing. */
export function* otherLaunches(
  run: Run,
  planned: readonly PlannedClaim[],
  open: readonly number[],
): Generator<readonly Launch[], undefined> {
  const others = open
    .map((claim) => ({ claim, launches: launchesOf(run, claim, planned[claim]!) }))
    .filter(({ launches }) => launches.length > 0);
  const most = Math.max(0, ...others.map(({ launches }) => launches.length));
  for (const step of [0, 1]) {
    for (let turn = 0; turn < most; turn++) {
      const launched: Launch[] = [...planned];
      others.forEach(({ claim, launches }, at) => {
        launched[claim] = launches[(turn + step * at) % launches.length]!;
      });
      yield launched;
    }
  }
  for (const { claim, launches } of others) {
    for (const launch of launches) {
      const launched: Launch[] = [...planned];
      launched[claim] = launch;
      yield launched;
    }
  }
}

/** The state of a claim in the zone and capacity type of its cheapest node; unchanged where it may have to be open. */
export function keptToCheapest(
  { compiled: { algebra, states }, claims }: Run,
  claim: number,
  { cheapest: { zone, capacityType } }: PlannedClaim,
): State {
  const state = claims.states[claim]!;
  // With fewer types minValues may not be met; reservations are where they are.
  if (state.pool.hasMinValues || (claims.extras[claim]?.reservations.size ?? 0) > 0) return state;
  const exactly = (key: string, value: string | null) =>
    value === null ? [] : [algebra.parse(key, 'In', [value]) as Requirement];
  const requirements = [
    ...exactly(KubernetesLabel.zone, zone),
    ...exactly(KarpenterLabel.capacityType, capacityType),
  ];
  return states.meet(state, algebra.set(requirements)) ?? state;
}

// ---------------------------------------------------------------------------------------------------------------

function launchesOf(
  { claims }: Run,
  claim: number,
  { labels, instanceTypes, cheapest }: PlannedClaim,
): Launch[] {
  const state = claims.states[claim]!;
  const { catalogue } = state.pool;
  const names = new Set(instanceTypes);
  const found = new Map<string, Launch>();
  for (const { index, row, reservation, zone, capacityType } of catalogue.offerings) {
    if (reservation !== undefined || !hasBit(state.offerings, index)) continue;
    if (!names.has(catalogue.rows[row]!.type.name)) continue;
    if (zone === cheapest.zone && capacityType === cheapest.capacityType) continue;
    found.set(`${zone}/${capacityType}`, { labels, cheapest: { zone, capacityType } });
  }
  return [...found.values()];
}
