import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { checkNames, type FlexConfig, FlexError, type Parts, type Selection } from '../../flexnode/index.ts';
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

  test.each([
    ['proxy', { proxy: { http: 'http://proxy.test:3128' } }],
    ['pause image', { containerd: { pauseImage: 'registry.test/pause:3.9' } }],
    ['bridge network', { cni: { bridge: { write: false } } }],
  ])(
    'of the %s is not stopped by disk space, although its step also installs programs',
    async (_, changes) => {
      expect(await severities('disk-space', await machine.configOf(changes))).toEqual(['warning']);
      expect(await severities('download-endpoints', await machine.configOf(changes))).toEqual(['warning']);
    },
  );

  test('is stopped by disk space if the Arc agent has to be installed', async () => {
    rmSync(`${machine.root}/opt/azcmagent`, { recursive: true });
    const config = await machine.configOf({ proxy: { http: 'http://proxy.test:3128' } });
    expect(await severities('disk-space', config)).toEqual(['error']);
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

describe('a selection of steps', () => {
  const noLogin = async () => {
    throw new FlexError({ class: 'auth', code: 'azure-cli.missing', message: 'az is not installed' });
  };
  const azure = { signIn: noLogin, cluster: noLogin, machine: noLogin };

  async function errorsOf(selection: Selection, changed: Partial<Parts> = {}): Promise<readonly string[]> {
    const opened = await machine.parts();
    const parts = { ...opened, azure: { ...opened.azure, ...azure }, ...changed };
    const [report] = await reports(undefined, { ignore: [], parts, selection });
    const { checks = [] } = (report ?? {}) as { checks?: { name: string; severity: string }[] };
    return checks.filter(({ severity }) => severity === 'error').map(({ name }) => name);
  }

  describe('on a new machine without a login', () => {
    beforeEach(() => {
      machine.dispose();
      machine = createFolderMachine();
    });

    test('needs neither Azure nor the Arc agent for the installation of programs', async () => {
      const azureChecks = ['azure-cluster', 'azure-resource-group'];
      expect(await errorsOf({})).toEqual(expect.arrayContaining(azureChecks));
      const noAgent = { ...(await machine.configOf()).azure };
      const config = {
        ...(await machine.configOf()),
        azure: { ...noAgent, arc: { ...noAgent.arc, install: false } },
      };
      expect(await errorsOf({}, { config })).toContain('arc-agent');
      for (const selection of [{ only: ['installation'] }, { skip: ['arc', 'activation'] }]) {
        const errors = await errorsOf(selection, { config });
        for (const name of [...azureChecks, 'arc-agent']) expect(errors).not.toContain(name);
      }
    });

    test('needs Azure for what its steps use', async () => {
      expect(await errorsOf({ only: ['arc'] })).toContain('azure-resource-group');
      expect(await errorsOf({ only: ['arc'] })).not.toContain('azure-cluster');
      expect(await errorsOf({ only: ['credentials'] })).toContain('azure-cluster');
      expect(await errorsOf({ only: ['credentials'] })).not.toContain('azure-resource-group');
    });

    test('needs only the download endpoints of its programs', async () => {
      const config = await machine.configOf();
      const azcmagent = `azcmagent/${config.azure.arc.agentVersion}/amd64`;
      const downloads = { mirrors: [], sha256: { ...config.downloads.sha256, [azcmagent]: 'a'.repeat(64) } };
      const targets = async (selection: Selection) => {
        const parts = await machine.parts({ config: { ...config, downloads } });
        const [report] = await reports(undefined, { parts, selection });
        const { checks } = report as { checks: { name: string; target?: string }[] };
        return checks.filter(({ name }) => name === 'download-endpoints').map(({ target }) => target);
      };
      const [all, programs, agent] = await Promise.all([
        targets({}),
        targets({ only: ['installation'] }),
        targets({ only: ['arc'] }),
      ]);
      expect(agent).toHaveLength(1);
      expect(all).toContain(agent[0]);
      expect(programs).not.toContain(agent[0]);
    });

    test('is stopped by a port in use only if the services are started', async () => {
      const line = '   0: 00000000:280A 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 1 1';
      mkdirSync(`${machine.root}/proc/net`, { recursive: true });
      writeFileSync(`${machine.root}/proc/net/tcp`, `  sl  local_address\n${line}\n`);
      expect(await errorsOf({})).toContain('kubelet-bind-address');
      expect(await errorsOf({ only: ['installation'] })).not.toContain('kubelet-bind-address');
    });
  });

  test.each([{ only: ['kubelet', 'start-services'] }, { skip: ['arc'] }])(
    'without step 1 does not ask an Arc agent that hangs: %j',
    async (selection) => {
      const config = await machine.configOf({ node: { maxPods: 30 } });
      const { host } = await machine.parts({ config });
      const run: typeof host.run = async (command) =>
        command.argv[0] === 'azcmagent' ? { exitCode: 124, stdout: '', stderr: '' } : host.run(command);
      const hung = { config, host: { ...host, run } };
      await expect(errorsOf({}, hung)).rejects.toThrow('the Arc agent hangs');
      expect(await errorsOf(selection, hung)).not.toContain('arc-agent');
    },
  );

  test('is not checked if its steps are completed, whatever the others need', async () => {
    const config = await machine.configOf({ kubernetes: { version: '1.32.9' } });
    expect(await reports(config, { selection: { only: ['runc'] } })).toEqual([]);
    expect(await reports(config, { selection: { only: ['kubernetes'] } })).toHaveLength(1);
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

interface ReportOptions {
  readonly ignore?: readonly string[];
  readonly isShort?: boolean;
  readonly selection?: Selection;
  readonly parts?: Parts;
}

/** By default, errors are reported as warnings, because all checks are ignored. */
async function reports(
  config?: FlexConfig,
  { ignore = ['all'], isShort = false, selection = {}, ...given }: ReportOptions = {},
): Promise<unknown[]> {
  const written: string[] = [];
  const opened = given.parts ?? (await machine.parts(config === undefined ? {} : { config }));
  const parts = isShort ? { ...opened, host: { ...opened.host, freeBytes: async () => 6e9 } } : opened;
  const fetch = isShort ? refused : parts.world.fetch;
  const agent = { parts, fetch, session: () => Promise.reject(new Error('no session')) };
  await beforeBootstrap(agent, {
    ...selection,
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
