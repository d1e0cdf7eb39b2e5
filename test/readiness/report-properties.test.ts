/** What is asked of every report, and is no check of its own: docs/check.md says where each of them is. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { CHECKS, type Report } from '../../packages/chandler/src/readiness/index.ts';
import { everyNth } from '../part.ts';
import { CLUSTER } from './examples/example.ts';
import { judged } from './examples/judged.ts';

const ESTATE = join(import.meta.dirname, 'estate');
const ACCOUNT = '418295670013';
const PROPERTIES = ['S-60', 'S-63', 'K-84'];

async function check(...args: readonly string[]): Promise<string> {
  let out = '';
  await run(VERBS, {
    args: ['check', ESTATE, ...args],
    env: {},
    terminal: { out: (text) => (out += text), err: () => {}, color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return out;
}

/** Terraform is done, and phase 4 has a class that allows IMDSv1. */
const files = (endpoint: string) => ({
  'main.tf': CLUSTER,
  'values.yaml': `settings:\n  clusterName: shop\n  clusterEndpoint: ${endpoint}\n`,
  'class.yaml': `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  metadataOptions:
    httpTokens: optional
`,
});
const PLACEHOLDER = 'REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT';
const ENDPOINT = 'https://0123456789ABCDEF.gr7.us-east-1.eks.amazonaws.com';

const stateOf = ({ phases }: Report, wanted: number) => phases.find(({ number }) => number === wanted)?.state;

test.each(PROPERTIES)('%s is no row of the table, and docs/check.md says which section shows it', (id) => {
  expect(CHECKS.map((row) => row.id)).not.toContain(id);
  expect(readFileSync(join(import.meta.dirname, '../../docs/check.md'), 'utf8')).toMatch(
    new RegExp(`^\\| ${id}: `, 'm'),
  );
});

describe('S-60: phases gate each other', () => {
  test('S-60: a critical failure of phase 2 blocks phase 4, whose findings are shown and are not the next action', () => {
    const report = judged(files(PLACEHOLDER));
    expect(stateOf(report, 4)).toBe('blocked');
    expect(report.findings.find(({ id }) => id === 'S-35')).toMatchObject({ status: 'fail', phase: 4 });
    expect(report.nextAction).toMatchObject({ phase: 2, finding: { id: 'S-16', severity: 'critical' } });
  });

  test('S-60: without it, phase 4 is open', () => {
    const report = judged(files(ENDPOINT));
    expect(report.findings.find(({ id }) => id === 'S-16')?.status).toBe('pass');
    expect(stateOf(report, 4)).toBe('open');
  });

  test('S-60: the text says which phase is first, and ends with the next action', async () => {
    const text = await check();
    expect(text).toContain('Phase 2: Helm values (to do)');
    expect(text).toContain('Phase 4: Node configuration (after phase 2)');
    expect(text.trimEnd().split('\n').at(-1)).toMatch(/^Next: phase 2, S-16 /);
  });
});

test('S-63: the summary has the score, the required actions, most severe first, and the optional ones', async () => {
  const text = await check('-o', 'markdown');
  const summary = text.slice(text.indexOf('\n## Summary\n'));
  expect(summary).toMatch(/The configuration is \*\*\d+ % ready\*\*\. Required before deployment:\n/);
  const [required = '', optional = ''] = summary.split('\nOptional:\n');
  const actions = (part: string) =>
    [...part.matchAll(/^\d+\. .+ \(([SK]-\d+), (\w+)\)$/gm)].map(([, id, severity]) => ({ id, severity }));
  const { findings } = JSON.parse(await check('-o', 'json')) as {
    findings: readonly { id: string; status: string; severity: string }[];
  };
  const idsOf = (status: string) =>
    new Set(
      findings.filter((each) => each.status === status && each.severity !== 'info').map(({ id }) => id),
    );
  const failing = idsOf('fail');
  expect(new Set(actions(required).map(({ id }) => id))).toEqual(failing);
  expect(new Set(actions(optional).map(({ id }) => id))).toEqual(idsOf('warn').difference(failing));
  const severities = actions(required).map(({ severity }) => severity);
  expect(severities[0]).toBe('critical');
  expect(severities.lastIndexOf('critical')).toBeLessThan(severities.indexOf('high'));
});

const FORMATS = ['text', 'json', 'yaml', 'markdown', 'sarif', 'junit', 'html', 'github', 'csv', 'prometheus'];
test.each(everyNth('formats', FORMATS, 5))(
  'K-84: --redact leaves no account id in the format %s',
  async (format) => {
    expect(await check('-o', format, '--verbose', '--redact')).not.toContain(ACCOUNT);
    // It is there without: the text of these formats has evidence.
    if (['text', 'json', 'yaml'].includes(format))
      expect(await check('-o', format, '--verbose')).toContain(ACCOUNT);
  },
);
