/** Every case of the corpus that consists of objects. Those that run the whole thing are in `playground.test.ts`. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkTables } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { causesOf } from '../../packages/chandler/src/diagnose/index.ts';
import { everyNth } from '../part.ts';
import { corpus, runObjects } from './corpus.ts';
import { everyCode } from './every-code.ts';
import { withScore } from './score.ts';
import { renderedPage } from './transcripts.ts';

const OBJECT_CASES = corpus().filter(({ playground }) => playground === undefined);

describe('why, from objects alone', () => {
  test.each(
    everyNth('cases of objects', OBJECT_CASES, 8).map(
      (one) => [`${one.point === undefined ? '' : `[000-${one.point}] `}${one.title}`, one] as const,
    ),
  )('%s', async (_, one) => {
    const { complaint } = await runObjects(one);
    expect(complaint).toBe('');
  });
});

describe('the corpus', () => {
  test('runs every failure point of the seven layers and at least forty other failures end to end; and has twenty oddities', () => {
    const all = corpus();
    const runs = all.filter(({ playground }) => playground !== undefined);
    const points = new Set(runs.map(({ point }) => point));
    const wanted = ['5', '3', '4', '5', '5', '4', '5'].flatMap((count, layer) =>
      Array.from({ length: Number(count) }, (_, index) => `L${layer + 1}.${index + 1}`),
    );
    expect(wanted).toHaveLength(31);
    expect(wanted.filter((point) => !points.has(point))).toEqual([]);
    const others = all.filter(({ point, expect: { cause } }) => point === undefined && cause !== undefined);
    const causesOf = (cases: typeof others) => new Set(cases.map(({ expect: { cause } }) => cause)).size;
    expect(causesOf(others)).toBeGreaterThanOrEqual(40);
    expect(causesOf(others.filter((one) => runs.includes(one)))).toBeGreaterThanOrEqual(40);
    expect(all.filter(({ expect: { cause } }) => cause === undefined).length).toBeGreaterThanOrEqual(21);
  });

  test('has the score and the transcripts that docs/why.md shows', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/why.md'), 'utf8');
    expect(await renderedPage()).toBe(page);
    const runs = corpus().filter(({ playground }) => playground !== undefined).length;
    const whole = (name: string, cases: number) => ({ name, cases, right: cases, wrong: 0, missed: 0 });
    const scores = [
      whole('from objects', corpus().length - runs),
      whole('run end to end', runs),
      whole('every exit code, end to end', everyCode().length),
    ];
    expect(page).toBe(withScore(page, scores));
  });

  test('no two tables give one name to two causes', () => {
    expect(checkTables(causesOf(azureDiagnosis()))).toEqual([]);
  });
});
