import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE_TOKEN } from '../../../../../test/flexnode/fake-azure.ts';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { Killed } from '../../../../../test/flexnode/kill-switch.ts';
import { everyNth } from '../../../../../test/part.ts';
import type { AzureClient } from '../azure/azure-client.ts';
import type { ClusterClient } from '../azure/cluster-client.ts';
import type { FlexConfig } from '../config/config.ts';
import { createSteps } from '../engine/all-steps.ts';
import { openJournal } from '../engine/journal.ts';
import { planBootstrap } from '../engine/plan.ts';
import { type RunResult, runBootstrap } from '../engine/run.ts';
import { FlexError } from '../flex-error.ts';
import type { OnEffect } from '../testing.ts';
import { runUpgrade } from '../upgrade/upgrade.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
  machine.systemd.acts.length = 0;
});
afterEach(() => machine.dispose());

const withVersion = (version: string, security = {}) =>
  machine.configOf({ kubernetes: { version }, security });
const recordedVersion = async () =>
  (await openJournal((await machine.parts()).host)).facts.get('cluster.serverVersion');
const options = () => ({ signal: new AbortController().signal, on: () => undefined });

/** The login of the operator has expired. */
async function bootstrapWithoutLogin(config: FlexConfig, reachable = true): Promise<RunResult> {
  const parts = await machine.parts({ config });
  const notLoggedIn = () =>
    Promise.reject(new FlexError({ class: 'auth', code: 'azure.login', message: 'run az login' }));
  const azure = new Proxy({} as AzureClient, { get: () => notLoggedIn });
  const serverVersion = async () => {
    throw new FlexError({ class: 'network', code: 'cluster.unreachable', message: 'reset' });
  };
  const cluster = reachable ? parts.cluster : { ...parts.cluster, serverVersion };
  return await runBootstrap({ ...parts, azure, cluster }, options());
}

async function unauthorized(): Promise<string> {
  throw new FlexError({ class: 'auth', code: 'cluster.unauthorized', message: 'HTTP 401' });
}

const outcomeOf = (result: RunResult, step: string) =>
  result.steps.find((each) => each.step === step)?.outcome;

