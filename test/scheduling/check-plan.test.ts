/**
 * Tests of the plan checker: for every rule a plan that follows it, a plan that violates it, and the rule
 * that is reported.
 */
import { describe, expect, test } from 'vitest';
import type { SchedulingInput, VolumeFacts } from '../../packages/chandler/src/scheduling/index.ts';
import { aCluster, aDaemonSet, aNode, aPod, aPool, aType, podsLike } from './builders.ts';
import { checkPlan, finalNodes } from './check-plan.ts';
import { type HandMadePlan, handMadePlan } from './hand-made-plan.ts';
import { replay } from './replay.ts';
import type { Rule } from './violation.ts';

function brokenRules(input: SchedulingInput, made: HandMadePlan): Rule[] {
  return [...new Set(checkPlan(input, handMadePlan(input, made)).map(({ rule }) => rule))];
}

interface Example {
  readonly rule: Rule;
  readonly why: string;
  readonly input: SchedulingInput;
  readonly good: HandMadePlan;
  readonly bad: HandMadePlan;
  /** Rules that kube-scheduler does not check. */
  readonly onlyOurs?: true;
}

const two = (given: Parameters<typeof aPod>[0] = {}) => [
  aPod({ name: 'a', ...given }),
  aPod({ name: 'b', ...given }),
];
const web = { labels: { app: 'web' } };
const apart = [
  { pods: ['a'], type: 'small', zone: 'zone-1' },
  { pods: ['b'], type: 'small', zone: 'zone-2' },
];
const together = [{ pods: ['a', 'b'], type: 'small' }];
const csi = (limit: number): VolumeFacts => ({
  classes: [
    {
      metadata: { name: 'disk' },
      provisioner: 'disk.example.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
  ],
  claims: ['one', 'two'].map((name) => ({
    metadata: { name, namespace: 'default' },
    spec: { storageClassName: 'disk' },
  })),
  newNodeLimits: { 'disk.example.com': { '*': limit } },
  csiNodes: [
    {
      metadata: { name: 'node-1' },
      spec: { drivers: [{ name: 'disk.example.com', allocatable: { count: limit } }] },
    },
  ],
});

const EXAMPLES: readonly Example[] = [
  {
    rule: 'every pod once',
    why: 'a pod is on two claims',
    input: aCluster({ pods: two() }),
    good: { claims: apart },
    bad: { claims: [...apart, { pods: ['a'], type: 'small' }] },
    onlyOurs: true,
  },
  {
    rule: 'every pod once',
    why: 'a pod is forgotten',
    input: aCluster({ pods: two() }),
    good: { claims: [{ pods: ['a'], type: 'small' }], refused: ['b'] },
    bad: { claims: [{ pods: ['a'], type: 'small' }] },
    onlyOurs: true,
  },
  {
    rule: 'claim',
    why: 'the type is of another pool',
    input: aCluster({ pods: two(), pools: [aPool({ types: [aType({ name: 'small', cpu: 2 })] })] }),
    good: { claims: together },
    bad: { claims: [{ pods: ['a', 'b'], type: 'small', instanceTypes: ['small', 'large'] }] },
    onlyOurs: true,
  },
  {
    rule: 'claim',
    why: 'a requirement of the pool is not kept',
    input: aCluster({ pods: two(), pools: [aPool({ requirements: ['zone In zone-2'] })] }),
    good: { claims: [{ pods: ['a', 'b'], type: 'small', zone: 'zone-2' }] },
    bad: { claims: together },
    onlyOurs: true,
  },
  {
    rule: 'claim',
    why: 'it asks for less than its pods',
    input: aCluster({ pods: two() }),
    good: { claims: together },
    bad: {
      claims: [{ pods: ['a', 'b'], type: 'small', requests: { cpu: '100m', memory: '256Mi', pods: '2' } }],
    },
    onlyOurs: true,
  },
  {
    rule: 'price',
    why: 'a cheaper offering was open',
    input: aCluster({ pods: two() }),
    good: { claims: [{ pods: ['a', 'b'], type: 'small', instanceTypes: ['small', 'medium'] }] },
    bad: { claims: [{ pods: ['a', 'b'], type: 'medium', instanceTypes: ['small', 'medium'] }] },
    onlyOurs: true,
  },
  {
    rule: 'minValues',
    why: 'fewer types than the pool insists on',
    input: aCluster({ pods: two(), pools: [aPool({ requirements: ['type Exists min=2'] })] }),
    good: { claims: [{ pods: ['a', 'b'], type: 'small', instanceTypes: ['small', 'medium'] }] },
    bad: { claims: together },
    onlyOurs: true,
  },
  {
    rule: 'limits',
    why: 'two nodes of two cores where three cores are left',
    input: aCluster({ pods: two(), pools: [aPool({ limits: { cpu: 3 } })] }),
    good: { claims: together },
    bad: { claims: apart },
    onlyOurs: true,
  },
  {
    rule: 'limits',
    why: 'one node more than allowed',
    input: aCluster({
      pods: two(),
      pools: [aPool({ limits: { nodes: 2 } })],
      nodes: [aNode({ pool: 'default' })],
    }),
    good: { claims: together },
    bad: { claims: apart },
    onlyOurs: true,
  },
  {
    rule: 'reservations',
    why: 'one instance is reserved, two claims hold it',
    input: aCluster({
      pods: two(),
      pools: [
        aPool({
          types: [
            aType({
              name: 'small',
              offerings: [{ capacity: 'reserved', price: 0, reservation: { id: 'r', capacity: 1 } }],
            }),
          ],
        }),
      ],
    }),
    good: { claims: [{ pods: ['a', 'b'], type: 'small', capacity: 'reserved', reservations: ['r'] }] },
    bad: {
      claims: ['a', 'b'].map((name) => ({
        pods: [name],
        type: 'small',
        capacity: 'reserved',
        reservations: ['r'],
      })),
    },
    onlyOurs: true,
  },
  {
    rule: 'capacity',
    why: 'two pods of one and a half cores on two cores',
    input: aCluster({ pods: two({ cpu: '1500m' }) }),
    good: { claims: apart },
    bad: { claims: together },
  },
  {
    rule: 'capacity',
    why: 'no room beside the daemon',
    input: aCluster({ pods: two({ cpu: 1 }), daemonSets: [aDaemonSet({ cpu: '500m' })] }),
    good: {
      claims: [
        { pods: ['a'], type: 'small' },
        { pods: ['b'], type: 'small' },
      ],
    },
    bad: { claims: together },
  },
  {
    rule: 'capacity',
    why: 'more pods than the node takes',
    input: aCluster({
      pods: two(),
      nodes: [aNode({ pods: 2 })],
      boundPods: [aPod({ name: 'old', on: 'node-1' })],
    }),
    good: { nodes: { 'node-1': ['a'] }, refused: ['b'] },
    bad: { nodes: { 'node-1': ['a', 'b'] } },
  },
  {
    rule: 'taints',
    why: 'only one of them tolerates the pool',
    input: aCluster({
      pods: [aPod({ name: 'a', tolerate: ['team'] }), aPod({ name: 'b' })],
      pools: [aPool({ taints: ['team=red:NoSchedule'] })],
    }),
    good: { claims: [{ pods: ['a'], type: 'small' }], refused: ['b'] },
    bad: { claims: together },
  },
  {
    rule: 'node affinity',
    why: 'the cloud may choose a zone that the pod did not ask for',
    input: aCluster({ pods: two({ require: ['zone In zone-1'] }) }),
    good: { claims: together },
    bad: { claims: [{ pods: ['a', 'b'], type: 'small', zones: ['zone-1', 'zone-2'] }] },
    onlyOurs: true,
  },
  {
    rule: 'node affinity',
    why: 'the node has no such label',
    input: aCluster({
      pods: two({ nodeSelector: { disk: 'fast' } }),
      nodes: [aNode(), aNode({ name: 'node-2', labels: { disk: 'fast' } })],
    }),
    good: { nodes: { 'node-2': ['a', 'b'] } },
    bad: { nodes: { 'node-1': ['a', 'b'] } },
  },
  {
    rule: 'host ports',
    why: 'both want 8080',
    input: aCluster({ pods: two({ ports: [8080] }) }),
    good: { claims: apart },
    bad: { claims: together },
  },
  {
    rule: 'spread',
    why: 'two in one zone, none in the other',
    input: aCluster({
      pods: two({ ...web, spread: ['1 zone app=web'] }),
      nodes: [aNode(), aNode({ name: 'node-2', zone: 'zone-2' })],
    }),
    good: { nodes: { 'node-1': ['a'], 'node-2': ['b'] } },
    bad: { nodes: { 'node-1': ['a', 'b'] } },
  },
  {
    rule: 'spread',
    why: 'with too few domains every one counts as empty',
    input: aCluster({
      pods: two({
        ...web,
        spread: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            minDomains: 2,
            labelSelector: { matchLabels: { app: 'web' } },
            whenUnsatisfiable: 'DoNotSchedule',
          },
        ],
      }),
    }),
    good: { claims: apart },
    bad: { claims: together },
  },
  {
    rule: 'spread',
    why: 'the zone that was left open may turn out to be the full one',
    input: aCluster({
      pods: [aPod({ name: 'a', ...web, spread: ['1 zone app=web'] })],
      nodes: [aNode(), aNode({ name: 'node-2', zone: 'zone-2' })],
      boundPods: [aPod({ name: 'old', on: 'node-1', ...web })],
    }),
    good: { claims: [{ pods: ['a'], type: 'small', zone: 'zone-2' }] },
    bad: { claims: [{ pods: ['a'], type: 'small', zone: 'zone-2', zones: ['zone-1', 'zone-2'] }] },
    onlyOurs: true,
  },
  {
    rule: 'affinity',
    why: 'the selected pod is in another domain',
    input: aCluster({ pods: [aPod({ name: 'a', ...web }), aPod({ name: 'b', affinity: ['zone app=web'] })] }),
    good: { claims: together },
    bad: { claims: apart },
  },
  {
    rule: 'affinity',
    why: 'two of one group both start alone',
    input: aCluster({ pods: two({ ...web, affinity: ['zone app=web'] }) }),
    good: { claims: together },
    bad: { claims: apart },
  },
  {
    rule: 'anti-affinity',
    why: 'they keep away from each other',
    input: aCluster({ pods: two({ ...web, antiAffinity: ['host app=web'] }) }),
    good: { claims: apart },
    bad: { claims: together },
  },
  {
    rule: 'anti-affinity',
    why: 'the one that is there does not want the new one',
    input: aCluster({
      pods: [aPod({ name: 'a', ...web })],
      nodes: [aNode(), aNode({ name: 'node-2', zone: 'zone-2' })],
      boundPods: [aPod({ name: 'old', on: 'node-1', antiAffinity: ['zone app=web'] })],
    }),
    good: { nodes: { 'node-2': ['a'] } },
    bad: { nodes: { 'node-1': ['a'] } },
  },
  {
    rule: 'volumes',
    why: 'its volume is in another zone',
    input: aCluster({
      pods: [aPod({ name: 'a', claims: ['data'] })],
      volumes: {
        claims: [{ metadata: { name: 'data', namespace: 'default' }, spec: { volumeName: 'pv' } }],
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
    good: { claims: [{ pods: ['a'], type: 'small', zone: 'zone-2' }] },
    bad: { claims: [{ pods: ['a'], type: 'small', zone: 'zone-1' }] },
  },
  {
    rule: 'volumes',
    why: 'a new node attaches one volume only',
    input: aCluster({
      pods: [aPod({ name: 'a', claims: ['one'] }), aPod({ name: 'b', claims: ['two'] })],
      volumes: csi(1),
    }),
    good: { claims: apart },
    bad: { claims: together },
  },
];

describe('the plan checker', () => {
  for (const { rule, why, input, good, bad, onlyOurs } of EXAMPLES) {
    test(`${rule}: ${why}`, () => {
      expect(brokenRules(input, good)).toEqual([]);
      expect(brokenRules(input, bad)).toContain(rule);
      expect(replay(input, finalNodes(input, handMadePlan(input, good)))).toEqual([]);
      if (!onlyOurs) expect(replay(input, finalNodes(input, handMadePlan(input, bad)))).not.toEqual([]);
    });
  }

  test('a wrong total price is reported', () => {
    const input = aCluster({ pods: podsLike(2) });
    const plan = handMadePlan(input, { claims: [{ pods: ['pod-1', 'pod-2'], type: 'small' }] });
    expect(checkPlan(input, { ...plan, pricePerHour: 1 }).map(({ rule }) => rule)).toEqual(['price']);
  });

  test('lowered minValues are allowed with BestEffort only', () => {
    const pools = [aPool({ requirements: ['type Exists min=3'] })];
    const claims = [{ pods: ['pod-1'], type: 'small', minValuesRelaxed: true }];
    const strict = aCluster({ pods: podsLike(1), pools });
    expect(brokenRules(strict, { claims })).toEqual(['minValues']);
    expect(brokenRules({ ...strict, options: { minValuesPolicy: 'BestEffort' } }, { claims })).toEqual([]);
  });
});
