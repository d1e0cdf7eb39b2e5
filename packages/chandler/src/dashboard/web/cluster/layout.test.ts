import fc from 'fast-check';
import { expect, test } from 'vitest';
import { groupsOf } from '../model/choose-nodes.ts';
import { aNode, aPod, aStore } from '../model/store.fixture.ts';
import { blocksOf, phaseShares } from './blocks.ts';
import { layOut, MEASURES, measuresFor, neighbour, tileAt, tilesBetween } from './layout.ts';

const some = (count: number, more: Parameters<typeof aNode>[1] = {}) =>
  Array.from({ length: count }, (_, at) => aNode(`n${at}`, { createdMs: at, ...more }));
const laidOut = (nodes = some(7), width = 500) => {
  const store = aStore(nodes, []);
  return layOut(groupsOf(store, nodes, 'pool'), width, MEASURES.large);
};

test('tiles fill rows from left to right, and none is over another or outside', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ cores: fc.integer({ min: 1, max: 96 }), pool: fc.integer({ min: 0, max: 4 }) }), {
        maxLength: 60,
      }),
      fc.integer({ min: 40, max: 1600 }),
      (shapes, width) => {
        const nodes = shapes.map(({ cores, pool }, at) =>
          aNode(`n${at}`, { cpuMillis: cores * 1000, pool: `pool-${pool}` }),
        );
        const { tiles, height, indexOf } = laidOut(nodes, width);
        expect(tiles).toHaveLength(nodes.length);
        for (const [at, tile] of tiles.entries()) {
          expect(tile.x >= 0 && tile.x + tile.width <= width && tile.y + tile.height <= height).toBe(true);
          expect(indexOf.get(tile.name)).toBe(at);
          const next = tiles[at + 1];
          if (next !== undefined)
            expect(next.y >= tile.y + tile.height || next.x >= tile.x + tile.width).toBe(true);
        }
      },
    ),
  );
});

test('what is in sight is found, and so is the tile under a point', () => {
  const layout = laidOut();
  const { tiles } = layout;
  expect(tilesBetween(layout, 0, layout.height)).toEqual([0, 7]);
  const [first, end] = tilesBetween(layout, tiles[3]!.y, tiles[3]!.y + 1);
  expect([first, end]).toEqual([3, 6]);
  expect(tileAt(layout, tiles[4]!.x + 1, tiles[4]!.y + 1)?.name).toBe('n4');
  expect(tileAt(layout, tiles[0]!.x + 1, 1)).toBeUndefined();
});

test('arrow keys lead to the tile beside, above and below', () => {
  const layout = laidOut();
  expect(neighbour(layout, 0, 'ArrowRight')).toBe(1);
  expect(neighbour(layout, 0, 'ArrowLeft')).toBe(0);
  expect(neighbour(layout, 1, 'ArrowDown')).toBe(4);
  expect(neighbour(layout, 5, 'ArrowDown')).toBe(6);
  expect(neighbour(layout, 4, 'ArrowUp')).toBe(1);
  expect(neighbour(layout, 6, 'ArrowDown')).toBe(6);
  expect(neighbour(layout, 3, 'End')).toBe(6);
});

test('the more nodes the smaller the tiles, unless a size is asked for', () => {
  expect([10, 500, 5000].map((nodes) => measuresFor('auto', nodes).detail)).toEqual(['text', 'pods', 'bar']);
  expect(measuresFor('large', 5000)).toBe(MEASURES.large);
});

test('blocks of pods have the area of their share, are inside the tile and not over each other', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 1500 }), { minLength: 1, maxLength: 40 }), (millis) => {
      const node = aNode('n');
      const store = aStore(
        [node],
        millis.map((cpu, at) => aPod(`p${at}`, 'n', 'r', cpu)),
      );
      const inside = { x: 10, y: 20, width: 150, height: 50 };
      const blocks = blocksOf(node, store.loadOf('n'), inside);
      expect(blocks).toHaveLength(millis.length);
      const area = blocks.reduce((sum, { width, height }) => sum + width * height, 0);
      expect(area).toBeLessThanOrEqual(150 * 50 * 1.0001);
      for (const { x, y, width, height } of blocks) {
        expect(x >= 9.99 && y >= 19.99 && x + width <= 160.01 && y + height <= 70.01).toBe(true);
      }
      const shares = phaseShares(node, store.loadOf('n'));
      expect(shares.reduce((sum, [, share]) => sum + share, 0)).toBeLessThanOrEqual(1.0001);
    }),
  );
});

test('half of a node requested is half of its tile', () => {
  const node = aNode('n', { cpuMillis: 1000, memoryBytes: 1_000_000 });
  const store = aStore([node], [aPod('a', 'n', 'r', 250), aPod('b', 'n', 'r', 250)]);
  const blocks = blocksOf(node, store.loadOf('n'), { x: 0, y: 0, width: 100, height: 40 });
  expect(blocks.map(({ width, height }) => Math.round(width * height))).toEqual([1000, 1000]);
  expect(Math.max(...blocks.map(({ x, width }) => x + width))).toBeCloseTo(50);
});