describe('bootstrap with another version of Kubernetes', () => {
  test('needs no login of the operator, and the kubelet runs with the new version', async () => {
    const result = await bootstrapWithoutLogin(await withVersion('1.32.9'));
    expect(result.error).toBeUndefined();
    expect(outcomeOf(result, 'kubernetes')).toBe('completed');
    expect(outcomeOf(result, 'credentials')).toBe('skipped');
    expect(machine.systemd.active.has('kubelet.service')).toBe(true);
  });

  test.each([
    ['newer than', '1.34.2', true],
    ['too old for', '1.29.1', true],
    ['newer than', '1.34.2', false],
  ])(
    'that is %s the API server fails before the kubelet is stopped (%s, API server reachable: %s)',
    async (what, version, reachable) => {
      const result = await bootstrapWithoutLogin(await withVersion(version), reachable);
      expect(result).toMatchObject({ failedStep: 'kubernetes', error: { class: 'config' } });
      expect(result.error?.message).toContain(`${what} the API server`);
      expect(machine.systemd.acts).not.toContain('stop kubelet.service');
      expect(machine.systemd.active.has('kubelet.service')).toBe(true);
    },
  );

  describe('does not leave the kubelet stopped', () => {
    const isRunning = () => machine.systemd.active.has('kubelet.service');

    test('if a later step fails, and the next run completes it', async () => {
      const config = await machine.configOf({
        kubernetes: { version: '1.32.9' },
        cni: { version: '1.6.1' },
      });
      const wrong = Object.keys(config.downloads.sha256).filter((key) => key.startsWith('cni-plugins'));
      expect(wrong.length).toBeGreaterThan(0);
      const sha256 = {
        ...config.downloads.sha256,
        ...Object.fromEntries(wrong.map((key) => [key, '0'.repeat(64)])),
      };
      const failed = await machine.bootstrap({
        config: { ...config, downloads: { ...config.downloads, sha256 } },
      });
      expect(failed.failedStep).toBe('cni');
      expect(isRunning()).toBe(true);
      const completed = await machine.bootstrap({ config });
      expect(completed.error).toBeUndefined();
      expect(machine.systemd.acts.slice(-2)).toEqual(['stop kubelet.service', 'start kubelet.service']);
    });

    test.each(['kubernetes', 'cni', 'kubelet'])('if it is interrupted after step %s', async (step) => {
      const config = await machine.configOf({
        kubernetes: { version: '1.32.9' },
        cni: { version: '1.6.1' },
      });
      const stop = new AbortController();
      const result = await machine.bootstrap({
        config,
        signal: stop.signal,
        on: (event) => {
          if (event.type === 'step-completed' && event.step === step) stop.abort(new Error('SIGTERM'));
        },
      });
      expect(result.error?.class).toBe('signal');
      expect(isRunning()).toBe(true);
    });

    test('if it is killed while it replaces the programs, and the next run restarts it', async () => {
      const config = await withVersion('1.32.9');
      let dead = false;
      const onEffect: OnEffect = (kind, what, moment) => {
        dead ||= kind === 'rename' && moment === 'after' && what.endsWith('/usr/local/bin/kubelet');
        if (dead) throw new Killed(what);
      };
      await machine.bootstrap({ config, onEffect }).catch(() => undefined);
      expect([dead, isRunning()]).toEqual([true, true]);
      expect((await machine.bootstrap({ config })).error).toBeUndefined();
      expect(machine.systemd.acts.slice(-2)).toEqual(['stop kubelet.service', 'start kubelet.service']);
    });
  });

  test('compares with the API server of today, not with the one at the first bootstrap', async () => {
    machine.azure.serverVersion = '1.34.4';
    const result = await bootstrapWithoutLogin(await withVersion('1.34.2'));
    expect(result.error).toBeUndefined();
    expect(await recordedVersion()).toBe('v1.34.4');
  });

  test('compares with the API server of today on a node with the Arc token', async () => {
    const security = { tlsBootstrap: false };
    expect((await machine.bootstrap({ config: await machine.configOf({ security }) })).error).toBeUndefined();
    machine.azure.serverVersion = '1.34.4';
    const result = await bootstrapWithoutLogin(await withVersion('1.34.2', security));
    expect(result.error).toBeUndefined();
    expect(await recordedVersion()).toBe('v1.34.4');
  });

  test.each([
    ['1.34.2', undefined],
    ['1.35.0', 'kubelet.version-skew'],
  ])(
    'compares with Azure if the API server rejects the credential of the node: %s',
    async (version, code) => {
      machine.azure.serverVersion = '1.34.4';
      const parts = await machine.parts({ config: await withVersion(version) });
      const result = await runBootstrap(
        { ...parts, cluster: { ...parts.cluster, serverVersion: unauthorized } },
        options(),
      );
      expect(result.error?.code).toBe(code);
      expect(await recordedVersion()).toBe(code === undefined ? 'v1.34.4' : 'v1.33.1');
      expect(machine.systemd.active.has('kubelet.service')).toBe(true);
    },
  );

  test('asks with the Arc token if the certificate of the node has expired', async () => {
    machine.wait(200 * 365 * 86_400_000);
    const parts = await machine.parts({ config: await withVersion('1.32.9') });
    const kinds: (string | undefined)[] = [];
    const cluster: ClusterClient = {
      ...parts.cluster,
      serverVersion: (address, signal, credential) => {
        kinds.push(credential?.kind);
        return parts.cluster.serverVersion(address, signal, credential);
      },
    };
    await runBootstrap({ ...parts, cluster }, options());
    expect(kinds[0]).toBe('token');
    expect(kinds).not.toContain('certificate');
  });

  test('says that the version is the recorded one, if no other can be read', async () => {
    const result = await bootstrapWithoutLogin(await withVersion('1.34.2'), false);
    expect(result.error?.message).toContain('v1.33.1, recorded by an earlier run');
    expect(result.error?.message).toContain('reset');
  });

  test('does not authorize the node again after an upgrade to the version of the config', async () => {
    const config = await withVersion('1.32.9');
    const upgraded = await runUpgrade(
      await machine.parts({ config }),
      {},
      {
        ...options(),
        nodeToken: async () => 'token-of-the-node',
      },
    );
    expect([upgraded.outcome, upgraded.error]).toEqual(['upgraded', undefined]);
    const result = await bootstrapWithoutLogin(config);
    expect(result.error).toBeUndefined();
    expect(result.changed).toBe(false);
  });
});

