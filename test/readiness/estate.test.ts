/** A whole installation with its faults: what is found, in which order, and that mending it gives 100 %. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECKS, judge, type Report, readInputs } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { PROVISIONERS } from './provisioners.ts';

const ESTATE = join(import.meta.dirname, 'estate');

const report = judge(
  await readInputs({ paths: [ESTATE], config: join(ESTATE, 'expectations.yaml') }),
  CHECKS,
  { strict: false },
);

describe('an installation that is described in files alone', () => {
  test('what fails, with its object', () => {
    expect(found(report, 'fail')).toEqual([
      'K-07 NodePool/spot-fleet',
      'S-16 Application/karpenter',
      'S-17 Application/karpenter',
      'S-35 EC2NodeClass/kubelet-custom',
      'S-42 NodePool/default-fleet',
    ]);
  });

  test('what is doubtful', () => {
    const classes = ['default', 'kubelet-custom', 'penumbra-nodes'].map((name) => `EC2NodeClass/${name}`);
    const pools = ['default-fleet', 'on-demand-fleet', 'penumbra', 'spot-fleet'].map(
      (name) => `NodePool/${name}`,
    );
    expect(found(report, 'warn')).toEqual([
      'S-11 module.eks.aws_eks_cluster.this',
      'S-19 Application/karpenter',
      ...pools.map((pool) => `S-30 ${pool}`),
      ...['S-32', 'S-34', 'S-37', 'S-38'].flatMap((id) => classes.map((name) => `${id} ${name}`)),
      'S-67',
    ]);
  });

  test.each([
    'S-01',
    'S-02',
    'S-06',
    'S-07',
    'S-09',
    'S-10',
    'S-13',
    'S-14',
    'S-21',
    'S-29',
    'S-46',
    'S-47',
    'S-48',
    'S-65',
    'S-68',
    'S-69',
    'S-70',
  ])('%s passes', (id) => {
    const statuses = new Set(
      report.findings.filter((finding) => finding.id === id).map(({ status }) => status),
    );
    expect([...statuses]).toEqual(['pass']);
  });

  test('values are followed through locals, variables, files of variables and modules', () => {
    const [aligned] = report.findings.filter(({ id }) => id === 'S-01');
    const places = aligned!.evidence.map(({ value, at }) => [
      value,
      'file' in at ? relative(ESTATE, at.file) : '',
    ]);
    expect(places).toEqual([
      ['harbor-prod', 'gitops/prod/apps/apps-karpenter.yaml'],
      ['harbor-prod', 'infra/modules/eks/main.tf'],
    ]);
  });

  test('what needs a state or a plan is skipped, and says so', () => {
    for (const id of ['S-03', 'S-12', 'S-18'])
      expect(report.findings.find((finding) => finding.id === id)).toMatchObject({ status: 'skip' });
  });

  test('phase 2 comes first, and blocks what follows', () => {
    expect(report.phases.map(({ state }) => state)).toEqual([
      'open',
      'open',
      'blocked',
      'blocked',
      'blocked',
    ]);
    expect(report.nextAction).toMatchObject({ phase: 2, finding: { id: 'S-16' } });
  });

  test('the score is at most 69 % while critical checks fail', () => {
    expect(report.score).toMatchObject({ capped: true });
    expect(report.score.percent).toBeLessThanOrEqual(69);
  });

  test('all files could be read', () => {
    expect(report.problems).toEqual([]);
  });
});

test('the same installation is 100 % ready when everything is mended', () => {
  const mended = judge(inputsOf(mendedFiles()), CHECKS, { strict: true });
  expect(found(mended, 'fail')).toEqual([]);
  expect(found(mended, 'warn')).toEqual([]);
  expect(mended.score).toMatchObject({ percent: 100, capped: false });
  expect(mended.nextAction).toBeUndefined();
});

// ---------------------------------------------------------------------------------------------------------------

function found({ findings }: Report, status: string): readonly string[] {
  return findings
    .filter((finding) => finding.status === status)
    .map(({ id, object }) => (object === undefined ? id : `${id} ${object}`))
    .sort();
}

/** What each fault is replaced with, in every file. */
const MENDED: readonly (readonly [string | RegExp, string])[] = [
  ['REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT', 'https://0F3A.gr7.us-east-1.eks.amazonaws.com'],
  [/defaultInstanceProfile: .*/, 'interruptionQueue: Karpenter-harbor-prod'],
  ['    "karpenter.sh/discovery" = local.cluster_name\n', ''],
  [/ {2}amiFamily: AL2\n/g, ''],
  [/- id: ami-\w+/g, '- alias: al2023@v20260801'],
  [/httpTokens: optional/g, 'httpTokens: required'],
  [
    /deleteOnTermination: true/g,
    'encrypted: true\n        kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/7d1e',
  ],
  [/ {2}namespace: karpenter\nspec:/g, 'spec:'],
  ['expireAfter: 15m', 'expireAfter: 168h'],
];

function mendedFiles(): Readonly<Record<string, string>> {
  const files = readdirSync(ESTATE, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const texts = files.map((entry) => {
    const path = join(entry.parentPath, entry.name);
    const text = MENDED.reduce(
      (current, [from, to]) => current.replace(from, to),
      readFileSync(path, 'utf8'),
    );
    // An Application delivers them from the GitOps repository.
    return [
      relative(ESTATE, path)
        .replaceAll('\\', '/')
        .replace(/^karpenter\//, 'gitops/prod/karpenter/'),
      text,
    ];
  });
  return { ...Object.fromEntries(texts), 'gitops/prod/apps/provisioners.yaml': PROVISIONERS };
}
