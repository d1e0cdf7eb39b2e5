import type { Deployment, StatefulSet } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../scheduling/index.ts';
import { aPod } from '../scheduling/testing.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
  type NodeShape,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionOptions } from './model.ts';
import { nodesWithinMaxSurges, WorkloadIndex } from './surge.ts';

const SURGE = 'chandler.sh/disruption-surge';
const ON: DisruptionOptions = { surge: true };
const OWNER = { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'deployment-web' };
const REFUSAL = { why: 'it did not leave', untilMs: NOW + 1000 };
const DRIFTED: NodeShape = { conditions: { Drifted: true } };

/** A pod of Deployment web, which asks for a surge. */
function web(annotations: Record<string, string> = { [SURGE]: 'true' }, kind = 'ReplicaSet'): Pod {
  const pod = aPod('web-0', { cpu: '1', labels: { app: 'web' } });
  const uid = kind === 'ReplicaSet' ? 'set-web' : 'stateful-web';
  const owner = { apiVersion: 'apps/v1', kind, name: 'web', uid, controller: true };
  return { ...pod, metadata: { ...pod.metadata, annotations, ownerReferences: [owner] } };
}

function deployment(
  spec: Partial<Deployment['spec']> = {},
  more: Partial<Pick<Deployment, 'metadata' | 'status'>> = {},
): Deployment {
  const replicas = spec.replicas ?? 1;
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'deployment-web', generation: 1, ...more.metadata },
    spec: { selector: {}, template: { spec: { containers: [] } }, replicas: 1, ...spec },
    status: {
      observedGeneration: 1,
      replicas,
      updatedReplicas: replicas,
      availableReplicas: replicas,
      ...more.status,
    },
  };
}

function statefulSet(
  spec: Partial<StatefulSet['spec']> = {},
  status: StatefulSet['status'] = {},
): StatefulSet {
  const replicas = spec.replicas ?? 1;
  return {
    metadata: { name: 'web', namespace: 'shop', uid: 'stateful-web', generation: 1 },
    spec: { selector: {}, template: { spec: { containers: [] } }, replicas: 1, ...spec },
    status: {
      observedGeneration: 1,
      updatedReplicas: replicas,
      availableReplicas: replicas,
      currentRevision: 'a',
      updateRevision: 'a',
      ...status,
    },
  };
}

interface Given {
  readonly pod?: Pod;
  readonly deployment?: Deployment;
  readonly statefulSet?: StatefulSet;
  readonly node?: NodeShape;
  readonly cluster?: ClusterShape;
  readonly options?: DisruptionOptions;
}

const HELD: ClusterShape = { budgets: [aPdb('web', 'web', 0)] };

function plan({ pod = web(), node = DRIFTED, cluster = HELD, options = ON, ...given }: Given = {}) {
  const controller = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', controller: true };
  const input = {
    ...aCluster([aManagedNode('n', { pods: [pod], ...node })], cluster),
    workloads: {
      deployments: [given.deployment ?? deployment()],
      replicaSets: [
        {
          metadata: {
            namespace: 'shop',
            name: 'web-1',
            uid: 'set-web',
            ownerReferences: [{ ...controller, uid: 'deployment-web' }],
          },
        },
      ],
      statefulSets: [given.statefulSet ?? statefulSet()],
    },
  };
  const { commands, nodes } = planDisruption(input, options, NOW);
  return { command: commands[0], keeps: nodes[0]!.keeps.map(({ text }) => text).join('; ') };
}

