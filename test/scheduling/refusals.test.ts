/**
 * A refusal is correct: when the one thing that it names is changed by the facts that it gives, the obstacle
 * disappears. First one case per code, then the refusals of random clusters.
 */
import type { PersistentVolumeClaimSpec } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import {
  type RefusalCode,
  type SchedulingInput,
  solve,
  type VolumeFacts,
} from '../../packages/chandler/src/scheduling/index.ts';
import { someOf } from '../part.ts';
import { aCluster, aDaemonSet, aNode, aPod, aPool, aType, podKey } from './builders.ts';
import { randomCluster } from './random-cluster.ts';
import { nameOf, type Obstacle, obstaclesOf, type Place, remedy } from './remedies.ts';

interface Example {
  readonly code: RefusalCode;
  readonly why: string;
  readonly input: SchedulingInput;
  /** Facts the refusal must carry. */
  readonly facts: object;
  /** What a person does instead of the remedy by facts. */
  readonly instead?: (input: SchedulingInput) => SchedulingInput;
}

const pods = [aPod({ name: 'a' })];
const web = { labels: { app: 'web' } };
const disk = (claim: PersistentVolumeClaimSpec): VolumeFacts => ({
  claims: [{ metadata: { name: 'data', namespace: 'default' }, spec: claim }],
});
const reserved = aType({
  name: 'held',
  offerings: [{ capacity: 'reserved', price: 0.001, reservation: { id: 'r', capacity: 1 } }, { price: 1 }],
});

