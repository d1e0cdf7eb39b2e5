/** A NodePool with spec.replicas matters, and the feature gate for such NodePools is off, or its limit is below its replicas. */
import {
  type Cause,
  type EvidenceSet,
  type Match,
  type NodePoolEvidence,
  SHOW_OPTIONS,
  seen,
} from '../../causes/index.ts';

export const STATIC_CAPACITY_OFF: Cause = {
  id: 'configuration.static-capacity-off',
  layer: 'configuration',
  specificity: 'exact',
  title: 'Static NodePools are off',
  symptom:
    'A NodePool with spec.replicas has fewer NodeClaims than that, or more replicas have no effect, and there is no event about it.',
  summary:
    'The feature gate StaticCapacity is off, so that nothing launches or replaces nodes of NodePool {nodePool} ({problem}).',
  fix: 'Set --feature-gates=StaticCapacity=true (FEATURE_GATES, or featureGates in the settings of the chart) beside the gates that are set. Or create a NodePool without spec.replicas: the API server refuses to remove it from an existing one.',
  confirm: [SHOW_OPTIONS, 'kubectl get nodepool {nodePool}'],
  explains: ['scheduling.pool-static', 'scheduling.not-launched', 'planning.node-limit'],
  recognise: staticCapacityOff,
};

/** By its spec: Karpenter sends no event about it. */
export function nodeLimitBySpec(evidence: EvidenceSet): Match | undefined {
  for (const pool of evidence.all('nodePool')) {
    const limit = Number(pool.limits['nodes']);
    const { wanted = 0, launched = 0 } = replicasOf(pool, evidence) ?? {};
    // NaN: there is none, or it is no number.
    if (!(limit < wanted && launched >= limit && launched < wanted)) continue;
    const problem = `limits.nodes is ${limit}, and spec.replicas is ${wanted}`;
    return { facts: { nodePool: pool.name, problem }, seen: [seen(pool, problem)] };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** Only where the options were read: of a managed controller they are not known. */
function staticCapacityOff(evidence: EvidenceSet): Match | undefined {
  const options = evidence.first('options');
  const gates = options?.values['featureGates'];
  if (options === undefined || gates === undefined || /\bStaticCapacity=true\b/i.test(gates.value))
    return undefined;
  const found = shortByPlan(evidence) ?? shortByQuestion(evidence);
  if (found === undefined) return undefined;
  return { facts: found, seen: [seen(options, `feature gates: ${gates.value}`)] };
}

function replicasOf({ name, nodes, used }: NodePoolEvidence, evidence: EvidenceSet) {
  const { missing } = evidence.first('plan') ?? {};
  if (missing?.nodePool === name) {
    const known = missing.nodes + (missing.unusable ?? []).length;
    return { wanted: missing.wanted, launched: Math.max(known, Number(used['nodes'] ?? 0)) };
  }
  return nodes === undefined ? undefined : { wanted: nodes.wanted, launched: nodes.claims };
}

function shortByPlan(evidence: EvidenceSet): Match['facts'] | undefined {
  const plan = evidence.first('plan');
  const { missing } = plan ?? {};
  if (missing !== undefined) {
    const { nodePool, nodes, wanted, unusable = [] } = missing;
    const launched = nodes + unusable.length;
    return launched < wanted ? { nodePool, problem: `it has ${launched} of ${wanted} nodes` } : undefined;
  }
  const full = plan?.refusals.find(({ code }) => code === 'PoolStatic');
  if (full?.nodePool === undefined) return undefined;
  return { nodePool: full.nodePool, problem: 'it has all its nodes, and more replicas would have no effect' };
}

function shortByQuestion(evidence: EvidenceSet): Match['facts'] | undefined {
  for (const { name, nodes } of evidence.all('nodePool')) {
    const { wanted, claims } = nodes ?? {};
    if (wanted === undefined || claims === undefined || claims >= wanted) continue;
    return { nodePool: name, problem: `it has ${claims} of ${wanted} NodeClaims` };
  }
  return undefined;
}
