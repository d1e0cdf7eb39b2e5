/**
 * A drift rollout of ten nodes under a budget of two, with a PodDisruptionBudget: sampled at every look, no more than two
 * nodes are disrupted, and never fewer pods are healthy than the PodDisruptionBudget wants.
 */
import { DEPLOYMENTS, type KubeObject, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { pool } from '../controllers/stage.ts';
import type { Phase } from '../e2e/phases.ts';
import { conditionOf, type Ground, textOf } from '../e2e/story.ts';

export interface RolloutGround extends Ground {
  patch(resource: typeof NODE_POOLS, name: string, patch: object): Promise<unknown>;
}

export interface RolloutSamples {
  looks: number;
  /** Looks at which at least one node was disrupted. */
  looksDuringDisruption: number;
  mostDisrupted: number;
  fewestHealthy: number;
}

export const ROLLOUT_NODES = 10;
export const ROLLOUT_BUDGET = 2;

/** The phases write what they saw to `samples`. */
export function driftRollout(samples: RolloutSamples): readonly Phase<RolloutGround>[] {
  return [
    {
      name: 'ten pods run on ten nodes',
      limitMs: 180_000,
      async act(at) {
        await at.apply(NODE_POOLS, ROLLOUT_POOL);
        await at.apply(POD_DISRUPTION_BUDGETS, PDB);
        await at.apply(DEPLOYMENTS, DEPLOYMENT);
      },
      waitsFor: async (at) => {
        const claims = await claimsOf(at, 'one');
        const initialized = claims.filter((each) => conditionOf(each, 'Initialized')?.status === 'True');
        const healthy = await healthyPods(at);
        return healthy === ROLLOUT_NODES && initialized.length === ROLLOUT_NODES
          ? undefined
          : `${healthy} pods are ready, ${initialized.length} of ${claims.length} claims initialized`;
      },
    },
    {
      name: 'the template has changed, and every node is replaced',
      limitMs: 900_000,
      act: (at) => at.patch(NODE_POOLS, NAME, { spec: { template: templateOf('two') } }),
      waitsFor: async (at) => {
        await sample(at, samples);
        const [old, replaced] = [await claimsOf(at, 'one'), await claimsOf(at, 'two')];
        if (
          old.length === 0 &&
          replaced.length === ROLLOUT_NODES &&
          (await healthyPods(at)) === ROLLOUT_NODES
        )
          return undefined;
        return `${old.length} old claims, ${replaced.length} new ones: ${textOf(replaced.at(-1) ?? old[0])}`;
      },
    },
    {
      name: 'everything of it is deleted',
      limitMs: 240_000,
      async act(at) {
        await at.remove(DEPLOYMENTS, NAME, 'default');
        await at.remove(POD_DISRUPTION_BUDGETS, NAME, 'default');
        await at.remove(NODE_POOLS, NAME);
      },
      waitsFor: async (at) => {
        const left = [...(await at.list(NODE_CLAIMS)), ...(await at.list(NODES))];
        return left.length === 0 ? undefined : `${left.length} left: ${textOf(left[0])}`;
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

const NAME = 'rollout';
const LABELS = { app: NAME };
const GENERATION = 'example.com/generation';
const DISRUPTED_TAINT = 'karpenter.sh/disrupted';

const templateOf = (generation: string) => ({ metadata: { labels: { [GENERATION]: generation } } });

const ROLLOUT_POOL = (() => {
  const made = pool(NAME, {
    disruption: { consolidateAfter: 'Never', budgets: [{ nodes: String(ROLLOUT_BUDGET) }] },
  }) as { spec: { template: object } };
  return {
    ...made,
    spec: { ...made.spec, template: { ...made.spec.template, ...templateOf('one') } },
  };
})();

const PDB = {
  metadata: { name: NAME, namespace: 'default' },
  spec: { maxUnavailable: ROLLOUT_BUDGET, selector: { matchLabels: LABELS } },
};

const DEPLOYMENT = {
  metadata: { name: NAME, namespace: 'default' },
  spec: {
    replicas: ROLLOUT_NODES,
    selector: { matchLabels: LABELS },
    template: {
      metadata: { labels: LABELS },
      spec: {
        nodeSelector: { 'karpenter.sh/nodepool': NAME },
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'nginx', resources: { requests: { cpu: '500m' } } }],
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { labelSelector: { matchLabels: LABELS }, topologyKey: 'kubernetes.io/hostname' },
            ],
          },
        },
      },
    },
  },
};

async function claimsOf(at: Ground, generation: string): Promise<readonly KubeObject[]> {
  const claims = await at.list(NODE_CLAIMS);
  return claims.filter(({ metadata }) => metadata.labels?.[GENERATION] === generation);
}

async function healthyPods(at: Ground): Promise<number> {
  const pods = await at.list(PODS);
  return pods.filter(
    (each) =>
      each.metadata.labels?.['app'] === NAME &&
      each.metadata.deletionTimestamp === undefined &&
      conditionOf(each, 'Ready')?.status === 'True',
  ).length;
}

async function sample(at: Ground, samples: RolloutSamples): Promise<void> {
  const nodes = await at.list(NODES);
  // A node whose instance is being terminated has no pods any more, and no longer counts for budgets: as in Karpenter.
  const counted = new Set(
    (await at.list(NODE_CLAIMS))
      .filter((claim) => conditionOf(claim, 'InstanceTerminating')?.status !== 'True')
      .map((claim) => (claim['status'] as { nodeName?: string } | undefined)?.nodeName),
  );
  const disrupted = nodes.filter(({ metadata, ...node }) => {
    const { taints = [] } = (node['spec'] ?? {}) as { taints?: readonly { key: string }[] };
    const leaving =
      metadata.deletionTimestamp !== undefined || taints.some(({ key }) => key === DISRUPTED_TAINT);
    return leaving && counted.has(metadata.name);
  }).length;
  samples.looks += 1;
  if (disrupted > 0) samples.looksDuringDisruption += 1;
  samples.mostDisrupted = Math.max(samples.mostDisrupted, disrupted);
  samples.fewestHealthy = Math.min(samples.fewestHealthy, await healthyPods(at));
}
