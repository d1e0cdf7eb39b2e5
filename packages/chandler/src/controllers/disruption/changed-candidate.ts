/** What has happened to a candidate since its command was validated. */
import type { Command } from '../../disruption/index.ts';
import type { ControllerContext } from '../context.ts';
import type { RunningCommands } from './running-command.ts';

export function changedCandidate(
  { cluster }: Pick<ControllerContext, 'cluster'>,
  running: Pick<RunningCommands, 'idOf'>,
  { method }: Command,
  name: string,
  claim: string,
): string | undefined {
  const node = cluster.nodeOfClaim(claim);
  if (node === undefined || node.name !== name) return `node ${name} is gone`;
  if (cluster.isMarkedForDeletion(node) || running.idOf(claim) !== undefined)
    return `node ${name} is being disrupted already`;
  // Pods that are expected on a node which never initialized wait for nothing.
  if (cluster.isNominated(node) && !(method === 'repair' && !node.initialized))
    return `pods are expected on node ${name}`;
  return undefined;
}
