/**
 * The other NodePools of a plan for one NodePool: without room, because only the domains of their nodes matter, which a
 * spread of the pod counts. NodePools that it cannot tell apart become one, so that many cost no more than a few.
 */
import { KarpenterLabel, normalizeLabel } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import { selectedKeys } from './one-node-per-domain.ts';
import type { PoolTypes } from './plan-input.ts';
import { type PodShape, type PoolShape, volumeClaimNames } from './shapes.ts';

export class ClosedPools {
  readonly #alike: readonly (readonly PoolTypes[])[];

  constructor(pod: PodShape, typed: readonly PoolTypes[], wellKnown: ReadonlySet<string>) {
    const looks = looksFor(pod, wellKnown);
    const lists = new Map<readonly InstanceType[], number>();
    const alike = new Map<string, PoolTypes[]>();
    for (const { pool, types } of typed) {
      const list = lists.get(types) ?? lists.size;
      lists.set(types, list);
      const key = `${list} ${looks(pool)}`;
      const found = alike.get(key) ?? [];
      alike.set(key, found);
      // A second one, for where the first is the NodePool in question.
      if (found.length < 2) found.push({ types, pool: closed(pool) });
    }
    this.#alike = [...alike.values()];
  }

  beside(name: string): readonly PoolTypes[] {
    return this.#alike.flatMap((pools) => pools.find(({ pool }) => pool.metadata.name !== name) ?? []);
  }
}

// ---------------------------------------------------------------------------------------------------

/** What a spread of the pod can see of a NodePool, as text. */
function looksFor(pod: PodShape, wellKnown: ReadonlySet<string>): (pool: PoolShape) => string {
  const spreads = pod.spec.topologySpreadConstraints ?? [];
  const preferred = pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  const named = [
    ...spreads.map(({ topologyKey }) => topologyKey),
    ...selectedKeys(pod),
    ...preferred.flatMap(({ preference }) => (preference.matchExpressions ?? []).map(({ key }) => key)),
  ];
  const keys = new Set(named.map((key) => normalizeLabel(key)));
  // A volume may require any label.
  const isSeen = (key: string) =>
    volumeClaimNames(pod).length > 0 || keys.has(normalizeLabel(key)) || wellKnown.has(normalizeLabel(key));
  const seesTaints = spreads.some(({ nodeTaintsPolicy }) => nodeTaintsPolicy === 'Honor');
  return ({ metadata, spec }) => {
    const { metadata: { labels = {} } = {}, spec: of } = spec.template;
    return JSON.stringify([
      keys.has(KarpenterLabel.nodePool) ? metadata.name : '',
      of.nodeClassRef,
      Object.entries(labels)
        .filter(([key]) => isSeen(key))
        .sort(),
      (of.requirements ?? []).filter(({ key }) => isSeen(key)),
      seesTaints ? [of.taints, of.startupTaints] : [],
    ]);
  };
}

function closed(pool: PoolShape): PoolShape {
  return { ...pool, spec: { ...pool.spec, limits: { nodes: '0' } } } as PoolShape;
}
