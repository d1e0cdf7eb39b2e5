import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Budget } from '../api/index.ts';
import { BudgetLedger, budgetVerdict, budgetVerdicts, isBudgetBlocking } from './budgets.ts';
import { aDisruptedPool, aManagedNode, NOW } from './disruption.fixture.ts';
import type { DisruptionNode, DisruptionReason } from './model.ts';

function nodes(count: number, notReady = 0): DisruptionNode[] {
  return Array.from({ length: count }, (_, at) => aManagedNode(`n${at}`, { ready: at >= notReady }));
}

function verdict(budgets: Budget[], list: DisruptionNode[], reason: DisruptionReason = 'Empty', at = NOW) {
  return budgetVerdict(aDisruptedPool('default', { budgets }).nodePool, list, reason, at);
}

describe('a budget', () => {
  test.each([
    ['20% of 19 nodes, one NotReady: 4 allowed, 3 left', [{ nodes: '20%' }], 19, 1, 4, 3],
    ['10% of 3 nodes: 1', [{ nodes: '10%' }], 3, 0, 1, 1],
    ['10% of 1 node: 1', [{ nodes: '10%' }], 1, 0, 1, 1],
    ['10% of none: 0', [{ nodes: '10%' }], 0, 0, 0, 0],
    ['a number', [{ nodes: '2' }], 19, 0, 2, 2],
    ['0 blocks', [{ nodes: '0' }], 19, 0, 0, 0],
    ['the smallest counts', [{ nodes: '50%' }, { nodes: '3' }, { nodes: '20' }], 19, 0, 3, 3],
    ['never below 0', [{ nodes: '1' }], 19, 5, 1, 0],
    ['100%', [{ nodes: '100%' }], 19, 0, 19, 19],
  ])('%s', (_, budgets, count, notReady, allowed, available) => {
    expect(verdict(budgets, nodes(count, notReady))).toMatchObject({ allowed, available });
  });

  test('with reasons limits only these', () => {
    const budgets: Budget[] = [{ nodes: '50%' }, { nodes: '0', reasons: ['Drifted'] }];
    expect(verdict(budgets, nodes(10), 'Drifted')).toMatchObject({ allowed: 0, index: 1 });
    expect(verdict(budgets, nodes(10), 'Underutilized')).toMatchObject({ allowed: 5, index: 0 });
  });

  test('with an empty list of reasons limits nothing', () => {
    expect(verdict([{ nodes: '0', reasons: [] }], nodes(10)).allowed).toBeUndefined();
  });

  test('an empty list of budgets limits nothing; an absent one is 10%', () => {
    expect(verdict([], nodes(10))).toMatchObject({ allowed: undefined, available: undefined });
    const { nodePool } = aDisruptedPool();
    const { disruption: _, ...spec } = nodePool.spec;
    expect(budgetVerdict({ ...nodePool, spec }, nodes(11), 'Empty', NOW).allowed).toBe(2);
  });
});

describe('the window of a budget', () => {
  const weekdays = (schedule = '0 9 * * mon-fri', duration = '8h'): Budget[] => [
    { nodes: '10%' },
    { nodes: '0', schedule, duration },
  ];
  test.each([
    ['Tuesday 08:59:59', '2026-06-02T08:59:59Z', 1],
    ['Tuesday 09:00', '2026-06-02T09:00:00Z', 0],
    ['Tuesday 16:59', '2026-06-02T16:59:00Z', 0],
    ['Tuesday 17:00:00', '2026-06-02T17:00:00Z', 1],
    ['Tuesday 17:00:01', '2026-06-02T17:00:01Z', 1],
    ['Saturday noon', '2026-06-06T12:00:00Z', 1],
  ])('0 in business hours and 10% always: on %s %s is allowed', (_, at, allowed) => {
    expect(verdict(weekdays(), nodes(10), 'Empty', Date.parse(at)).allowed).toBe(allowed);
  });

  test.each([
    ['in summer', '2026-06-02T07:00:00Z', 0],
    ['before it', '2026-06-02T06:59:00Z', 1],
    ['after it', '2026-06-02T15:00:00Z', 1],
    ['in winter', '2026-12-01T08:00:00Z', 0],
    ['before it in winter', '2026-12-01T07:59:00Z', 1],
  ])('in the time zone of the schedule: %s', (_, at, allowed) => {
    const budgets = weekdays('CRON_TZ=Europe/Berlin 0 9 * * mon-fri');
    expect(verdict(budgets, nodes(10), 'Empty', Date.parse(at)).allowed).toBe(allowed);
  });

  test('is prolonged by a start inside it', () => {
    const budgets = weekdays('0 * * * *', '90m');
    expect(verdict(budgets, nodes(10), 'Empty', Date.parse('2026-06-02T10:59:59Z')).allowed).toBe(0);
  });
});

