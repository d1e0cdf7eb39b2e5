import { describe, expect, test } from 'vitest';
import type { CheckRow } from './checks/check.ts';
import { NO_INPUTS } from './inputs/inputs.ts';
import { judge } from './judge.ts';
import type { Evidence, InputKind, Judgement, PhaseNumber, Severity } from './model/finding.ts';
import { exitCodeOf } from './report/exit-code.ts';

const row = (
  id: string,
  judgements: readonly Judgement[] | (() => never),
  {
    severity = 'high',
    phase = 1,
    inputs = [],
  }: { severity?: Severity; phase?: PhaseNumber; inputs?: readonly InputKind[] } = {},
): CheckRow => ({
  id,
  title: `title of ${id}`,
  inputs,
  criterion: 'A criterion.',
  severity,
  phase,
  fix: `Fix ${id}.`,
  docs: 'https://karpenter.sh',
  judge: () => (typeof judgements === 'function' ? judgements() : judgements),
});

const one = (status: Judgement['status']): readonly Judgement[] => [{ status, message: 'm', evidence: [] }];
const judged = (...rows: readonly CheckRow[]) => judge(NO_INPUTS, rows, { strict: false });
const policy = {
  failOn: 'high',
  warnAsError: false,
  requireInputs: false,
  exitZero: false,
  isSourceUnread: false,
  isSmokeBlocked: false,
} as const;

describe('a report', () => {
  test('counts the weight of what passes, of what was judged', () => {
    const { score } = judged(
      row('A', one('pass'), { severity: 'critical' }),
      row('B', one('fail')),
      row('C', one('skip')),
      row('D', one('warn'), { severity: 'low' }),
    );
    expect(score).toEqual({
      percent: 62,
      capped: false,
      checks: { fail: 1, error: 0, warn: 1, skip: 1, pass: 1 },
    });
  });

  test('is at most 69 % while a critical check fails', () => {
    const passing = Array.from({ length: 20 }, (_, at) =>
      row(`P-${at}`, one('pass'), { severity: 'critical' }),
    );
    expect(judged(...passing, row('F', one('fail'), { severity: 'critical' })).score).toMatchObject({
      percent: 69,
      capped: true,
    });
  });

  test('has no score where nothing was judged', () => {
    expect(judged(row('A', one('skip'))).score.percent).toBeUndefined();
  });

  test('a check without its inputs is skipped and names them', () => {
    const [finding] = judged(row('A', one('pass'), { inputs: ['plan'] })).findings;
    expect(finding).toMatchObject({ status: 'skip', needs: ['plan'] });
  });

  test('a check that says nothing is skipped, not passed', () => {
    expect(judged(row('A', [])).findings).toMatchObject([{ status: 'skip' }]);
  });

  test('what rests on an unknown value is neither a pass nor a warning, nor a failure without other evidence', () => {
    const unknown = { source: 'terraform', what: 'x', unknown: true, at: { file: 'a.tf', line: 1 } } as const;
    const known = { source: 'terraform', what: 'y', value: '1', at: { file: 'a.tf', line: 2 } } as const;
    const statuses = (evidence: readonly Evidence[]) =>
      (['pass', 'warn', 'fail'] as const).map(
        (status) => judged(row('A', [{ status, message: 'm', evidence }])).findings[0]!.status,
      );
    expect(statuses([unknown])).toEqual(['skip', 'skip', 'skip']);
    expect(statuses([unknown, known])).toEqual(['skip', 'skip', 'fail']);
  });

  test('a check that fails itself is an error, and the others are judged', () => {
    const broken = () => {
      throw new TypeError('a bug');
    };
    const report = judged(row('A', broken), row('B', one('pass')));
    expect(report.findings.map(({ id, status }) => [id, status])).toEqual([
      ['A', 'error'],
      ['B', 'pass'],
    ]);
    expect(exitCodeOf(report, policy)).toBe(4);
  });
});

describe('phases', () => {
  test('one that fails critically blocks those after it, and the next action is in it', () => {
    const report = judged(
      row('A', one('pass')),
      row('B', one('fail'), { phase: 2, severity: 'critical' }),
      row('C', one('fail'), { phase: 4, severity: 'critical' }),
    );
    expect(report.phases.map(({ state }) => state)).toEqual([
      'done',
      'open',
      'blocked',
      'blocked',
      'blocked',
    ]);
    expect(report.nextAction).toMatchObject({ phase: 2, finding: { id: 'B' } });
  });

  test('failures come before warnings, the worst first', () => {
    const report = judged(
      row('A', one('warn'), { severity: 'critical' }),
      row('B', one('fail'), { phase: 4, severity: 'low' }),
      row('C', one('fail'), { phase: 4 }),
    );
    expect(report.nextAction).toMatchObject({ finding: { id: 'C' } });
  });

  test('without failures and warnings there is nothing to do', () => {
    expect(judged(row('A', one('pass'))).nextAction).toBeUndefined();
  });
});

describe('the exit code', () => {
  const failing = judged(row('A', one('fail'), { severity: 'medium' }), row('B', one('warn')));

  test.each([
    [0, {}],
    [1, { failOn: 'medium' }],
    [1, { warnAsError: true }],
    [0, { failOn: 'low', exitZero: true }],
  ] as const)('is %i with %j', (code, own) => {
    expect(exitCodeOf(failing, { ...policy, ...own })).toBe(code);
  });

  test('is 3 when nothing could be judged, and inputs are required', () => {
    expect(exitCodeOf(judged(row('A', one('skip'))), { ...policy, requireInputs: true })).toBe(3);
    expect(exitCodeOf(judged(row('A', one('skip'))), policy)).toBe(0);
  });
});
