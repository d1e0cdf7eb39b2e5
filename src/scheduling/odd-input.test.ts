import { describe, expect, it } from 'vitest';
import {
  aNode,
  aPod,
  aPool,
  aType,
  awayFrom,
  bound,
  cluster,
  HOST,
  near,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import type { SchedulingInput } from './model.ts';
import { prepare, solve } from './solve.ts';

const refused = (input: Partial<SchedulingInput>) => solve(cluster(input)).refusals[0]!;

describe('input that makes no sense', () => {
  it.each<[string, Partial<SchedulingInput>, string, string]>([
    [
      'a price',
      { pools: [aPool('p', { types: [aType('t', { price: Number.NaN })] })] },
      'InstanceType/t',
      'offerings[0].price',
    ],
    [
      'a negative price',
      { pools: [aPool('p', { types: [aType('t', { price: -1 })] })] },
      'InstanceType/t',
      'offerings[0].price',
    ],
    [
      'an operator of a type',
      { pools: [aPool('p', { types: [aType('t', { requirements: [{ key: 'k', operator: 'Near' }] })] })] },
      'InstanceType/t',
      'requirements[4]',
    ],
    [
      'a capacity',
      { pools: [aPool('p', { types: [aType('t', { capacity: { cpu: 'much' } })] })] },
      'InstanceType/t',
      'capacity.cpu',
    ],
    ['a type twice', { pools: [aPool('p', { types: [aType('t'), aType('t')] })] }, 'InstanceType/t', 'name'],
    [
      'an operator of a pool',
      { pools: [aPool('p', { requirements: [{ key: 'k', operator: 'Near' as never }] })] },
      'NodePool/p',
      'spec.template.spec.requirements[0]',
    ],
    ['a limit', { pools: [aPool('p', { limits: { cpu: 'much' } })] }, 'NodePool/p', 'spec.limits.cpu'],
    ['a catalogue', { pools: [aPool('p', { types: 'nowhere' })] }, 'NodePool/p', 'instanceTypes'],
    ['a pool twice', { pools: [aPool('p'), aPool('p')] }, 'NodePool/p', 'metadata.name'],
    ['a node', { nodes: [aNode('n', { cpu: 'much' })] }, 'Node/n', 'allocatable.cpu'],
    ['a node twice', { nodes: [aNode('n'), aNode('n')] }, 'Node/n', 'name'],
    [
      'a daemon',
      {
        daemonSets: [
          {
            metadata: { name: 'd', namespace: 's' },
            spec: { template: { spec: { containers: [{ resources: { requests: { cpu: 'much' } } }] } } },
          },
        ],
      },
      'DaemonSet/s/d',
      'spec.template.spec.containers.resources.requests.cpu',
    ],
  ])('%s is named and left out', (_, input, object, field) => {
    const { inputErrors } = solve(cluster({ ...input, pods: [aPod('x')] }));
    expect(inputErrors.map((error) => [error.object, error.field])).toContainEqual([object, field]);
  });

  it.each<[string, object, string]>([
    ['requests', { cpu: 'much' }, 'spec.containers.resources.requests.cpu'],
    ['negative requests', { memory: '-1' }, 'spec.containers.resources.requests.memory'],
    [
      'operators',
      {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'k', operator: 'Near' }] }],
            },
          },
        },
      },
      'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]',
    ],
    ['skews', spreadOver(ZONE, 'web', { maxSkew: 0 }), 'spec.topologySpreadConstraints[0].maxSkew'],
    ['spread keys', spreadOver('', 'web'), 'spec.topologySpreadConstraints[0].topologyKey'],
    [
      'spread modes',
      spreadOver(ZONE, 'web', { whenUnsatisfiable: 'Perhaps' }),
      'spec.topologySpreadConstraints[0].whenUnsatisfiable',
    ],
    ['affinity keys', near('', 'web'), 'spec.affinity.podAffinity.topologyKey'],
    [
      'selectors',
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: ZONE, labelSelector: { matchExpressions: [{ key: 'a', operator: 'Near' }] } },
            ],
          },
        },
      },
      'spec.affinity.podAffinity.labelSelector',
    ],
  ])('%s of a pod are its problem, with the field', (_, shape, field) => {
    const plan = solve(cluster({ pods: [aPod('x', shape), aPod('fine')] }));
    expect(plan.refusals[0]!.problem).toMatchObject({ code: 'InvalidPod', field });
    expect(plan.counts.placed).toBe(1);
  });

  it('a pod without a spec is a problem, and harms nobody', () => {
    const plan = solve(cluster({ pods: [{ metadata: { name: 'x' } } as never, aPod('fine')] }));
    expect(plan.refusals[0]!.problem).toMatchObject({ field: 'spec' });
  });

  it('absurd requests are simply too much', () => {
    const huge = aPod('x', { cpu: '99999999999999999999', memory: '9999Ei' });
    expect(refused({ pods: [huge] }).pools[0]!.refusal.code).toBe('ResourceInsufficient');
  });
});

