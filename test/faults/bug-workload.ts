/**
 * One workload in which every deliberate bug is visible: pods of all kinds, a pool with a limit, a drained
 * node, a claim whose finalizer is removed, a VM that is deleted outside Chandler. Without a bug it has no
 * violations.
 */
import { DEPLOYMENTS, NODES, type ResourceRef } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { SWARM } from './crash-sweep.ts';
import { disruptionSteps } from './disruption-workload.ts';
import type { FaultScenario } from './fault-scenario.ts';
import type { Seams } from './process.ts';
import type { ObservedObject } from './server-state/kube-state.ts';
import { deleteMachine, ignoringErrors } from './story/actions.ts';
import { aClass } from './story/objects.ts';
import { bringOthers } from './story/others.ts';
import type { Scene, Step } from './story/step.ts';
import { runTrial, type TrialResult } from './trial.ts';

/** @param until the checker that is to find the bug; nothing more is needed then. */
export function runBugWorkload(
  seams: Seams,
  scenario: FaultScenario = {},
  until?: string,
): Promise<TrialResult> {
  const {
    bootMs = 4_000,
    election = false,
    azure = [],
    quiet = false,
    diskEncryption = false,
    killAtAnswer,
    killAtReplacement = false,
    disruption,
    others = false,
    proxy,
  } = scenario;
  const surge = ['surging', 'recreated'].some((name) => disruption?.some((each) => each === name));
  const story = { steps: others ? [...STEPS, OTHERS_STEP] : STEPS, endMs: 150_000 };
  return runTrial({
    seed: 5,
    story:
      disruption === undefined
        ? story
        : { ...story, steps: disruptionSteps(disruption), overlays: true, surge },
    killAtReplacement,
    swarm: {
      ...SWARM,
      times: { ...SWARM.times, bootMs },
      election,
      azure,
      diskEncryption,
      ...(proxy === undefined ? {} : { proxy }),
    },
    brief: !quiet,
    restLimitMs: REST_LIMIT_MS,
    ...(until === undefined ? {} : { until }),
    seams,
    ...(killAtAnswer === undefined ? {} : { killAtAnswer }),
  });
}

// ---------------------------------------------------------------------------------------------------

/** Longer than the registration timeout and the garbage collection interval. */
const REST_LIMIT_MS = 24 * 60_000;

function pool(name: string, limits: object): object {
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
          nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'one' },
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

const OBJECTS: readonly (readonly [ResourceRef, object])[] = [
  [AKS_NODE_CLASSES, aClass('one')],
  [NODE_POOLS, pool('a', {})],
  [NODE_POOLS, pool('b', { limits: { cpu: '4' } })],
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
      const { arm } = scene.servers;
      const claim = claimOf(scene, 'a');
      const vm = arm.resources.vms().find(({ name }) => name === `aks-${claim?.metadata.name}`);
      if (vm !== undefined) await deleteMachine(scene.servers, vm.id);
    },
  },
];

const STEPS: readonly Step[] = [
  ...OBJECTS.map(([resource, object], at) => ({
    atMs: 100 * at,
    name: `object ${at}`,
    run: ({ servers }: Scene) => ignoringErrors(() => servers.apply(resource, object)),
  })),
  ...ACTIONS,
];

const OTHERS_STEP: Step = { atMs: 1_000, name: 'another provider', run: bringOthers };

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
