import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { AZURE_CONTROLLER_OPTIONS as CONTROLLER_OPTIONS } from '../../cloud/azure/index.ts';
import { GOOD_ENV, TOKEN } from '../../cloud/azure/testing.ts';
import type { Environment, OptionTable, PrintableOption } from '../../settings/index.ts';

import { run } from '../run.ts';
import { controller } from './controller.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-controller-'));
afterAll(() => rmSync(folder, { recursive: true }));

function fileOf(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const SETTINGS = fileOf(
  'settings.yaml',
  `apiVersion: v1
kind: ConfigMap
metadata:
  name: karpenter-global-settings
data:
  logLevel: debug
  azure.clusterName: from-settings
  azure.sshKey: x
`,
);

async function call(args: readonly string[], env: Environment = GOOD_ENV) {
  let out = '';
  let err = '';
  const code = await run([controller], {
    args: ['controller', ...args],
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}

describe('chandler controller', () => {
  test('[001] --print-options shows every option with its value and its source', async () => {
    const { code, out, err } = await call([
      '--print-options',
      '--metrics-port=9000',
      '--settings-file',
      SETTINGS,
    ]);
    expect(code).toBe(0);
    for (const name of Object.keys(CONTROLLER_OPTIONS)) expect(out).toContain(`  ${name} `);
    expect(out).toMatch(/^ {2}metricsPort +9000 {2}\(flag --metrics-port\)$/m);
    expect(out).toMatch(/^ {2}clusterName +my-cluster {2}\(env CLUSTER_NAME\)$/m);
    expect(out).toMatch(/^ {2}logLevel +debug {2}\(settings karpenter-global-settings\/data\/logLevel\)$/m);
    expect(out).toMatch(/^ {2}batchMaxDuration +10s {2}\(default\)$/m);
    expect(out).toMatch(/^ {2}networkPolicy +"" {2}\(default\)$/m);
    expect(err).toBe('warning: karpenter-global-settings/data/azure.sshKey: is not a known setting\n');
  });

  test('secrets are masked, in text and in JSON', async () => {
    for (const output of ['text', 'json']) {
      const { out, err } = await call(['--print-options', '-o', output]);
      expect(out).toContain('********');
      expect(out + err).not.toContain(TOKEN);
    }
  });

  test('-o json prints options and warnings as JSON', async () => {
    const { out, err } = await call(['--print-options', '-o', 'json', '--settings-file', SETTINGS]);
    const { options, warnings } = JSON.parse(out) as {
      options: PrintableOption[];
      warnings: { code: string }[];
    };
    expect(options).toHaveLength(Object.keys(CONTROLLER_OPTIONS).length);
    expect(options.find(({ name }) => name === 'logLevel')).toEqual({
      name: 'logLevel',
      group: 'Process',
      flag: '--log-level',
      env: ['LOG_LEVEL'],
      setting: 'logLevel',
      value: 'debug',
      source: 'settings',
      path: 'karpenter-global-settings/data/logLevel',
      default: 'info',
      secret: false,
      runtime: true,
    });
    expect(warnings).toMatchObject([{ code: 'UnknownKey' }]);
    expect(err).toContain('warning:');
  });

  test('all problems are reported at once, and the exit code is 2', async () => {
    const env = { ...GOOD_ENV, CLUSTER_NAME: '', PROVISION_MODE: 'aksmachineapi', KUBE_CLIENT_QPS: 'fast' };
    const { code, out, err } = await call(['--print-options', '--metrcis-port=1'], env);
    expect([code, out]).toEqual([2, '']);
    expect(err.trim().split('\n')).toEqual([
      'chandler controller: --metrcis-port: unknown flag; did you mean --metrics-port?',
      'chandler controller: KUBE_CLIENT_QPS: expected a whole number, got "fast"',
      'chandler controller: CLUSTER_NAME: is required: set --cluster-name, CLUSTER_NAME or azure.clusterName',
      expect.stringMatching(/^chandler controller: PROVISION_MODE: aksmachineapi is not supported/),
      'See "chandler controller --help" for usage.',
    ]);
  });

  test.each([
    ['59s', 2],
    ['1ms', 2],
    ['1m', 0],
    ['0', 0],
  ])('--readiness-check-interval is off or at least a minute: %s', async (interval, expected) => {
    const { code, err } = await call(['--print-options', '--readiness-check-interval', interval]);
    expect([code, err.includes(`expected at least 1m, or 0, got "${interval}"`)]).toEqual([
      expected,
      expected === 2,
    ]);
  });

  test.each([
    [[], 0, ''],
    [['--page-hosts', 'page.example.com,page.example.com:8443', '--page-bind-address', '::'], 0, ''],
    [
      ['--page-bind-address', '0.0.0.0'],
      2,
      '--page-hosts: is required when --page-bind-address is not a loopback',
    ],
    [['--page-bind-address', 'localhost'], 2, 'expected an IP address, got "localhost"'],
    [['--page-hosts', 'https://page.example.com/'], 2, 'expected names such as page.example.com'],
  ])('the page listens on loopback, or under names that are given: %j', async (args, expected, said) => {
    const { code, err } = await call(['--print-options', '--page', ...args]);
    expect([code, err]).toEqual([expected, expect.stringContaining(said)]);
  });

  test('a required option may come from the ConfigMap', async () => {
    const { CLUSTER_NAME: _, ...env } = GOOD_ENV;
    expect((await call(['--print-options'], env)).code).toBe(2);
    const { code, out } = await call(['--print-options', '--settings-file', SETTINGS], env);
    expect(code).toBe(0);
    expect(out).toContain('from-settings');
  });

  test('without a cluster the error names what was tried', async () => {
    const { code, err, out } = await call([]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('no cluster to talk to: no --kubeconfig');
  });

  test('invalid options are reported before a cluster is contacted when the settings come from a file', async () => {
    const { code, err } = await call(['--settings-file', SETTINGS, '--batch-idle-duration=soon']);
    expect(code).toBe(2);
    expect(err).toContain('--batch-idle-duration');
  });

  test('an invalid flag or variable is reported with exit code 2 even when the cluster cannot be reached', async () => {
    const nowhere = join(folder, 'nowhere');
    const { code, err } = await call(['--kubeconfig', nowhere, '--nope', '--max-failing-launches', 'many'], {
      ...GOOD_ENV,
      BATCH_IDLE_DURATION: 'soon',
    });
    expect(code).toBe(2);
    for (const text of ['--nope', '--max-failing-launches', 'BATCH_IDLE_DURATION'])
      expect(err).toContain(text);
    expect(err).not.toContain('nowhere');
    // What the settings in the cluster may still give is not called missing.
    const missing = await call(['--kubeconfig', nowhere], {});
    expect(missing).toMatchObject({ code: 1, err: expect.stringContaining('nowhere') });
  });

  test('--help lists every option under its heading', async () => {
    const { out, code } = await call(['--help']);
    expect(code).toBe(0);
    const table: OptionTable = CONTROLLER_OPTIONS;
    for (const row of Object.values(table)) {
      expect(out).toContain(`--${row.flag}`);
      expect(out).toContain(`\n${row.group}:\n`);
    }
  });

  test.each([
    ['nowhere.yaml', undefined, 'cannot read'],
    ['broken.yaml', '{', 'cannot read'],
    ['secret.yaml', 'kind: Secret\ndata: {}', 'is not a ConfigMap manifest'],
    ['number.yaml', 'kind: ConfigMap\ndata: {metricsPort: 1}', 'data.metricsPort is not a string'],
    ['empty.yaml', '', 'is not a ConfigMap manifest'],
  ])('a settings file %s is rejected by name', async (name, text, message) => {
    const file = text === undefined ? join(folder, name) : fileOf(name, text);
    const { code, err } = await call(['--print-options', '--settings-file', file]);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(err).toContain(name);
  });

  test('a kubeconfig that does not exist is named', async () => {
    const { code, err } = await call(['--print-options', '--kubeconfig', join(folder, 'no-kubeconfig')]);
    expect(code).toBe(1);
    expect(err).toContain('no-kubeconfig does not exist');
  });
});
