/**
 * A small workload in which everything happens once: a node class, a pool, pods, a VM and its node; then the
 * claim is deleted and all of it is created again. It runs once per effect, with a process that is killed at
 * exactly that effect.
 */
import { DEPLOYMENTS, type ResourceRef } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { CloudName } from './clouds.ts';
import { NO_FAULTS } from './network.ts';
import type { Personality } from './personality.ts';
import { ignoringErrors } from './story/actions.ts';
import { nameOf, pickActive, type Step } from './story/step.ts';
import type { Story } from './story/story.ts';
import type { Swarm } from './swarm.ts';
import { runTrial, type TrialResult } from './trial.ts';

/** With a crash at the n-th effect (0: none), or at the first response that matches. */
export function crashAt(effect: number, killAtAnswer?: RegExp, cloud?: CloudName): Promise<TrialResult> {
  return runTrial({
    seed: SEED,
    story: storyOf,
    swarm: calmSwarm,
    brief: true,
    killAt: effect,
    ...(killAtAnswer === undefined ? {} : { killAtAnswer }),
    ...(cloud === undefined ? {} : { cloud }),
  });
}

/** Without faults. */
export function calmSwarm({ swarm }: Personality): Swarm {
  return {
    times: swarm.calmTimes,
    network: { kube: NO_FAULTS, cloud: NO_FAULTS },
    cloud: [],
    replicas: 1,
    election: false,
    processFaults: [],
    restartMs: 2_000,
  };
}

// ---------------------------------------------------------------------------------------------------

const SEED = 77;

function poolOf({ story }: Personality): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'a' },
    spec: {
      limits: { cpu: '4' },
      disruption: { consolidateAfter: 'Never' },
      template: {
        spec: {
          nodeClassRef: story.nodeClassRef('one'),
          expireAfter: 'Never',
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
        },
      },
    },
  };
}

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

function storyOf(personality: Personality): Story {
  const create = (atMs: number, name: string, resource: ResourceRef, object: object): Step => ({
    atMs,
    name,
    run: ({ servers }) => ignoringErrors(() => servers.apply(resource, object)),
  });
  const steps = [
    create(100, 'class', personality.nodeClasses, personality.story.nodeClass('one')),
    create(200, 'pool', NODE_POOLS, poolOf(personality)),
    create(300, 'pods', DEPLOYMENTS, DEPLOYMENT),
    DELETE_CLAIM,
  ];
  return { steps, endMs: 60_000 };
}

const DELETE_CLAIM: Step = {
  atMs: 30_000,
  name: 'delete claim',
  async run(scene) {
    const claim = pickActive(scene, 'claims');
    if (claim !== undefined)
      await ignoringErrors(() => scene.servers.admin.delete(NODE_CLAIMS, { name: nameOf(claim) }));
  },
};
