/**
 * Narrows a new node until it is certain which spreads count its pods. A pod that is spread itself may have to be bound
 * before pods whose spread considers, say, one architecture only: they must know whether its node counts. Other pods may
 * be bound after them, so their nodes stay open.
 */
import type { TopologyGroup } from '../topology/group.ts';
import type { Compiled } from './compiled.ts';
import type { State } from './states.ts';

/**
 * The state with a certain part in every group, in each way that is possible; unchanged where there is none, and where
 * minValues may not allow any.
 */
export function settled(compiled: Compiled, groups: readonly TopologyGroup[], state: State): State[] {
  let frontier = [state];
  for (const group of groups)
    frontier = [...new Set(frontier.flatMap((one) => settledFor(compiled, group, one)))].slice(
      0,
      MAX_TOGETHER,
    );
  return frontier;
}

/** Whether it is certain for every group if the node takes part. */
export function isCertain(
  { groups: { parts } }: Compiled,
  groups: readonly TopologyGroup[],
  state: State,
): boolean {
  return groups.every((group) => parts.ofState(group, state) !== 'open');
}

// ---------------------------------------------------------------------------------------------------------------

/** Terms with many requirements can be missed in many ways; further ways are ignored. */
const MAX_WAYS = 16;
/** Of all groups together. With many, the ways multiply. */
const MAX_TOGETHER = 64;

function settledFor(compiled: Compiled, group: TopologyGroup, state: State): State[] {
  const { parts } = compiled.groups;
  if (parts.ofState(group, state) !== 'open') return [state];
  const found = [...takingPart(compiled, group, state), ...standingAside(compiled, group, state)];
  const certain = [...new Set(found)].filter((one) => parts.ofState(group, one) !== 'open');
  // With fewer types left, minValues may not be met.
  return certain.length === 0 || state.pool.hasMinValues ? [...certain, state] : certain;
}

function takingPart({ states }: Compiled, { spec }: TopologyGroup, state: State): State[] {
  return spec.filter!.terms.flatMap((term) => states.meet(state, term) ?? []);
}

/** Every term is missed by one of its requirements. */
function standingAside({ states, algebra }: Compiled, { spec }: TopologyGroup, state: State): State[] {
  let ways = [state];
  for (const { items } of spec.filter!.terms) {
    const opposites = items.flatMap((item) => algebra.opposites(item));
    ways = ways
      .flatMap((way) => opposites.flatMap((opposite) => states.meetOne(way, opposite) ?? []))
      .slice(0, MAX_WAYS);
  }
  return ways;
}
