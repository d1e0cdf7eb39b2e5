/** The role of the nodes has no access entry in the cluster: the API server does not know the kubelets. */
import { deployment, type Scenario } from './scenario.ts';

export const MISSING_ACCESS_ENTRY: Scenario = {
  name: 'missing-access-entry',
  clouds: ['aws'],
  summary:
    'the role of the nodes has no access entry: instances run, their kubelets are Unauthorized, and the NodePool reports it',
  speed: 60,
  steps: [
    {
      description: 'the access entry of the node role is deleted; three pods are created',
      actions: [{ accessEntry: 'delete' }, { apply: deployment('api', 3, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      description: 'the instance runs, but no node registers: its console output says Unauthorized',
      until: [{ consoleSays: 'err="Unauthorized"' }, { pods: { app: 'api', pending: 3 } }],
    },
    {
      description: 'two instances do not register within 15 minutes each: the NodePool reports it',
      until: [
        {
          condition: {
            kind: 'NodePool',
            name: 'default',
            type: 'NodeRegistrationHealthy',
            status: 'False',
            reason: 'RegistrationFailed',
          },
        },
      ],
      withinMs: 2 * 3600_000,
    },
    {
      description: 'the access entry is created: the kubelet is admitted, and the pods run',
      actions: [{ accessEntry: 'create' }],
      until: [{ pods: { app: 'api', running: 3 } }],
      withinMs: 2 * 3600_000,
    },
  ],
};