describe('a pod that a PodDisruptionBudget holds and that asks for a surge', () => {
  test('does not keep its drifted node: its Deployment is rolled', () => {
    const { command } = plan();
    expect(command?.surges).toEqual([OWNER]);
    expect(command?.replacements.flatMap(({ pods }) => pods)).toEqual(['shop/web-0']);
  });

  test('has a place in the plan, also when its budget never allows an eviction', () => {
    const never = {
      ...aPdb('web', 'web', 0),
      spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    };
    const { command } = plan({ cluster: { budgets: [never] } });
    expect(command?.replacements.flatMap(({ pods }) => pods)).toEqual(['shop/web-0']);
  });

  test('does not keep a node from soft expiration or consolidation either', () => {
    const soft = aDisruptedPool();
    const annotations = { 'chandler.sh/soft-expiration': '1h' };
    const template = {
      ...soft.nodePool.spec.template,
      spec: { ...soft.nodePool.spec.template.spec, expireAfter: '1h' },
    };
    const nodePool = {
      ...soft.nodePool,
      metadata: { ...soft.nodePool.metadata, annotations },
      spec: { ...soft.nodePool.spec, template },
    };
    const expired = plan({
      node: { claimSpec: { expireAfter: '1h' } },
      cluster: { ...HELD, pools: [{ ...soft, nodePool }] },
    });
    expect([expired.command?.method, expired.command?.surges]).toEqual(['expiration', [OWNER]]);
    const large = plan({ node: { type: 'l' } });
    expect([large.command?.method, large.command?.surges]).toEqual(['single-node', [OWNER]]);
  });

  test('keeps it without the option, and the reason names the flag', () => {
    const { command, keeps } = plan({ options: {} });
    expect(command).toBeUndefined();
    expect(keeps).toContain('--disruption-surge');
    expect(keeps).toContain('PodDisruptionBudget shop/web');
  });

  test('keeps it without asking, or when it says false in a NodePool that asks', () => {
    expect(plan({ pod: web({}) }).command).toBeUndefined();
    const pool = askingPool();
    expect(plan({ pod: web({}), cluster: { ...HELD, pools: [pool] } }).command?.surges).toEqual([OWNER]);
    expect(
      plan({ pod: web({ [SURGE]: 'false' }), cluster: { ...HELD, pools: [pool] } }).command,
    ).toBeUndefined();
  });

  test('keeps it when the pod may not be disrupted at all', () => {
    const pod = web({ [SURGE]: 'true', 'karpenter.sh/do-not-disrupt': 'true' });
    expect(plan({ pod }).command).toBeUndefined();
  });

  test('keeps a node of a static NodePool', () => {
    const cluster = { ...HELD, pools: [aDisruptedPool('default', { replicas: 1 })] };
    expect(plan({ cluster }).command).toBeUndefined();
  });

  test.each<[string, Given, string]>([
    [
      'has the strategy Recreate',
      { deployment: deployment({ strategy: { type: 'Recreate' } }) },
      'strategy Recreate',
    ],
    [
      'has maxSurge 0',
      { deployment: deployment({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }) },
      'maxSurge 0',
    ],
    [
      'may end more pods than the budget allows',
      { deployment: deployment({ replicas: 4 }) },
      'more pods than the PodDisruptionBudget allows',
    ],
    ['is paused', { deployment: deployment({ paused: true }) }, 'is paused'],
    ['is being rolled', { deployment: deployment({}, { status: { updatedReplicas: 0 } }) }, 'is in progress'],
    [
      'has a new generation',
      { deployment: deployment({}, { status: { observedGeneration: 0 } }) },
      'is in progress',
    ],
    [
      'was restarted half an hour ago',
      { deployment: restarted('2026-06-02T11:30:00Z') },
      'restarted less than an hour ago, until 2026-06-02T12:30:00Z',
    ],
    [
      'is not known',
      { deployment: deployment({}, { metadata: { name: 'web', namespace: 'shop', uid: 'other' } }) },
      'no Deployment',
    ],
    ['belongs to a Job', { pod: web({ [SURGE]: 'true' }, 'Job') }, 'no Deployment and no StatefulSet'],
    [
      'has a value that cannot be read',
      { pod: web({ [SURGE]: 'yes' }) },
      'must be "true" or "false", not "yes"',
    ],
    [
      'has a volume for one node',
      { pod: withVolume(web()) },
      'volume claim shop/data can be used on one node at a time',
    ],
  ])('keeps it where its workload %s', (_, given, reason) => {
    const { command, keeps } = plan(given);
    expect(command).toBeUndefined();
    expect(keeps).toContain(reason);
  });

  test('may have a volume that many nodes share', () => {
    const claims = [
      { metadata: { namespace: 'shop', name: 'data' }, spec: { accessModes: ['ReadWriteMany'] } },
    ];
    const { command } = plan({
      pod: withVolume(web()),
      cluster: { ...HELD, scheduling: { volumes: { claims } } },
    });
    expect(command?.surges).toEqual([OWNER]);
  });

  test('may have more replicas, if a rolling update ends no pod before its time', () => {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
    expect(plan({ deployment: deployment({ replicas: 4, strategy }) }).command?.surges).toEqual([OWNER]);
  });
});

describe('a pod that may be evicted', () => {
  const FREE: ClusterShape = {};

  test('moves by a rolling update if it is the only one of its workload', () => {
    expect(plan({ cluster: FREE }).command?.surges).toEqual([OWNER]);
  });

  test('is evicted if its workload has others', () => {
    const { command } = plan({ cluster: FREE, deployment: deployment({ replicas: 2 }) });
    expect([command?.method, command?.surges]).toEqual(['drift', undefined]);
  });

  test('keeps its node if it asks itself and cannot surge, but not because its NodePool asks', () => {
    const recreate = deployment({ strategy: { type: 'Recreate' } });
    expect(plan({ cluster: FREE, deployment: recreate }).keeps).toContain('strategy Recreate');
    const cluster = { pools: [askingPool()] };
    const { command } = plan({ cluster, deployment: recreate, pod: web({}) });
    expect([command?.method, command?.surges]).toEqual(['drift', undefined]);
  });

  test.each<[string, Given, string]>([
    [
      'was restarted half an hour ago',
      { deployment: restarted('2026-06-02T11:30:00Z') },
      'restarted less than an hour ago',
    ],
    [
      'could not be rolled lately',
      { options: { ...ON, surgeRefusals: new Map([[OWNER.uid, REFUSAL]]) } },
      'did not leave',
    ],
    [
      'is being rolled',
      { deployment: deployment({}, { status: { replicas: 2, availableReplicas: 1 } }) },
      'is in progress',
    ],
  ])(
    'keeps its node for a time, also if only its NodePool asks, where its Deployment %s',
    (_, given, reason) => {
      const cluster = { pools: [askingPool()] };
      const { command, keeps } = plan({ ...given, cluster, pod: ready(web({})) });
      expect(command).toBeUndefined();
      expect(keeps).toContain(reason);
    },
  );

  test('is evicted if only its NodePool asks, its rollout does not end and it is not Ready: there is nothing to spare', () => {
    const broken = deployment({}, { status: { availableReplicas: 0 } });
    const { command } = plan({ cluster: { pools: [askingPool()] }, deployment: broken, pod: web({}) });
    expect([command?.method, command?.surges]).toEqual(['drift', undefined]);
  });

  test('does not surge where a rolling update would end it first: maxUnavailable 1', () => {
    const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } };
    const { command, keeps } = plan({ cluster: FREE, deployment: deployment({ strategy }) });
    expect(command).toBeUndefined();
    expect(keeps).toContain('has maxUnavailable 1, so it ends the old pod first');
  });
});

