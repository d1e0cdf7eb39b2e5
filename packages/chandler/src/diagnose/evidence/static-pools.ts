/**
 * A static NodePool that a pod is meant for, and that has fewer nodes than it should: it launches nodes, though not for
 * the pod, and what keeps them from joining keeps the pod pending.
 */
import { KarpenterLabel, NODE_CLAIMS } from '../../api/index.ts';
import { isTrue, listOr, type PlanEvidence, type RefusalFact, wholeFailure } from '../../causes/index.ts';

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

/** What keeps a pod from NodePools that are not meant for it. */
export const OF_OTHERS: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'ResourceInsufficient',
  'ResourceUnknown',
]);

/**
 * Where no NodePool that launches nodes is right for the pod: also static ones of which it tolerates a taint by its key,
 * and that would take it. Pods that need devices are seldom written with the labels of a NodePool.
 * @param wouldTake for the NodePool as if it were not static.
 */
export async function withTolerated(
  context: GatherContext,
  excluded: ExcludedForPod,
  pod: PodShape,
  all: readonly PoolShape[],
  refused: readonly RefusalFact[],
  wouldTake: (open: PoolShape, pool: PoolShape) => Promise<boolean>,
): Promise<ExcludedForPod> {
  if (excluded.refusals.length > 0 || !refused.every(({ code }) => OF_OTHERS.has(code))) return excluded;
  const meant: PoolShape[] = [];
  for (const pool of all.filter((each) => isTolerated(each, pod))) {
    const { replicas: _replicas, limits: _limits, ...spec } = pool.spec;
    if (await wouldTake({ ...pool, spec } as PoolShape, pool)) meant.push(pool);
  }
  const names = new Set(meant.map(({ metadata }) => metadata.name));
  return await withShort(context, {
    pools: meant,
    refusals: meant.map(refusalOfStatic),
    others: excluded.others.filter(({ nodePool }) => !names.has(nodePool)),
  });
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

function isTolerated({ metadata, spec }: PoolShape, pod: PodShape): boolean {
  if (spec.replicas === undefined || metadata.deletionTimestamp !== undefined) return false;
  const keys = new Set((pod.spec.tolerations ?? []).flatMap(({ key = '' }) => (key === '' ? [] : [key])));
  return (spec.template.spec.taints ?? []).some(({ key }) => keys.has(key));
}

function refusalOfStatic({ metadata, spec }: PoolShape): RefusalFact {
  const replicas = String(spec.replicas);
  return {
    code: 'PoolStatic',
    facts: { replicas },
    text: `it is the one that would take the pod, and it is static (spec.replicas is ${replicas}): it launches no nodes for pods`,
    nodePool: metadata.name,
  };
}

function isNode(claim: ClaimShape): boolean {
  return (
    claim.metadata.deletionTimestamp === undefined &&
    isTrue({ conditions: conditionsOf(claim) }, 'Initialized')
  );
}
