/** First a family of sizes has no cores left, then the whole region. */
import { deployment, type Story } from './story.ts';

/** Of the cheapest machines of the default pool. */
const CHEAPEST = 'standardDLSv5Family';

export const QUOTA_CUT: Story = {
  name: 'quota-cut',
  summary:
    'the cheapest sizes are out of quota: others are bought; then the region is: pods wait, and say why',
  speed: 5,
  steps: [
    {
      say: 'two pods get their machine',
      acts: [{ apply: deployment('app', 2, { cpu: '500m', memory: '1Gi' }) }],
      until: [{ pods: { app: 'app', running: 2 } }],
    },
    {
      say: 'the quota of the family it is of is cut to what is used; the deployment grows, on machines of another family',
      acts: [{ quota: { name: CHEAPEST, limit: 2 } }, { scale: { name: 'app', replicas: 10 } }],
      until: [{ pods: { app: 'app', running: 10 } }],
      withinMs: 60 * 60_000,
    },
    {
      say: 'now the quota of the whole region is used up, and the deployment grows to 60 pods',
      acts: [{ quota: { name: 'cores', limit: 2 } }, { scale: { name: 'app', replicas: 60 } }],
      until: [{ event: { reason: 'InsufficientCapacityError', words: 'quota' } }],
    },
    {
      say: 'nothing can be bought; what runs goes on running',
      waitMs: 20_000,
      until: [{ runningAtLeast: { app: 'app', pods: 10 } }],
    },
    {
      say: 'somebody has the quota raised',
      acts: [{ quota: { name: 'cores', limit: 10_000 } }],
      until: [{ pods: { app: 'app', running: 60 } }],
      withinMs: 2 * 3600_000,
    },
  ],
};
