/** Every case of the corpus of AWS, and that it has one for every cause. */
import { describe, expect, test } from 'vitest';
import { checkTables } from '../../packages/chandler/src/causes/index.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { causesOf } from '../../packages/chandler/src/diagnose/index.ts';

import { awsCorpus, runAwsCase } from './aws-corpus.ts';

const CASES = awsCorpus();

describe('why on AWS, from a dump', () => {
  test.each(
    CASES.map((one) => [`${one.check === undefined ? '' : `[003-${one.check}] `}${one.title}`, one] as const),
  )('%s', async (_, one) => {
    const { complaint } = await runAwsCase(one);
    expect(complaint).toBe('');
  });
});

describe('the corpus of AWS', () => {
  test('has a case for every cause of AWS', () => {
    const shown = new Set(
      CASES.flatMap(({ expect: { cause, also = [] } }) => [...(cause === undefined ? [] : [cause]), ...also]),
    );
    const causes = awsDiagnosis().causes.flatMap((table) => table.causes);
    expect(causes.map(({ id }) => id).filter((id) => !shown.has(id))).toEqual([]);
  });

  test('names each case once', () => {
    const titles = CASES.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  test('no two tables give one name to two causes, and every cause that one explains exists', () => {
    expect(checkTables(causesOf(awsDiagnosis()))).toEqual([]);
  });
});
