import { expect, test } from 'vitest';
import type { PlanReport } from './plan-report.ts';
import { renderPlan } from './render-plan.ts';

const EMPTY: PlanReport = {
  at: '2026-06-02T12:00:00.000Z',
  summary: {
    nodes: 1,
    unmanaged: 0,
    removed: 0,
    launched: 0,
    podsMoved: 0,
    pricePerHour: 0.2,
    priceAfterPerHour: 0.2,
    savingPerMonth: 0,
  },
  commands: [],
  nodes: [],
  budgets: [],
  problems: [],
  freezes: [],
  notes: [],
  unread: [],
};
const NODE = { name: 'n', nodePool: 'general', instanceType: 'm', price: 0.2, pods: 1 };

test('nodes of someone else are counted, not listed', () => {
  const text = renderPlan(
    {
      ...EMPTY,
      summary: { ...EMPTY.summary, unmanaged: 1 },
      nodes: [
        {
          ...NODE,
          name: 'system-1',
          keeps: [{ block: { code: 'NotManaged' }, methods: [], text: 'it is not managed' }],
        },
      ],
    },
    { color: false },
  );
  expect(text).not.toContain('system-1');
  expect(text).toContain('1 node without a NodeClaim is left alone.');
});

test('many reasons are cut, and the number of the others is printed', () => {
  const keeps = [1, 2, 3, 4, 5, 6].map((at) => ({
    block: { code: 'PodDoNotDisrupt' as const, pod: `shop/p${at}` },
    methods: [],
    text: `pod ${at} blocks`,
  }));
  const text = renderPlan({ ...EMPTY, nodes: [{ ...NODE, keeps }] }, { color: false });
  expect(text).toContain('pod 4 blocks');
  expect(text).not.toContain('pod 5 blocks');
  expect(text).toContain('and 2 more');
});

test('names from a cluster cannot control the terminal', () => {
  const keeps = [{ block: { code: 'Deleting' as const }, methods: [], text: 'it is \u001b[31mdeleted' }];
  expect(renderPlan({ ...EMPTY, nodes: [{ ...NODE, keeps }] }, { color: true })).not.toContain('\u001b[31m');
});

test('a plan that costs more says so', () => {
  const summary = { ...EMPTY.summary, removed: 1, launched: 1, priceAfterPerHour: 0.3, savingPerMonth: -73 };
  expect(renderPlan({ ...EMPTY, summary }, { color: false })).toContain('which costs $73.00 more a month');
});

test('a freeze is shown first', () => {
  const text = 'disruption is frozen until 2026-06-02T18:00:00Z by ops: launch day';
  expect(renderPlan({ ...EMPTY, freezes: [{ text }] }, { color: false })).toContain(`\nFrozen\n  ${text}\n`);
});
