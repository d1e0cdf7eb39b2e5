/**
 * A simple first fit as upstream documents it, for a subset of the features: pods by size; existing nodes,
 * then open claims with the fewest pods, then a new claim in the pool with the highest weight; labels,
 * taints, resources, spread over zones and hosts, anti-affinity by host. It shares no code with the engine.
 * `upstream` behaves as Karpenter; `ours` differs only where the engine intentionally does better.
 */
import { amountOf } from '@chandler/apiserver/standins';
import type {
  ExistingNode,
  InstanceType,
  Pod,
  PoolInput,
  SchedulingInput,
} from '../../../packages/chandler/src/scheduling/index.ts';
import { podKey } from '../builders.ts';
import { ZONE } from '../shorthand.ts';
import { asSets, isAtPeace, join, mayBe, type Sets, setsOfPod, tolerates, zoneIs } from './label-sets.ts';
import { type Place, type Rules, setsOfNewNode, typesOf, type World, zonesOf } from './place.ts';
import { priceOf, settledSets } from './settle.ts';
import { allowsHost, type ZoneChoice, zonesFor } from './topology.ts';

export function firstFit(input: SchedulingInput, rules: 'ours' | 'upstream'): Result {
  const found = fill(input, rules);
  if (rules === 'upstream' || found.unplaced.length === 0) return found;
  const late = fill(input, 'late');
  return late.unplaced.length < found.unplaced.length ? late : found;
}

// ---------------------------------------------------------------------------------------------------

type Result = World & { unplaced: string[] };

function fill(input: SchedulingInput, rules: Rules): Result {
  const nodes = [...(input.nodes ?? [])].sort((left, right) => (left.name < right.name ? -1 : 1));
  const world: World = {
    input,
    rules,
    places: nodes.map((node) => placeOfNode(input, node)),
    isLast: false,
    missedZones: [],
  };
  let waiting = [...input.pods].sort(bySize);
  for (let before = -1; before !== waiting.length; ) {
    before = waiting.length;
    waiting = waiting.filter((pod) => !putSomewhere(world, pod));
  }
  world.isLast = rules !== 'upstream';
  for (let before = -1; world.isLast && before !== waiting.length; ) {
    before = waiting.length;
    waiting = waiting.filter((pod) => !putBeside(world, pod));
  }
  return { ...world, unplaced: waiting.map(podKey) };
}

function placeOfNode(input: SchedulingInput, node: ExistingNode): Place {
  const pods = (input.boundPods ?? []).filter(({ spec }) => spec.nodeName === node.name);
  const sets = asSets(
    Object.entries(node.labels).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
  );
  return { name: node.name, node, pool: undefined, pods, sets, countedIn: new Map() };
}

function bySize(left: Pod, right: Pod): number {
  const uid = (pod: Pod) => pod.metadata.uid!;
  return (
    requestOf(right, 'cpu') - requestOf(left, 'cpu') ||
    requestOf(right, 'memory') - requestOf(left, 'memory') ||
    (uid(left) < uid(right) ? -1 : 1)
  );
}

function requestOf(pod: Pod, resource: string): number {
  if (resource === 'pods') return 1;
  return pod.spec.containers.reduce(
    (sum, { resources }) => sum + amountOf(resource, resources?.requests?.[resource] ?? 0),
    0,
  );
}

const RESOURCES = ['cpu', 'memory', 'pods'] as const;

export function hasRoom(room: Readonly<Record<string, string | number>>, pods: readonly Pod[]): boolean {
  return RESOURCES.every((resource) => {
    const wanted = pods.reduce((sum, pod) => sum + requestOf(pod, resource), 0);
    return wanted <= amountOf(resource, room[resource] ?? 0);
  });
}

function putSomewhere(world: World, pod: Pod): boolean {
  if (putBeside(world, pod)) return true;
  for (const pool of [...world.input.pools].sort(byWeight)) {
    const claim = newClaim(pool, world.places.length);
    world.places.push(claim);
    if (put(world, pod, claim)) return true;
    world.places.pop();
  }
  return false;
}

