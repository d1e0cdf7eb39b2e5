/**
 * Removes marks of disruption from nodes that no command disrupts: taints and conditions that an earlier process, perhaps
 * another controller, left behind. The node would otherwise get no pods for ever.
 */
import { ChandlerAnnotation } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';
import type { ReconcileScope } from '../context.ts';
import { isOurs } from './disruption-input.ts';
import { clearMarks, isDisrupted } from './marks.ts';
import type { RunningCommands } from './running-command.ts';

export async function removeStaleMarks(scope: ReconcileScope, running: RunningCommands): Promise<void> {
  const { cluster, world } = scope;
  for (const joined of [...cluster.nodes()]) {
    const { node, claim } = joined;
    if (claim === undefined || !isOurs(scope, claim) || running.idOf(claim.metadata.name) !== undefined)
      continue;
    const leaving =
      cluster.isMarkedForDeletion(joined) ||
      node?.metadata.deletionTimestamp !== undefined ||
      conditionOf(claim, 'Rebooting')?.status === 'True';
    if (leaving) continue;
    const tainted = node !== undefined && isDisrupted(node);
    const marked =
      conditionOf(claim, 'DisruptionReason') !== undefined ||
      claim.metadata.annotations?.[ChandlerAnnotation.disruptionCommand] !== undefined;
    if (!tainted && !(marked && joined.initialized)) continue;
    try {
      await clearMarks(scope, claim, node);
    } catch (error) {
      scope.signal.throwIfAborted();
      // One node that cannot be written must not keep the others; it is tried again with the next pass.
      world.log.error('marks of a disruption cannot be removed', { node: joined.name, error });
      continue;
    }
    world.log.info('removed marks of a disruption that no command continues', { node: joined.name });
  }
}
