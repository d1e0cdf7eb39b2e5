import { describe, expect, test } from 'vitest';
import { aCluster, aDisruptedPool, aManagedNode, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import { freezesOf } from './freezes.ts';
import { freezeText } from './pool-rules.ts';

const configMap = (data: Record<string, string>) => ({
  metadata: { name: 'chandler-freeze', namespace: 'kube-system' },
  data,
});
const texts = (data: Record<string, string>) => freezesOf(configMap(data)).map(freezeText);

describe('a ConfigMap of freezes', () => {
  test('freezes all NodePools, or single ones, until a time, and says by whom and why', () => {
    expect(texts({ freeze: 'true', by: 'ops', reason: 'launch day' })).toEqual([
      'disruption is frozen by ops: launch day (ConfigMap kube-system/chandler-freeze)',
    ]);
    expect(
      texts({ 'spot.freeze': '2026-06-02T18:00:00Z', 'spot.by': 'ops', 'my.pool.freeze': 'true' }),
    ).toEqual([
      'disruption of NodePool my.pool is frozen (ConfigMap kube-system/chandler-freeze)',
      'disruption of NodePool spot is frozen until 2026-06-02T18:00:00Z by ops (ConfigMap kube-system/chandler-freeze)',
    ]);
  });

  test('of a file without a namespace is named without one', () => {
    const [freeze] = freezesOf({ metadata: { name: 'chandler-freeze' }, data: { freeze: 'true' } });
    expect(freezeText(freeze!)).toBe('disruption is frozen (ConfigMap chandler-freeze)');
  });

  test('freezes nothing when it does not exist, is empty or says false', () => {
    expect(freezesOf(undefined)).toEqual([]);
    expect(texts({})).toEqual([]);
    expect(texts({ freeze: 'false', by: 'ops' })).toEqual([]);
  });

  test('freezes nothing when only by and reason are left of a freeze', () => {
    expect(texts({ by: 'ops', reason: 'release', 'spot.by': 'ops' })).toEqual([]);
  });

  test.each([
    [{ freeze: 'tomorrow' }, 'data[freeze]: "tomorrow": must be "true", "false" or a time'],
    [
      { freeze: 'true', untill: 'x' },
      'data[untill]: "x": is not a key of a freeze; use freeze, by and reason',
    ],
  ])('that cannot be read freezes, and names key and value: %j', (data, problem) => {
    const [text] = texts(data as Record<string, string>);
    expect(text).toContain(`disruption is frozen, because a freeze cannot be read`);
    expect(text).toContain(`ConfigMap kube-system/chandler-freeze: ${problem}`);
  });

  test('with a key the wrong way round freezes all NodePools: which one was meant is not known', () => {
    const freezes = freezesOf(configMap({ 'freeze.spot': 'true' }));
    expect(freezes.map(({ nodePool }) => nodePool)).toEqual([undefined]);
    expect(texts({ 'freeze.spot': 'true' })[0]).toContain(
      'data[freeze.spot]: "true": is not a key of a freeze',
    );
    const nodes = [aManagedNode('n1', { pool: 'spot' })];
    const plan = planDisruption(aCluster(nodes, { pools: [aDisruptedPool('spot')] }), { freezes }, NOW);
    expect(plan.commands).toEqual([]);
  });

  test('of one NodePool with a key too many freezes that one', () => {
    const freezes = freezesOf(configMap({ 'a.freeze': 'true', 'a.ticket': 'OPS-1' }));
    expect(freezes.map(({ nodePool }) => nodePool)).toEqual(['a']);
    expect(texts({ 'a.freeze': 'true', 'a.ticket': 'OPS-1' })[0]).toContain('data[a.ticket]: "OPS-1"');
  });

  test('of one NodePool that cannot be read freezes that one, and the others go on', () => {
    const pools = [aDisruptedPool('a'), aDisruptedPool('b')];
    const nodes = [aManagedNode('n1', { pool: 'a' }), aManagedNode('n2', { pool: 'b' })];
    const freezes = freezesOf(configMap({ 'a.freeze': 'soon' }));
    const plan = planDisruption(aCluster(nodes, { pools }), { freezes }, NOW);
    expect(plan.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name))).toEqual(['n2']);
    expect(plan.freezes).toHaveLength(1);
  });
});
