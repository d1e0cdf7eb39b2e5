/**
 * A small workload in which everything happens once: a node class, a pool, pods, a VM and its node; then the
 * claim is deleted and all of it is created again. It runs once per effect, with a process that is killed at
 * exactly that effect.
 */
import { DEPLOYMENTS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NO_FAULTS } from './network.ts';
import { ignoringErrors } from './story/actions.ts';
import { aClass } from './story/objects.ts';
import { nameOf, pickActive, type Step } from './story/step.ts';
import type { Story } from './story/story.ts';
import type { Swarm } from './swarm.ts';
import { runTrial, type TrialResult } from './trial.ts';

/** With a crash at the n-th effect (0: none), or at the first response that matches. */
export function crashAt(effect: number, killAtAnswer?: RegExp): Promise<TrialResult> {
  const options = { seed: SEED, story: STORY, swarm: SWARM, brief: true, killAt: effect };
  return runTrial(killAtAnswer === undefined ? options : { ...options, killAtAnswer });
}

// ---------------------------------------------------------------------------------------------------

const SEED = 77;

export const SWARM: Swarm = {
  times: { bootMs: 4_000, vmCreateMs: 500, vmDeleteMs: 2_000, graphLagMs: 2_000 },
  network: { kube: NO_FAULTS, arm: NO_FAULTS },
  azure: [],
  replicas: 1,
  election: false,
  processFaults: [],
  restartMs: 2_000,
};

const POOL = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: { name: 'a' },
  spec: {
    limits: { cpu: '4' },
    disruption: { consolidateAfter: 'Never' },
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'one' },
        expireAfter: 'Never',
        requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
      },
    },
  },
};

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd' } },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'app', resources: { requests: { cpu: '500m' } } }],
      },
    },
  },
};

const STEPS: readonly Step[] = [
  {
    atMs: 100,
    name: 'class',
    run: ({ servers }) => ignoringErrors(() => servers.apply(AKS_NODE_CLASSES, aClass('one'))),
  },
  { atMs: 200, name: 'pool', run: ({ servers }) => ignoringErrors(() => servers.apply(NODE_POOLS, POOL)) },
  {
    atMs: 300,
    name: 'pods',
    run: ({ servers }) => ignoringErrors(() => servers.apply(DEPLOYMENTS, DEPLOYMENT)),
  },
  {
    atMs: 30_000,
    name: 'delete claim',
    async run(scene) {
      const claim = pickActive(scene, 'claims');
      if (claim !== undefined)
        await ignoringErrors(() => scene.servers.admin.delete(NODE_CLAIMS, { name: nameOf(claim) }));
    },
  },
];

const STORY: Story = { steps: STEPS, endMs: 60_000 };
