/** A machine that joins late, and one that never does. */
import { deployment, type Story } from './story.ts';

export const SLOW_REGISTRATION: Story = {
  name: 'slow-registration',
  summary:
    'a machine joins after eight minutes and is waited for; one that never joins is replaced after fifteen',
  speed: 60,
  steps: [
    {
      say: 'the next machine will join eight minutes late; pods ask for it',
      acts: [
        { fault: 'register-late=480000@count=1' },
        { apply: deployment('late', 3, { cpu: '500m', memory: '1Gi' }) },
      ],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      say: 'five minutes on: pods wait, and no second machine is bought for them',
      waitMs: 5 * 60_000,
      until: [{ vms: { exactly: 1 } }, { claims: { exactly: 1 } }, { pods: { app: 'late', pending: 3 } }],
    },
    { say: 'it joins', until: [{ pods: { app: 'late', running: 3 } }], withinMs: 10 * 60_000 },
    {
      say: 'the next machine never joins',
      acts: [
        { fault: 'never-register@count=1' },
        { apply: deployment('never', 4, { cpu: '1', memory: '2Gi' }) },
      ],
      until: [{ vms: { atLeast: 2 } }],
    },
    {
      say: 'after fifteen minutes it is given up, and replaced by one that joins',
      until: [{ pods: { app: 'never', running: 4 } }],
      withinMs: 40 * 60_000,
    },
  ],
};
