/**
 * Nodes that disruption has to remove in the end: empty ones and drifted ones that nothing keeps and that the budgets of
 * their pool allow. Used by convergence.
 */
import type { ObservedObject } from '../../server-state/kube-state.ts';
import { isTrue, nodePoolOf, type View } from '../check.ts';
import { isWaiting } from '../explanations.ts';
import { allowedBy, budgetsOf } from './budgets.ts';
import { isActive, isProtectedNode, isProtectedPod, moves, nodeOfClaim, podsOn } from './facts.ts';

/** What is left to do; undefined: nothing. */
export function leftToDisrupt(view: View): string | undefined {
  for (const claim of view.kube.list('claims')) {
    const pool = view.kube.get('pools', nodePoolOf(claim));
    const node = nodeOfClaim(view, claim);
    if (pool === undefined || node === undefined || !isTrue(claim, 'Initialized')) continue;
    const { name } = claim.metadata;
    if (view.marks.get(claim.metadata.uid!) !== undefined) return `claim ${name} is marked for disruption`;
    if (pool.metadata.deletionTimestamp !== undefined || !isTrue(pool, 'Ready')) continue;
    if (isProtectedNode(node)) continue;
    const nowMs = view.servers.world.clock.now();
    const pods = podsOn(view, node.metadata.name!).filter(isActive);
    if (pods.some((pod) => isProtectedPod(pod, nowMs))) continue;
    const mayGo = (reason: string) => allowed(view, pool, reason) > 0;
    const consolidates = pool.spec.disruption?.consolidateAfter !== 'Never';
    if (consolidates && !pods.some(moves) && mayGo('Empty')) return `node ${node.metadata.name} is empty`;
    if (isOutdated(claim, pool) && isReplaceable(view, pool, pods) && mayGo('Drifted'))
      return `claim ${name} is drifted`;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** It says so itself, or lacks a label that the template has by now. */
function isOutdated(claim: ObservedObject, { spec }: ObservedObject): boolean {
  const labels = Object.entries((spec.template.metadata?.labels ?? {}) as Record<string, string>);
  return isTrue(claim, 'Drifted') || labels.some(([key, value]) => claim.metadata.labels?.[key] !== value);
}

/** Neither a limit nor other pods can be in the way: pods that are pending, or that must be spread. */
function isReplaceable({ kube }: View, { spec }: ObservedObject, pods: readonly ObservedObject[]): boolean {
  if (spec.limits !== undefined || kube.list('pods').some(isWaiting)) return false;
  return pods.every((pod) => (pod.spec.topologySpreadConstraints ?? []).length === 0);
}

function allowed({ kube, servers }: View, pool: ObservedObject, reason: string): number {
  const nodes = kube
    .list('claims')
    .filter((claim) => nodePoolOf(claim) === pool.metadata.name && isTrue(claim, 'Initialized')).length;
  return allowedBy(budgetsOf(pool), reason, nodes, servers.world.clock.now());
}
