/** Which pods of a node move by a rolling update of their workload, and what then still blocks the node. */
import type { Pod } from '../scheduling/index.ts';
import type { Block } from './block.ts';
import { type PodSurge, surgeRequestOf, type WorkloadIndex } from './surge.ts';

export interface SurgeFacts {
  /** The NodePool asks for it, for all its pods. */
  readonly poolAsks: boolean;
  /** Undefined: the controller runs without the option. */
  readonly workloads: WorkloadIndex | undefined;
  readonly nowMs: number;
}

export interface NodeSurges {
  readonly surges: readonly PodSurge[];
  /** The blocks of pods, without those of PodDisruptionBudgets on pods that are not evicted. */
  readonly blocks: readonly Block[];
}

/** @param blocks of the pods, when all of them are evicted. */
export function surgesOn(
  pods: readonly Pod[],
  blocks: readonly Block[],
  { poolAsks, workloads, nowMs }: SurgeFacts,
): NodeSurges {
  const surges: PodSurge[] = [];
  const problems: Block[] = [];
  const held = new Set(blocks.flatMap((block) => (isBudgetBlock(block) ? [block.pod] : [])));
  for (const pod of pods) {
    const asks = surgeRequestOf(pod, poolAsks, nowMs);
    if (asks === undefined) continue;
    const name = `${pod.metadata.namespace ?? 'default'}/${pod.metadata.name ?? ''}`;
    if (workloads === undefined) {
      if (held.has(name)) problems.push({ code: 'SurgeDisabled', pod: name });
      continue;
    }
    const verdict = typeof asks === 'string' ? workloads.surgeOf(pod, asks, held.has(name), nowMs) : asks;
    if (verdict === undefined) continue;
    if ('why' in verdict) problems.push({ code: 'CannotSurge', pod: name, ...verdict });
    else surges.push({ pod: name, owner: verdict });
  }
  if (surges.length === 0)
    return { surges, blocks: problems.length === 0 ? blocks : [...problems, ...blocks] };
  const moving = new Set(surges.map(({ pod }) => pod));
  const left = blocks.filter((block) => !(isBudgetBlock(block) && moving.has(block.pod)));
  return { surges, blocks: [...problems, ...left] };
}

// ---------------------------------------------------------------------------------------------------

type BudgetBlock = Extract<Block, { code: 'PodDisruptionBudget' | 'MultipleBudgets' }>;

function isBudgetBlock(block: Block): block is BudgetBlock {
  return block.code === 'PodDisruptionBudget' || block.code === 'MultipleBudgets';
}
