/**
 * What keeps a pod from a NodePool by its taints and labels alone, without the engine: for where no plan is possible, and
 * to leave out NodePools of which it is certain that others are nearer. Labels that only node affinity names, and those of
 * instance types, are not compared.
 */
import type { Taint } from '@chandler/kube';
import { KarpenterLabel, normalizeLabel } from '../../api/index.ts';
import { toleratesTaint } from '../../scheduling/index.ts';

import type { PodShape, PoolShape } from './shapes.ts';

export interface CertainObstacles {
  /** Of the nodeSelector, that nodes of the NodePool do not have. */
  readonly labels: readonly { readonly key: string; readonly value: string }[];
  /** One of each key and effect. */
  readonly taints: readonly Taint[];
}

/** A NodePool that cannot take the pod is for other pods, and what fails there says nothing about this one. */
export function mayTake(pool: PoolShape, pod: PodShape): boolean {
  const { labels, taints } = certainObstacles(pool, pod);
  return labels.length + taints.length === 0;
}

/** @param wellKnown labels that nodes may have without being named by the NodePool. Absent: any label may be one. */
export function certainObstacles(
  pool: PoolShape,
  pod: PodShape,
  wellKnown?: ReadonlySet<string>,
): CertainObstacles {
  const { taints = [] } = pool.spec.template.spec;
  const { tolerations = [], nodeSelector = {} } = pod.spec;
  const untolerated = taints.filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' && !tolerations.some((each) => toleratesTaint(each, taint)),
  );
  const offered = offeredLabels(pool);
  return {
    labels: Object.entries(nodeSelector).flatMap(([name, value]) => {
      const key = normalizeLabel(name);
      const values = offered.get(key);
      const isMissing =
        values === undefined ? wellKnown?.has(key) === false : values !== ANY && !values.includes(value);
      return isMissing ? [{ key, value }] : [];
    }),
    taints: [...new Map(untolerated.map((taint) => [`${taint.key} ${taint.effect}`, taint])).values()],
  };
}

// ---------------------------------------------------------------------------------------------------

const ANY = 'any';

/** By label: the values that the NodePool allows, or that it names the label otherwise. */
function offeredLabels({ metadata, spec }: PoolShape): ReadonlyMap<string, readonly string[] | typeof ANY> {
  const { template } = spec;
  const offered = new Map<string, readonly string[] | typeof ANY>();
  for (const { key: name, operator, values = [] } of template.spec.requirements ?? []) {
    const key = normalizeLabel(name);
    const before = offered.get(key) ?? ANY;
    if (operator !== 'In') offered.set(key, before);
    else offered.set(key, before === ANY ? values : before.filter((value) => values.includes(value)));
  }
  for (const [key, value] of Object.entries(template.metadata?.labels ?? {}))
    offered.set(normalizeLabel(key), [value]);
  return offered.set(KarpenterLabel.nodePool, [metadata.name]);
}