test('a Deployment of a file, which has no UID, is not taken for that of other pods', () => {
  const { uid: _, ...metadata } = deployment().metadata;
  const pod = web({}, 'Job');
  const index = new WorkloadIndex({
    deployments: [{ ...deployment(), metadata }],
    replicaSets: [],
    statefulSets: [],
  });
  expect([index.ownerOf(pod), index.ownerOf(aPod('bare', {}))]).toEqual([undefined, undefined]);
});

describe('a pod of a StatefulSet', () => {
  const POD = web({ [SURGE]: 'true' }, 'StatefulSet');

  test('moves by a rolling update if it asks itself', () => {
    expect(plan({ pod: POD }).command?.surges).toEqual([
      { kind: 'StatefulSet', namespace: 'shop', name: 'web', uid: 'stateful-web' },
    ]);
  });

  test('waits while another pod of it is not available: the budget is there for that', () => {
    const three = statefulSet({ replicas: 3, podManagementPolicy: 'Parallel' }, { availableReplicas: 2 });
    const { command, keeps } = plan({ pod: POD, statefulSet: three });
    expect(command).toBeUndefined();
    expect(keeps).toContain('not all of its pods are available');
  });

  test('does not if only its NodePool asks: it would be down meanwhile', () => {
    const { command, keeps } = plan({
      pod: web({}, 'StatefulSet'),
      cluster: { ...HELD, pools: [askingPool()] },
    });
    expect(command).toBeUndefined();
    expect(keeps).toContain('ends its pod before it starts the next one');
  });

  test.each<[string, StatefulSet['spec']['updateStrategy'], string]>([
    ['is updated by deletion only', { type: 'OnDelete' }, 'update strategy OnDelete'],
    [
      'has a partition above the pod',
      { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      'partition 1',
    ],
  ])('does not if the StatefulSet %s', (_, updateStrategy, reason) => {
    const { command, keeps } = plan({
      pod: POD,
      statefulSet: statefulSet({ updateStrategy: updateStrategy! }),
    });
    expect(command).toBeUndefined();
    expect(keeps).toContain(reason);
  });
});

test('a command for several nodes rolls at most 500 workloads, each counted once', () => {
  const surges = (first: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      pod: `shop/${first + at}`,
      owner: { ...OWNER, kind: 'Deployment' as const, uid: `${first + at}` },
    }));
  const nodes = [{ surges: surges(0, 300) }, { surges: surges(100, 400) }, { surges: surges(500, 1) }];
  expect(nodesWithinMaxSurges(nodes)).toEqual(nodes.slice(0, 2));
  expect(nodesWithinMaxSurges(nodes.slice(0, 2))).toEqual(nodes.slice(0, 2));
});

test('a NodePool with a value that cannot be read is left alone', () => {
  const { command, keeps } = plan({ pod: web({}), cluster: { pools: [askingPool('always')] } });
  expect(command).toBeUndefined();
  expect(keeps).toContain(`metadata.annotations[${SURGE}]: "always"`);
});

function askingPool(value = 'true') {
  const pool = aDisruptedPool();
  const metadata = { ...pool.nodePool.metadata, annotations: { [SURGE]: value } };
  return { ...pool, nodePool: { ...pool.nodePool, metadata } };
}

function restarted(at: string): Deployment {
  const metadata = { annotations: { 'kubectl.kubernetes.io/restartedAt': at } };
  return deployment({ template: { metadata, spec: { containers: [] } } });
}

function ready(pod: Pod): Pod {
  return { ...pod, status: { ...pod.status, conditions: [{ type: 'Ready', status: 'True' }] } };
}

function withVolume(pod: Pod): Pod {
  const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
  return { ...pod, spec: { ...pod.spec, volumes } };
}
