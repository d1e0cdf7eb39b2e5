/** A sample of the combinations of `metamorphic.ts`; `npm run test:why` asks ten thousand. */
import { describe, expect, test } from 'vitest';
import { REPAIR_ORDER } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { causesOf } from '../../packages/chandler/src/diagnose/index.ts';

import { everyNth } from '../part.ts';
import { runObjects } from './corpus.ts';
import { FAULTS, pairCase } from './fault-pairs.ts';
import { combination, headline } from './metamorphic.ts';
import { nodePairs } from './node-pairs.ts';

const STEP = 50;
const STARTS = Array.from({ length: 4 }, (_, index) => index * STEP + 1);

describe('the headline', () => {
  test.each(everyNth('samples of combinations', STARTS, 4))(
    'is the same beside noise, and is the fault to repair first: fifty combinations from seed %i',
    async (from) => {
      const wrong: string[] = [];
      for (let seed = from; seed < from + STEP; seed++) {
        const { title, ask } = combination(seed);
        const { complaint } = await ask();
        if (complaint !== '')
          wrong.push(`node test/why/metamorphic.ts --seed ${seed}: ${title}: ${complaint}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  test('is compared without the names of noise, and with everything else', () => {
    const of = (summary: string) =>
      headline({ verdict: 'broken', cause: { id: 'L6.2', title: 'A taint', summary } } as never);
    const quiet = of('shop/web: NodePool default: taint a');
    expect(of('shop/web: NodePools default, noise-a: taint a')).toBe(quiet);
    expect(of('shop/web: NodePool default: taint a; NodePool noise-a: taint b')).toBe(quiet);
    expect(of('shop/web: NodePool noise-a: taint b; NodePool default: taint a')).toBe(quiet);
    expect(of('shop/web: NodePool other: taint a')).not.toBe(quiet);
    expect(of('shop/web: NodePool default: taint b')).not.toBe(quiet);
  });
});

describe('a registered node', () => {
  test('has its own fault first, and what is wrong with its class or the controller after it', async () => {
    const wrong: string[] = [];
    for (const { first, second, one } of nodePairs()) {
      const { explanation } = await runObjects(one);
      const also = explanation?.also.map(({ id }) => id) ?? [];
      if (explanation?.cause?.id !== first || !also.includes(second))
        wrong.push(`${one.ask}, ${first ?? 'healthy'} and ${second}: ${explanation?.cause?.id}, ${also}`);
    }
    expect(wrong).toEqual([]);
  });
});

describe('the order of repairs', () => {
  test('names each cause once, only causes that exist, and says why', () => {
    const listed = REPAIR_ORDER.flatMap(({ causes }) => causes);
    const known = new Set(causesOf(azureDiagnosis()).flatMap(({ causes }) => causes.map(({ id }) => id)));
    expect(listed.filter((id) => !known.has(id))).toEqual([]);
    expect(listed).toHaveLength(new Set(listed).size);
    expect(REPAIR_ORDER.every(({ because }) => because !== '')).toBe(true);
  });

  test('has a case for each pair of faults', () => {
    const pairs = (FAULTS.length * (FAULTS.length - 1)) / 2;
    const seen = new Set(
      Array.from({ length: pairs }, (_, index) => {
        const { first, second } = pairCase(index);
        return `${first.cause} ${second.cause}`;
      }),
    );
    expect(seen.size).toBe(pairs);
  });
});
