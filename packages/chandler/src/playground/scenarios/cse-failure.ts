/** The provisioning script (CSE) fails on the first VM. */
import { deployment, type Scenario } from './scenario.ts';

export const CSE_FAILURE: Scenario = {
  name: 'cse-failure',
  clouds: ['azure'],
  summary:
    'the provisioning script of the first VM fails with exit code 50: the NodeClaim reports it, and another VM is launched',
  speed: 20,
  steps: [
    {
      description:
        'the next VM will have no outbound connectivity (CSE exit code 50); three pods are created',
      actions: [{ fault: 'cse=50@count=1' }, { apply: deployment('api', 3, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      description:
        'the VM is running but no node registers; its serial log and an event on the NodeClaim name the cause',
      until: [{ event: { reason: 'CSEFailed', message: '50' } }],
      withinMs: 20 * 60_000,
    },
    {
      description: 'the provisioning script of the next VM succeeds',
      until: [{ pods: { app: 'api', running: 3 } }],
      withinMs: 60 * 60_000,
    },
    {
      description: 'the failed NodeClaim is deleted',
      until: [
        { instances: { exactly: 1 } },
        { claims: { exactly: 1 } },
        { pods: { app: 'api', running: 3 } },
      ],
      withinMs: 2 * 3600_000,
    },
  ],
};
