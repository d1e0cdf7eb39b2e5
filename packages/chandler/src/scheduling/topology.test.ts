import { describe, expect, test } from 'vitest';
import {
  affinityTo,
  aNode,
  aPod,
  aPool,
  aType,
  awayFrom,
  bound,
  CAPACITY,
  cluster,
  HOST,
  near,
  oneOf,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import type { Plan } from './plan.ts';
import { solve } from './solve.ts';

/** The number of pods by the zone of their claim. */
function byZone(plan: Plan, name: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const claim of plan.claims) {
    const zones = claim.requirements.find(({ key }) => key === ZONE)?.values ?? ['any'];
    const count = claim.pods.filter((pod) => pod.includes(name)).length;
    if (count > 0) counts[zones.join('+')] = (counts[zones.join('+')] ?? 0) + count;
  }
  return counts;
}

describe('spread constraints', () => {
  test('spread over zones by the number of pods', () => {
    const plan = solve(cluster({ pods: pods(7, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') }) }));
    expect(Object.values(byZone(plan, 'web')).sort()).toEqual([2, 2, 3]);
  });

  test('count bound pods, also in zones that only existing nodes have', () => {
    const nodes = [aNode('n', { zone: 'zone-a', cpu: '0' })];
    const boundPods = bound('n', ...pods(2, 'old', { labels: { app: 'web' } }));
    const plan = solve(cluster({ nodes, boundPods, pods: pods(4, 'web', spreadOver(ZONE, 'web')) }));
    expect(byZone(plan, 'web')).toEqual({ 'zone-b': 2, 'zone-c': 2 });
  });

  test('do not count pods that are being rescheduled, have finished or are being deleted', () => {
    const nodes = [aNode('n', { zone: 'zone-a', cpu: '0' })];
    const shape = spreadOver(ZONE, 'web');
    const gone = { ...aPod('gone', shape), status: { phase: 'Succeeded' } };
    const going = aPod('going', shape);
    const leaving = { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const boundPods = bound('n', aPod('web-001', shape), gone, leaving);
    const plan = solve(cluster({ nodes, boundPods, pods: pods(3, 'web', { cpu: '1', ...shape }) }));
    expect(byZone(plan, 'web')).toEqual({ 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 });
  });

  test('try the next zone when the one with the fewest pods has no available type', () => {
    const types = [aType('t', { zones: ['zone-b', 'zone-c'] }), aType('tiny', { cpu: 1, zones: ['zone-a'] })];
    const pools = [aPool('p', { types })];
    const plan = solve({ pools, pods: pods(1, 'web', { cpu: '2', ...spreadOver(ZONE, 'web') }) });
    expect(byZone(plan, 'web')).toEqual({ 'zone-b': 1 });
  });

  test('count pods of a claim once the claim is narrowed to one zone', () => {
    const wide = aPod('first', { cpu: '3', labels: { app: 'web' } });
    const plan = solve(
      cluster({ pods: [wide, ...pods(3, 'web', { cpu: '1', ...spreadOver(ZONE, 'web') })] }),
    );
    const zones = plan.claims.flatMap((claim) => {
      const zone = claim.requirements.find(({ key }) => key === ZONE)?.values?.[0];
      return claim.pods.map(() => zone!);
    });
    const counts = ['zone-a', 'zone-b', 'zone-c'].map(
      (zone) => zones.filter((other) => other === zone).length,
    );
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect(zones).toHaveLength(4);
  });

  test('over hosts always allow a new host', () => {
    const plan = solve(
      cluster({ pods: pods(4, 'web', { cpu: '100m', ...spreadOver(HOST, 'web', { maxSkew: 2 }) }) }),
    );
    expect(plan.claims.map((claim) => claim.pods.length)).toEqual([2, 2]);
  });

  test('work over capacity types and custom labels', () => {
    const byType = solve(cluster({ pods: pods(4, 'web', spreadOver(CAPACITY, 'web')) }));
    const types = byType.claims.map(
      (claim) => claim.requirements.find(({ key }) => key === CAPACITY)!.values,
    );
    expect(types).toEqual([['spot'], ['on-demand']]);
    const pools = [aPool('p', { requirements: [{ key: 'rack', operator: 'In', values: ['1', '2'] }] })];
    const byRack = solve({ pools, pods: pods(4, 'web', spreadOver('rack', 'web')) });
    expect(byRack.claims.map((claim) => claim.labels['rack'])).toEqual(['1', '2']);
    const unknown = solve(cluster({ pods: pods(1, 'web', spreadOver('rack', 'web')) }));
    expect(unknown.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'TopologyUnsatisfiable',
      key: 'rack',
    });
  });

  test('limit pods per zone when there are fewer zones than minDomains', () => {
    const spread = spreadOver(ZONE, 'web', { minDomains: 4 });
    const plan = solve(cluster({ pods: pods(5, 'web', spread) }));
    expect(plan.counts).toMatchObject({ placed: 3, refused: 2 });
    expect(plan.refusals[0]!.pools[0]!.refusal).toMatchObject({
      kind: 'topology spread',
      minDomains: 4,
      counts: { 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 },
    });
  });

  test('consider only zones that the pod may use', () => {
    const shape = { ...spreadOver(ZONE, 'web'), nodeSelector: { [ZONE]: 'zone-a' } };
    expect(solve(cluster({ pods: pods(5, 'web', shape) })).counts.placed).toBe(5);
  });

  test('distinguish revisions by matchLabelKeys', () => {
    const spread = spreadOver(ZONE, 'web', { matchLabelKeys: ['hash'] });
    const revision = (hash: string) => pods(3, `web-${hash}`, { ...spread, labels: { app: 'web', hash } });
    const plan = solve(cluster({ pods: [...revision('one'), ...revision('two')] }));
    expect(byZone(plan, 'web-one')).toEqual({ 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 });
  });

  test('follow nodeTaintsPolicy and nodeAffinityPolicy', () => {
    const nodes = [aNode('n', { zone: 'zone-d', taints: [{ key: 'x', effect: 'NoSchedule' }], cpu: '0' })];
    const placed = (more: object) =>
      solve(cluster({ nodes, pods: pods(6, 'web', spreadOver(ZONE, 'web', more)) })).counts.placed;
    expect(placed({})).toBe(3);
    expect(placed({ nodeTaintsPolicy: 'Honor' })).toBe(6);
    const picky = (more: object) =>
      solve(
        cluster({
          nodes,
          pods: pods(6, 'web', {
            ...spreadOver(ZONE, 'web', more),
            nodeSelector: { 'kubernetes.io/arch': 'amd64' },
          }),
        }),
      ).counts.placed;
    expect(picky({})).toBe(6);
    expect(picky({ nodeAffinityPolicy: 'Ignore' })).toBe(3);
  });

  test('that are soft are relaxed', () => {
    const soft = spreadOver(ZONE, 'web', { whenUnsatisfiable: 'ScheduleAnyway', minDomains: 9 });
    expect(solve(cluster({ pods: pods(9, 'web', soft) })).counts.placed).toBe(9);
  });

  test('from the cluster defaults apply to pods with a deduced selector', () => {
    const constraints = [{ maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule' }];
    const services = [{ metadata: { namespace: 'shop' }, selector: { app: 'web' } }];
    const controllers = [
      {
        metadata: { namespace: 'shop', name: 'owner' },
        kind: 'ReplicaSet',
        selector: { matchLabels: { app: 'db' } },
      },
    ];
    const defaultSpread = { constraints, services, controllers };
    const list = [
      ...pods(3, 'web', { labels: { app: 'web' } }),
      ...pods(3, 'db', { labels: { app: 'db' }, owner: 'ReplicaSet' }),
      ...pods(3, 'lone'),
    ];
    const plan = solve(cluster({ pods: list, defaultSpread }));
    expect(byZone(plan, 'web')).toEqual({ 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 });
    expect(byZone(plan, 'db')).toEqual({ 'zone-a': 1, 'zone-b': 1, 'zone-c': 1 });
  });
});

describe('affinity to other pods', () => {
  test('keeps a group in the zone where it starts', () => {
    const shape = { labels: { app: 'web' }, ...near(ZONE, 'web') };
    const plan = solve(cluster({ pods: pods(9, 'web', { cpu: '4', ...shape }) }));
    expect(plan.claims.length).toBeGreaterThan(1);
    expect(Object.keys(byZone(plan, 'web'))).toEqual(['zone-a']);
  });

  test('follows bound pods, on their node or in their zone', () => {
    const nodes = [aNode('n1', { zone: 'zone-b' }), aNode('n2', { zone: 'zone-c' })];
    const boundPods = bound('n2', aPod('db', { labels: { app: 'db' } }));
    const onHost = solve(cluster({ nodes, boundPods, pods: [aPod('x', near(HOST, 'db'))] }));
    expect(onHost.placements).toEqual([{ node: 'n2', pods: ['shop/x'] }]);
    const inZone = solve(
      cluster({ nodes, boundPods, pods: pods(1, 'x', { cpu: '8', ...near(ZONE, 'db') }) }),
    );
    expect(byZone(inZone, 'x')).toEqual({ 'zone-c': 1 });
  });

  test('on one host fills that host and then refuses', () => {
    const shape = { cpu: '6', labels: { app: 'web' }, ...near(HOST, 'web') };
    const plan = solve(cluster({ pods: pods(3, 'web', shape) }));
    expect(plan.claims.map((claim) => claim.pods.length)).toEqual([2]);
    expect(plan.refusals[0]!.pools[0]!.refusal).toMatchObject({
      kind: 'pod affinity',
      key: HOST,
      counts: { 'default-1': 2 },
    });
    expect(plan.refusals[0]!.claims[0]!.refusal).toMatchObject({
      code: 'ResourceInsufficient',
      resource: 'cpu',
    });
  });

  test('without a matching pod is refused, also when two pods require each other', () => {
    const one = aPod('one', { labels: { app: 'one' }, ...near(ZONE, 'two') });
    const two = aPod('two', { labels: { app: 'two' }, ...near(ZONE, 'one') });
    expect(solve(cluster({ pods: [one, two] })).counts.refused).toBe(2);
  });

  test('is satisfied by pods later in the queue', () => {
    const follower = aPod('follower', { cpu: '2', ...near(HOST, 'db') });
    const plan = solve(cluster({ pods: [follower, aPod('db', { cpu: '1', labels: { app: 'db' } })] }));
    expect(plan.claims[0]!.pods).toEqual(['shop/db', 'shop/follower']);
  });

  test('selects other namespaces by name or by label', () => {
    const nodes = [aNode('n1'), aNode('n2')];
    const boundPods = bound('n2', aPod('db', { labels: { app: 'db' }, namespace: 'data' }));
    const place = (more: object) => {
      const term = { ...affinityTo(HOST, 'db'), ...more };
      const affinity = { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      const namespaces = [{ name: 'data', labels: { tier: 'back' } }];
      return solve(cluster({ nodes, boundPods, namespaces, pods: [aPod('x', { affinity })] })).placements[0]
        ?.node;
    };
    expect(place({})).toBeUndefined();
    expect(place({ namespaces: ['data'] })).toBe('n2');
    expect(place({ namespaceSelector: { matchLabels: { tier: 'back' } } })).toBe('n2');
    expect(place({ namespaceSelector: {} })).toBe('n2');
    expect(place({ namespaceSelector: { matchLabels: { tier: 'front' } } })).toBeUndefined();
  });
});

describe('anti-affinity', () => {
  test('places each pod on its own node', () => {
    const plan = solve(cluster({ pods: pods(3, 'db', { labels: { app: 'db' }, ...awayFrom(HOST, 'db') }) }));
    expect(plan.claims.map((claim) => claim.pods.length)).toEqual([1, 1, 1]);
  });

  test('also applies to pods without anti-affinity of their own', () => {
    const nodes = [aNode('n')];
    const boundPods = bound('n', aPod('shy', awayFrom(HOST, 'web')));
    const plan = solve(
      cluster({ nodes, boundPods, pods: [aPod('web', { labels: { app: 'web' } }), aPod('other')] }),
    );
    expect(plan.placements).toEqual([{ node: 'n', pods: ['shop/other'] }]);
    expect(plan.claims[0]!.pods).toEqual(['shop/web']);
    const byNode = solve(
      cluster({ pools: [], nodes, boundPods, pods: [aPod('web', { labels: { app: 'web' } })] }),
    );
    expect(byNode.refusals[0]!.nodes[0]!.refusal).toMatchObject({
      kind: 'pod anti-affinity of another pod',
      counts: { n: 1 },
    });
  });

  test('between zones counts every zone that a node may still be in', () => {
    const plain = aPod('plain', { cpu: '3', labels: { app: 'db' } });
    const away = aPod('x', { cpu: '2', ...awayFrom(ZONE, 'db') });
    const plan = solve(cluster({ pods: [plain, away], options: { improveEffort: 0 } }));
    expect(plan.counts).toMatchObject({ placed: 1, refused: 1 });
    const pinned = ['zone-a', 'zone-b', 'zone-c'].map((zone) =>
      aPod(zone, { labels: { app: 'db' }, nodeSelector: { [ZONE]: zone }, ...awayFrom(ZONE, 'db') }),
    );
    expect(solve(cluster({ pods: pinned })).counts.placed).toBe(3);
  });

  test('between zones excludes zones with matching pods', () => {
    const nodes = [aNode('n', { zone: 'zone-a' })];
    const boundPods = bound('n', aPod('db', { labels: { app: 'db' } }));
    const plan = solve(cluster({ nodes, boundPods, pods: [aPod('x', awayFrom(ZONE, 'db'))] }));
    expect(plan.placements).toEqual([]);
    expect(plan.claims[0]!.requirements).toContainEqual(oneOf(ZONE, 'zone-b'));
  });
});
