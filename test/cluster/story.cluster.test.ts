/**
 * The story of seed 000 on a control plane of real programs: kube-apiserver, kube-scheduler, kube-controller-manager. The
 * ARM server is the playground's, and its machines join that cluster. The controller is a process of its own under the
 * account of deploy/rbac.yaml.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  controllerEnvironment,
  type RunningAzure,
  startAzure,
  writeControllerFiles,
} from '@chandler/cloudsim/azure';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  KubeClient,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  undiciTransport,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  AKS_NODE_CLASSES,
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
} from '../../packages/chandler/src/api/index.ts';
import { pod, pool } from '../controllers/stage.ts';
import { type ControllerProcess, startController } from '../e2e/controller-process.ts';
import { type Phase, play } from '../e2e/phases.ts';
import { roleObjects } from '../e2e/roles.ts';
import { conditionOf, type Ground, nodeClassWith, STORY, textOf } from '../e2e/story.ts';
import { driftRollout, ROLLOUT_BUDGET, ROLLOUT_NODES } from './drift-rollout.ts';
import { ABSENT, PROCESS_VARIABLES, type RealCluster, startRealCluster } from './real-cluster.ts';

let cluster: RealCluster;
let azure: RunningAzure;
let controller: ControllerProcess;
let ground: Ground;
let variables: Readonly<Record<string, string>>;

describe.skipIf(ABSENT.length > 0)('[000] on a real control plane', () => {
  beforeAll(async () => {
    cluster = await startRealCluster();
    azure = await startAzure(cluster.environment);
    for (const [resource, object] of roleObjects(azure.bootstrapToken))
      await cluster.admin.create(resource, object);
    ground = {
      ...cluster.ground,
      arm: azure.arm,
      diskEncryptionSetId: azure.azure.byok.diskEncryptionSetId,
    };
    variables = await environment();
    controller = startController(variables, [EVERY_GATE]);
    await controller.said('became leader');
  });

  afterAll(async () => {
    await controller?.signal('SIGTERM');
    await azure?.stop();
    await cluster?.stop();
  });

  test('[000-S4] from a NodeClass to a healthy pod on an encrypted disk, and back, phase by phase', async () => {
    const records = await play(ground, STORY);
    expect(records).toHaveLength(STORY.length);
    // The deletion is logged when the server has answered, a moment after the object is gone.
    for (const said of [
      'nodeclaim created',
      'nodeclaim launched',
      'node registered',
      'nodeclaim initialized',
      'nodeclaim deleted',
    ])
      await controller.said(said);
  });

  test('[000-S9] pod, NodePool, NodeClass in this order: conditions say what is missing, then there is a claim', async () => {
    await ground.remove(NODE_POOLS, 'default');
    await ground.remove(AKS_NODE_CLASSES, 'default');
    await play(ground, BACKWARDS);
  });

  test('with every feature gate on, an overlay is validated and a static NodePool gets its node', async () => {
    await play(ground, GATES);
  });

  test('a drift rollout of ten nodes stays within its budget and the PodDisruptionBudget at every look', async () => {
    const samples = { looks: 0, looksDuringDisruption: 0, mostDisrupted: 0, fewestHealthy: ROLLOUT_NODES };
    const rollout = {
      ...ground,
      patch: (resource: typeof NODE_POOLS, name: string, patch: object) =>
        cluster.admin.patch(resource, { name }, { type: 'merge', patch }),
    };
    await play(rollout, driftRollout(samples));
    console.log(`drift rollout: ${JSON.stringify(samples)}`);
    expect(samples.mostDisrupted).toBeLessThanOrEqual(ROLLOUT_BUDGET);
    expect(samples.fewestHealthy).toBeGreaterThanOrEqual(ROLLOUT_NODES - ROLLOUT_BUDGET);
    expect(samples.looksDuringDisruption).toBeGreaterThan(10);
  }, 1_500_000);

  test('without the permission on finalizers, a claim that blocks the deletion of its pool is refused', async () => {
    const [owner] = await ground.list(NODE_POOLS);
    const bob = undiciTransport({
      server: cluster.plane.url,
      ca: cluster.environment.apiServer.caPem,
      identify: async () => ({
        headers: { authorization: `Bearer ${cluster.plane.token}`, 'impersonate-user': 'bob' },
      }),
    });
    for (const [resource, object] of CLAIMS_ONLY) await cluster.admin.create(resource, object);
    const created = new KubeClient({ transport: bob.send }).create(NODE_CLAIMS, claimOf(owner!));
    await expect(created).rejects.toThrow('cannot set blockOwnerDeletion');
    await bob.close();
  });

  test('an observer beside it changes nothing, and ends with code 0', async () => {
    const observer = startController(variables, [EVERY_GATE, '--observe']);
    await observer.said('observe mode: nothing is written and no lease is taken');
    await sleep(5_000);
    expect(await observer.signal('SIGTERM')).toBe(0);
    expect(observer.errors).toEqual([]);
  });

  test('another takes over when it is killed', async () => {
    await controller.signal('SIGKILL');
    controller = startController(variables, [EVERY_GATE]);
    await controller.said('became leader');
  });

  test('it stops with code 0', async () => {
    expect(await controller.signal('SIGTERM')).toBe(0);
    expect(controller.errors).toEqual([]);
  });

  test('no request of the controller was refused, by the audit log', () => {
    cluster.checkRequests();
  });
});

// ---------------------------------------------------------------------------------------------------

const EVERY_GATE =
  '--feature-gates=NodeRepair=true,ReservedCapacity=true,SpotToSpotConsolidation=true,NodeOverlay=true,StaticCapacity=true';

const GATES: readonly Phase<Ground>[] = [
  {
    name: 'the overlay is valid',
    limitMs: 60_000,
    act: (at) =>
      at.apply(NODE_OVERLAYS, {
        apiVersion: 'karpenter.sh/v1alpha1',
        kind: 'NodeOverlay',
        metadata: { name: 'dearer' },
        spec: { requirements: [], priceAdjustment: '+10%' },
      }),
    waitsFor: async ({ list }) => {
      const [overlay] = await list(NODE_OVERLAYS);
      return conditionOf(overlay, 'ValidationSucceeded')?.status === 'True' ? undefined : textOf(overlay);
    },
  },
  {
    name: 'the static pool has its node',
    limitMs: 180_000,
    act: (at) => at.apply(NODE_POOLS, pool('static', { replicas: 1 })),
    waitsFor: async ({ list }) => {
      const claim = (await list(NODE_CLAIMS)).find(({ metadata }) => metadata.name?.startsWith('static'));
      return conditionOf(claim, 'Initialized')?.status === 'True' ? undefined : textOf(claim);
    },
  },
  {
    name: 'the static pool is deleted with its node',
    limitMs: 180_000,
    act: (at) => at.remove(NODE_POOLS, 'static'),
    waitsFor: async ({ list }) => {
      const left = [...(await list(NODE_CLAIMS)), ...(await list(NODES))];
      return left.length === 0 ? undefined : left.map(textOf).join('; ');
    },
  },
];

/** What bob may do: create claims, and nothing about finalizers. */
const CLAIMS_ONLY: readonly (readonly [ResourceRef, KubeObject])[] = [
  [
    CLUSTER_ROLES,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'claims-only' },
      rules: [{ apiGroups: ['karpenter.sh'], resources: ['nodeclaims'], verbs: ['create'] }],
    },
  ],
  [
    CLUSTER_ROLE_BINDINGS,
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'claims-only' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'claims-only' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    },
  ],
];