describe('a budget that cannot be read', () => {
  test.each([
    ['a range that wraps', { nodes: '1', schedule: '0 9 * * tue-mon', duration: '8h' }, 'schedule'],
    ['weekday 7', { nodes: '1', schedule: '0 9 * * 7', duration: '8h' }, 'schedule'],
    ['@every', { nodes: '1', schedule: '@every 1h', duration: '8h' }, 'schedule'],
    ['an unknown zone', { nodes: '1', schedule: 'CRON_TZ=Mars/Base 0 9 * * *', duration: '8h' }, 'schedule'],
    ['no duration', { nodes: '1', schedule: '0 9 * * *' }, 'duration'],
    ['no schedule', { nodes: '1', duration: '8h' }, 'schedule'],
    ['a duration without a unit', { nodes: '1', schedule: '0 9 * * *', duration: '8' }, 'duration'],
    ['150%', { nodes: '150%' }, 'nodes'],
    ['a word', { nodes: 'few' }, 'nodes'],
  ])('blocks every reason and names the field: %s', (_, wrong: Record<string, string>, field) => {
    const budgets = [{ nodes: '100%', reasons: ['Empty'] }, wrong] as Budget[];
    for (const reason of ['Empty', 'Drifted', 'Underutilized', 'Unhealthy'] as const) {
      const { allowed, available, problem } = verdict(budgets, nodes(10), reason);
      expect([allowed, available]).toEqual([0, 0]);
      expect(problem).toMatchObject({
        field: `spec.disruption.budgets[1].${field}`,
        value: wrong[field] ?? '',
      });
    }
  });
});

describe('the nodes that count', () => {
  test('are initialized or rebooting, and their instance is not terminating', () => {
    const list = [
      aManagedNode('ready'),
      aManagedNode('starting', { more: { initialized: false } }),
      aManagedNode('rebooting', { conditions: { Rebooting: true }, more: { initialized: false } }),
      aManagedNode('gone', { conditions: { InstanceTerminating: true }, more: { deleting: true } }),
      { ...aManagedNode('unmanaged'), claim: undefined } as unknown as DisruptionNode,
    ];
    expect(verdict([{ nodes: '100%' }], list)).toMatchObject({ nodes: 2, disrupting: 1 });
  });

  test('are disrupting when deleted, in a command, rebooting, or not ready; not ready does not count for repair', () => {
    const list = [
      aManagedNode('deleting', { more: { deleting: true } }),
      aManagedNode('queued', { more: { command: 'c' } }),
      aManagedNode('rebooting', { conditions: { Rebooting: true } }),
      aManagedNode('unready', { ready: false }),
      aManagedNode('ready'),
    ];
    expect(verdict([{ nodes: '100%' }], list, 'Drifted')).toMatchObject({ nodes: 5, disrupting: 4 });
    expect(verdict([{ nodes: '100%' }], list, 'Unhealthy')).toMatchObject({ nodes: 5, disrupting: 3 });
  });
});

test('a NodePool is reported as blocked when nothing is allowed, not when the budget is used up', () => {
  expect(isBudgetBlocking(verdict([{ nodes: '0' }], nodes(3)))).toBe(true);
  expect(isBudgetBlocking(verdict([{ nodes: '1' }], nodes(3, 1)))).toBe(false);
  expect(isBudgetBlocking(verdict([{ nodes: '10%' }], nodes(0)))).toBe(false);
});

describe('budgets of any shape', () => {
  const reason = fc.constantFrom<DisruptionReason>('Empty', 'Drifted', 'Underutilized', 'Unhealthy');
  const budget: fc.Arbitrary<Budget> = fc.record(
    {
      nodes: fc.oneof(
        fc.nat({ max: 30 }).map(String),
        fc.nat({ max: 100 }).map((percent) => `${percent}%`),
      ),
      reasons: fc.uniqueArray(reason),
    },
    { requiredKeys: ['nodes'] },
  );

  test('one more budget never allows more, and the order does not matter', () => {
    fc.assert(
      fc.property(fc.array(budget), budget, reason, fc.nat({ max: 40 }), (budgets, extra, why, count) => {
        const list = nodes(count);
        const number = (given: Budget[]) => verdict(given, list, why).allowed ?? Number.POSITIVE_INFINITY;
        expect(number([...budgets, extra])).toBeLessThanOrEqual(number(budgets));
        expect(number([...budgets].reverse())).toBe(number(budgets));
      }),
      { numRuns: 60 },
    );
  });

  test('whatever is taken for whichever reason, no reason exceeds its budget', () => {
    const takes = fc.array(reason, { maxLength: 40 });
    fc.assert(
      fc.property(
        fc.array(budget, { minLength: 1 }),
        takes,
        fc.nat({ max: 30 }),
        (budgets, wanted, count) => {
          const pool = aDisruptedPool('default', { budgets }).nodePool;
          const verdicts = budgetVerdicts([pool], nodes(count, Math.min(2, count)), NOW);
          const ledger = new BudgetLedger(verdicts);
          let taken = 0;
          for (const why of wanted) {
            if (ledger.available('default', why) === 0) continue;
            ledger.take('default');
            taken++;
            const { allowed, disrupting } = verdicts.find((each) => each.reason === why)!;
            expect(disrupting + taken).toBeLessThanOrEqual(allowed ?? Number.POSITIVE_INFINITY);
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  test('nodes within budgets are the first ones of each pool', () => {
    const pools = [
      aDisruptedPool('a', { budgets: [{ nodes: '1' }] }).nodePool,
      aDisruptedPool('b', { budgets: [{ nodes: '2' }] }).nodePool,
    ];
    const list = ['a', 'b', 'a', 'b', 'b', 'c'].map((nodePool, at) => ({ nodePool, at }));
    const ledger = new BudgetLedger(budgetVerdicts(pools, [], NOW));
    expect(ledger.within(list, 'Empty').map(({ at }) => at)).toEqual([0, 1, 3]);
    ledger.take('b');
    expect(ledger.within(list, 'Drifted').map(({ at }) => at)).toEqual([0, 1]);
  });
});
