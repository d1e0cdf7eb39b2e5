/** Why each node stays, by a plan of disruption for the whole cluster, as `chandler plan` makes it. */
import { stayingFrom } from '../../diagnose/index.ts';
import { runPlan } from '../plan/run-plan.ts';
import type { LiveOptions } from '../simulate/live.ts';
import type { PlannedReasons } from './top-request.ts';

/** @throws {Failure} when the cluster cannot be read. */
export async function plannedReasons(
  live: LiveOptions,
  catalogue: string | undefined,
): Promise<PlannedReasons> {
  const report = await runPlan({
    files: [],
    readStandardInput: async () => '',
    live,
    catalogue,
    zones: [],
    atMs: live.world.clock.now(),
    scheduling: {},
    disruption: {},
    defaultConstraints: [],
    validator: async () => {
      const { offlineValidator } = await import('../../playground/offline-validation.ts');
      return offlineValidator(live.world);
    },
    complain: () => undefined,
  });
  const { nodes, problems, freezes, unread } = report;
  return {
    byNode: new Map(
      nodes.map((node) => [
        node.name,
        stayingFrom({ kind: 'node', name: node.name }, { nodes: [node], problems, freezes }),
      ]),
    ),
    notes: unread.map((kind) => `The plan is without ${kind}, which these credentials may not list.`),
  };
}
