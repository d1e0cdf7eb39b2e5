/** `chandler check` as a user runs it. */
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { CHECKS } from '../../packages/chandler/src/readiness/index.ts';
import { aChange, aNodeClass, aPlan } from './examples/example.ts';

const ESTATE = join(import.meta.dirname, 'estate');
const folder = mkdtempSync(join(tmpdir(), 'check-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes files into a folder of their own. */
function written(name: string, files: Readonly<Record<string, string>>): string {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, file, '..'), { recursive: true });
    writeFileSync(join(folder, name, file), text);
  }
  return join(folder, name);
}

async function check(...args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args: ['check', ...args],
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}

describe('chandler check', () => {
  test('prints phases, what is wrong with file and line, the fix, and what to do next', async () => {
    const { code, out } = await check(ESTATE);
    expect(code).toBe(1);
    expect(out).toMatch(/^Readiness: \d+ % \(at most 69 % while a critical check fails\)\n/);
    expect(out).toContain('Phase 2: Helm values (to do)');
    expect(out).toContain('FAIL  S-16  critical  The cluster endpoint is not a placeholder');
    expect(out).toMatch(
      /settings\.clusterEndpoint is REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT {2}\S*apps-karpenter\.yaml:21\n/,
    );
    expect(out).toContain('Phase 4: Node configuration (after phase 2)');
    expect(out).not.toMatch(/SKIP/);
    expect(out).toMatch(/\nSkipped: \d+ checks \(--verbose lists them\)\n/);
    expect(out).toMatch(/ \d+ need the state \(/);
    expect(out).toMatch(/\nNext: phase 2, S-16 \(Application\/karpenter\): .+\n$/);
  });

  test('-o json has the schema, with the evidence of every finding', async () => {
    const { out } = await check(ESTATE, '-o', 'json');
    const report = JSON.parse(out);
    expect(report).toMatchObject({
      schemaVersion: '1.0',
      score: expect.any(Number),
      nextAction: { id: 'S-16', phase: 2 },
    });
    expect(
      report.findings.find(
        ({ id, status }: { id: string; status: string }) => id === 'S-35' && status === 'fail',
      ),
    ).toEqual({
      id: 'S-35',
      status: 'fail',
      severity: 'high',
      phase: 4,
      title: 'Instances require IMDSv2',
      object: 'EC2NodeClass/kubelet-custom',
      message: 'IMDSv1 is allowed.',
      evidence: [
        {
          source: 'manifest',
          what: 'spec.metadataOptions.httpTokens',
          value: 'optional',
          at: expect.stringMatching(/karpenter\/node-class\.yaml:71$/),
        },
      ],
      fix: 'Set spec.metadataOptions.httpTokens to required.',
      docs: expect.stringContaining('https://'),
    });
  });

  test('the same files give the same report', async () => {
    expect((await check(ESTATE, '-o', 'json')).out).toBe((await check(ESTATE, '-o', 'json')).out);
  });

  test('--only, --skip and --severity choose checks', async () => {
    const ids = async (...args: readonly string[]) => {
      const { findings } = JSON.parse((await check(ESTATE, '-o', 'json', ...args)).out);
      return [...new Set(findings.map(({ id }: { id: string }) => id))];
    };
    expect(await ids('--only', 'S-16,s-17')).toEqual(['S-16', 'S-17']);
    expect(await ids('--only', 'S-16', '--only', 'S-17', '--skip', 'S-17')).toEqual(['S-16']);
    expect(await ids('--severity', 'critical')).not.toContain('S-35');
  });

  test.each([
    [1, []],
    [0, ['--exit-zero']],
    [0, ['--only', 'S-32']],
    [1, ['--only', 'S-32', '--warn-as-error']],
    [1, ['--only', 'S-32', '--strict']],
    [0, ['--only', 'S-30', '--warn-as-error']],
    [1, ['--only', 'S-30', '--warn-as-error', '--fail-on', 'low']],
  ])('exits with %i for %j', async (code, args) => {
    expect((await check(ESTATE, ...args)).code).toBe(code);
  });

  test('an error that no check has dealt with is one line and exit code 4, without a stack', async () => {
    let err = '';
    const code = await run(VERBS, {
      args: ['check', ESTATE],
      env: {},
      terminal: { out: () => undefined, err: (text) => (err += text), color: false },
      interrupted: new AbortController().signal,
      world: async () => {
        throw new Error('the clock is broken\nsecond line');
      },
    });
    expect(code).toBe(4);
    expect(err).toBe(
      'chandler check: the clock is broken; this is a defect of chandler check, and nothing was judged\n',
    );
  });

  test('inputs that are all needed are named with and, those of which one is enough with or', async () => {
    const { out } = await check(written('none', { 'notes.md': '' }), '--only', 'S-01', '--verbose');
    expect(out).toMatch(/it needs Terraform files \(\*\.tf\), or a plan .*; and the Helm values/);
  });

  test('a broken file is reported with its line, and the rest is judged', async () => {
    const path = written('broken', {
      'main.tf': 'resource "a" "b" {\n',
      'bad.yaml': 'kind: NodePool\napiVersion: [\n',
      'state.tfstate': '{"version": 4, "resources": [',
      'class.yaml': aNodeClass('  metadataOptions:\n    httpTokens: optional'),
    });
    const { code, out, err } = await check(path);
    expect(err).toBe('');
    expect(out).toMatch(/\nNot read\n/);
    expect(out).toMatch(/main\.tf:2: invalid HCL: /);
    expect(out).toMatch(/bad\.yaml:\d: invalid YAML: /);
    expect(out).toMatch(/state\.tfstate:1: invalid JSON: /);
    expect(out).toContain('FAIL  S-35');
    expect(code).toBe(1);
    expect((await check(path, '--require-inputs')).code).toBe(3);
  });

  test('an empty folder judges nothing', async () => {
    const empty = written('empty', { 'notes.md': '' });
    const { code, out } = await check(empty);
    expect(code).toBe(0);
    expect(out).toContain('nothing was judged');
    expect(out).toContain('chandler check looks for:');
    expect(out.split('\n').length).toBeLessThan(15);
    expect(out).not.toContain('SKIP');
    expect((await check(empty, '--verbose')).out).toMatch(/SKIP {2}S-01/);
    expect((await check(empty, '--require-inputs')).code).toBe(3);
  });

  test.each([
    ['a folder', ['nowhere']],
    ['a plan', ['.', '--plan', 'nowhere.json']],
    ['a state', ['.', '--state', 'nowhere.json']],
    ['a file of variables', ['.', '--var-file', 'nowhere.tfvars']],
    ['a file of expectations', ['.', '--config', 'nowhere.yaml']],
  ])('%s that is named and not there is a usage error', async (_, args) => {
    const { code, err } = await check(...args.map((arg) => (arg.startsWith('--') ? arg : join(folder, arg))));
    expect(code).toBe(2);
    expect(err).toMatch(/nowhere.*: there is no such file or folder/);
  });

  test.each([
    ['a: [', 'invalid YAML'],
    ['- a', 'expected a map of expectations'],
    ['', 'expected a map of expectations'],
  ])('expectations that cannot be read are a usage error: %j', async (text, message) => {
    const path = written('config', { 'expected.yaml': text });
    const { code, err } = await check(path, '--config', join(path, 'expected.yaml'));
    expect(code).toBe(2);
    expect(err).toContain(message);
  });

  test('a plan in the folder that is checked, and named besides, is read once', async () => {
    const plan = aPlan(aChange('aws_eks_cluster', 'this', ['create'], { name: 'shop' }));
    const path = written('plan-twice', { 'plan.json': plan });
    symlinkSync(path, join(folder, 'other-name'));
    const { out } = await check(path, '--plan', join(folder, 'other-name', 'plan.json'), '-o', 'json');
    expect(JSON.parse(out).inputs.files).toBe(1);
    expect(JSON.parse((await check(path, join(folder, 'other-name'), '-o', 'json')).out).inputs.files).toBe(
      1,
    );
  });

  test('user data is not printed, pass or fail', async () => {
    const path = written('user-data', {
      'class.yaml': aNodeClass('  userData: curl -u admin:hunter2 https://example.com'),
    });
    const config = written('user-data-config', {
      'expected.yaml': 'nodeClasses:\n  default: {userData: true}\n',
    });
    for (const args of [['-o', 'json'], ['--verbose']]) {
      const { out } = await check(path, '--config', join(config, 'expected.yaml'), '--only', 'S-69', ...args);
      expect(out).toMatch(/"pass"|PASS/);
      expect(out).toContain('41 characters');
      expect(out).not.toContain('hunter2');
    }
  });

  test('what may hold inputs and was not read counts for --require-inputs; other JSON does not', async () => {
    const readable = { 'class.yaml': aNodeClass('  role: node') };
    const linked = written('dangling', readable);
    symlinkSync(join(linked, 'nowhere'), join(linked, 'pool.yaml'));
    expect((await check(linked, '--require-inputs', '--exit-zero')).code).toBe(3);
    const large = written('large', { ...readable, 'catalogue.json': '0'.padEnd(9 * 2 ** 20) });
    expect((await check(large, '--require-inputs', '--exit-zero')).code).toBe(0);
  });

  test('values that are known only after apply are skipped, never passed', async () => {
    const path = written('unknown', {
      'main.tf': 'variable "name" {}\nresource "aws_eks_cluster" "a" {\n  name = var.name\n}\n',
      'values.yaml': 'settings:\n  clusterName: shop\n',
    });
    const { out } = await check(path, '--only', 'S-01', '--verbose');
    expect(out).toContain('SKIP  S-01');
    expect(out).toContain('var.name, which has no default');
  });

  test('files with the line ends of Windows and a byte order mark have the same lines', async () => {
    const text = aNodeClass('  metadataOptions:\n    httpTokens: optional').replaceAll('\n', '\r\n');
    const path = written('crlf', { 'class.yaml': `\ufeff${text}` });
    expect((await check(path)).out).toMatch(/httpTokens is optional {2}\S*class\.yaml:7/);
  });

  test('control characters of a file are not printed', async () => {
    const path = written('control', {
      'class.yaml': aNodeClass('  metadataOptions:\n    httpTokens: optional', '"a\\e[31m"'),
    });
    const { out } = await check(path);
    expect(out).not.toContain('\u001b');
    expect(out).toContain('\\u001b[31m');
  });

  test('--redact hides account ids', async () => {
    const { out } = await check(ESTATE, '--redact', '--verbose');
    expect(out).not.toContain('418295670013');
    expect(out).toContain('[account]');
  });

  test('list-checks lists every check, and explain explains one', async () => {
    const { out } = await check('list-checks');
    expect(out.trimEnd().split('\n')).toHaveLength(CHECKS.length);
    const explained = await check('explain', 's-32');
    expect(explained).toMatchObject({ code: 0, err: '' });
    expect(explained.out).toContain('S-32: AMIs are not selected by id');
  });

  test.each([
    [['explain'], 'name a check'],
    [['explain', 'S-99'], 'no such check'],
    [['--only', 'S-3Z'], 'no such check'],
    [['list-checks', 'more'], 'unexpected argument'],
    [['--fail-on', 'bad'], 'expected'],
    [['--watch', '--watch-interval', '59s'], 'expected at least 1m'],
    [['--watch', '--config-map', 'a/b', '--fail-on', 'low'], '--fail-on: does not work with --watch'],
    [['--watch', '--config-map', 'a/b', '--smoke', '--yes'], '--smoke: does not work with --watch'],
    [[ESTATE, '--watch', '--config-map', 'a/b'], 'no files are read with --watch'],
  ])('%j is a usage error', async (args, message) => {
    const { code, err } = await check(...args);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