/** On a node, or on a claim that is open. */
function putBeside(world: World, pod: Pod): boolean {
  const open = world.places.filter(({ node }) => !node);
  const emptiest = [...open].sort((left, right) => left.pods.length - right.pods.length);
  return [...world.places.filter(({ node }) => node), ...emptiest].some((place) => put(world, pod, place));
}

/** The heaviest first; of equal ones the last by name. */
function byWeight({ nodePool: left }: PoolInput, { nodePool: right }: PoolInput): number {
  const weight = (right.spec.weight ?? 0) - (left.spec.weight ?? 0);
  return weight || (left.metadata.name! < right.metadata.name! ? 1 : -1);
}

function newClaim(pool: PoolInput, number: number): Place {
  const sets = setsOfNewNode(pool);
  return { name: `claim-${number}`, node: undefined, pool, pods: [], sets, countedIn: new Map() };
}

function put(world: World, pod: Pod, place: Place): boolean {
  const taints = place.node ? place.node.taints : place.pool!.nodePool.spec.template.spec.taints;
  if (!(taints ?? []).every((taint) => tolerates(pod, taint))) return false;
  const wanted = setsOfPod(pod);
  if (!mayBe(place.sets, wanted, place.node === undefined) || !allowsHost(world, pod, place)) return false;
  const own = join(place.sets, wanted);
  return place.node ? putOnNode(world, pod, place) : putOnClaim(world, pod, place, own);
}

function putOnNode(world: World, pod: Pod, place: Place): boolean {
  if (!hasRoom(place.node!.allocatable, [...place.pods, pod])) return false;
  const zones = zonesFor(world, pod, place, place.sets);
  if (zones !== undefined && zones.length === 0) return false;
  place.pods.push(pod);
  place.countedIn.set(pod, place.node!.labels[ZONE]!);
  return true;
}

function putOnClaim(world: World, pod: Pod, place: Place, own: Sets): boolean {
  const zones = zonesFor(world, pod, place, own);
  const choices =
    world.rules !== 'upstream'
      ? cheapestFirst(world, pod, place, own, zones)
      : (zones?.map(({ zone }) => join(own, zoneIs(zone))) ?? [own]);
  const suits = (sets: Sets) =>
    isAtPeace(own, sets) &&
    typesOf(place, sets).some(({ capacity }) => hasRoom(capacity, [...place.pods, pod]));
  if (choices.slice(1).some(suits) && !suits(choices[0]!)) world.missedZones.push(podKey(pod));
  const chosen = (world.rules === 'upstream' ? choices.slice(0, 1) : choices).find(suits);
  if (chosen === undefined) return false;
  place.sets = chosen;
  place.pods.push(pod);
  const zone = chosen.get(ZONE);
  const left = world.rules === 'late' ? zonesOf(place) : zone && !zone.isComplement ? [...zone.values] : [];
  if (left.length === 1) place.countedIn.set(pod, left[0]!);
  return true;
}

/** The emptiest zones, and among them the cheapest. */
function cheapestFirst(
  world: World,
  pod: Pod,
  place: Place,
  own: Sets,
  zones: readonly ZoneChoice[] | undefined,
): Sets[] {
  const hasRoomAlone = ({ capacity }: InstanceType) => hasRoom(capacity, [pod]);
  const inZones = zones?.map(({ zone, load }) => ({ sets: join(own, zoneIs(zone)), load }));
  return (inZones ?? [{ sets: own, load: 0 }])
    .flatMap(({ sets, load }) => settledSets(world, pod, place, sets).map((one) => ({ sets: one, load })))
    .map((choice) => ({ ...choice, price: priceOf(place, choice.sets, hasRoomAlone) }))
    .sort(
      (left, right) =>
        left.load - right.load || Number(left.price > right.price) - Number(left.price < right.price),
    )
    .map(({ sets }) => sets);
}
