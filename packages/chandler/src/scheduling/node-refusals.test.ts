/** Refusals of many existing nodes: counted by reason, and explained at a cost that does not grow with the nodes. */
import { describe, expect, test, vi } from 'vitest';
import { aNode, aPod, awayFrom, bound, cluster, HOST, ZONE, ZONES } from './cluster.fixture.ts';
import type { Refusal } from './refusal.ts';
import { solve } from './solve.ts';

const name = (at: number) => `n${String(at).padStart(3, '0')}`;
const nodes = (count: number) =>
  Array.from({ length: count }, (_, at) =>
    aNode(name(at), { zone: ZONES[at % 3]!, cpu: `${1 + (at % 5)}`, labels: { team: `t${at % 2}` } }),
  );

describe('refusals of many nodes', () => {
  test('are counted by label value, most frequent first, with the first nodes as examples', () => {
    const [refusal] = solve({
      pools: [],
      nodes: nodes(100),
      pods: [aPod('p', { nodeSelector: { [ZONE]: 'x' } })],
    }).refusals;
    expect(refusal!.nodes.map(({ count, examples }) => ({ count, examples }))).toEqual([
      { count: 34, examples: ['n000', 'n003', 'n006'] },
      { count: 33, examples: ['n001', 'n004', 'n007'] },
      { count: 33, examples: ['n002', 'n005', 'n008'] },
    ]);
  });

  test('of labels with as many values as nodes are in the order of the nodes', () => {
    const [refusal] = solve({
      pools: [],
      nodes: nodes(70),
      pods: [aPod('p', { nodeSelector: { [HOST]: 'x' } })],
    }).refusals;
    expect(refusal!.nodes.map(({ examples }) => examples)).toEqual(nodes(70).map((node) => [node.name]));
  });

  test('are counted under the first obstacle: resources, then labels, then other pods', () => {
    const boundPods = nodes(60).flatMap((node) =>
      bound(node.name, aPod(`old-${node.name}`, { labels: { app: 'web' } })),
    );
    const pod = aPod('p', { cpu: '3500m', nodeSelector: { team: 't0' }, ...awayFrom(HOST, 'web') });
    const [refusal] = solve({ pools: [], nodes: nodes(60), boundPods, pods: [pod] }).refusals;
    const facts = refusal!.nodes.map(({ refusal: { code }, count }) => ({ code, count }));
    expect(facts).toEqual([
      { code: 'ResourceInsufficient', count: 36 },
      { code: 'RequirementIncompatible', count: 12 },
      { code: 'TopologyUnsatisfiable', count: 12 },
    ] satisfies { code: Refusal['code']; count: number }[]);
  });

  test('take no text per node and pod', () => {
    const texts = (count: number) => {
      const pods = Array.from({ length: 30 }, (_, at) =>
        aPod(`p${at}`, { nodeSelector: { team: `none-${at}` } }),
      );
      const input = cluster({ nodes: nodes(count), pods });
      const spy = vi.spyOn(JSON, 'stringify');
      expect(solve(input).counts.refused).toBe(30);
      const { length } = spy.mock.calls;
      spy.mockRestore();
      return length;
    };
    expect(texts(300)).toBe(texts(30));
  });
});
