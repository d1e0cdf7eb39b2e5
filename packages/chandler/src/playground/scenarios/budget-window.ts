/** A budget that forbids disruption during a time of the day. */
import { deployment, type Scenario } from './scenario.ts';

const WINDOW_MINUTES = 10;

/** From the start of the current minute, every day, in UTC. */
function closedFrom(now: Date): readonly Readonly<Record<string, unknown>>[] {
  const schedule = `${now.getUTCMinutes()} ${now.getUTCHours()} * * *`;
  return [{ nodes: '100%' }, { nodes: '0', schedule, duration: `${WINDOW_MINUTES}m` }];
}

export const BUDGET_WINDOW: Scenario = {
  name: 'budget-window',
  summary:
    'a budget of zero nodes for ten minutes: unused nodes stay, an event says why, and they go when the window ends',
  speed: 10,
  steps: [
    {
      description: 'twelve pods get their nodes',
      actions: [{ apply: deployment('web', 12, { cpu: '1500m', memory: '2Gi' }) }],
      until: [{ pods: { app: 'web', running: 12 } }],
    },
    {
      description: `a budget forbids disruption for ${WINDOW_MINUTES} minutes, and the pods are scaled to zero`,
      actions: [
        { applyWith: ({ now, cloud }) => cloud.defaultPool({ budgets: closedFrom(now) }) },
        { scale: { name: 'web', replicas: 0 } },
      ],
      until: [{ event: { reason: 'DisruptionBlocked', message: 'budget' } }],
      always: [{ claims: { atLeast: 1 } }],
    },
    {
      description: 'five minutes later the empty nodes are still there',
      waitMs: 5 * 60_000,
      until: [{ claims: { atLeast: 1 } }, { disrupting: { atMost: 0 } }],
    },
    {
      description: 'the window ends: the empty nodes are removed',
      until: [{ nothingProvisioned: true }],
      withinMs: 30 * 60_000,
    },
  ],
};
