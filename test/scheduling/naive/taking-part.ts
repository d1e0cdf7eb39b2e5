/** Whether a place takes part in the spreads of a pod: whether it is, or will be, what the pod asks of nodes. */
import type { Pod } from '../../../packages/chandler/src/scheduling/index.ts';
import { ZONE } from '../shorthand.ts';
import {
  asSets,
  both,
  isEmpty,
  type LabelSet,
  mayBe,
  onlyExcludes,
  type Sets,
  setsOfPod,
  surely,
} from './label-sets.ts';
import { type Place, typesOf, zonesOf } from './place.ts';

/** Whether a place surely meets what the pod asks of nodes, so that its pods count for the pod's spread. */
export function takesPart(place: Place, sets: Sets, pod: Pod): boolean {
  const wanted = setsOfPod(pod);
  if (place.node) return mayBe(sets, wanted, false);
  return [...wanted].every(([key, set]) => surelyIs(place, sets, key, set));
}

/** Whether the node will surely not be what is wanted. */
export function standsAside(place: Place, sets: Sets, wanted: Sets): boolean {
  return typesOf(place, sets).every((type) =>
    [...wanted].some(([key, set]) => lacks(place, sets, asSets(type.requirements), key, set)),
  );
}

// ---------------------------------------------------------------------------------------------------

/** For any launched type and any later pods, the label has one of these values. */
function surelyIs(place: Place, sets: Sets, key: string, wanted: LabelSet): boolean {
  const known = sets.get(key);
  if (key === ZONE) return surely(zonesOf(place, sets), wanted);
  if (known && !known.isComplement) return surely([...known.values], wanted);
  const values = typesOf(place, sets).flatMap(
    ({ requirements }) => requirements.find((each) => each.key === key)?.values ?? [],
  );
  // A label without a source that a pod only restricts may still get any other value.
  if (known && values.length === 0)
    return wanted.isComplement && [...wanted.values].every((value) => known.values.has(value));
  return surely(values, wanted);
}

function lacks(place: Place, sets: Sets, ofType: Sets, key: string, wanted: LabelSet): boolean {
  const known = sets.get(key);
  if (known && isEmpty(both(known, wanted)) && !(onlyExcludes(known) && onlyExcludes(wanted))) return true;
  if (key === ZONE) {
    return zonesOf(place, sets).every((zone) => wanted.values.has(zone) === wanted.isComplement);
  }
  const byType = ofType.get(key);
  if (byType) return isEmpty(both(byType, wanted));
  return known === undefined && !onlyExcludes(wanted);
}
