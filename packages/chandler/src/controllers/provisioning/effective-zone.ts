/**
 * The zone that a pod is bound to by its constraints and its volumes: a name, `flexible` when several are possible,
 * `none` when the constraints exclude each other. For a metric; the scheduler reads the constraints themselves.
 */
import type { Pod, Stored } from '@chandler/kube';
import { KubernetesLabel, normalizeLabel } from '../../api/index.ts';
import type { NodeSelectorTerm } from '../../scheduling/index.ts';
import type { Stores } from '../../state/index.ts';

export const FLEXIBLE = 'flexible';
export const NONE = 'none';

export function effectiveZone(pod: Stored<Pod>, stores: Pick<Stores, 'volumeClaims' | 'volumes'>): string {
  let zones: ReadonlySet<string> | undefined;
  for (const allowed of [selected(pod), required(pod), ...volumeZones(pod, stores)]) {
    if (allowed === undefined) continue;
    const before = zones;
    zones = before === undefined ? allowed : new Set([...allowed].filter((zone) => before.has(zone)));
  }
  if (zones === undefined || zones.size > 1) return FLEXIBLE;
  return [...zones][0] ?? NONE;
}

// ---------------------------------------------------------------------------------------------------

/** Undefined: any zone. */
type AllowedZones = ReadonlySet<string> | undefined;

function selected({ spec }: Stored<Pod>): AllowedZones {
  const zone = Object.entries(spec.nodeSelector ?? {}).find(([key]) => isZone(key))?.[1];
  return zone === undefined ? undefined : new Set([zone]);
}

function required({ spec }: Stored<Pod>): AllowedZones {
  const affinity = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return anyOf(affinity?.nodeSelectorTerms ?? []);
}

function volumeZones(
  pod: Stored<Pod>,
  { volumeClaims, volumes }: Pick<Stores, 'volumeClaims' | 'volumes'>,
): readonly AllowedZones[] {
  const namespace = pod.metadata.namespace;
  return (pod.spec.volumes ?? []).map(({ persistentVolumeClaim }) => {
    const name = persistentVolumeClaim?.claimName;
    const claim = name === undefined ? undefined : volumeClaims.store.get({ namespace, name });
    const volume = claim?.spec.volumeName ? volumes.store.get({ name: claim.spec.volumeName }) : undefined;
    return anyOf(volume?.spec.nodeAffinity?.required?.nodeSelectorTerms ?? []);
  });
}

/** One term must match: if one names no zone, any zone is possible. */
function anyOf(terms: readonly NodeSelectorTerm[]): AllowedZones {
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
