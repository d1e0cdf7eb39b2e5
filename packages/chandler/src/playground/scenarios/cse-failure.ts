/** The script that makes a machine a node fails on the first machine. */
import { deployment, type Story } from './story.ts';

export const CSE_FAILURE: Story = {
  name: 'cse-failure',
  summary:
    'the provisioning script of the first machine ends with exit code 50: the claim says so, and another is bought',
  speed: 20,
  steps: [
    {
      say: 'the next machine will have no way out to the internet (CSE exit code 50); three pods ask for one',
      acts: [{ fault: 'cse=50@count=1' }, { apply: deployment('api', 3, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      say: 'the VM runs, and no node appears; its serial log tells why, and so does an event on the claim',
      until: [{ event: { reason: 'CSEFailed', words: '50' } }],
      withinMs: 20 * 60_000,
    },
    {
      say: 'the script of the next machine succeeds',
      until: [{ pods: { app: 'api', running: 3 } }],
      withinMs: 60 * 60_000,
    },
    {
      say: 'the machine that failed goes, too',
      until: [{ vms: { exactly: 1 } }, { claims: { exactly: 1 } }, { pods: { app: 'api', running: 3 } }],
      withinMs: 2 * 3600_000,
    },
  ],
};
