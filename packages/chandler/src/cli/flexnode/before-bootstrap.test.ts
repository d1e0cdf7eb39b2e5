import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { checkNames, type FlexConfig, FlexError } from '../../flexnode/index.ts';
import { beforeBootstrap } from './before-bootstrap.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
});
afterEach(() => machine.dispose());

test('preflight is skipped on a machine where every step is completed', async () => {
  expect(await reports()).toEqual([]);
});

test('preflight runs on a copied disk of such a machine', async () => {
  writeFileSync(`${machine.root}/etc/machine-id`, `${'c'.repeat(32)}\n`);
  expect(await reports()).toMatchObject([{ type: 'preflight' }]);
});

test('preflight runs if the config has changed since', async () => {
  const config = await machine.configOf({ kubernetes: { version: '1.32.9' } });
  expect(await reports(config)).toMatchObject([{ type: 'preflight' }]);
});

test.each([
  ['does not need Azure if only programs change', { kubernetes: { version: '1.32.9' } }, false],
  ['needs Azure if the permissions of the node change', { security: { tlsBootstrap: false } }, true],
])('preflight %s', async (_, changes, expected) => {
  const [report] = await reports(await machine.configOf(changes));
  const names = (report as { checks: { name: string }[] }).checks.map(({ name }) => name);
  expect(names.includes('azure-cluster')).toBe(expected);
});

test.each([
  ['1.34.4', 'ok'],
  ['1.33.1', 'warning'],
])('preflight compares the version with the API server of today: %s', async (version, severity) => {
  machine.azure.serverVersion = version;
  const [report] = await reports(await machine.configOf({ kubernetes: { version: '1.34.2' } }));
  const checks = (report as { checks: { name: string; severity: string }[] }).checks;
  expect(checks.find(({ name }) => name === 'version-skew')?.severity).toBe(severity);
});

describe('a change of the config on a running node', () => {
  const bundle = '/mnt/removed.tar';
  const gone = [
    ['disk-space', undefined],
    ['download-endpoints', undefined],
    ['kubernetes-artifacts', bundle],
    ['cri-artifacts', bundle],
  ] as const;

  test.each(gone)('is not stopped by %s if no program has to be installed', async (name, from) => {
    const config = withBundle(await machine.configOf({ node: { maxPods: 30 } }), from);
    expect(await severities(name, config)).toEqual(['warning']);
  });

  test.each(gone)('is stopped by %s if a program has to be installed', async (name, from) => {
    const versions = { kubernetes: { version: '1.32.9' }, containerd: { version: '1.7.24' } };
    const config = withBundle(await machine.configOf(versions), from);
    expect(await severities(name, config)).toEqual(['error']);
  });

  test('does not need the names of mirrors if no program has to be installed', async () => {
    const targets = async (changes: Parameters<typeof machine.configOf>[0]) => {
      const [report] = await reports(await machine.configOf(changes));
      const { checks } = report as { checks: { name: string; target?: string }[] };
      return checks.filter(({ name }) => name === 'dns').map(({ target }) => target);
    };
    expect(await targets({ kubernetes: { version: '1.32.9' } })).toContain('mirror.test');
    expect(await targets({ node: { maxPods: 30 } })).not.toContain('mirror.test');
  });

  test('is not stopped by closed access to Azure if no step uses it', async () => {
    const settings = await machine.configOf({ node: { maxPods: 30 } });
    expect(new Set(await severities('azure-endpoints', settings))).toEqual(new Set(['warning']));
    const [report] = await reports(settings);
    const { checks } = report as { checks: { name: string; target?: string }[] };
    const names = checks.filter(({ name }) => name === 'dns').map(({ target }) => target);
    expect(names).not.toContain('management.azure.com');
  });

  test('is not stopped by an API server for which the installed kubelet is too old', async () => {
    machine.azure.serverVersion = '1.37.0';
    const settings = await machine.configOf({ node: { maxPods: 30 } });
    expect(await severities('version-skew', settings)).toEqual(['warning']);
    const version = await machine.configOf({ kubernetes: { version: '1.32.9' } });
    expect(await severities('version-skew', version)).toEqual(['error']);
  });
});

function withBundle(config: FlexConfig, bundle: string | undefined): FlexConfig {
  return bundle === undefined ? config : { ...config, downloads: { ...config.downloads, bundle } };
}

/** Of one check, on a machine with a full disk and without access to the mirror. */
async function severities(name: string, config: FlexConfig): Promise<readonly string[]> {
  const ignore = checkNames().filter((each) => each !== name);
  const [report] = await reports(config, { ignore, isShort: true });
  const { checks } = report as { checks: { name: string; severity: string; ignored: boolean }[] };
  return [...new Set(checks.filter((check) => check.name === name).map(({ severity }) => severity))];
}

async function refused(): Promise<Response> {
  throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
}

/** By default, errors are reported as warnings, because all checks are ignored. */
async function reports(
  config?: FlexConfig,
  { ignore = ['all'], isShort = false }: { ignore?: readonly string[]; isShort?: boolean } = {},
): Promise<unknown[]> {
  const written: string[] = [];
  const opened = await machine.parts(config === undefined ? {} : { config });
  const parts = isShort ? { ...opened, host: { ...opened.host, freeBytes: async () => 6e9 } } : opened;
  const fetch = isShort ? refused : parts.world.fetch;
  const agent = { parts, fetch, session: () => Promise.reject(new Error('no session')) };
  await beforeBootstrap(agent, {
    ignore,
    allowUnsupportedOs: true,
    signal: new AbortController().signal,
    terminal: { out: (text) => void written.push(text), err: () => undefined, color: false },
    json: true,
  }).catch((error: unknown) => {
    if (!(error instanceof FlexError) || error.facts.code !== 'preflight.failed') throw error;
  });
  return written.map((line) => JSON.parse(line));
}
