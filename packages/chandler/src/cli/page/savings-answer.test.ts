import { expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import type { PlanReport } from '../plan/plan-report.ts';
import { savingsAnswer } from './savings-answer.ts';

const NOW_MS = Date.UTC(2026, 0, 2, 12);
const HOUR_MS = 3600_000;

const aReport = (more: Partial<PlanReport> = {}): PlanReport => ({
  at: '',
  summary: {
    nodes: 0,
    unmanaged: 0,
    removed: 0,
    launched: 0,
    podsMoved: 0,
    pricePerHour: 1,
    priceAfterPerHour: 1,
    savingPerMonth: 0,
  },
  commands: [],
  nodes: [],
  budgets: [],
  problems: [],
  freezes: [],
  notes: [],
  unread: [],
  ...more,
});

const aPool = (budgets: readonly object[]) =>
  ({ metadata: { name: 'general' }, spec: { disruption: { budgets } } }) as unknown as NodePool;

const windowsOf = (budget: object) =>
  savingsAnswer({
    report: aReport(),
    pools: [aPool([budget])],
    commands: [],
    lowerBoundPerHour: null,
    nowMs: NOW_MS,
  }).budgets[0]?.windows.map(({ fromMs, toMs }) => [(fromMs - NOW_MS) / HOUR_MS, (toMs - NOW_MS) / HOUR_MS]);

test.each([
  ['no schedule: one window', { nodes: '10%' }, [[-24, 24]]],
  [
    'every day at two for three hours',
    { nodes: '0', schedule: '0 2 * * *', duration: '3h' },
    [
      [-10, -7],
      [14, 17],
    ],
  ],
  [
    'one that is open at both ends is cut',
    { nodes: '0', schedule: '0 11 * * *', duration: '3h' },
    [
      [-24, -22],
      [-1, 2],
      [23, 24],
    ],
  ],
  ['windows that touch are one', { nodes: '0', schedule: '@hourly', duration: '1h' }, [[-24, 24]]],
  ['a schedule that cannot be read has none', { nodes: '0', schedule: 'a b c d e', duration: '1h' }, []],
])('windows of a budget: %s', (_, budget, windows) => {
  expect(windowsOf(budget)).toEqual(windows);
});

test('what keeps nodes is counted once for each node, the most money first', () => {
  const node = (name: string, price: number, codes: readonly string[]) => ({
    name,
    nodePool: 'general',
    instanceType: 't',
    price,
    pods: 1,
    keeps: codes.map((code) => ({ text: code, methods: [], block: { code } })),
  });
  const nodes = [
    node('a', 0.1, ['NotConsolidatable']),
    node('b', 0.3, ['NotConsolidatable', 'NodeDoNotDisrupt']),
    node('c', 0.1, ['NodeDoNotDisrupt']),
  ];
  const { keeping } = savingsAnswer({
    report: aReport({ nodes: nodes as never }),
    pools: [],
    commands: [],
    lowerBoundPerHour: null,
    nowMs: NOW_MS,
  });
  expect(
    keeping.map(({ code, nodes: own, pricePerHour }) => [code, own.map(({ name }) => name), pricePerHour]),
  ).toEqual([
    ['NodeDoNotDisrupt', ['b', 'c'], 0.4],
    ['NotConsolidatable', ['a'], 0.1],
  ]);
});

test('commands of the last day are done, with what they saved', () => {
  const command = (id: string, endedAt: string) => ({
    id,
    startedAt: endedAt,
    endedAt,
    reason: 'Underutilized',
    method: 'single',
    decision: 'delete',
    nodes: ['a'],
    nodeCount: 3,
    nodePools: ['general'],
    replacements: [],
    priceBefore: 0.5,
    priceAfter: 0.2,
    podsMoved: 4,
    outcome: 'succeeded',
  });
  const commands = [command('x', '2026-01-02T11:00:00Z'), command('y', '2025-12-30T11:00:00Z')];
  const { done } = savingsAnswer({
    report: aReport(),
    pools: [],
    commands,
    lowerBoundPerHour: 0.5,
    nowMs: NOW_MS,
  });
  expect(done).toMatchObject([
    { savedPerHour: 0.3, pods: 4, outcome: 'succeeded', text: 'Underutilized: delete a and 2 more' },
  ]);
});

test('what the plan is without, and what it assumes, is said', () => {
  const report = aReport({ unread: ['DaemonSets'], notes: ['Prices are from the catalogue.'] });
  const parts = { pools: [], commands: [], lowerBoundPerHour: null, nowMs: NOW_MS };
  expect(savingsAnswer({ report, ...parts })).toMatchObject({
    unread: ['DaemonSets'],
    notes: ['Prices are from the catalogue.'],
  });
});

const answerOf = (report: Partial<PlanReport>, pools: readonly NodePool[] = []) =>
  savingsAnswer({
    report: aReport(report),
    pools,
    commands: [],
    lowerBoundPerHour: null,
    nowMs: NOW_MS,
  });

test('every node has its own text; a reason has one only if it is the same for all', () => {
  const node = (name: string, code: string, text: string) => ({
    name,
    nodePool: 'general',
    price: 0.1,
    pods: 1,
    keeps: [{ text, methods: [], block: { code } }],
  });
  const { keeping } = answerOf({
    nodes: [
      node('a', 'NotConsolidatable', 'ends at 2026-01-02T12:05:00Z'),
      node('b', 'NotConsolidatable', 'ends at 2026-01-02T12:09:00Z'),
      node('c', 'NodeDoNotDisrupt', 'it is annotated'),
      node('d', 'NodeDoNotDisrupt', 'it is annotated'),
    ] as never,
  });
  expect(keeping).toMatchObject([
    {
      code: 'NodeDoNotDisrupt',
      text: 'it is annotated',
      nodes: [
        { name: 'c', text: 'it is annotated' },
        { name: 'd', text: 'it is annotated' },
      ],
    },
    {
      code: 'NotConsolidatable',
      text: null,
      nodes: [
        { name: 'a', text: 'ends at 2026-01-02T12:05:00Z' },
        { name: 'b', text: 'ends at 2026-01-02T12:09:00Z' },
      ],
    },
  ]);
});

const verdict = (more: object = {}) =>
  ({
    nodePool: 'general',
    reason: 'Underutilized',
    nodes: 10,
    disrupting: 0,
    allowed: 1,
    available: 1,
    blocking: false,
    ...more,
  }) as never;

test('what the plan itself would do is not said to be disrupted already', () => {
  const rejection = {
    code: 'Budget',
    nodePool: 'general',
    reason: 'Underutilized',
    allowed: 1,
    disrupting: 1,
  };
  const keeps = [{ text: 'and 1 are disrupted already', methods: [], method: 'single-node', rejection }];
  const nodes = [{ name: 'a', nodePool: 'general', price: 0.1, pods: 1, keeps }] as never;
  expect(answerOf({ nodes, budgets: [verdict()] }).keeping[0]?.text).toBe(
    'the budgets of NodePool general allow 1 disrupted node at once for reason Underutilized: what would be done now takes 1',
  );
  expect(answerOf({ nodes, budgets: [verdict({ disrupting: 1 })] }).keeping[0]?.text).toBe(
    'and 1 are disrupted already',
  );
});

test.each([
  ['in its window', { nodes: '0', schedule: '0 11 * * *', duration: '3h' }, true, 0],
  ['outside of its window', { nodes: '0', schedule: '0 3 * * *', duration: '3h' }, false, null],
  ['a share of the nodes, less those that are disrupted', { nodes: '30%' }, true, 2],
  ['no more than none', { nodes: '1' }, true, 0],
])('a budget permits by itself: %s', (_, budget, isActive, allowedNow) => {
  const { budgets } = answerOf({ budgets: [verdict({ disrupting: 1 })] }, [aPool([budget])]);
  expect(budgets).toMatchObject([{ isActive, allowedNow }]);
});

test('a NodePool without budgets has the default, and while it is frozen nothing is permitted', () => {
  const pool = { metadata: { name: 'general' }, spec: {} } as unknown as NodePool;
  expect(answerOf({ budgets: [verdict()] }, [pool]).budgets).toMatchObject([
    { nodes: '10%', schedule: null, isActive: true, allowedNow: 1 },
  ]);
  const freezes = [{ text: 'frozen' }] as never;
  expect(answerOf({ budgets: [verdict()], freezes }, [pool]).budgets).toMatchObject([{ allowedNow: 0 }]);
});
