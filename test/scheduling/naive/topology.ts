/**
 * Topology rules of the naive first fit: spread over zones and hosts, and anti-affinity by host. Everything
 * is counted from scratch each time. Under our rules a pod counts where it is certain to run; upstream counts
 * it when it is placed, or never.
 */
import type {
  InstanceType,
  Pod,
  PoolInput,
  TopologySpreadConstraint,
} from '../../../packages/chandler/src/scheduling/index.ts';
import { HOST, ZONE } from '../shorthand.ts';
import { asSets, type LabelSet, mayBe, type Sets, setsOfPod, surely } from './label-sets.ts';
import { launchable, type Place, typesOf, type World, zonesOf } from './place.ts';

/** Hard spread by host, own distance, and the distance that others want. */
export function allowsHost(world: World, pod: Pod, place: Place): boolean {
  const spreads = hardSpreads(pod).filter(({ topologyKey }) => topologyKey === HOST);
  const even = spreads.every((spread) => {
    const there = place.pods.filter((other) => isSelected(spread, other));
    const countsThere = world.rules !== 'upstream' || place.node || takesPart(place, place.sets, pod);
    return (countsThere ? there.length : 0) + Number(isSelected(spread, pod)) <= spread.maxSkew;
  });
  return even && place.pods.every((other) => !keepsAway(pod, other) && !keepsAway(other, pod));
}

/** A zone that the spreads leave, and how many pods they count there. */
export interface ZoneChoice {
  readonly zone: string;
  readonly load: number;
}

/** The emptiest zone first; undefined when nothing is spread over zones. */
export function zonesFor(world: World, pod: Pod, place: Place, sets: Sets): ZoneChoice[] | undefined {
  const spreads = hardSpreads(pod).filter(({ topologyKey }) => topologyKey === ZONE);
  if (spreads.length === 0) return undefined;
  const counts = spreads.map((spread) => countZones(world, pod, spread));
  const load = (zone: string) => counts.reduce((sum, count) => sum + (count.get(zone) ?? 0), 0);
  const zones = [...counts[0]!.keys()].filter((zone) =>
    place.node ? zone === place.node.labels[ZONE] : mayBeIn(sets, zone),
  );
  return zones
    .filter((zone) => spreads.every((spread, at) => allowsZone(world, pod, spread, counts[at]!, place, zone)))
    .sort((left, right) => load(left) - load(right) || (left < right ? -1 : 1))
    .map((zone) => ({ zone, load: load(zone) }));
}

export function hardSpreads({ spec }: Pod): readonly TopologySpreadConstraint[] {
  return spec.topologySpreadConstraints ?? [];
}

export function isSelected({ labelSelector }: TopologySpreadConstraint, { metadata }: Pod): boolean {
  return Object.entries(labelSelector!.matchLabels!).every(
    ([key, value]) => metadata.labels?.[key] === value,
  );
}

/** Whether a place surely meets what the pod asks of nodes, so that its pods count for the pod's spread. */
export function takesPart(place: Place, sets: Sets, pod: Pod): boolean {
  const wanted = setsOfPod(pod);
  if (place.node) return mayBe(sets, wanted, false);
  return [...wanted].every(([key, set]) => surelyIs(place, sets, key, set));
}

// ---------------------------------------------------------------------------------------------------

function keepsAway({ spec }: Pod, other: Pod): boolean {
  const terms = spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.some((term) => isSelected(term as TopologySpreadConstraint, other));
}

/** No rule about other pods binds it. */
function mayComeLast(pod: Pod): boolean {
  return hardSpreads(pod).length === 0;
}

function mayBeIn(sets: Sets, zone: string): boolean {
  const known = sets.get(ZONE);
  return known === undefined || known.values.has(zone) !== known.isComplement;
}

/** Pods by zone for a spread of this pod; every zone there can be has an entry. */
function countZones(world: World, pod: Pod, spread: TopologySpreadConstraint): Map<string, number> {
  const counts = new Map<string, number>(
    world.input.pools.flatMap((pool) => zonesOfPool(world, pool).map((zone) => [zone, 0] as const)),
  );
  for (const place of world.places) {
    if (!takesPart(place, place.sets, pod)) continue;
    if (place.node) counts.set(place.node.labels[ZONE]!, counts.get(place.node.labels[ZONE]!) ?? 0);
    for (const other of place.pods.filter((each) => isSelected(spread, each))) {
      const zone = whereCounted(world, place, other);
      if (zone !== undefined) counts.set(zone, (counts.get(zone) ?? 0) + 1);
    }
  }
  return counts;
}

/** A pool that cannot launch a node has none, except for upstream. */
function zonesOfPool({ rules }: World, { instanceTypes, nodePool }: PoolInput): string[] {
  const own = asSets(nodePool.spec.template.spec.requirements);
  const types = instanceTypes as readonly InstanceType[];
  if (rules !== 'upstream' && launchable(types, own).length === 0) return [];
  const listed = own.get(ZONE);
  const byTypes = types.flatMap(
    ({ requirements }) => requirements.find(({ key }) => key === ZONE)?.values ?? [],
  );
  return [
    ...byTypes.filter((zone) => mayBeIn(own, zone)),
    ...(listed && !listed.isComplement ? listed.values : []),
  ];
}

function whereCounted(world: World, place: Place, pod: Pod): string | undefined {
  if (place.node) return place.node.labels[ZONE];
  if (world.rules === 'upstream' || (world.rules === 'late' && mayComeLast(pod)))
    return place.countedIn.get(pod);
  const zones = zonesOf(place);
  return zones.length === 1 ? zones[0] : undefined;
}

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

function allowsZone(
  world: World,
  pod: Pod,
  spread: TopologySpreadConstraint,
  counts: ReadonlyMap<string, number>,
  place: Place,
  zone: string,
): boolean {
  const undecided =
    !place.node &&
    world.rules !== 'upstream' &&
    (zonesOf(place).length !== 1 || !takesPart(place, place.sets, pod));
  const countsLate = (other: Pod) => world.rules !== 'late' || !mayComeLast(other);
  const along = undecided
    ? place.pods.filter((other) => isSelected(spread, other) && countsLate(other)).length
    : 0;
  const withThem = (each: string) => counts.get(each)! + (each === zone ? along : 0);
  const usable = [...counts.keys()].filter((each) => mayBeIn(setsOfPod(pod), each));
  const least = Math.min(...usable.map(withThem));
  return withThem(zone) + Number(isSelected(spread, pod)) - least <= spread.maxSkew;
}
