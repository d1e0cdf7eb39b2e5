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
  expect(keeping.map(({ code, nodes: names, pricePerHour }) => [code, names, pricePerHour])).toEqual([
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
