/**
 * A static pool (with `replicas`) and its claims. Deleting claims no longer count as replicas; claims marked for
 * replacement do.
 */
import { isQuantity, parseQuantity, type Source, storeSource } from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import { BY_POOL, failedToBootstrap } from '../../state/index.ts';
import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { type Pool, poolNamed } from '../pools/pool-store.ts';

export interface StaticPool {
  readonly pool: Pool;
  readonly replicas: number;
  /** Neither deleting nor marked. */
  readonly running: readonly Claim[];
  /** Marked for deletion; the controller that marked them replaces them. */
  readonly marked: readonly Claim[];
  /** Being deleted; their instances may still exist. */
  readonly deleting: readonly Claim[];
}

export function staticPoolNamed(context: ControllerContext, name: string): StaticPool | undefined {
  const pool = poolNamed(context, name);
  if (pool?.spec.replicas === undefined || pool.metadata.deletionTimestamp !== undefined) return undefined;
  const claims = context.stores.claims.store.by(BY_POOL, name).filter((claim) => !failedToBootstrap(claim));
  const staying = claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isMarked = ({ metadata }: Claim) => {
    // Of a command of disruption, also before this process has taken the command over.
    if (metadata.annotations?.[ChandlerAnnotation.disruptionCommand] !== undefined) return true;
    const node = context.cluster.nodeOfClaim(metadata.name);
    return node !== undefined && context.cluster.isMarkedForDeletion(node);
  };
  return {
    pool,
    replicas: pool.spec.replicas,
    running: staying.filter((claim) => !isMarked(claim)),
    marked: staying.filter(isMarked),
    deleting: claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined),
  };
}

/** How many more claims the limit allows; deleting ones still count. */
export function nodesWithinLimit({ pool, running, marked, deleting }: StaticPool): number {
  const limit = pool.spec.limits?.['nodes'];
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  if (!isQuantity(limit)) return 0;
  return Math.max(0, parseQuantity(limit).toNumber() - running.length - marked.length - deleting.length);
}

/** Static pools, and claims that were added or deleted. */
export function staticSources({ stores }: ControllerContext): readonly Source[] {
  return [
    storeSource(stores.pools, { filter: ({ object }) => object.spec.replicas !== undefined }),
    storeSource(stores.claims, {
      filter: ({ type, object, before }) =>
        type !== 'updated' ||
        object.metadata.deletionTimestamp !== before?.metadata.deletionTimestamp ||
        failedToBootstrap(object) !== failedToBootstrap(before ?? {}),
      keys: ({ object }) => {
        const name = object.metadata.labels?.['karpenter.sh/nodepool'] ?? '';
        return stores.pools.store.get({ name })?.spec.replicas === undefined ? [] : [name];
      },
    }),
  ];
}
