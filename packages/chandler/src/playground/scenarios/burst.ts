/** Many pods of several sizes at once, then none. */
import { deployment, type Scenario } from './scenario.ts';

export const BURST: Scenario = {
  name: 'burst',
  summary:
    '150 pods are created at once and one plan provisions nodes for all of them; then everything is scaled to zero and deleted',
  speed: 2,
  steps: [
    {
      description: 'three Deployments create 150 pods; no node has capacity for them',
      actions: [
        { apply: deployment('web', 100, { cpu: '250m', memory: '512Mi' }) },
        { apply: deployment('cache', 20, { cpu: '500m', memory: '4Gi' }) },
        { apply: deployment('batch', 30, { cpu: '1', memory: '1Gi' }) },
      ],
      until: [{ claims: { atLeast: 1 } }],
    },
    {
      description: 'instances are launched; each pod waits for the node it is nominated to',
      until: [
        { pods: { app: 'web', running: 100 } },
        { pods: { app: 'cache', running: 20 } },
        { pods: { app: 'batch', running: 30 } },
      ],
    },
    {
      description: 'all 150 pods are running; wait for one minute',
      waitMs: 60_000,
      until: [{ pods: { app: 'web', running: 100 } }],
    },
    {
      description: 'the Deployments are scaled to zero',
      actions: [
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
      description: 'the NodeClaims are deleted: nodes are drained, and nothing is left in the cloud',
      actions: [{ deleteClaims: {} }],
      until: [{ nothingProvisioned: true }],
    },
  ],
};
