/**
 * Under our rules a claim for a pod that is spread over zones is settled: every spread that counts the pod knows whether
 * it counts the node.
 */
import type { InstanceType, Pod } from '../../../packages/chandler/src/scheduling/index.ts';
import { ZONE } from '../shorthand.ts';
import { asSets, isAtPeace, join, type LabelSet, mayBe, type Sets, setsOfPod } from './label-sets.ts';
import { type Place, typesOf, type World } from './place.ts';
import { standsAside, takesPart } from './taking-part.ts';
import { hardSpreads, isSelected } from './topology.ts';

export function settledSets(world: World, pod: Pod, place: Place, own: Sets): Sets[] {
  const overZones = (other: Pod) => hardSpreads(other).filter(({ topologyKey }) => topologyKey === ZONE);
  if (overZones(pod).length === 0) return [own];
  let found = [own];
  for (const other of world.input.pods) {
    if (!overZones(other).some((spread) => isSelected(spread, pod))) continue;
    found = found.flatMap((sets) => settledFor(place, sets, other));
  }
  return found;
}

/** The price of the cheapest type of these. */
export function priceOf(place: Place, sets: Sets, suits: (type: InstanceType) => boolean): number {
  return Math.min(
    ...typesOf(place, sets)
      .filter(suits)
      .flatMap((type) => pricesOf(type, sets)),
  );
}

// ---------------------------------------------------------------------------------------------------

function pricesOf({ offerings }: InstanceType, sets: Sets): number[] {
  return offerings
    .filter(({ available, requirements }) => available !== false && isAtPeace(sets, asSets(requirements)))
    .map(({ price }) => price);
}

function settledFor(place: Place, sets: Sets, other: Pod): Sets[] {
  const wanted = setsOfPod(other);
  const isOpen = (these: Sets) => !takesPart(place, these, other) && !standsAside(place, these, wanted);
  if (!isOpen(sets)) return [sets];
  const ways = [wanted, ...[...wanted].map(([key, set]) => new Map([[key, opposite(set)]]))];
  const found = ways
    .filter((way) => mayBe(sets, way, true))
    .map((way) => join(sets, way))
    .filter((way) => typesOf(place, way).length > 0 && !isOpen(way));
  return found.length === 0 ? [sets] : found;
}

function opposite({ isComplement, values }: LabelSet): LabelSet {
  return { isComplement: !isComplement, values };
}
