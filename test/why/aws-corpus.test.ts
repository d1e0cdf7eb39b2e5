/** Every case of the corpus of AWS, and that it has one for every cause. */
import { describe, expect, test } from 'vitest';
import { CONDITIONS } from '../../packages/chandler/src/api/index.ts';
import { checkTables, EvidenceSet, findCauses } from '../../packages/chandler/src/causes/index.ts';
import { awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { ERROR_ROWS, type ErrorRow } from '../../packages/chandler/src/cloud/aws/index.ts';
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

  test('every reason of a condition of an EC2NodeClass that is not True has a cause', () => {
    const { isClassReason } = awsDiagnosis().explained;
    const reasons = CONDITIONS.EC2NodeClass.rows
      .filter(({ type }) => type !== 'Ready')
      .flatMap(({ reasons: { False = [], Unknown = [] } }) => [...False, ...Unknown]);
    expect(reasons.length).toBeGreaterThan(25);
    expect(
      [...new Set(reasons)].filter((reason) => reason !== 'AwaitingReconciliation' && !isClassReason(reason)),
    ).toEqual([]);
  });

  test('every reason of the error table has a cause that is more than general', () => {
    const tables = causesOf(awsDiagnosis());
    // Of deletions: the instance is gone, or is kept.
    const ofDeletions = ['NodeClaimNotFound', 'TerminationProtected'];
    const missing = ERROR_ROWS.filter(({ reason }) => !ofDeletions.includes(reason))
      .map((row) => ({ row, evidence: refusedWith(row) }))
      .filter(({ evidence }) => !findCauses(tables, evidence).some(({ id }) => id.startsWith('aws.')))
      .map(({ row }) => row.reason);
    expect(missing).toEqual([]);
  });

  test('names each case once', () => {
    const titles = CASES.map(({ title }) => title);
    expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
  });

  test('no two tables give one name to two causes, and every cause that one explains exists', () => {
    expect(checkTables(causesOf(awsDiagnosis()))).toEqual([]);
  });
});

/** What a claim shows whose launch was refused like this, with the words that the row looks for. */
function refusedWith({ reason, kind, codes = [], says, meaning }: ErrorRow): EvidenceSet {
  const words = says === undefined ? '' : says.source.replace(/\(\?:|[()^$]|\\|\?/g, '').split('|')[0];
  const message = `${meaning}: ${codes[0] ?? 'Code'}: ${words}`;
  const reading = { from: 'kubernetes', what: 'NodeClaim a', atMs: 0 };
  const error = {
    kind: 'cloudError',
    reading,
    claim: 'a',
    errorKind: kind,
    reason,
    code: codes[0],
    message,
  } as const;
  return new EvidenceSet({ records: [{ ...error, stage: undefined }], atMs: 0 });
}
