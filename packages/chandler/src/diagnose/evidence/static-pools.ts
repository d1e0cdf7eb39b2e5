/**
 * A static NodePool that a pod is meant for, and that has fewer nodes than it should: it launches nodes, though not for
 * the pod, and what keeps them from joining keeps the pod pending.
 */
import { KarpenterLabel, NODE_CLAIMS } from '../../api/index.ts';
import { isTrue, listOr, type PlanEvidence, wholeFailure } from '../../causes/index.ts';

import { addPlan } from './add-plan.ts';
import type { ExcludedPools } from './excluded-pools.ts';
import type { GatherContext } from './gather-context.ts';
import { type ClaimShape, conditionsOf, type PodShape, type PoolShape } from './shapes.ts';

export interface ExcludedForPod extends ExcludedPools {
  readonly short: ShortPool | undefined;
}

export async function withShort(context: GatherContext, excluded: ExcludedPools): Promise<ExcludedForPod> {
  return { ...excluded, short: await shortPool(context, excluded) };
}

/** What keeps these nodes from joining is read as that of a NodePool which would launch a node for it. */
export function waitingForStatic(
  context: GatherContext,
  pod: PodShape,
  { others }: ExcludedPools,
  { pool, missing }: ShortPool,
): { readonly pools: readonly PoolShape[]; readonly outcome: 'newClaim' } {
  const target = `NodePool ${missing.nodePool} (static, ${missing.nodes} of ${missing.wanted} nodes)`;
  addPlan(context, pod, { outcome: 'newClaim', target, refusals: [], others, missing }, 'spec');
  return { pools: [pool], outcome: 'newClaim' };
}

// ---------------------------------------------------------------------------------------------------

interface ShortPool {
  readonly pool: PoolShape;
  readonly missing: NonNullable<PlanEvidence['missing']>;
}

/** The first one. Undefined: none, or its NodeClaims could not be read. */
async function shortPool(
  { reader }: Pick<GatherContext, 'reader'>,
  { pools, refusals }: ExcludedPools,
): Promise<ShortPool | undefined> {
  const usable = new Set(
    refusals.filter(({ code }) => code === 'PoolStatic').map(({ nodePool }) => nodePool),
  );
  for (const pool of pools) {
    const { name } = pool.metadata;
    if (!usable.has(name)) continue;
    const looked = await reader.list(NODE_CLAIMS, { labels: { [KarpenterLabel.nodePool]: name } });
    if (wholeFailure(looked) !== undefined) continue;
    const nodes = (listOr(looked) as readonly ClaimShape[]).filter(isNode).length;
    const wanted = Number(pool.spec.replicas);
    if (nodes < wanted) return { pool, missing: { nodePool: name, nodes, wanted } };
  }
  return undefined;
}

function isNode(claim: ClaimShape): boolean {
  return (
    claim.metadata.deletionTimestamp === undefined &&
    isTrue({ conditions: conditionsOf(claim) }, 'Initialized')
  );
}
