/**
 * Drift: nodes that no longer match their NodePool are replaced, whatever the price. Each gets a command of its own, so that
 * one that cannot be replaced does not hold up the others.
 */
import { conditionOf, parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../api/index.ts';
import { byCodeUnit } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';
import type { Replacement } from './command.ts';
import type { Pass } from './pass.ts';
import { plannedReplacement } from './replacements.ts';
import type { Steps } from './steps.ts';

/** Nodes without pods first, so that no pod moves to a node that goes next; then those that drifted first. */
export function* drift(pass: Pass): Steps {
  for (const candidate of [...pass.candidates('drift')].sort(inDriftOrder)) {
    // A command before may have moved pods to it.
    if (!pass.isFree(candidate, 'drift')) continue;
    if (pass.withinBudgets([candidate], 'drift').length === 0) continue;
    yield;
    const fresh = pass.simulation.without([candidate], 'drift', false);
    // Rather a second move than no replacement at all.
    const outcome = 'code' in fresh ? pass.simulation.without([candidate], 'anywhere', true) : fresh;
    if ('code' in outcome) {
      pass.reject(candidate, 'drift', outcome);
      continue;
    }
    const { replacements, destinations, pendingPrice } = outcome;
    pass.give({
      method: 'drift',
      candidates: [candidate],
      replacements: replacements.map(plannedReplacement),
      destinations,
      pendingPrice,
    });
  }
}

/** Nodes of static NodePools are replaced one for one, as many as limits.nodes leaves room for. */
export function* staticDrift(pass: Pass): Steps {
  const byPool = Map.groupBy(
    [...pass.candidates('static-drift')].sort(inDriftOrder),
    ({ nodePool }) => nodePool,
  );
  for (const [nodePool, candidates] of byPool) {
    yield;
    const { spec } = candidates[0]!.pool!;
    const claims = pass.nodes.filter((node) => node.nodePool === nodePool && node.node.claim !== undefined);
    const nodes = claims.filter(({ node }) => !node.deleting).length;
    const replicas = spec.replicas ?? 0;
    if (nodes > replicas) {
      for (const node of candidates)
        pass.reject(node, 'static-drift', { code: 'StaticScaling', nodes, replicas });
      continue;
    }
    const limit = nodeLimitOf(spec.limits);
    for (const [index, candidate] of pass.withinBudgets(candidates, 'static-drift').entries()) {
      if (claims.length + index >= limit)
        pass.reject(candidate, 'static-drift', { code: 'StaticNodeLimit', nodes: claims.length, limit });
      else
        pass.give({
          method: 'static-drift',
          candidates: [candidate],
          replacements: templateReplacement(pass, candidate),
        });
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function inDriftOrder(one: JudgedNode, other: JudgedNode): number {
  return (
    Number(one.pods.length > 0) - Number(other.pods.length > 0) ||
    driftedMs(one) - driftedMs(other) ||
    byCodeUnit(one.name, other.name)
  );
}

function driftedMs({ node }: JudgedNode): number {
  const time = node.claim === undefined ? undefined : conditionOf(node.claim, 'Drifted')?.lastTransitionTime;
  return Date.parse(time ?? '') || 0;
}

/** The same template; an unknown price counts as 0. */
function templateReplacement({ prices }: Pass, { nodePool, pool }: JudgedNode): readonly Replacement[] {
  const { requirements } = pool!.spec.template.spec;
  const options = prices.templateOptions(nodePool, requirements);
  const cheapest = options[0]?.cheapest ?? { instanceType: '', price: 0, zone: null, capacityType: null };
  return [
    { nodePool, requirements, instanceTypes: options.map(({ type }) => type.name), cheapest, pods: [] },
  ];
}

function nodeLimitOf(limits: ResourceList | undefined): number {
  const limit = limits?.['nodes'];
  return limit === undefined ? Number.POSITIVE_INFINITY : parseQuantity(String(limit)).toNumber();
}
