/**
 * Whether a pool by itself lacks the variety it demands (`minValues`): a pod that asks for nothing would be refused as
 * well. Where only a choosy pod leaves too little, the pod is told and the pool is not blamed.
 */
import { type Pod, type PoolInput, type SchedulingInput, solve } from '../../scheduling/index.ts';

/** @param input the plan that was made; what is standing in the cluster plays no part. */
export function lacksVariety(input: SchedulingInput, { nodePool, instanceTypes }: PoolInput): boolean {
  const { limits: _, ...spec } = nodePool.spec;
  const plan = solve({
    ...input,
    pools: [{ nodePool: { ...nodePool, spec }, instanceTypes, used: {} }],
    nodes: [],
    boundPods: [],
    daemonSets: [],
    pods: [ANY_POD],
  });
  return plan.refusals.some(({ pools }) => pools.some(({ refusal }) => refusal.code === 'MinValuesUnmet'));
}

// ---------------------------------------------------------------------------------------------------

/** Asks for nothing and stands everything. */
const ANY_POD = {
  metadata: { name: 'any', namespace: 'any', uid: 'any' },
  spec: { containers: [], tolerations: [{ operator: 'Exists' }] },
} as unknown as Pod;
