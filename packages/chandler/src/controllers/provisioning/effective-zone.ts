/**
 * The zone that a pod is bound to by what it asks for and by its volumes: one name, `flexible` when several will do, `none`
 * when its wishes contradict each other. For a metric; the planner reads the wishes themselves.
 */
import { KubernetesLabel, normalizeLabel } from '../../api/index.ts';
import type { NodeSelectorTerm } from '../../scheduling/index.ts';
import type { PodObject, Stores } from '../../state/index.ts';

export const FLEXIBLE = 'flexible';
export const NONE = 'none';

export function effectiveZone(pod: PodObject, stores: Pick<Stores, 'volumeClaims' | 'volumes'>): string {
  let zones: ReadonlySet<string> | undefined;
  for (const wish of [selected(pod), required(pod), ...volumeZones(pod, stores)]) {
    if (wish === undefined) continue;
    const before = zones;
    zones = before === undefined ? wish : new Set([...wish].filter((zone) => before.has(zone)));
  }
  if (zones === undefined || zones.size > 1) return FLEXIBLE;
  return [...zones][0] ?? NONE;
}

// ---------------------------------------------------------------------------------------------------

/** Undefined: any zone. */
type Wish = ReadonlySet<string> | undefined;

function selected({ spec }: PodObject): Wish {
  const zone = Object.entries(spec.nodeSelector ?? {}).find(([key]) => isZone(key))?.[1];
  return zone === undefined ? undefined : new Set([zone]);
}

function required({ spec }: PodObject): Wish {
  const affinity = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return anyOf(affinity?.nodeSelectorTerms ?? []);
}

function volumeZones(
  pod: PodObject,
  { volumeClaims, volumes }: Pick<Stores, 'volumeClaims' | 'volumes'>,
): readonly Wish[] {
  const namespace = pod.metadata.namespace ?? '';
  return (pod.spec.volumes ?? []).map(({ persistentVolumeClaim }) => {
    const name = persistentVolumeClaim?.claimName;
    const claim = name === undefined ? undefined : volumeClaims.store.get({ namespace, name });
    const volume = claim?.spec.volumeName ? volumes.store.get({ name: claim.spec.volumeName }) : undefined;
    return anyOf(volume?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []);
  });
}

/** One of the terms has to hold: where one names no zone, any will do. */
function anyOf(terms: readonly NodeSelectorTerm[]): Wish {
  const zones = new Set<string>();
  for (const { matchExpressions = [] } of terms) {
    const named = matchExpressions.filter(({ key, operator }) => isZone(key) && operator === 'In');
    if (named.length === 0) return undefined;
    const [first, ...rest] = named.map(({ values = [] }) => values);
    for (const zone of first ?? []) if (rest.every((values) => values.includes(zone))) zones.add(zone);
  }
  return terms.length === 0 ? undefined : zones;
}

function isZone(key: string): boolean {
  return normalizeLabel(key) === KubernetesLabel.zone;
}
