/**
 * Whether a pool itself lacks the variety that its `minValues` require: then even a pod without constraints does not
 * fit. Where only a pod's constraints leave too few types, the event goes to the pod and not to the pool.
 */
import { type Pod, type PoolInput, type SchedulingInput, solve } from '../../scheduling/index.ts';

/** @param input the input of the plan; existing nodes are ignored. */
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

/** No requests, and tolerates every taint. */
const ANY_POD = {
  metadata: { name: 'any', namespace: 'any', uid: 'any' },
  spec: { containers: [], tolerations: [{ operator: 'Exists' }] },
} as unknown as Pod;
