/** The script that makes a machine a node fails on the first machines. */
import { deployment, type Story } from './story.ts';

export const CSE_FAILURE: Story = {
  name: 'cse-failure',
  summary:
    'the provisioning script of the first machine ends with exit code 50: it never joins, and is replaced',
  speed: 60,
  steps: [
    {
      say: 'the next machine will not reach the package servers (CSE exit code 50); three pods ask for one',
      acts: [{ fault: 'cse=50@count=1' }, { apply: deployment('api', 3, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ claims: { atLeast: 1 } }],
    },
    {
      say: 'the VM runs, and no node appears; the claim says so',
      until: [
        { condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } },
        { pods: { app: 'api', pending: 3 } },
      ],
    },
    {
      say: 'after a quarter of an hour it is given up; another is bought, whose script succeeds',
      until: [{ pods: { app: 'api', running: 3 } }, { vms: { exactly: 1 } }],
      withinMs: 40 * 60_000,
    },
  ],
};
