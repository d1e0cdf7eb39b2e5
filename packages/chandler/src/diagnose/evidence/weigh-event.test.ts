/** What the controller said about a pod, beside what the plan finds about the same NodePool. */
import { describe, expect, test } from 'vitest';
import type { RefusalFact } from '../../causes/index.ts';

import type { PoolShape } from './shapes.ts';
import { weighedByPlan } from './weigh-event.ts';

const fact = (code: string, text = `planned: ${code}`, nodePool = 'main'): RefusalFact => ({
  code,
  facts: {},
  text,
  nodePool,
});
const said = (code: string, nodePool?: string) => fact(code, `said: ${code}`, nodePool);
const pool = (name: string) => ({ metadata: { name } }) as PoolShape;

function texts(of: readonly RefusalFact[], refusals: readonly RefusalFact[], pools = [pool('main')]) {
  return weighedByPlan(of, { pools, refusals })?.map(({ text }) => text);
}

describe('a NodePool that the plan finds at its limit', () => {
  test.each(['ResourceInsufficient', 'NoTypeMeetsAll', 'NoOffering'])(
    'is at its limit if the controller said %s: that is of the sizes that the limit leaves',
    (code) => {
      expect(texts([said(code)], [fact('LimitExceeded')])).toEqual(['planned: LimitExceeded']);
    },
  );

  test('has both if the plan finds both', () => {
    const planned = [fact('LimitExceeded'), fact('ResourceInsufficient')];
    expect(texts([said('ResourceInsufficient')], planned)).toEqual([
      'planned: ResourceInsufficient',
      'planned: LimitExceeded',
    ]);
  });

  test('is what the controller said of it otherwise: its limit did not stop the controller', () => {
    for (const code of ['TopologyUnsatisfiable', 'MinValuesUnmet', 'ReservedOnly', 'HostPortTaken'])
      expect(texts([said(code)], [fact('LimitExceeded')])).toContain(`said: ${code}`);
  });

  test('says nothing about another NodePool', () => {
    const planned = [fact('LimitExceeded'), fact('ResourceInsufficient', 'planned: of other', 'other')];
    const both = [said('ResourceInsufficient', 'other'), said('LimitExceeded')];
    expect(texts(both, planned, [pool('main'), pool('other')])).toEqual(['planned: of other']);
  });
});

describe('a NodePool of whose limit the plan says nothing', () => {
  test('is refused as the controller said, or as the plan says it in words', () => {
    expect(texts([said('ResourceInsufficient')], [])).toEqual(['said: ResourceInsufficient']);
    expect(texts([said('ResourceInsufficient')], [fact('ResourceInsufficient')])).toEqual([
      'planned: ResourceInsufficient',
    ]);
    expect(texts([said('NoOffering')], [fact('TopologyUnsatisfiable')])).toEqual(['said: NoOffering']);
  });
});
