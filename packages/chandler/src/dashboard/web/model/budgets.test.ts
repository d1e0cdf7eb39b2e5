import { expect, test } from 'vitest';
import { budgetText, frozenUntilMs } from './budgets.ts';

test.each([
  ['10%', [], '10% of the nodes'],
  ['1', [], '1 node'],
  ['0', ['Drifted'], '0 nodes for Drifted'],
  ['5', ['Drifted', 'Empty'], '5 nodes for Drifted, Empty'],
])('a budget of %s for %j is %s', (nodes, reasons, text) => {
  expect(budgetText({ nodes, reasons })).toBe(text);
});

test('a NodePool is frozen as long as the longest freeze of it or of everything', () => {
  const freeze = (pool: string, untilMs: number | null) => ({ pool, untilMs, text: '' });
  expect(frozenUntilMs('batch', [freeze('general', 5)])).toBeUndefined();
  expect(frozenUntilMs('batch', [freeze('batch', 5), freeze('*', 9)])).toBe(9);
  expect(frozenUntilMs('batch', [freeze('batch', null), freeze('*', 9)])).toBe(Number.POSITIVE_INFINITY);
});

test('a freeze by an annotation ends at the time that the controller says', () => {
  const text = 'disruption of NodePool batch is frozen until 2026-06-02T18:00:00Z by ops';
  expect(frozenUntilMs('batch', [{ pool: 'batch', untilMs: null, text }])).toBe(Date.UTC(2026, 5, 2, 18));
  const open = 'disruption of NodePool batch is frozen by ops: since 2026-06-02T18:00:00Z';
  expect(frozenUntilMs('batch', [{ pool: 'batch', untilMs: null, text: open }])).toBe(
    Number.POSITIVE_INFINITY,
  );
});
