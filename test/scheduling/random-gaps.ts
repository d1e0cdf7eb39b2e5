/**
 * Gaps in a random cluster: nodes without a label that others have, pools without racks, pods that exclude or require a
 * label without naming a value, and rollouts that add a node selector to some pods of a workload. Drawn apart from the
 * rest, so that other clusters stay as they are.
 */
import type { ExistingNode, Pod, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { Chance } from './chance.ts';
import { ARCH, ZONE } from './shorthand.ts';

/** Every third cluster has gaps. */
export function withGaps(input: SchedulingInput, seed: number): SchedulingInput {
  if (seed % 3 !== 0) return input;
  const chance = new Chance(seed + 1_000_003);
  const { pools, nodes = [], pods } = input;
  return {
    ...input,
    nodes: chance.happens(0.6) ? nodes.map((node) => withoutSomeLabel(chance, node)) : nodes,
    pools: chance.happens(0.5)
      ? pools.map((pool) => (chance.happens(0.4) ? withOpenRack(chance, pool) : pool))
      : pools,
    pods: chance.happens(0.7) ? pods.map((pod) => withVagueWish(chance, pod)) : pods,
  };
}

// ---------------------------------------------------------------------------------------------------

function withoutSomeLabel(chance: Chance, node: ExistingNode): ExistingNode {
  if (!chance.happens(0.4)) return node;
  const { [chance.one([ZONE, 'rack', ARCH])]: _, ...labels } = node.labels;
  return { ...node, labels };
}

function withOpenRack(chance: Chance, pool: SchedulingInput['pools'][number]): typeof pool {
  const { nodePool } = pool;
  const { template } = nodePool.spec;
  const others = template.spec.requirements.filter(({ key }) => key !== 'rack');
  const open = chance.one([
    [],
    [{ key: 'rack', operator: 'NotIn' as const, values: ['r1'] }],
    [{ key: 'rack', operator: 'Exists' as const }],
  ]);
  const spec = {
    ...nodePool.spec,
    template: { ...template, spec: { ...template.spec, requirements: [...others, ...open] } },
  };
  return { ...pool, nodePool: { ...nodePool, spec } };
}

function withVagueWish(chance: Chance, pod: Pod): Pod {
  const { spec } = pod;
  if (chance.happens(0.25)) {
    const nodeSelector = { ...spec.nodeSelector, [ARCH]: chance.one(['amd64', 'arm64']) };
    return { ...pod, spec: { ...spec, nodeSelector } };
  }
  if (!chance.happens(0.25) || spec.affinity?.nodeAffinity !== undefined) return pod;
  const rack = chance.one([
    { key: 'rack', operator: 'NotIn', values: ['r1'] },
    { key: 'rack', operator: 'Exists' },
    { key: 'rack', operator: 'DoesNotExist' },
  ]);
  const required = { nodeSelectorTerms: [{ matchExpressions: [rack] }] };
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: required };
  return { ...pod, spec: { ...spec, affinity: { ...spec.affinity, nodeAffinity } } };
}
