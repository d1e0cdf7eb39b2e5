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
import { asSets, join, mayBe, type Sets, setsOfPod, zoneIs } from './label-sets.ts';
import { launchable, type Place, type Rules, setsOfNewNode, type World, zonesOf } from './place.ts';
import { standsAside, takesPart } from './taking-part.ts';

/** Hard spread by host, own distance, and the distance that others want. */
export function allowsHost(world: World, pod: Pod, place: Place): boolean {
  const spreads = hardSpreads(pod).filter(({ topologyKey }) => topologyKey === HOST);
  const even = spreads.every((spread) => {
    const there = place.pods.filter((other) => isSelected(spread, other));
    const countsThere = world.rules !== 'upstream' || place.node || takesPart(place, place.sets, pod);
    const fewest = world.isLast ? fewestOnHost(world, pod, spread) : 0;
    return (countsThere ? there.length : 0) + Number(isSelected(spread, pod)) - fewest <= spread.maxSkew;
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

/** Zones that a spread of the pod counts for upstream, though no node that takes part can be there. */
export function zonesWithoutNodes(world: World, pod: Pod): string[] {
  const spread = hardSpreads(pod).find(({ topologyKey }) => topologyKey === ZONE);
  if (spread === undefined) return [];
  const reached = countZones({ ...world, rules: 'ours' }, pod, spread);
  return [...countZones(world, pod, spread).keys()].filter((zone) => !reached.has(zone));
}

// ---------------------------------------------------------------------------------------------------

function fewestOnHost(world: World, pod: Pod, spread: TopologySpreadConstraint): number {
  const counts = world.places.flatMap((place) => {
    if (takesPart(place, place.sets, pod))
      return place.pods.filter((other) => isSelected(spread, other)).length;
    return place.node || standsAside(place, place.sets, setsOfPod(pod)) ? [] : 0;
  });
  return counts.length === 0 ? 0 : Math.min(...counts);
}

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
    world.input.pools.flatMap((pool) => zonesOfPool(world, pool, pod).map((zone) => [zone, 0] as const)),
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

/** By pool, then by rules and what the pod asks of nodes. */
const zones = new WeakMap<PoolInput, Map<string, readonly string[]>>();

function zonesOfPool({ rules }: World, pool: PoolInput, pod: Pod): readonly string[] {
  const known = zones.get(pool) ?? new Map<string, readonly string[]>();
  zones.set(pool, known);
  const { nodeSelector, affinity } = pod.spec;
  const key = JSON.stringify([rules === 'upstream', nodeSelector, affinity?.nodeAffinity]);
  const found = known.get(key) ?? findZones(rules, pool, pod);
  known.set(key, found);
  return found;
}

/** Those in which it can launch a node that takes part in the spreads of the pod; for upstream also others. */
function findZones(rules: Rules, pool: PoolInput, pod: Pod): readonly string[] {
  const { spec } = pool.nodePool.spec.template;
  const own = asSets(spec.requirements);
  const types = pool.instanceTypes as readonly InstanceType[];
  const listed = own.get(ZONE);
  const byTypes = types.flatMap(
    ({ requirements }) => requirements.find(({ key }) => key === ZONE)?.values ?? [],
  );
  const listedZones = [
    ...byTypes.filter((zone) => mayBeIn(own, zone)),
    ...(listed && !listed.isComplement ? listed.values : []),
  ];
  if (rules === 'upstream') return listedZones;
  const known = setsOfNewNode(pool);
  const wanted = setsOfPod(pod);
  if (!mayBe(known, wanted, true)) return [];
  const within = join(known, wanted);
  return listedZones.filter(
    (zone) => mayBeIn(within, zone) && launchable(types, join(within, zoneIs(zone))).length > 0,
  );
}

function whereCounted(world: World, place: Place, pod: Pod): string | undefined {
  if (place.node) return place.node.labels[ZONE];
  if (world.rules === 'upstream' || (world.rules === 'late' && mayComeLast(pod)))
    return place.countedIn.get(pod);
  const zones = zonesOf(place);
  return zones.length === 1 ? zones[0] : undefined;
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
