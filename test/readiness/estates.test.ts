/** Healthy installations in the shapes that people use: nothing fails, and what warns is said here with its reason. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS, type Finding, judge, readInputs } from '../../packages/chandler/src/readiness/index.ts';

interface Estate {
  readonly name: string;
  /** What may warn. */
  readonly warns: readonly string[];
  /** Checks that compare sources, which must not be skipped. */
  readonly passes: readonly string[];
}

const ESTATES: readonly Estate[] = [
  {
    name: 'irsa',
    warns: [],
    passes: ['S-01', 'S-06', 'S-07', 'S-09', 'S-10', 'S-14', 'S-29', 'S-65', 'S-67', 'K-07', 'K-51', 'K-88'],
  },
  {
    name: 'pod-identity',
    // The values say nothing about metrics.
    warns: ['K-81 helm_release.karpenter'],
    passes: ['S-01', 'S-07', 'S-09', 'S-10', 'S-20', 'S-29', 'K-07', 'K-28', 'K-43', 'K-51'],
  },
  {
    name: 'access-entries',
    warns: [],
    passes: ['S-01', 'S-07', 'S-09', 'S-10', 'S-29', 'S-43', 'S-49', 'S-50', 'K-07', 'K-40', 'K-51', 'K-82'],
  },
  {
    name: 'aws-auth',
    // Its key has an alias, and no output.
    warns: ['S-14 the key'],
    passes: ['S-01', 'S-02', 'S-06', 'S-10', 'S-29', 'S-48', 'S-65', 'K-21', 'K-43', 'K-62'],
  },
  {
    name: 'aks',
    warns: [],
    passes: [
      'A-01',
      'A-02',
      'A-03',
      'A-04',
      'A-05',
      'A-06',
      'A-07',
      'A-08',
      'A-10',
      'A-13',
      'A-14',
      'A-15',
      'A-16',
      'A-17',
      'A-23',
      'A-24',
      'A-30',
    ],
  },
  {
    name: 'aks-byok',
    warns: [],
    passes: [
      'A-01',
      'A-02',
      'A-05',
      'A-08',
      'A-09',
      'A-10',
      'A-11',
      'A-12',
      'A-13',
      'A-18',
      'A-22',
      'A-25',
      'A-26',
      'A-27',
      'A-28',
      'A-29',
      'A-30',
    ],
  },
  {
    name: 'isolated-vpc',
    warns: [],
    passes: ['S-01', 'S-02', 'S-03', 'S-04', 'S-07', 'S-09', 'S-18', 'S-20', 'S-46', 'S-47', 'S-49', 'S-50'],
  },
];

describe.each(ESTATES)('a healthy installation: $name', async ({ name, warns, passes }) => {
  const paths = [join(import.meta.dirname, 'estates', name)];
  const { findings, problems } = judge(await readInputs({ paths }), CHECKS, { strict: false });
  const found = (status: Finding['status']) =>
    findings
      .filter((finding) => finding.status === status)
      .map(({ id, object }) => (object === undefined ? id : `${id} ${object}`));

  test('is read without problems', () => {
    expect(problems).toEqual([]);
  });

  test('does not fail', () => {
    expect([...found('fail'), ...found('error')]).toEqual([]);
  });

  test('warns about nothing but this', () => {
    expect(found('warn')).toEqual(warns);
  });

  test('is judged: checks that compare sources are not skipped', () => {
    const passed = new Set(findings.filter(({ status }) => status === 'pass').map(({ id }) => id));
    expect(passes.filter((id) => !passed.has(id))).toEqual([]);
  });
});
