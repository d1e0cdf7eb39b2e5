import { describe, expect, test } from 'vitest';
import { aCluster, aDisruptedPool, aManagedNode, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionOptions } from './model.ts';

const HOUR = 3_600_000;
const KEY = 'chandler.sh/disruption-windows';

/** An empty node of a NodePool with these windows; NOW is a Tuesday, 12:00 UTC. */
function plan(windows: string, { at = NOW, ...options }: DisruptionOptions & { at?: number } = {}) {
  const pool = aDisruptedPool();
  const { nodePool } = pool;
  const metadata = { ...nodePool.metadata, annotations: { [KEY]: windows } };
  const pools = [{ ...pool, nodePool: { ...nodePool, metadata } }];
  return planDisruption(aCluster([aManagedNode('a')], { pools }), options, at);
}

describe('windows of a NodePool', () => {
  test('allow disruption while one of them is open', () => {
    expect(plan('0 9 * * mon-fri 8h').commands).toHaveLength(1);
    expect(plan('0 22 * * * 2h; 30 11 * * tue 1h').commands).toHaveLength(1);
    expect(plan('CRON_TZ=Europe/Berlin 0 14 * * * 1h').commands).toHaveLength(1);
  });

  test('keep its nodes at all other times, and say when the next one opens', () => {
    const { commands, nodes, problems } = plan('0 22 * * * 2h; @weekly 24h');
    expect([commands, problems]).toEqual([[], []]);
    expect(nodes[0]!.keeps).toMatchObject([
      {
        block: { code: 'OutsideWindow', untilMs: NOW + 10 * HOUR },
        text: 'NodePool default is disrupted only in its windows (0 22 * * * 2h; @weekly 24h); the next one opens at 2026-06-02T22:00:00Z',
      },
    ]);
    expect(plan('0 22 * * * 2h', { at: NOW + 10 * HOUR }).commands).toHaveLength(1);
    expect(plan('0 22 * * * 2h', { at: NOW + 12 * HOUR }).commands).toHaveLength(0);
  });

  test.each([
    ['', 'must be windows such as'],
    ['0 22 * * *', 'must be windows such as'],
    ['0 25 * * * 2h', 'must be windows such as'],
    ['CRON_TZ=Mars/Base 0 22 * * * 2h', '"Mars/Base" is not a time zone'],
    ['0 0 30 2 * 2h', 'never opens'],
    ['0 22 * * * 0s', 'must be positive'],
    ['0 22 * * * 2h;', 'must be windows such as'],
  ])('that cannot be read keep its nodes, and the plan names field and value: "%s"', (text, message) => {
    const { commands, problems } = plan(text);
    expect(commands).toEqual([]);
    expect(problems).toMatchObject([{ field: `metadata.annotations[${KEY}]`, value: text }]);
    expect(problems[0]!.message).toContain(message);
  });

  test('do not keep an unhealthy node from its repair', () => {
    const pool = aDisruptedPool();
    const metadata = { ...pool.nodePool.metadata, annotations: { [KEY]: '0 22 * * * 2h' } };
    const node = aManagedNode('a');
    const ill = { type: 'Ill', status: 'True', lastTransitionTime: new Date(NOW - HOUR).toISOString() };
    const status = { ...node.node!.status, conditions: [...(node.node!.status?.conditions ?? []), ill] };
    const repair = {
      policies: [
        {
          conditionType: 'Ill',
          conditionStatus: 'True',
          tolerationMs: 0,
          action: 'ReplaceNode',
          fallback: true,
        },
      ],
    } as const;
    const cluster = aCluster([{ ...node, node: { ...node.node!, status } }], {
      pools: [{ ...pool, nodePool: { ...pool.nodePool, metadata } }],
    });
    expect(planDisruption(cluster, { repair }, NOW).commands).toMatchObject([{ method: 'repair' }]);
  });
});
