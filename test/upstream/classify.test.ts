/** The classifier of the differential run: every class, every reason, and what a run is allowed to contain. */
import { describe, expect, test } from 'vitest';
import { CLASSES, REASONS } from './classes.table.ts';
import { bestOf, classify, mayBeLuck, type Outcome, type Trial, typicalOf } from './classify.ts';
import type { Verdict } from './judge.ts';
import { summarize, summaryTable } from './summary.ts';

function outcome(parts: Partial<Outcome> = {}): Outcome {
  return {
    placed: 10,
    price: 1,
    broken: [],
    mayBreak: [],
    stuckInOrder: [],
    preferencesMissed: 0,
    ...parts,
  };
}

/** Ours against one or more plans of upstream. */
function found(
  ours: Partial<Outcome>,
  upstream: Partial<Outcome>[] | Partial<Outcome>,
  rest: Partial<Trial> = {},
) {
  const plans = (Array.isArray(upstream) ? upstream : [upstream]).map(outcome);
  const mine = outcome(ours);
  const finding = classify({
    ours: mine,
    upstream: plans,
    firstPrice: mine.price,
    refusedByUpstream: [],
    refusedByUs: [],
    ...rest,
  });
  return `${finding.class}: ${finding.reason}`;
}

describe('the classifier', () => {
  test('calls plans with as many pods and the same price equal', () => {
    expect(found({}, {})).toBe('equal: same');
    expect(found({ price: 0.1 + 0.2 }, { price: 0.3 })).toBe('equal: same');
  });

  test('calls our plan wrong when it breaks a rule, however good it is otherwise', () => {
    expect(found({ placed: 12, price: 0.5, broken: ['spread: a'] }, {})).toBe('wrong: rule broken');
    expect(found({ mayBreak: ['spread: a'] }, {})).toBe('wrong: rule broken');
  });

  test('says whether a lower price comes from the first plan or from filling the claims again', () => {
    expect(found({ price: 0.8 }, {}, { firstPrice: 1.2 })).toBe('cheaper: repacked');
    expect(found({ price: 0.8 }, {}, { firstPrice: 0.9 })).toBe('cheaper: first plan');
  });

  test('compares with the best plan of upstream that breaks no rule', () => {
    const plans = [{ placed: 11, broken: ['limits: p'] }, { price: 1.2 }, { price: 1.1 }].map(outcome);
    expect(bestOf(plans)).toBe(plans[2]);
    expect(found({}, [{ price: 0.9 }, { price: 1.1 }])).toBe('more expensive: order of ties');
    expect(found({ price: 1.2 }, [{ price: 0.9 }, { price: 1.1 }])).toBe('more expensive: unexplained');
    expect(found({}, [{ placed: 11 }, { placed: 10 }])).toBe('fewer placed: order of ties');
  });

  test("takes more pods in some of upstream's plans for luck, and compares with the median of many", () => {
    const more = outcome({ placed: 11 });
    const fewer = outcome({ placed: 9 });
    const wrong = outcome({ placed: 12, broken: ['limits: p'] });
    expect(mayBeLuck({ class: 'fewer placed', reason: 'order of ties' })).toBe(true);
    expect(mayBeLuck({ class: 'more expensive', reason: 'order of ties' })).toBe(false);
    expect(mayBeLuck({ class: 'fewer placed', reason: 'next to another pod' })).toBe(true);
    expect(mayBeLuck({ class: 'fewer placed', reason: 'upstream breaks a rule' })).toBe(false);
    expect(typicalOf([more, fewer, fewer])).toBe(fewer);
    expect(typicalOf([fewer, more])).toBe(more);
    expect(typicalOf([wrong, wrong, fewer])).toBe(fewer);
    expect(typicalOf([wrong])).toBe(wrong);
  });

  test('explains fewer pods by a rule that every plan of upstream breaks', () => {
    const broken = { placed: 12, broken: ['limits: pool: nodes: 3 of 1'] };
    expect(found({}, broken)).toBe('fewer placed: upstream breaks a rule');
    expect(found({}, { placed: 12, mayBreak: ['spread: a'] })).toBe(
      'fewer placed: upstream may break a rule',
    );
    expect(found({}, [broken, { placed: 12 }])).toBe('fewer placed: unexplained');
  });

  test('explains fewer pods by an order that kube-scheduler will not use', () => {
    expect(found({}, { placed: 11 })).toBe('fewer placed: unexplained');
    expect(found({}, { placed: 11, stuckInOrder: ['a'] })).toBe('fewer placed: upstream needs another order');
  });

  test('explains fewer pods by what we say about those that only we refuse', () => {
    const fewer = (...texts: string[]) => found({}, { placed: 11 }, { refusedByUs: texts });
    expect(fewer('all available instance types exceed limits for nodepool (cpu: limit 7)')).toBe(
      'fewer placed: limits used up',
    );
    expect(fewer('unsatisfiable topology constraint for pod affinity, key=kubernetes.io/hostname (')).toBe(
      'fewer placed: next to another pod',
    );
    expect(fewer('no instance type has enough resources')).toBe('fewer placed: unexplained');
  });

  test('explains fewer pods by spreads that hold only because a domain has no node', () => {
    expect(found({}, { placed: 11, unevenOverAll: ['spread: a'] })).toBe(
      'fewer placed: domain without nodes',
    );
    expect(found({}, { placed: 11, unevenOverAll: [] })).toBe('fewer placed: unexplained');
  });

  test('explains a higher price by preferences that only our plan satisfies', () => {
    expect(found({ price: 1.5 }, { preferencesMissed: 2 })).toBe('more expensive: preferences kept');
    expect(found({ price: 1.5, preferencesMissed: 2 }, { preferencesMissed: 2 })).toBe(
      'more expensive: unexplained',
    );
  });

  test('explains more pods by what upstream says about those that it refuses', () => {
    const more = (...texts: string[]) => found({ placed: 11 }, {}, { refusedByUpstream: texts });
    expect(more('unsatisfiable topology constraint for topology spread')).toBe('more placed: next domain');
    expect(more('unsatisfiable topology constraint for pod anti-affinity')).toBe(
      'more placed: domain decided',
    );
    expect(more('all available instance types exceed limits for nodepool')).toBe(
      'more placed: limits of a pool',
    );
    expect(more('no instance type has enough resources')).toBe('more placed: other types');
    expect(more('ignored: unbound pvc must define a storage class')).toBe(
      'more placed: rejected by validation',
    );
    expect(more('who knows')).toBe('more placed: unexplained');
  });

  test('uses every reason for the classes that the table names', () => {
    for (const { of, text } of Object.values(REASONS)) {
      expect(of.every((name) => name in CLASSES)).toBe(true);
      expect(text).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('the summary', () => {
  const verdict = (seed: number, parts: Partial<Verdict>): Verdict => ({
    seed,
    class: 'equal',
    reason: 'same',
    ours: outcome(),
    upstream: outcome(),
    ...parts,
  });
  const many = (count: number) => Array.from({ length: count }, (_, seed) => verdict(seed, {}));

  test('passes when every limit is kept', () => {
    const verdicts = [...many(99), verdict(99, { class: 'more expensive', reason: 'unexplained' })];
    const summary = summarize(verdicts, 'v1', '0-99');
    expect(summary.exceeded).toEqual([]);
    expect(summary.classes).toMatchObject({ equal: 99, 'more expensive': 1 });
  });

  test('fails when orders are to blame too often', () => {
    const byOrder = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        verdict(at, {
          class: 'fewer placed',
          reason: at % 2 === 0 ? 'limits used up' : 'next to another pod',
        }),
      );
    expect(summarize([...many(1998), ...byOrder(2)], 'v1', '0-1999').exceeded).toEqual([]);
    expect(summarize([...many(1997), ...byOrder(3)], 'v1', '0-1999').exceeded).toEqual([
      '3 plans place fewer pods because of their order; the limit is 2',
    ]);
  });

  test('fails on one wrong plan, on one unexplained refusal, and on too many higher prices', () => {
    const exceeded = (...parts: Partial<Verdict>[]) =>
      summarize([...many(98), ...parts.map((each, at) => verdict(98 + at, each))], 'v1', '0-99').exceeded;
    expect(exceeded({ class: 'wrong', reason: 'rule broken' })).toEqual(['1 plans of ours break a rule']);
    expect(exceeded({ class: 'fewer placed', reason: 'unexplained' })).toEqual([
      '1 plans place fewer pods without a known reason',
    ]);
    expect(exceeded({ class: 'fewer placed', reason: 'upstream breaks a rule' })).toEqual([]);
    const dear = { class: 'more expensive', reason: 'order of ties' } as const;
    expect(exceeded(dear, dear)).toEqual([]);
    expect(exceeded(dear, dear, dear, dear, dear)).toEqual([
      '5 plans are more expensive; the limit is below 4 %',
    ]);
    const large = Array.from({ length: 1_000 }, (_, seed) => verdict(seed, seed < 20 ? dear : {}));
    expect(summarize(large, 'v1', '0-999').exceeded).toEqual([
      '20 plans are more expensive; the limit is below 2 %',
    ]);
    expect(summarize([...large.slice(1), verdict(1_000, {})], 'v1', '1-1000').exceeded).toEqual([]);
  });

  test('names seeds to look at, and the prices in sum', () => {
    const verdicts = [
      verdict(7, { class: 'cheaper', reason: 'repacked', ours: outcome({ price: 0.5 }) }),
      verdict(8, {
        class: 'fewer placed',
        reason: 'upstream breaks a rule',
        upstream: outcome({ placed: 11 }),
      }),
    ];
    const text = summaryTable(summarize(verdicts, 'v1.15.0', '7-8'));
    expect(text).toContain('2 clusters (seeds 7-8), upstream Karpenter v1.15.0');
    expect(text).toMatch(/fewer placed {2}upstream breaks a rule {2}1 +50\.00 % {2}8/);
    expect(text).toContain("50.0 % of upstream's");
  });
});
