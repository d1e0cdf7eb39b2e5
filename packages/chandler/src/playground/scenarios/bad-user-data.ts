/** The user data of the EC2NodeClass keeps the kubelet from starting. */
import type { KubeObject } from '@chandler/kube';
import { deployment, type Scenario, type Setting } from './scenario.ts';

/** More memory than any instance of the pool has. */
const USER_DATA = `apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
    config:
      systemReserved:
        memory: 900Gi
`;

function nodeClass({ cloud: { defaultNodeClass } }: Setting, userData?: string): KubeObject {
  const spec = defaultNodeClass['spec'] as object;
  return { ...defaultNodeClass, spec: { ...spec, ...(userData === undefined ? {} : { userData }) } };
}

export const BAD_USER_DATA: Scenario = {
  name: 'bad-user-data',
  clouds: ['aws'],
  summary:
    'the user data of the EC2NodeClass reserves more memory than the instances have: they run but never register, and the NodePool reports it',
  speed: 60,
  steps: [
    {
      description: 'the user data reserves 900Gi of memory for the system; three pods are created',
      actions: [
        { applyWith: (setting) => nodeClass(setting, USER_DATA) },
        { apply: deployment('api', 3, { cpu: '500m', memory: '1Gi' }) },
      ],
      until: [{ condition: { kind: 'NodeClaim', type: 'Launched', status: 'True' } }],
    },
    {
      description: 'the instance runs, and its console output says why the kubelet does not start',
      until: [
        { consoleSays: 'invalid Node Allocatable configuration' },
        { pods: { app: 'api', pending: 3 } },
      ],
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
      description: 'the user data is removed: the next instance registers, and the pods run',
      actions: [{ applyWith: (setting) => nodeClass(setting) }],
      until: [{ pods: { app: 'api', running: 3 } }],
      withinMs: 2 * 3600_000,
    },
  ],
};
