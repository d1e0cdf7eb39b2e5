/** EC2 answers InsufficientInstanceCapacity: first for one category of types and one zone, then for everything. */
import { deployment, type Scenario } from './scenario.ts';

const CATEGORY = 'karpenter.k8s.aws/instance-category';

export const ICE_STORM: Scenario = {
  name: 'ice-storm',
  clouds: ['aws'],
  summary:
    'EC2 has no capacity for the cheapest types and for one zone, so others are used; then it has none at all, and pending pods say so',
  speed: 10,
  steps: [
    {
      description: 'there is no capacity for types of the category c, and none in the first zone',
      actions: [
        { fault: 'capacity@size=c*' },
        { capacity: { zone: '1', available: false } },
        { apply: deployment('app', 8, { cpu: '500m', memory: '1Gi' }) },
      ],
      until: [
        { pods: { app: 'app', running: 8 } },
        { noClaimHas: { label: CATEGORY, value: 'c' } },
        { noClaimIn: { zone: '1' } },
      ],
    },
    {
      description: 'there is no capacity at all, and the Deployment is scaled to 60 pods',
      actions: [{ fault: 'capacity' }, { scale: { name: 'app', replicas: 60 } }],
      until: [{ event: { reason: 'InsufficientCapacityError', message: 'InsufficientInstanceCapacity' } }],
    },
    {
      description: 'no instance can be launched; the running pods keep running',
      waitMs: 60_000,
      until: [{ runningAtLeast: { app: 'app', pods: 8 } }],
      always: [{ runningAtLeast: { app: 'app', pods: 8 } }],
    },
    {
      description: 'EC2 has capacity again: within minutes the types are tried again, and all pods run',
      actions: [{ clearFault: 'capacity' }, { capacity: { zone: '1', available: true } }],
      until: [{ pods: { app: 'app', running: 60 } }],
      withinMs: 30 * 60_000,
    },
  ],
};
