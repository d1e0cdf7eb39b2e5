/** How many nodes there are, as `kubectl get nodes` counts them, and beside them the NodeClaims that have none. Pure. */
import type { NodeRow } from '../../wire.ts';
import { thousands } from './format.ts';

export interface NodeCount {
  readonly nodes: number;
  /** `2 being launched`, `1 failed`: of what has no node. */
  readonly others: readonly string[];
}

export function countNodes(rows: Iterable<NodeRow>): NodeCount {
  let [nodes, launching, leaving, failed] = [0, 0, 0, 0];
  for (const { node, phase } of rows) {
    if (node !== null) nodes += 1;
    else if (phase === 'failed') failed += 1;
    else if (phase === 'deleting' || phase === 'disrupting') leaving += 1;
    else launching += 1;
  }
  return {
    nodes,
    others: [
      ...(launching > 0 ? [`${thousands(launching)} being launched`] : []),
      ...(leaving > 0 ? [`${thousands(leaving)} being removed`] : []),
      ...(failed > 0 ? [`${thousands(failed)} failed`] : []),
    ],
  };
}