const EXAMPLES: readonly Example[] = [
  {
    code: 'TaintNotTolerated',
    why: 'a taint of the pool',
    input: aCluster({ pods, pools: [aPool({ taints: ['team=red:NoSchedule'] })] }),
    facts: { taint: { key: 'team', value: 'red', effect: 'NoSchedule' } },
  },
  {
    code: 'LabelUndefined',
    why: 'an undefined label, and a similar one',
    input: aCluster({
      pods: [aPod({ name: 'a', nodeSelector: { 'node.kubernetes.io/zone': 'zone-1' } })],
    }),
    facts: { key: 'node.kubernetes.io/zone', similar: 'topology.kubernetes.io/zone' },
  },
  {
    code: 'RequirementIncompatible',
    why: 'a zone that the pool does not have',
    input: aCluster({
      pods: [aPod({ name: 'a', nodeSelector: { zone: 'zone-9' } })],
      pools: [aPool({ requirements: ['zone In zone-1'] })],
    }),
    facts: { key: 'topology.kubernetes.io/zone', source: 'pod' },
  },
  {
    code: 'RequirementIncompatible',
    why: 'a volume in a zone that the pool does not have',
    input: aCluster({
      pods: [aPod({ name: 'a', claims: ['data'] })],
      pools: [aPool({ requirements: ['zone In zone-1'] })],
      volumes: {
        ...disk({ volumeName: 'pv' }),
        volumes: [
          {
            metadata: { name: 'pv' },
            spec: {
              nodeAffinity: {
                required: {
                  nodeSelectorTerms: [
                    {
                      matchExpressions: [
                        { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['zone-2'] },
                      ],
                    },
                  ],
                },
              },
            },
          },
        ],
      },
    }),
    facts: { key: 'topology.kubernetes.io/zone', source: 'volume' },
  },
  {
    code: 'ResourceInsufficient',
    why: 'two cores more than the largest type',
    input: aCluster({ pods: [aPod({ name: 'a', cpu: 18 })] }),
    facts: { resource: 'cpu', requested: '18', available: '16', missing: '2' },
    instead: (input) => ({ ...input, pools: [aPool({ types: [aType({ name: 'large', cpu: 18 })] })] }),
  },
  {
    code: 'ResourceInsufficient',
    why: 'memory on a node that is there',
    input: aCluster({ pods: [aPod({ name: 'a', memory: '20Gi' })], pools: [], nodes: [aNode()] }),
    facts: { resource: 'memory', missing: '4Gi' },
    instead: (input) => ({ ...input, nodes: [aNode({ memory: '20Gi' })] }),
  },
  {
    code: 'NoOffering',
    why: 'the type is sold out in the zone',
    input: aCluster({
      pods: [aPod({ name: 'a', nodeSelector: { zone: 'zone-1' } })],
      pools: [
        aPool({ types: [aType({ offerings: [{ zone: 'zone-1', available: false }, { zone: 'zone-2' }] })] }),
      ],
    }),
    facts: {},
  },
  {
    code: 'NoTypeMeetsAll',
    why: 'one type has the architecture, another the name',
    input: aCluster({
      pods: [aPod({ name: 'a', nodeSelector: { arch: 'arm64', type: 'big' } })],
      pools: [aPool({ types: [aType({ name: 'arm', arch: 'arm64' }), aType({ name: 'big' })] })],
    }),
    facts: {},
    instead: (input) => ({ ...input, pods: [aPod({ name: 'a', nodeSelector: { arch: 'arm64' } })] }),
  },
  {
    code: 'MinValuesUnmet',
    why: 'two of three types are left',
    input: aCluster({
      pods: [aPod({ name: 'a', cpu: 3 })],
      pools: [aPool({ requirements: ['type Exists min=3'] })],
    }),
    facts: { key: 'node.kubernetes.io/instance-type', wanted: 3, found: 2 },
  },
  {
    code: 'LimitExceeded',
    why: 'one core is left',
    input: aCluster({ pods, pools: [aPool({ limits: { cpu: 5 }, used: { cpu: 4 } })] }),
    facts: { resource: 'cpu', limit: '5', remaining: '1', needed: '2' },
  },
  {
    code: 'LimitExceeded',
    why: 'no node is left',
    input: aCluster({ pods, pools: [aPool({ limits: { nodes: 0 } })] }),
    facts: { resource: 'nodes', limit: '0', remaining: '0', needed: '1' },
  },
  {
    code: 'PoolWithoutTypes',
    why: 'nothing meets the requirements of the pool',
    input: aCluster({ pods, pools: [aPool({ requirements: ['arch In arm64'] })] }),
    facts: {},
    instead: (input) => ({
      ...input,
      pools: [aPool({ requirements: ['arch In arm64'], types: [aType({ arch: 'arm64' })] })],
    }),
  },
  {
    code: 'ReservedOnly',
    why: 'the reservation is used up',
    input: aCluster({
      pods: ['a', 'b'].map((name) => aPod({ name, ...web, antiAffinity: ['host app=web'] })),
      pools: [aPool({ types: [reserved] })],
      options: { reservedMode: 'strict' },
    }),
    facts: { reservations: ['r'] },
  },
  {
    code: 'HostPortTaken',
    why: 'a daemon has the port on every node',
    input: aCluster({
      pods: [aPod({ name: 'a', ports: [9100] })],
      daemonSets: [aDaemonSet({ ports: [9100] })],
    }),
    facts: { port: 9100, protocol: 'TCP' },
  },
  {
    code: 'TopologyUnsatisfiable',
    why: 'an affinity without a matching pod',
    input: aCluster({ pods: [aPod({ name: 'a', affinity: ['zone app=db'] })] }),
    facts: { kind: 'pod affinity', key: 'topology.kubernetes.io/zone' },
  },
  {
    code: 'TopologyUnsatisfiable',
    why: 'a key to spread over that nothing has',
    input: aCluster({ pods: [aPod({ name: 'a', ...web, spread: ['1 rack app=web'] })] }),
    facts: { kind: 'topology spread', key: 'rack', maxSkew: 1 },
  },
  {
    code: 'TopologyUnsatisfiable',
    why: 'one that it cannot stand is in every zone',
    input: aCluster({
      pods: [aPod({ name: 'a', antiAffinity: ['zone app=db'] })],
      pools: [aPool({ requirements: ['zone In zone-1'] })],
      nodes: [aNode()],
      boundPods: [aPod({ name: 'db', on: 'node-1', labels: { app: 'db' } })],
    }),
    facts: { kind: 'pod anti-affinity', counts: { 'zone-1': 1 } },
  },
  {
    code: 'TopologyUnsatisfiable',
    why: 'one that cannot stand it is in every zone',
    input: aCluster({
      pods: [aPod({ name: 'a', ...web })],
      pools: [aPool({ requirements: ['zone In zone-1'] })],
      nodes: [aNode()],
      boundPods: [aPod({ name: 'db', on: 'node-1', antiAffinity: ['zone app=web'] })],
    }),
    facts: { kind: 'pod anti-affinity of another pod' },
  },
  {
    code: 'VolumeLimit',
    why: 'a node that attaches no more',
    input: aCluster({
      pods: [aPod({ name: 'a', claims: ['data'] })],
      pools: [],
      nodes: [aNode()],
      volumes: {
        ...disk({ storageClassName: 'disk' }),
        classes: [
          {
            metadata: { name: 'disk' },
            provisioner: 'disk.example.com',
            volumeBindingMode: 'WaitForFirstConsumer',
          },
        ],
        csiNodes: [
          {
            metadata: { name: 'node-1' },
            spec: { drivers: [{ name: 'disk.example.com', allocatable: { count: 0 } }] },
          },
        ],
      },
    }),
    facts: { driver: 'disk.example.com', limit: 0, used: 0, wanted: 1 },
  },
  {
    code: 'ResourceClaims',
    why: 'devices by claim',
    input: aCluster({ pods: [aPod({ name: 'a', spec: { resourceClaims: [{ name: 'device' }] } })] }),
    facts: { claims: ['device'] },
  },
  {
    code: 'VolumeClaimMissing',
    why: 'a claim that is not there',
    input: aCluster({ pods: [aPod({ name: 'a', claims: ['data'] })] }),
    facts: { claim: 'default/data' },
  },
  {
    code: 'StorageClassMissing',
    why: 'a class that is not there',
    input: aCluster({
      pods: [aPod({ name: 'a', claims: ['data'] })],
      volumes: disk({ storageClassName: 'gone' }),
    }),
    facts: { claim: 'default/data', storageClass: 'gone' },
  },
  {
    code: 'VolumeMissing',
    why: 'a volume that is not there',
    input: aCluster({ pods: [aPod({ name: 'a', claims: ['data'] })], volumes: disk({ volumeName: 'gone' }) }),
    facts: { claim: 'default/data', volume: 'gone' },
  },
  {
    code: 'NoPools',
    why: 'no pools',
    input: aCluster({ pods, pools: [] }),
    facts: {},
    instead: (input) => ({ ...input, pools: [aPool()] }),
  },
  {
    code: 'InvalidPod',
    why: 'a request that is no quantity',
    input: aCluster({ pods: [aPod({ name: 'a', cpu: 'much' })] }),
    facts: {},
    instead: (input) => ({ ...input, pods }),
  },
];

