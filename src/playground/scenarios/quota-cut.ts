/** The subscription has cores left for nothing, then again for something. */
import { deployment, type Story } from './story.ts';

export const QUOTA_CUT: Story = {
  name: 'quota-cut',
  summary: 'the cores of the region are used up: pods wait, and say why; with more quota they run',
  speed: 5,
  steps: [
    {
      say: 'two pods get their machine',
      acts: [{ apply: deployment('app', 2, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ pods: { app: 'app', running: 2 } }],
    },
    {
      say: 'the quota of the region is cut to what is used already, and the deployment grows to 40 pods',
      acts: [{ quota: { name: 'cores', limit: 2 } }, { scale: { name: 'app', replicas: 40 } }],
      until: [{ event: { reason: 'InsufficientCapacityError', words: 'quota' } }],
    },
    {
      say: 'nothing can be bought, and nothing half made is left behind',
      waitMs: 2 * 60_000,
      until: [{ vms: { exactly: 1 } }],
    },
    {
      say: 'somebody has the quota raised; it is noticed within the hour, or at the next look at the usages',
      acts: [{ quota: { name: 'cores', limit: 1000 } }],
      until: [{ pods: { app: 'app', running: 40 } }],
      withinMs: 2 * 60 * 60_000,
    },
  ],
};
