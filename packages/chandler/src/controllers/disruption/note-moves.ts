/** Notes which pods a command for the price moves: whether it holds is seen later. */
import { ownerOf } from '@chandler/kube';
import type { ControllerContext } from '../context.ts';
import type { CommandRecord } from './command-record.ts';

export function noteMoves(
  { cluster, moves }: Pick<ControllerContext, 'cluster' | 'moves'>,
  { id, reason, candidates }: CommandRecord,
): void {
  if (reason !== 'Underutilized') return;
  const pods = candidates.flatMap(({ claim }) => {
    const node = cluster.nodeOfClaim(claim);
    return node === undefined ? [] : cluster.podsOn(node).filter((pod) => ownerOf(pod)?.kind !== 'DaemonSet');
  });
  moves.moved(id, pods, new Set(candidates.map(({ nodePool }) => nodePool)));
}
