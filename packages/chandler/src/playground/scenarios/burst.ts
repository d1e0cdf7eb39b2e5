/** Many pods at once, of several sizes; then none. */
import { deployment, type Story } from './story.ts';

export const BURST: Story = {
  name: 'burst',
  summary:
    '150 pods at once: machines are bought for all of them in one plan; scaled to zero, the claims are deleted and all is given back',
  speed: 2,
  steps: [
    {
      say: 'three deployments ask for 150 pods; no node has room for them',
      acts: [
        { apply: deployment('web', 100, { cpu: '250m', memory: '512Mi' }) },
        { apply: deployment('cache', 20, { cpu: '500m', memory: '4Gi' }) },
        { apply: deployment('batch', 30, { cpu: '1', memory: '1Gi' }) },
      ],
      until: [{ claims: { atLeast: 1 } }],
    },
    {
      say: 'machines are on their way; pods wait for the one they are nominated to',
      until: [
        { pods: { app: 'web', running: 100 } },
        { pods: { app: 'cache', running: 20 } },
        { pods: { app: 'batch', running: 30 } },
      ],
    },
    {
      say: 'all 150 pods run; a minute of quiet',
      waitMs: 60_000,
      until: [{ pods: { app: 'web', running: 100 } }],
    },
    {
      say: 'the burst is over: everything is scaled to zero',
      acts: [
        { scale: { name: 'web', replicas: 0 } },
        { scale: { name: 'cache', replicas: 0 } },
        { scale: { name: 'batch', replicas: 0 } },
      ],
      until: [
        { pods: { app: 'web', running: 0, pending: 0 } },
        { pods: { app: 'cache', running: 0, pending: 0 } },
        { pods: { app: 'batch', running: 0, pending: 0 } },
      ],
    },
    {
      say: 'somebody deletes the claims: nodes are drained, machines, NICs and disks go',
      acts: [{ deleteClaims: {} }],
      until: [{ nothingBought: true }],
    },
  ],
};
