/**
 * One workload in which every deliberate bug is visible: pods of all kinds, a pool with a limit, a drained
 * node, a claim whose finalizer is removed, a VM that is deleted outside Chandler. Without a bug it has no
 * violations.
 */
import { DEPLOYMENTS, NODES, type ResourceRef } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { Chance } from '../scheduling/chance.ts';
import type { CloudStory } from './cloud-story.ts';
import type { CloudName } from './clouds.ts';
import { calmSwarm } from './crash-sweep.ts';
import { disruptionSteps } from './disruption-workload.ts';
import type { FaultScenario } from './fault-scenario.ts';
import type { Personality } from './personality.ts';
import type { Seams } from './process.ts';
import type { ObservedObject } from './server-state/kube-state.ts';
import { ignoringErrors } from './story/actions.ts';
import { bringOthers } from './story/others.ts';
import type { Scene, Step } from './story/step.ts';
import type { Story } from './story/story.ts';
import { runTrial, type TrialResult } from './trial.ts';

export interface BugRun {
  readonly cloud?: CloudName | undefined;
  readonly seams?: Seams;
  readonly scenario?: FaultScenario;
  /** The checker that is to find the bug; nothing more is needed then. */
  readonly until?: string;
  readonly onLine?: (line: string) => void;
}

export function runBugWorkload({
  cloud,
  seams = {},
  scenario = {},
  until,
  onLine,
}: BugRun): Promise<TrialResult> {
  const { quiet = false, killAtAnswer, killAtReplacement = false } = scenario;
  return runTrial({
    seed: 5,
    ...(cloud === undefined ? {} : { cloud }),
    story: (personality) => storyOf(personality, scenario),
    swarm(personality) {
      const calm = calmSwarm(personality);
      const { bootMs = 4_000 } = scenario;
      const { election = false, cloud: faults = [], features = [], proxy } = scenario;
      return {
        ...calm,
        times: { ...calm.times, bootMs },
        election,
        cloud: faults,
        features,
        ...(proxy === undefined ? {} : { proxy }),
      };
    },
    killAtReplacement,
    brief: !quiet,
    restLimitMs: REST_LIMIT_MS,
    ...(until === undefined ? {} : { until }),
    ...(onLine === undefined ? {} : { onLine }),
    seams,
    ...(killAtAnswer === undefined ? {} : { killAtAnswer }),
  });
}

// ---------------------------------------------------------------------------------------------------

function storyOf(personality: Personality, scenario: FaultScenario): Story {
  const { disruption, others = false, happenings = [] } = scenario;
  const endMs = 150_000;
  if (disruption === undefined) {
    const other = { atMs: 1_000, name: 'another provider', run: bringOthers(personality) };
    const steps = [
      ...openingOf(personality),
      ...ACTIONS,
      ...(others ? [other] : []),
      ...happenings.map(({ atMs, action }) => happening(personality, atMs, action)),
    ];
    return { steps, endMs };
  }
  const surge = ['surging', 'recreated'].some((name) => disruption.some((each) => each === name));
  return { steps: disruptionSteps(personality, disruption), overlays: true, surge, endMs };
}

function happening({ name, nodeClasses, story, actions }: Personality, atMs: number, wanted: string): Step {
  const action = actions.find((each) => each.name === wanted);
  if (action === undefined) throw new Error(`nothing is called "${wanted}" on ${name}`);
  const cast = { cloud: name, nodeClasses, story, pools: ['a', 'b'], classes: ['one'], workloads: [] };
  return { atMs, name: wanted, run: action.prepare(new Chance(atMs), cast) };
}

/** Longer than the registration timeout and the garbage collection interval. */
const REST_LIMIT_MS = 24 * 60_000;

function pool(story: CloudStory, name: string, limits: object): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...limits,
      disruption: { consolidateAfter: 'Never' },
      template: {
        metadata: { labels: { pool: name } },
        spec: {
          nodeClassRef: story.nodeClassRef('one'),
          expireAfter: 'Never',
          requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }],
        },
      },
    },
  };
}

function deployment(name: string, replicas: number, cpu: string, spec: object, annotations = {}): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: {
          terminationGracePeriodSeconds: 1,
          containers: [{ name: 'main', image: 'app', resources: { requests: { cpu } } }],
          ...spec,
        },
      },
    },
  };
}

const OF_A = { nodeSelector: { pool: 'a' } };
const CRITICAL = { ...OF_A, priorityClassName: 'system-cluster-critical' };
const PROTECTED = { 'karpenter.sh/do-not-disrupt': 'true' };

const DEPLOYED: readonly (readonly [ResourceRef, object])[] = [
  [DEPLOYMENTS, deployment('ordinary', 2, '500m', OF_A)],
  [DEPLOYMENTS, deployment('critical', 1, '500m', CRITICAL)],
  [DEPLOYMENTS, deployment('protected', 1, '500m', OF_A, PROTECTED)],
  [DEPLOYMENTS, deployment('greedy', 2, '3', { nodeSelector: { pool: 'b' } })],
  [DEPLOYMENTS, deployment('impossible', 1, '1', { nodeSelector: { 'kubernetes.io/arch': 'sparc' } })],
];

const ACTIONS: readonly Step[] = [
  {
    atMs: 75_000,
    name: 'delete the node of ordinary pods',
    async run({ servers, state }) {
      const name = state.list('pods').find(isOrdinary)?.spec.nodeName as string | undefined;
      if (name !== undefined) await ignoringErrors(() => servers.admin.delete(NODES, { name }));
    },
  },
  {
    atMs: 100_000,
    name: 'tear off a finalizer',
    async run(scene) {
      const name = claimOf(scene, 'b')?.metadata.name;
      if (name === undefined) return;
      const { admin } = scene.servers;
      const patch = { metadata: { finalizers: null } };
      await ignoringErrors(() => admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch }));
      await ignoringErrors(() => admin.delete(NODE_CLAIMS, { name }));
    },
  },
  {
    atMs: 140_000,
    name: 'delete a machine behind our back',
    async run(scene) {
      const claim = claimOf(scene, 'a');
      const vm = claim === undefined ? undefined : scene.cloud.instanceOf(claim.metadata.uid!);
      if (vm !== undefined) await scene.servers.cloud.deleteInstance(vm);
    },
  },
];

function openingOf({ nodeClasses, story }: Personality): readonly Step[] {
  const objects: readonly (readonly [ResourceRef, object])[] = [
    [nodeClasses, story.nodeClass('one')],
    [NODE_POOLS, pool(story, 'a', {})],
    [NODE_POOLS, pool(story, 'b', { limits: { cpu: '4' } })],
    ...DEPLOYED,
  ];
  return objects.map(([resource, object], at) => ({
    atMs: 100 * at,
    name: `object ${at}`,
    run: ({ servers }: Scene) => ignoringErrors(() => servers.apply(resource, object)),
  }));
}

function isOrdinary({ metadata, spec }: ObservedObject): boolean {
  return metadata.labels?.['app'] === 'ordinary' && spec.nodeName !== undefined;
}

/** The claim of a pool that is not being deleted. */
function claimOf({ state }: Scene, poolName: string): ObservedObject | undefined {
  return state
    .list('claims')
    .find(
      ({ metadata }) =>
        metadata.deletionTimestamp === undefined && metadata.labels?.['karpenter.sh/nodepool'] === poolName,
    );
}
