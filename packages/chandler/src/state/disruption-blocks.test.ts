import type { LabelSelector, Pod, Stored } from '@chandler/kube';
import { expect, test } from 'vitest';
import { budgetsOf } from './disruption-blocks.ts';
import type { Stores } from './stores.ts';

test('the selector of a disruption budget is compiled once, not for each pod', () => {
  let reads = 0;
  const selector: LabelSelector = {
    get matchLabels() {
      reads++;
      return { app: 'a' };
    },
  };
  const budget = { metadata: { name: 'b', namespace: 'n' }, spec: { selector } };
  const stores = { budgets: { store: { values: () => [budget] } } } as unknown as Stores;
  const podOf = (app: string) =>
    ({ metadata: { name: app, namespace: 'n', labels: { app } }, spec: {} }) as unknown as Stored<Pod>;
  const found = ['a', 'a', 'b'].map((app) => {
    const before = reads;
    const { length } = budgetsOf(podOf(app), stores);
    return { length, compiled: reads > before };
  });
  expect(found).toEqual([
    { length: 1, compiled: true },
    { length: 1, compiled: false },
    { length: 0, compiled: false },
  ]);
});
