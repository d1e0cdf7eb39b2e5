/** A place where first fit may put a pod, and what it can still become: its types and its zones. */
import type {
  ExistingNode,
  InstanceType,
  Pod,
  PoolInput,
  SchedulingInput,
} from '../../../packages/chandler/src/scheduling/index.ts';
import { POOL, ZONE } from '../shorthand.ts';
import { asSets, isAtPeace, type Sets } from './label-sets.ts';

/** `late`: as ours, but spreads do not count pods that could be bound last and came before the zone was decided. */
export type Rules = 'ours' | 'late' | 'upstream';

/** A place for pods: a node, or a claim that can still become one of several types. */
export interface Place {
  readonly name: string;
  readonly node: ExistingNode | undefined;
  readonly pool: PoolInput | undefined;
  readonly pods: Pod[];
  /** What is known of its labels. */
  sets: Sets;
  /** By pod: the zone it was counted in when it was placed, as upstream does. */
  readonly countedIn: Map<Pod, string>;
}

export interface World {
  readonly input: SchedulingInput;
  readonly rules: Rules;
  readonly places: Place[];
  /** Whether all other pods are placed and no node is added any more: then the emptiest host is known. */
  isLast: boolean;
  /** Where upstream stopped at the first zone although another would have done. */
  readonly missedZones: string[];
}

/** What is known of a new node of the pool. */
export function setsOfNewNode({ nodePool }: PoolInput): Sets {
  const { metadata, spec } = nodePool.spec.template;
  const labels = { ...metadata?.labels, [POOL]: nodePool.metadata.name! };
  const fixed = Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return asSets([...spec.requirements, ...fixed]);
}

/** Types that the place can still become by labels alone, whatever is on it. */
export function typesOf(place: Place, sets: Sets = place.sets): InstanceType[] {
  return launchable((place.pool?.instanceTypes ?? []) as readonly InstanceType[], sets);
}

/** Types with an offering for a node that is known like this. */
export function launchable(types: readonly InstanceType[], sets: Sets): InstanceType[] {
  return types.filter(
    (type) =>
      isAtPeace(sets, asSets(type.requirements)) &&
      type.offerings.some((offering) => isOffered(offering, sets)),
  );
}

/** Zones in which a claim can be launched. */
export function zonesOf(place: Place, sets: Sets = place.sets): string[] {
  if (place.node) return [place.node.labels[ZONE]!];
  const offerings = typesOf(place, sets).flatMap((type) =>
    type.offerings.filter((each) => isOffered(each, sets)),
  );
  return [
    ...new Set(
      offerings.map(({ requirements }) => requirements.find(({ key }) => key === ZONE)!.values![0]!),
    ),
  ];
}

// ---------------------------------------------------------------------------------------------------

function isOffered({ available, requirements }: InstanceType['offerings'][number], sets: Sets): boolean {
  return available !== false && isAtPeace(sets, asSets(requirements));
}