describe('a snapshot', () => {
  const nodes = [
    aNode('n1', { pool: 'default' }),
    aNode('n2', { pool: 'default', zone: 'zone-b' }),
    aNode('n3', { pool: 'default', zone: 'zone-c' }),
  ];
  const web = { cpu: '1', ...spreadOver(ZONE, 'web') };
  const boundPods = [
    ...bound('n1', aPod('a', web)),
    ...bound('n2', aPod('b', web), aPod('shy', awayFrom(HOST, 'lone'))),
    ...bound('n3', aPod('c', web)),
  ];
  const input = cluster({
    pools: [aPool('default', { limits: { nodes: '4' } })],
    nodes,
    boundPods,
    pods: [aPod('new', web)],
  });

  it('answers what happens without some nodes, as if they had never been there', () => {
    const snapshot = prepare(input);
    const first = JSON.stringify(snapshot.solve());
    for (const name of ['n1', 'n2', 'n3']) {
      const extraPods = boundPods.filter((pod) => pod.spec.nodeName === name);
      const without = snapshot.solveWithout({ nodes: [name], extraPods });
      const afresh = solve({
        ...input,
        nodes: nodes.filter((node) => node.name !== name),
        boundPods: boundPods.filter((pod) => pod.spec.nodeName !== name),
        pods: [...input.pods, ...extraPods],
      });
      expect({ ...without, counts: null }).toEqual({ ...afresh, counts: null });
    }
    expect(JSON.stringify(snapshot.solve())).toBe(first);
  });

  it('gives back the limits of what is removed', () => {
    const big = pods(2, 'big', { cpu: '15' });
    const snapshot = prepare({ ...input, pods: big });
    expect(snapshot.solve().counts.refused).toBe(1);
    expect(snapshot.solveWithout({ nodes: ['n1'] }).counts.refused).toBe(0);
    const used = prepare({
      ...input,
      pools: [aPool('default', { limits: { nodes: '4' }, used: { nodes: '4' } })],
      pods: big,
    });
    expect(used.solveWithout({ nodes: ['n1'], explain: false }).counts).toMatchObject({
      placed: 1,
      refused: 1,
    });
  });

  it('takes the long way for pods whose selectors it has never seen', () => {
    const stranger = aPod('stranger', {
      labels: { odd: 'yes' },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: HOST, labelSelector: { matchLabels: { odd: 'yes' } } },
          ],
        },
      },
    });
    const plan = prepare(input).solveWithout({ nodes: ['n1'], extraPods: [stranger], explain: true });
    expect(plan.counts).toMatchObject({ pods: 2, refused: 0 });
  });

  it('keeps apart from a removed node the pods it kept away', () => {
    const lone = aPod('lone', { cpu: '3', labels: { app: 'lone' } });
    const snapshot = prepare({ ...input, pools: [], pods: [lone], nodes: nodes.slice(1, 2) });
    expect(snapshot.solve().counts.refused).toBe(1);
    expect(snapshot.solveWithout({ nodes: ['n2'] }).refusals[0]!.nodes).toEqual([]);
  });
});