describe('bootstrap that is killed while it replaces the programs of an archive', () => {
  const PROGRAMS = ['containerd', 'containerd-shim', 'containerd-shim-runc-v2', 'ctr'].map(
    (name) => `/usr/local/bin/${name}`,
  );
  const PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'].map((name) => `/opt/cni/bin/${name}`);
  const contents = (paths: readonly string[]) =>
    paths.map((path) => readFileSync(machine.root + path, 'utf8'));

  const all = [
    ...PROGRAMS.map((path) => [path, PROGRAMS, { containerd: { version: '1.7.24' } }] as const),
    ...PLUGINS.map((path) => [path, PLUGINS, { cni: { version: '1.6.1' } }] as const),
  ];
  const kills = everyNth('programs after which it is killed', all, 5);
  async function killed(config: FlexConfig, path: string): Promise<void> {
    let dead = false;
    const onEffect: OnEffect = (kind, what, moment) => {
      dead ||= kind === 'rename' && moment === 'after' && what === path;
      if (dead) throw new Killed(what);
    };
    await machine.bootstrap({ config, onEffect }).catch(() => undefined);
    expect(dead).toBe(true);
  }

  test.each(kills)('after %s is reverted by the next with the old version', async (path, all, changes) => {
    const old = contents(all);
    await killed(await machine.configOf(changes), path);
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect(contents(all)).toEqual(old);
    expect((await machine.bootstrap()).changed).toBe(false);
  });

  test.each(kills)(
    'after %s is completed by the next: all have the new version',
    async (path, all, changes) => {
      const old = contents(all);
      const config = await machine.configOf(changes);
      await killed(config, path);
      expect((await machine.bootstrap({ config })).error).toBeUndefined();
      for (const [index, text] of contents(all).entries()) {
        expect([all[index], text === old[index]]).toEqual([all[index], false]);
      }
    },
  );
});

test('a finished node whose network plugin has replaced some of the plugins needs no step', async () => {
  const path = `${machine.root}/opt/cni/bin/host-local`;
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll('1.5.1', '1.1.1-calico'));
  const { changed, error } = await machine.bootstrap();
  expect([changed, error]).toEqual([false, undefined]);
});

describe('a dry run with another version of Kubernetes', () => {
  test.each([
    ['1.34.4', '1.34.2', false, undefined],
    ['1.34.4', '1.34.2', true, undefined],
    ['1.33.1', '1.34.2', false, 'kubelet.version-skew'],
  ])('with API server %s, kubelet %s, offline: %s', async (server, kubelet, offline, code) => {
    machine.azure.serverVersion = server;
    const parts = await machine.parts({ config: await withVersion(kubelet) });
    const plan = await planBootstrap(parts, { signal: options().signal, offline });
    expect(plan.problem?.code).toBe(code);
    expect(await recordedVersion()).toBe('v1.33.1');
  });

  test.each([
    [false, 1],
    [true, 0],
  ])(
    'asks the Arc agent for a token only to read the API server (offline: %s)',
    async (offline, expected) => {
      const security = { tlsBootstrap: false };
      expect(
        (await machine.bootstrap({ config: await machine.configOf({ security }) })).error,
      ).toBeUndefined();
      const parts = await machine.parts({ config: await withVersion('1.32.9', security) });
      let asked = 0;
      const nodeToken = async () => {
        asked++;
        return NODE_TOKEN;
      };
      const plan = await planBootstrap(
        { ...parts, steps: createSteps({ nodeToken }) },
        { signal: options().signal, offline, only: ['kubernetes'] },
      );
      expect([plan.problem, asked]).toEqual([undefined, expected]);
    },
  );

  test('without the network, a finished node with the Arc token needs no step and no token', async () => {
    const config = await machine.configOf({ security: { tlsBootstrap: false } });
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    let asked = 0;
    const nodeToken = async () => {
      asked++;
      throw new FlexError({ class: 'network', code: 'himds.unreachable', message: 'no network' });
    };
    const parts = { ...(await machine.parts({ config })), steps: createSteps({ nodeToken }) };
    const plan = await planBootstrap(parts, { signal: options().signal, offline: true });
    expect(plan.steps.filter(({ status }) => status !== 'done').map(({ step }) => step)).toEqual([]);
    expect(asked).toBe(0);
  });
});
