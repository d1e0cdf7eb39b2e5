/**
 * Where the bound volumes of a pod are, and which of them is where a NodePool has no node. Only zones and hosts: the other
 * labels of volumes are of drivers, and nodes may have them or not.
 */
import { KubernetesLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';

import type { GatherContext } from './gather-context.ts';
import { allowsLabel } from './may-take.ts';
import { volumesOf } from './plan-input.ts';
import { placesOf } from './refusal-facts.ts';
import type { NodeShape, PodShape, PoolShape } from './shapes.ts';

export interface BoundVolume {
  readonly claim: string;
  readonly volume: string;
  readonly key: string;
  /** One of them is enough. */
  readonly places: readonly string[];
}

/** None as well if they cannot be read, which is recorded. */
export async function boundVolumes(context: GatherContext, pod: PodShape): Promise<readonly BoundVolume[]> {
  const { claims = [], volumes = [] } = (await volumesOf(context, pod)) ?? {};
  return claims.flatMap(({ metadata, spec }) => {
    const volume = volumes.find((each) => each.metadata.name === spec?.volumeName);
    if (volume === undefined) return [];
    const claim = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
    const bound = { claim, volume: volume.metadata.name ?? '' };
    return PLACES.map((key) => ({ ...bound, key, places: placesOf(volume, key) })).filter(
      ({ places }) => places.length > 0,
    );
  });
}

/** `isAllowed`: the NodePool may launch nodes there, and has none. Undefined: it has nodes where each volume is. */
export function volumeElsewhere(
  pool: PoolShape,
  nodes: readonly NodeShape[],
  volumes: readonly BoundVolume[],
): Omit<RefusalFact, 'code'> | undefined {
  const found = volumes.find(({ key, places }) => !nodes.some((node) => places.includes(labelOf(node, key))));
  if (found === undefined) return undefined;
  const { claim, volume, key, places } = found;
  const place = places.join(' or ');
  const has = [...new Set(nodes.map((node) => labelOf(node, key)))].filter((value) => value !== '').sort();
  const where = has.length === 0 || key !== KubernetesLabel.zone ? '' : ` (${has.join(', ')})`;
  const isAllowed = key === KubernetesLabel.zone && allowsLabel(pool, key, places);
  return {
    facts: {
      key,
      claim,
      volume,
      place,
      ...(isAllowed ? { isAllowed: 'true', values: places.join(' ') } : {}),
    },
    text: `PersistentVolume ${volume} of PersistentVolumeClaim ${claim} is in ${place} (${key}), and none of its nodes is there${where}`,
  };
}

// ---------------------------------------------------------------------------------------------------

const PLACES: readonly string[] = [KubernetesLabel.zone, KubernetesLabel.hostname];

function labelOf({ metadata }: NodeShape, key: string): string {
  return metadata.labels?.[key] ?? '';
}
