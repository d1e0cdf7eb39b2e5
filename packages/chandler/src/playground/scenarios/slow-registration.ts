/** A node that registers late, and one that never registers. */
import { deployment, type Scenario } from './scenario.ts';

export const SLOW_REGISTRATION: Scenario = {
  name: 'slow-registration',
  summary:
    'a node that registers after eight minutes is kept; one that never registers is replaced after fifteen',
  speed: 60,
  steps: [
    {
      description: 'the next node will register eight minutes late; three pods are created',
      actions: [
        { fault: 'register-late=480000@count=1' },
        { apply: deployment('late', 3, { cpu: '500m', memory: '1Gi' }) },
      ],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      description:
        'after five minutes the pods are still pending, and no second instance is launched for them',
      waitMs: 5 * 60_000,
      until: [
        { instances: { exactly: 1 } },
        { claims: { exactly: 1 } },
        { pods: { app: 'late', pending: 3 } },
      ],
    },
    {
      description: 'the node registers, and the pods run',
      until: [{ pods: { app: 'late', running: 3 } }],
      withinMs: 10 * 60_000,
    },
    {
      description: 'the next node never registers',
      actions: [
        { fault: 'never-register@count=1' },
        { apply: deployment('never', 4, { cpu: '1', memory: '2Gi' }) },
      ],
      until: [{ instances: { atLeast: 2 } }],
    },
    {
      description: 'after fifteen minutes its NodeClaim is deleted and replaced by one that registers',
      until: [{ pods: { app: 'never', running: 4 } }],
      withinMs: 40 * 60_000,
    },
  ],
};