function obstacles(input: SchedulingInput): { pods: readonly string[]; obstacle: Obstacle; place: Place }[] {
  return solve(input).refusals.flatMap((refusal) =>
    [...obstaclesOf(refusal)].map((found) => ({ pods: refusal.pods, ...found })),
  );
}

const CLUSTERS = someOf('random clusters with refusals', 300, 60);

describe('a refusal', () => {
  for (const { code, why, input, facts, instead } of EXAMPLES) {
    test(`${code}: ${why}`, () => {
      const found = obstacles(input).find(({ obstacle }) => obstacle.code === code);
      expect(found?.obstacle).toMatchObject({ code, ...facts });
      const { pods: refused, obstacle, place } = found!;
      const remedied = instead ? instead(input) : remedy(input, refused, obstacle, place);
      expect(remedied).toBeDefined();
      expect(solve(remedied!).refusals).toEqual([]);
    });
  }

  test('has an example for every code', () => {
    const every: readonly RefusalCode[] = [
      'TaintNotTolerated',
      'LabelUndefined',
      'RequirementIncompatible',
      'ResourceInsufficient',
      'NoOffering',
      'NoTypeMeetsAll',
      'MinValuesUnmet',
      'LimitExceeded',
      'PoolWithoutTypes',
      'ReservedOnly',
      'HostPortTaken',
      'TopologyUnsatisfiable',
      'VolumeLimit',
      'InvalidPod',
      'ResourceClaims',
      'VolumeClaimMissing',
      'StorageClassMissing',
      'VolumeMissing',
      'NoPools',
    ];
    expect([...new Set(EXAMPLES.map(({ code }) => code))].sort()).toEqual([...every].sort());
  });

  test('exists for every unschedulable pod and covers every pool', () => {
    for (let seed = 60_000; seed < 60_000 + CLUSTERS; seed += 1) {
      const { input } = randomCluster(seed);
      for (const refusal of solve(input).refusals) {
        if (refusal.problem) continue;
        const reported = refusal.pools.map(({ nodePool }) => nodePool).sort();
        expect(reported, `seed ${seed}`).toEqual(
          input.pools.map(({ nodePool }) => nodePool.metadata.name).sort(),
        );
        const counted = refusal.nodes.reduce((sum, { count }) => sum + count, 0);
        expect(counted, `seed ${seed}`).toBe(input.nodes?.length ?? 0);
      }
    }
  });

  test('is correct in random clusters: the obstacle disappears when the named cause is changed', () => {
    for (let seed = 60_000; seed < 60_000 + CLUSTERS; seed += 1) {
      const { input } = randomCluster(seed);
      for (const { pods: refused, obstacle, place } of obstacles(input).filter(isAboutPodAlone)) {
        // Alone with its obstacle: other pods cannot put the same thing in its way again.
        const alone = {
          ...input,
          pods: input.pods.filter((pod) => podKey(pod) === refused[0]),
        };
        const before = obstacles(alone)
          .filter((other) => samePlace(other.place, place))
          .map((o) => nameOf(o.obstacle));
        if (!before.includes(nameOf(obstacle))) continue;
        const remedied = remedy(alone, refused, obstacle, place);
        if (!remedied) continue;
        const after = obstacles(remedied)
          .filter((other) => samePlace(other.place, place))
          .map((o) => nameOf(o.obstacle));
        expect(after, `seed ${seed}: ${JSON.stringify({ refused, obstacle, place })}`).not.toContain(
          nameOf(obstacle),
        );
      }
    }
  });
});

// ---------------------------------------------------------------------------------------------------

const ALONE: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'ResourceInsufficient',
  'HostPortTaken',
  'MinValuesUnmet',
  'TopologyUnsatisfiable',
  'ResourceClaims',
  'VolumeLimit',
]);

function isAboutPodAlone({ obstacle }: { obstacle: Obstacle }): boolean {
  return ALONE.has(obstacle.code);
}

function samePlace(left: Place, right: Place): boolean {
  return left.pool === right.pool && left.node === right.node;
}
