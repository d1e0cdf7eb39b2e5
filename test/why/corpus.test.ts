/** Every case of the corpus that consists of objects. Those that run the whole thing are in `playground.test.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkTables } from '../../src/causes/index.ts';
import { ALL_CAUSES } from '../../src/diagnose/index.ts';
import { corpus, runObjects } from './corpus.ts';
import { renderedPage } from './transcripts.ts';

const OBJECT_CASES = corpus().filter(({ playground }) => playground === undefined);

describe('why, from objects alone', () => {
  test.each(
    OBJECT_CASES.map(
      (one) => [`${one.point === undefined ? '' : `[000-${one.point}] `}${one.title}`, one] as const,
    ),
  )('%s', async (_, one) => {
    const { complaint } = await runObjects(one);
    expect(complaint).toBe('');
  });
});

describe('the corpus', () => {
  test('covers every failure point of the seven layers, at least forty more, and twenty oddities', () => {
    const all = corpus();
    const points = new Set(all.map(({ point }) => point));
    const wanted = ['5', '3', '4', '5', '5', '4', '5'].flatMap((count, layer) =>
      Array.from({ length: Number(count) }, (_, index) => `L${layer + 1}.${index + 1}`),
    );
    expect(wanted).toHaveLength(31);
    expect(wanted.filter((point) => !points.has(point))).toEqual([]);
    const others = all.filter(({ point, expect: { cause } }) => point === undefined && cause !== undefined);
    expect(new Set(others.map(({ expect: { cause } }) => cause)).size).toBeGreaterThanOrEqual(40);
    expect(all.filter(({ expect: { cause } }) => cause === undefined).length).toBeGreaterThanOrEqual(21);
  });

  test('has the score and the transcripts that docs/why.md shows', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/why.md'), 'utf8');
    expect(await renderedPage()).toBe(page);
    expect(page).toContain(`| ${corpus().length} | ${corpus().length} | 0 | 0 |`);
  });

  test('no two tables give one name to two causes', () => {
    expect(checkTables(ALL_CAUSES)).toEqual([]);
  });
});
