/** First one VM family has no quota left, then the whole region. */
import { deployment, type Scenario } from './scenario.ts';

/** The VM family of the cheapest sizes that the default NodePool allows. */
const CHEAPEST = 'standardDLSv5Family';

export const QUOTA_CUT: Scenario = {
  name: 'quota-cut',
  clouds: ['azure'],
  summary:
    'the cheapest VM family has no quota left, so another is used; then the region has none, and pending pods say so',
  speed: 5,
  steps: [
    {
      description: 'a VM is launched for two pods',
      actions: [{ apply: deployment('app', 2, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ pods: { app: 'app', running: 2 } }],
    },
    {
      description:
        'the quota of its VM family is cut to what is used; the Deployment grows on VMs of another family',
      actions: [{ quota: { name: CHEAPEST, limit: 2 } }, { scale: { name: 'app', replicas: 10 } }],
      until: [{ pods: { app: 'app', running: 10 } }],
      withinMs: 60 * 60_000,
    },
    {
      description: 'the quota of the whole region is used up, and the Deployment is scaled to 60 pods',
      actions: [{ quota: { name: 'cores', limit: 2 } }, { scale: { name: 'app', replicas: 60 } }],
      until: [{ event: { reason: 'InsufficientCapacityError', message: 'quota' } }],
    },
    {
      description: 'no VM can be launched; the running pods keep running',
      waitMs: 20_000,
      until: [{ runningAtLeast: { app: 'app', pods: 10 } }],
    },
    {
      description: 'the quota is raised',
      actions: [{ quota: { name: 'cores', limit: 10_000 } }],
      until: [{ pods: { app: 'app', running: 60 } }],
      withinMs: 2 * 3600_000,
    },
  ],
};
