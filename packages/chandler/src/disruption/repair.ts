/**
 * Repair: nodes that show an unhealthy condition for long enough are replaced or rebooted, the most urgent first. It comes
 * before every other method, waits for the budgets of the reason Unhealthy, and stops in a NodePool in which too many nodes
 * are unhealthy: then the nodes are not what is wrong.
 */
import { readDurationMs } from '@chandler/kube';
import type { Steps } from '../scheduling/index.ts';
import { byCodeUnit } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';
import type { CommandParts } from './command.ts';
import type { Pass } from './pass.ts';
import { PoolRepairPolicies } from './repair-policies.ts';
import { plannedReplacement } from './replacements.ts';
import { replaceStatic, StaticReplacements } from './static-pools.ts';

/** Of the nodes of a NodePool, rounded up. */
export const MAX_UNHEALTHY_PERCENT = 20;

export function* repair(pass: Pass): Steps {
  const { repair: options, terminateFirst = {} } = pass.options;
  if (options === undefined) return;
  const tripped = trippedPools(pass, new PoolRepairPolicies(options));
  const statics = new Map<string, StaticReplacements>();
  for (const candidate of [...pass.candidates('repair')].sort(byUrgency)) {
    const breaker = tripped.get(candidate.nodePool);
    if (breaker !== undefined) {
      pass.reject(candidate, 'repair', { code: 'RepairBreaker', nodePool: candidate.nodePool, ...breaker });
      continue;
    }
    // A command before may have moved pods to it.
    if (!pass.isFree(candidate, 'repair')) continue;
    // A node that never ran pods needs no budget.
    if (candidate.node.initialized && pass.withinBudgets([candidate], 'repair').length === 0) continue;
    yield;
    const parts = { repair: candidate.repair!, ...boundOf(candidate) };
    if (candidate.repair!.action === 'RebootNode') {
      pass.give({ method: 'repair', candidates: [candidate], reboot: true, ...parts });
      continue;
    }
    if (candidate.pool!.spec.replicas !== undefined) {
      const { nodePool } = candidate;
      const known =
        statics.get(nodePool) ??
        new StaticReplacements(pass, nodePool, candidate, terminateFirst.repair === true);
      statics.set(nodePool, known);
      replaceStatic(pass, known, 'repair', candidate, parts);
      continue;
    }
    yield* pass.simulation.ready('anywhere');
    const outcome = pass.simulation.withoutOne(candidate, {
      mode: 'anywhere',
      blockedPods: true,
      terminateFirst: terminateFirst.repair === true,
    });
    if ('code' in outcome) pass.reject(candidate, 'repair', outcome);
    else
      pass.give({
        method: 'repair',
        candidates: [candidate],
        replacements: outcome.replacements.map(plannedReplacement),
        destinations: outcome.destinations,
        pendingPrice: outcome.pendingPrice,
        ...(outcome.terminateFirst === undefined ? {} : { terminateFirst: outcome.terminateFirst }),
        ...parts,
      });
  }
}

// ---------------------------------------------------------------------------------------------------

function byUrgency(one: JudgedNode, other: JudgedNode): number {
  return (
    other.repair!.score - one.repair!.score ||
    one.disruptionCost - other.disruptionCost ||
    byCodeUnit(one.name, other.name)
  );
}

/** The shorter one of the policy's and the claim's; absent: the drain has no bound. */
function boundOf({ repair, node }: JudgedNode): Pick<CommandParts, 'drainBoundMs'> {
  const own = node.claim?.spec.terminationGracePeriod;
  const ownMs = own === undefined ? undefined : readDurationMs(own);
  const bounds = [repair?.drainBoundMs, ownMs].filter((bound) => bound !== undefined);
  return bounds.length === 0 ? {} : { drainBoundMs: Math.min(...bounds) };
}

/** Every Node of a pool counts, also one that is being deleted, and every condition, also one that is tolerated still. */
function trippedPools(
  { nodes }: Pass,
  policies: PoolRepairPolicies,
): ReadonlyMap<string, { readonly nodes: number; readonly unhealthy: number }> {
  const counts = new Map<string, { nodes: number; unhealthy: number }>();
  for (const { nodePool, node } of nodes) {
    if (node.node === undefined || nodePool === '') continue;
    const count = counts.get(nodePool) ?? { nodes: 0, unhealthy: 0 };
    count.nodes++;
    if (policies.of(nodePool).isUnhealthy(node.node)) count.unhealthy++;
    counts.set(nodePool, count);
  }
  return new Map(
    [...counts].filter(
      ([, { nodes: all, unhealthy }]) => unhealthy > Math.ceil((all * MAX_UNHEALTHY_PERCENT) / 100),
    ),
  );
}
