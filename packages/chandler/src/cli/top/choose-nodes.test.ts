import { expect, test } from 'vitest';
import type { TopNode } from '../../dashboard/index.ts';
import { TOP_SORTS } from '../verbs/top.ts';
import { chosenNodes, type NodeChoice, parseSelector, SORT_KEYS, sortedNodes } from './choose-nodes.ts';
import { frameOf } from './frame.ts';
import { renderTop } from './render-top.ts';
import { gistOf } from './watch-top.ts';

const ALL: NodeChoice = { nodePools: [], zones: [], selector: () => true, text: '' };

function aNode(name: string, more: Partial<TopNode> = {}): TopNode {
  return {
    name,
    node: name,
    nodeClaim: name,
    nodePool: 'general',
    instanceType: 'm',
    zone: 'z-1',
    capacityType: 'spot',
    version: 'v1.36.3',
    labels: { app: 'web', tier: 'front' },
    phase: 'Ready',
    warning: false,
    createdMs: 0,
    pricePerHour: 0.5,
    cpu: { requested: 1000, allocatable: 4000 },
    memory: { requested: 1, allocatable: 4 },
    pods: { requested: 3, allocatable: 110 },
    staying: [],
    ...more,
  };
}

const frame = (nodes: readonly TopNode[], more: Partial<NodeChoice> = {}) =>
  frameOf(
    { nodes, pendingPods: 0, notes: [] },
    { choice: { ...ALL, ...more }, sort: 'name', reverse: false },
    0,
  );

test('the sorts of the help page are those that exist', () => {
  expect(TOP_SORTS).toEqual(SORT_KEYS);
});

test('amounts are sorted largest first, names from a to z, ages oldest first, and what is not known last', () => {
  const nodes = [
    aNode('b', { pricePerHour: 1, createdMs: 5 }),
    aNode('a', { pricePerHour: undefined, createdMs: 9 }),
    aNode('c', { pricePerHour: 3, createdMs: 1 }),
  ];
  const names = (key: (typeof SORT_KEYS)[number], reverse = false) =>
    sortedNodes(nodes, key, reverse)
      .map(({ name }) => name)
      .join('');
  expect([names('name'), names('name', true)]).toEqual(['abc', 'cba']);
  expect([names('price'), names('price', true)]).toEqual(['cba', 'bca']);
  expect([names('age'), names('age', true)]).toEqual(['cba', 'abc']);
  expect(names('cpu')).toBe('abc');
});

test.each([
  ['app=web', true],
  ['app==web,tier!=back', true],
  ['app!=web', false],
  ['app in (api, web),tier', true],
  ['app notin (web)', false],
  ['!app', false],
  ['!other', true],
  ['example.com/x=', false],
  ['', true],
])('the selector %j', (text, expected) => {
  const selector = parseSelector(text);
  expect(typeof selector === 'function' && selector({ app: 'web', tier: 'front' })).toBe(expected);
});

test.each(['=web', 'app=(web)', 'a b', 'app in web', 'app=web=x'])('%j is no selector', (text) => {
  expect(parseSelector(text)).toHaveProperty('problem');
});

test('filters hold together, and the text is looked for in names, types, phases and reasons', () => {
  const nodes = [
    aNode('one', { zone: 'z-2' }),
    aNode('two', { nodePool: 'other' }),
    aNode('three', { staying: [{ code: 'X', text: 'Pdb prevents it', atMs: undefined }] }),
  ];
  const names = (more: Partial<NodeChoice>) =>
    chosenNodes(nodes, { ...ALL, ...more }).map(({ name }) => name);
  expect(names({ zones: ['z-2'] })).toEqual(['one']);
  expect(names({ nodePools: ['general'], text: 'pdb' })).toEqual(['three']);
  expect(names({ nodePools: ['general'], zones: ['z-3'] })).toEqual([]);
});

test('prices that are not known are never 0: they are "-", not in the totals, and noted', () => {
  const unknown = aNode('b', { pricePerHour: undefined, nodePool: undefined, nodeClaim: undefined });
  const { lines } = renderTop(frame([aNode('a'), unknown]), { columns: undefined, color: false, wide: true });
  expect(lines[0]).toBe(
    '2 nodes, 2 Ready; 6 pods, 0 pending; cpu 25%, memory 25% requested; $0.500/h, $365 a month',
  );
  expect(lines.find((line) => line.startsWith('(none)'))).toMatch(/-\s+-$/);
  expect(lines.at(-1)).toBe('The price of 1 node is not known and not in the totals.');
  const none = renderTop(frame([unknown]), { columns: undefined, color: false, wide: false }).lines;
  expect(none[0]).toContain('; prices are not known');
});

test('a screen shows as many nodes as fit, from where it is scrolled to', () => {
  const nodes = Array.from({ length: 50 }, (_, at) => aNode(`node-${String(at).padStart(2, '0')}`));
  const size = { columns: 100, rows: 20, color: false, wide: false };
  const { lines, nodesShown } = renderTop(frame(nodes), { ...size, offset: 10 });
  expect(lines).toHaveLength(20);
  expect(lines.at(-1)).toBe(`11 to ${10 + nodesShown} of 50 nodes`);
  expect(lines.filter((line) => line.startsWith('node-'))).toHaveLength(nodesShown);
  expect(renderTop(frame(nodes), { ...size, offset: 999 }).lines.at(-1)).toMatch(/to 50 of 50 nodes$/);
  for (const rows of [0, 1, 3, 5])
    expect(renderTop(frame(nodes), { ...size, rows }).lines.length).toBeLessThanOrEqual(rows);
});

test('no line is wider than the terminal, and text of the cluster cannot move the cursor', () => {
  const evil = aNode('x\u001b[2Jy', {
    staying: [{ code: 'X', text: `\u001b]0;title\u0007${'long '.repeat(50)}`, atMs: undefined }],
  });
  for (const columns of [20, 40, 80, 120, 200]) {
    const { lines } = renderTop(frame([evil]), { columns, rows: 30, color: false, wide: false });
    for (const line of lines) expect([...line.replace('\u2060', '')].length).toBeLessThanOrEqual(columns);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/);
  }
});

test('a frame that differs in ages alone is the same', () => {
  expect(gistOf(frame([aNode('a', { createdMs: 1 })]))).toBe(gistOf(frame([aNode('a', { createdMs: 2 })])));
  expect(gistOf(frame([aNode('a', { phase: 'NotReady' })]))).not.toBe(gistOf(frame([aNode('a')])));
});
