/** Pods go, and the nodes that are no longer needed go after them. */
import { deployment, type Scenario } from './scenario.ts';

export const CONSOLIDATION: Scenario = {
  name: 'consolidation',
  summary:
    'most pods are scaled down: their nodes are removed or replaced by cheaper ones, and the price falls; nobody deletes anything',
  speed: 10,
  steps: [
    {
      description: 'three Deployments of different sizes get their nodes',
      actions: [
        { apply: deployment('web', 40, { cpu: '500m', memory: '1Gi' }) },
        { apply: deployment('cache', 8, { cpu: '1', memory: '4Gi' }) },
        { apply: deployment('batch', 12, { cpu: '2', memory: '2Gi' }) },
      ],
      until: [
        { pods: { app: 'web', running: 40 } },
        { pods: { app: 'cache', running: 8 } },
        { pods: { app: 'batch', running: 12 } },
      ],
    },
    {
      description: 'batch is done and web is scaled to 6 pods: the nodes are nearly unused',
      actions: [{ scale: { name: 'batch', replicas: 0 } }, { scale: { name: 'web', replicas: 6 } }],
      until: [{ event: { reason: 'DisruptionTerminating' } }],
      withinMs: 20 * 60_000,
    },
    {
      description: 'the remaining pods move together, and the price falls to less than a half',
      until: [
        { price: { atMostShare: 0.5 } },
        { pods: { app: 'web', running: 6 } },
        { pods: { app: 'cache', running: 8 } },
      ],
      withinMs: 40 * 60_000,
    },
    {
      description: 'everything is scaled to zero: empty nodes need no replacement',
      actions: [{ scale: { name: 'web', replicas: 0 } }, { scale: { name: 'cache', replicas: 0 } }],
      until: [{ nothingProvisioned: true }],
      withinMs: 60 * 60_000,
    },
  ],
};