function claimOf({ metadata: { name, uid } }: KubeObject): KubeObject {
  const owner = { apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: name!, uid: uid! };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'of-bob', ownerReferences: [{ ...owner, blockOwnerDeletion: true }] },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
  };
}

const BACKWARDS: readonly Phase<Ground>[] = [
  {
    name: 'class and pool are gone',
    limitMs: 60_000,
    waitsFor: async ({ list }) => {
      const left = [...(await list(AKS_NODE_CLASSES)), ...(await list(NODE_POOLS))];
      return left.length === 0 ? undefined : left.map(textOf).join('; ');
    },
  },
  {
    name: 'the pod waits',
    limitMs: 30_000,
    act: (at) => at.apply(PODS, pod('early')),
    waitsFor: async ({ list }) => {
      const early = (await list(PODS)).find(({ metadata }) => metadata.name === 'early');
      return conditionOf(early, 'PodScheduled')?.reason === 'Unschedulable' ? undefined : textOf(early);
    },
  },
  {
    name: 'the pool says that its class does not exist',
    limitMs: 30_000,
    act: (at) => at.apply(NODE_POOLS, pool('default')),
    waitsFor: async ({ list }) => {
      const [found] = await list(NODE_POOLS);
      return conditionOf(found, 'NodeClassReady')?.reason === 'NodeClassNotFound' ? undefined : textOf(found);
    },
  },
  {
    name: 'the class is created, and the pod runs',
    limitMs: 60_000,
    act: (at) => at.apply(AKS_NODE_CLASSES, nodeClassWith(undefined)),
    waitsFor: async ({ list }) => {
      const early = (await list(PODS)).find(({ metadata }) => metadata.name === 'early');
      const phase = (early?.['status'] as { phase?: string } | undefined)?.phase;
      return phase === 'Running' ? undefined : textOf((await list(NODE_CLAIMS))[0] ?? early);
    },
  },
  {
    name: 'everything is deleted',
    limitMs: 120_000,
    async act({ list, remove }) {
      await remove(PODS, 'early', 'default');
      for (const claim of await list(NODE_CLAIMS)) await remove(NODE_CLAIMS, claim.metadata.name!);
    },
    waitsFor: async ({ list, arm }) => {
      const left = [...(await list(NODE_CLAIMS)), ...(await list(NODES))];
      const machines = arm.resources.vms().length + arm.resources.nics().length;
      return left.length + machines === 0 ? undefined : `${left.map(textOf).join('; ')} ${machines} in Azure`;
    },
  },
];

/** Everything by files and variables, the account's token the only way in. */
async function environment(): Promise<Readonly<Record<string, string>>> {
  const around = { azure, serverUrl: cluster.plane.url, kubeconfig: await cluster.writeKubeconfig() };
  const files = await writeControllerFiles(cluster.folder, around);
  return { ...controllerEnvironment(around, files), ...PROCESS_VARIABLES };
}
