import { describe, expect, test } from 'vitest';
import {
  aNode,
  aPod,
  aPool,
  awayFrom,
  bound,
  cluster,
  HOST,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import { prepare, solve } from './solve.ts';

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

  test('plans without some nodes as if they did not exist', () => {
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

  test('releases the limits of removed nodes', () => {
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

  test('compiles a new snapshot for pods with unknown selectors', () => {
    const other = aPod('other', {
      labels: { odd: 'yes' },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: HOST, labelSelector: { matchLabels: { odd: 'yes' } } },
          ],
        },
      },
    });
    const plan = prepare(input).solveWithout({ nodes: ['n1'], extraPods: [other], explain: true });
    expect(plan.counts).toMatchObject({ pods: 2, refused: 0 });
  });

  test('does not let extra pods of one request constrain the next', () => {
    const other = aPod('other', { cpu: '1', ...awayFrom(HOST, 'other') });
    const snapshot = prepare(cluster({ pods: [other, aPod('own', { cpu: '1', labels: { app: 'web' } })] }));
    const before = snapshot.solve();
    snapshot.solveWithout({ nodes: [], extraPods: [aPod('guest', awayFrom(ZONE, 'web'))] });
    expect(snapshot.solve()).toEqual(before);
  });

  test('plans extra pods that name a value of an open label, with a spread over it', () => {
    const open = aPool('open', { requirements: [{ key: 'team', operator: 'Exists' }] });
    const guest = aPod('guest', { cpu: '1', nodeSelector: { team: 'red' }, ...spreadOver('team', 'guest') });
    const given = cluster({ pools: [open], pods: [aPod('own', spreadOver('team', 'own'))] });
    const plan = prepare(given).solveWithout({ nodes: [], extraPods: [guest] });
    expect(plan.refusals.flatMap((refusal) => refusal.pods)).not.toContain('shop/guest');
    expect(plan).toEqual(solve({ ...given, pods: [...given.pods, guest] }));
  });

  test('releases the limits of removed nodes also for such pods', () => {
    const open = aPool('open', {
      requirements: [{ key: 'team', operator: 'Exists' }],
      limits: { nodes: '1' },
      used: { nodes: '1' },
    });
    const guest = aPod('guest', { cpu: '1', nodeSelector: { team: 'red' }, ...spreadOver('team', 'guest') });
    const there = aNode('n1', { pool: 'open', zone: 'zone-a' });
    const given = cluster({ pools: [open], nodes: [there], pods: [aPod('own', spreadOver('team', 'own'))] });
    const plan = prepare(given).solveWithout({ nodes: ['n1'], extraPods: [guest] });
    expect(plan.refusals).toEqual([]);
  });

  test('does not count a bound pod that a request places elsewhere', () => {
    const moved = bound('n1', aPod('shy', { cpu: '100m', ...awayFrom(HOST, 'web') }))[0]!;
    const web1 = aPod('web', { cpu: '1', labels: { app: 'web' } });
    const given = cluster({ pools: [], nodes: nodes.slice(0, 1), boundPods: [moved], pods: [web1] });
    const { nodeName: _, ...spec } = moved.spec;
    const extraPods = [{ ...moved, spec }];
    const plan = prepare(given).solveWithout({ nodes: [], extraPods });
    expect(plan.placements).toEqual([{ node: 'n1', pods: ['shop/web'] }]);
    expect(plan).toEqual(solve({ ...given, pods: [...given.pods, ...extraPods] }));
  });

  test('ignores the anti-affinity of pods on a removed node', () => {
    const lone = aPod('lone', { cpu: '3', labels: { app: 'lone' } });
    const snapshot = prepare({ ...input, pools: [], pods: [lone], nodes: nodes.slice(1, 2) });
    expect(snapshot.solve().counts.refused).toBe(1);
    expect(snapshot.solveWithout({ nodes: ['n2'] }).refusals[0]!.nodes).toEqual([]);
  });

  test('drops a zone that only a removed node had, and restores it afterwards', () => {
    const far = aNode('far', { pool: 'default', zone: 'zone-far', allocatable: { cpu: '0' } });
    const snapshot = prepare(cluster({ nodes: [...nodes, far], pods: pods(4, 'web', web) }));
    // The far zone is empty and takes nobody: so each of the others gets one pod.
    const before = snapshot.solve();
    expect(before.counts).toMatchObject({ placed: 3, refused: 1 });
    expect(snapshot.solveWithout({ nodes: ['far'] }).counts).toMatchObject({ placed: 4, refused: 0 });
    expect(snapshot.solve()).toEqual(before);
  });

  test('keeps the same pod classes over many requests', () => {
    const snapshot = prepare(input);
    const extraPods = boundPods.filter((pod) => pod.spec.nodeName === 'n1');
    const counts = [1, 2, 3].map(() => snapshot.solveWithout({ nodes: ['n1'], extraPods }).counts);
    expect(counts.map(({ podClasses }) => podClasses)).toEqual([1, 1, 1]);
  });
});
