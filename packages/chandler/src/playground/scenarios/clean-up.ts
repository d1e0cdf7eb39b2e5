/** What must be undone after a scenario, so that the next one finds the cluster and the cloud as they were at the start. */
import type { Scenario, ScenarioAction, Setting } from './scenario.ts';

/** A scenario that removes what this one left, wherever it stopped. All NodeClaims are deleted. */
export function cleanUpAfter({ name, speed, steps }: Scenario, setting: Setting): Scenario {
  const undo = steps.flatMap(({ actions = [] }) => actions.flatMap((action) => undoOf(action, setting)));
  const { cloud } = setting;
  return {
    name,
    summary: `removes what ${name} left`,
    speed,
    steps: [
      {
        description: `what the scenario ${name} left is removed`,
        actions: [
          { apply: cloud.defaultNodeClass },
          { apply: cloud.defaultPool() },
          ...undo,
          { deleteClaims: {} },
        ],
        until: [{ nothingProvisioned: true }],
        withinMs: 30 * 60_000,
      },
    ],
  };
}

// ---------------------------------------------------------------------------------------------------

const ENOUGH_CORES = 10_000;

/** Objects of NodePools and node classes are not removed: their defaults are applied again. */
function undoOf(action: ScenarioAction, setting: Setting): readonly ScenarioAction[] {
  if ('apply' in action || 'applyWith' in action) {
    const object = 'apply' in action ? action.apply : action.applyWith(setting);
    return object.metadata.namespace === undefined ? [] : [{ remove: object }];
  }
  if ('fault' in action) return [{ clearFault: /^[\w-]+/.exec(action.fault)![0] }];
  if ('capacity' in action) return [{ capacity: { ...action.capacity, available: true } }];
  if ('quota' in action) return [{ quota: { ...action.quota, limit: ENOUGH_CORES } }];
  if ('byok' in action) return [{ byok: 'grantWrapUnwrap' }];
  if ('accessEntry' in action) return action.accessEntry === 'delete' ? [{ accessEntry: 'create' }] : [];
  return [];
}
