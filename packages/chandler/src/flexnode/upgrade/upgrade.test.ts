import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  createFolderMachine,
  type FolderMachine,
  type RunChoices,
} from '../../../../../test/flexnode/folder-machine.ts';
import { killSwitch } from '../../../../../test/flexnode/kill-switch.ts';
import { filesOf } from '../../../../../test/flexnode/tree.ts';
import { someOf } from '../../../../../test/part.ts';
import type { FlexConfig } from '../config/config.ts';
import { LOCK_PATH, type Parts } from '../engine/parts.ts';
import { FlexError } from '../flex-error.ts';
import { readRecord } from './saved-files.ts';
import { runUpgrade, type UpgradeResult } from './upgrade.ts';
import type { UpgradeTarget } from './versions.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const NEXT = { kubernetes: { version: '1.32.9' }, containerd: { version: '1.7.24' } };
/** Spread evenly over the run; all of them take minutes. */
const KILLS = Number(process.env['FLEXNODE_UPGRADE_KILLS'] ?? someOf('points where it is killed', 5, 2));
const PROGRAMS = ['/usr/local/bin/kubelet', '/usr/local/bin/containerd'];

interface Choices extends RunChoices {
  readonly target?: UpgradeTarget;
  /** The kubelet of this version does not become Ready. */
  readonly badKubelet?: string;
  /** Default: v1.33.1. */
  readonly server?: string;
}

async function upgrade(config: FlexConfig, choices: Choices = {}): Promise<UpgradeResult> {
  const parts = await machine.parts({ ...choices, config });
  return runUpgrade(withVersions(parts, choices), choices.target ?? {}, {
    signal: choices.signal ?? new AbortController().signal,
    on: () => undefined,
    nodeToken: async () => 'token-of-the-node',
  });
}

function withVersions(parts: Parts, { badKubelet, server = 'v1.33.1' }: Choices): Parts {
  const node: Parts['cluster']['node'] = async (...asked) => {
    const facts = await parts.cluster.node(...asked);
    return facts && { ...facts, ready: facts.ready && facts.kubeletVersion !== `v${badKubelet}` };
  };
  return { ...parts, cluster: { ...parts.cluster, node, serverVersion: async () => server } };
}

/** Empty: there is no such file. */
const textOf = (path: string) => contents()[path] ?? '';
const contents = () => Object.fromEntries(filesOf(machine.root).map(({ path, content }) => [path, content]));
const installed = () => PROGRAMS.map((path) => / v(\d\S+)/.exec(textOf(path))?.[1]);

async function bootstrapped(): Promise<FlexConfig> {
  const config = await machine.configOf();
  expect((await machine.bootstrap({ config })).success).toBe(true);
  return config;
}

describe('upgrade', () => {
  test('everything is fetched before a service is touched, and the Node ends Ready with the new version', async () => {
    await bootstrapped();
    machine.systemd.acts.length = 0;
    const acts: number[] = [];
    const config = await machine.configOf(NEXT);
    const before = machine.fetched.length;
    const result = await upgrade(config, {
      onEffect: (kind, what) => {
        if (kind === 'command' && /restart|stop/.test(what)) acts.push(machine.fetched.length - before);
      },
    });
    expect(result.error).toBeUndefined();
    expect(result).toMatchObject({
      outcome: 'upgraded',
      from: { kubernetes: '1.32.7', containerd: '1.7.20' },
      to: { kubernetes: '1.32.9', containerd: '1.7.24' },
      notes: [],
    });
    expect(installed()).toEqual(['1.32.9', '1.7.24']);
    expect(new Set(acts)).toEqual(new Set([4]));
    expect(Object.keys(contents()).filter((path) => path.includes('/chandler-flexnode/upgrade/'))).toEqual(
      [],
    );
  });

  test('a new kubelet that does not become Ready is rolled back, and the old one runs again', async () => {
    await bootstrapped();
    const before = contents();
    const config = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 6 } });
    const result = await upgrade(config, { badKubelet: '1.32.9' });
    expect(result).toMatchObject({
      outcome: 'rolled-back',
      error: { message: expect.stringContaining('not Ready') },
    });
    expect(installed()).toEqual(['1.32.7', '1.7.20']);
    const after = contents();
    for (const path of Object.keys(before).filter((each) => /^\/(?:etc|usr)\//.test(each))) {
      expect([path, after[path]]).toEqual([path, before[path]]);
    }
    expect(machine.systemd.active.has('kubelet.service')).toBe(true);
    // And the next bootstrap with the old config has no quarrel with what it finds.
    expect((await machine.bootstrap({ config: await machine.configOf() })).success).toBe(true);
  });

  test('a download that is not what it should be touches nothing', async () => {
    await bootstrapped();
    const before = machine.tree(['/var/lib/chandler-flexnode', '/proc']);
    const config = await machine.configOf(NEXT);
    const sha256 = Object.fromEntries(
      Object.keys(config.downloads.sha256).map((key) => [key, 'b'.repeat(64)]),
    );
    machine.systemd.acts.length = 0;
    const result = await upgrade({ ...config, downloads: { ...config.downloads, sha256 } });
    expect(result.outcome).toBe('refused');
    expect(machine.systemd.acts).toEqual([]);
    expect(machine.tree(['/var/lib/chandler-flexnode', '/proc'])).toEqual(before);
  });

  test('nothing to do when the versions are there', async () => {
    const config = await bootstrapped();
    expect((await upgrade(config)).outcome).toBe('nothing-to-do');
  });

  test('a downgrade is rejected without --allow-downgrade', async () => {
    await bootstrapped();
    const config = await machine.configOf({ kubernetes: { version: '1.32.5' } });
    expect(await upgrade(config)).toMatchObject({
      outcome: 'refused',
      error: { class: 'usage', code: 'upgrade.downgrade' },
    });
    expect(await upgrade(config, { target: { allowDowngrade: true } })).toMatchObject({
      outcome: 'upgraded',
    });
    expect(installed()[0]).toBe('1.32.5');
  });

  test('a kubelet newer than the API server is refused before anything is fetched', async () => {
    await bootstrapped();
    const config = await machine.configOf({ kubernetes: { version: '1.99.0' } });
    const before = machine.fetched.length;
    expect(await upgrade(config)).toMatchObject({
      outcome: 'refused',
      error: { code: 'upgrade.version-skew' },
    });
    expect(machine.fetched.length).toBe(before);
  });

  test('a machine that was not bootstrapped has nothing to upgrade', async () => {
    const config = await machine.configOf();
    expect(await upgrade(config)).toMatchObject({
      outcome: 'refused',
      error: { code: 'upgrade.not-bootstrapped' },
    });
  });

  test('a version that only the command line sets is reported as missing in the config', async () => {
    const config = await bootstrapped();
    await machine.configOf(NEXT);
    const mirror = await machine.configOf(NEXT);
    const result = await upgrade(
      { ...config, downloads: mirror.downloads },
      { target: { kubernetes: '1.32.9', containerd: '1.7.24' } },
    );
    expect(result.outcome).toBe('upgraded');
    expect(result.notes.join('\n')).toMatch(/config still has kubernetes 1\.32\.7/);
  });

  test('programs that were on the machine before bootstrap are there again after a rollback', async () => {
    const golden = ['kubelet', 'kubectl', 'kubeadm'].map((name) => `/usr/local/bin/${name}`);
    await bootstrapped();
    const texts = golden.map((path) => textOf(path));
    machine.dispose();
    machine = createFolderMachine();
    for (const [index, path] of golden.entries()) {
      mkdirSync(`${machine.root}/usr/local/bin`, { recursive: true });
      writeFileSync(machine.root + path, texts[index]!, { mode: 0o755 });
    }
    await bootstrapped();
    const config = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 10 } });
    const result = await upgrade(config, { badKubelet: '1.32.9' });
    expect(result.outcome).toBe('rolled-back');
    expect(golden.map((path) => textOf(path))).toEqual(texts);
  });

  test('the version of the API server of today decides, not the one at bootstrap', async () => {
    await bootstrapped();
    const config = await machine.configOf({ ...NEXT, kubernetes: { version: '1.34.2' } });
    const refused = await upgrade(config);
    expect(refused).toMatchObject({ outcome: 'refused' });
    expect(refused.error?.message).toContain('1.33.1');
    const result = await upgrade(config, { server: 'v1.34.4' });
    expect(result.error).toBeUndefined();
    expect(result.outcome).toBe('upgraded');
    expect(installed()).toEqual(['1.34.2', '1.7.24']);
  });

  test('a node that authenticates with the Arc token keeps doing so, and a note says how to change it', async () => {
    const before = await machine.configOf({ security: { tlsBootstrap: false } });
    expect((await machine.bootstrap({ config: before })).success).toBe(true);
    const result = await upgrade(await machine.configOf(NEXT));
    expect(result.error).toBeUndefined();
    expect(result.notes.join('\n')).toContain('`flexnode bootstrap` changes it to a node certificate');
    expect([...machine.azure.bindings.keys()]).toEqual(['chandler-flexnode:edge-01']);
    expect(textOf('/var/lib/kubelet/kubeconfig')).toContain('arc-user');
  });

  test('a kubeconfig that was corrected by hand is kept: upgrade asks for bootstrap first', async () => {
    await bootstrapped();
    const path = '/var/lib/kubelet/kubeconfig';
    const corrected = JSON.stringify({
      clusters: [{ cluster: { server: 'https://new.example:443', 'certificate-authority-data': 'bmV3' } }],
      users: [{ name: 'default-auth' }],
    });
    mkdirSync(`${machine.root}/var/lib/kubelet`, { recursive: true });
    writeFileSync(`${machine.root}${path}`, corrected);
    machine.systemd.acts.length = 0;
    const before = machine.fetched.length;
    const result = await upgrade(await machine.configOf(NEXT));
    expect(result).toMatchObject({
      outcome: 'refused',
      error: { class: 'usage', code: 'upgrade.other-kubeconfig', where: path },
    });
    expect(result.error?.remedy).toContain('bootstrap');
    expect(textOf(path)).toBe(corrected);
    expect(machine.systemd.acts).toEqual([]);
    expect(machine.fetched.length).toBe(before);
  });

  test('an interrupted upgrade of a node with the Arc token is rolled back, also if the config has the default', async () => {
    const before = await machine.configOf({ security: { tlsBootstrap: false } });
    expect((await machine.bootstrap({ config: before })).success).toBe(true);
    const config = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 6 } });
    const counting = killSwitch();
    await upgrade(config, { kill: counting });
    const at = counting.points.indexOf('command systemctl stop kubelet.service (after)');
    expect(at).toBeGreaterThan(0);
    await machine.configOf();
    await upgrade(before, { target: { allowDowngrade: true } });
    const next = await machine.configOf({ ...NEXT, readiness: { deadlineSeconds: 6 } });
    await upgrade(next, { kill: killSwitch(at) }).catch(() => undefined);
    const result = await upgrade(next);
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
  });

  test('an API server that fails for a moment after the switch does not undo the upgrade', async () => {
    await bootstrapped();
    const config = await machine.configOf(NEXT);
    const parts = withVersions(await machine.parts({ config }), {});
    let failures = 0;
    const node: Parts['cluster']['node'] = async (...asked) => {
      const facts = await parts.cluster.node(...asked);
      if (facts?.kubeletVersion === 'v1.32.9' && facts.ready && completed && failures++ === 0)
        throw new FlexError({ class: 'network', code: 'cluster.unreachable', message: 'reset' });
      return facts;
    };
    let completed = false;
    const result = await runUpgrade(
      { ...parts, cluster: { ...parts.cluster, node } },
      {},
      {
        signal: new AbortController().signal,
        on: (event) => {
          if (event.type === 'run-completed') completed = true;
        },
        nodeToken: async () => 'token-of-the-node',
      },
    );
    expect(failures).toBeGreaterThan(0);
    expect([result.outcome, result.error]).toEqual(['upgraded', undefined]);
  });

  test('another upgrade or bootstrap is rejected as long as the first may still roll back', async () => {
    await bootstrapped();
    const config = await machine.configOf(NEXT);
    const lock = () => lstatSync(machine.root + LOCK_PATH, { throwIfNoEntry: false });
    const record = () => existsSync(`${machine.root}/var/lib/chandler-flexnode/upgrade/record.json`);
    const unlocked: string[] = [];
    let seen = 0;
    const result = await upgrade(config, {
      onEffect: (_, what) => {
        if (!record()) return;
        seen++;
        if (lock() === undefined) unlocked.push(what);
      },
    });
    expect(result.outcome).toBe('upgraded');
    expect([seen > 20, unlocked]).toEqual([true, []]);
    expect(lock()).toBeUndefined();
  });

  test('a second upgrade during the first is rejected, and the first ends with the new versions', async () => {
    await bootstrapped();
    const config = await machine.configOf(NEXT);
    const parts = withVersions(await machine.parts({ config }), {});
    // The process of the first is alive.
    mkdirSync(`${machine.root}/proc/${parts.pid}`);
    const zeros = Array.from({ length: 18 }, () => '0').join(' ');
    writeFileSync(`${machine.root}/proc/${parts.pid}/stat`, `${parts.pid} (chandler) S ${zeros} 1 0`);
    const others: UpgradeResult[] = [];
    let completed = false;
    const node: Parts['cluster']['node'] = async (...asked) => {
      // The steps are done; the version of the Node is awaited.
      if (completed && others.length === 0) others.push(await upgrade(config));
      return parts.cluster.node(...asked);
    };
    const first = await runUpgrade(
      { ...parts, cluster: { ...parts.cluster, node } },
      {},
      {
        signal: new AbortController().signal,
        on: (event) => {
          if (event.type === 'run-completed') completed = true;
        },
        nodeToken: async () => 'token-of-the-node',
      },
    );
    expect(others).toMatchObject([{ outcome: 'refused', error: { code: 'run.locked' } }]);
    expect([first.outcome, first.error]).toEqual(['upgraded', undefined]);
    expect(installed()).toEqual(['1.32.9', '1.7.24']);
  });

  test('an interruption by the operator goes back, too', async () => {
    await bootstrapped();
    const stop = new AbortController();
    const config = await machine.configOf(NEXT);
    const result = await upgrade(config, {
      signal: stop.signal,
      onEffect: (kind, what, moment) => {
        if (kind === 'rename' && moment === 'after' && what.endsWith('/usr/local/bin/kubelet'))
          stop.abort(new Error('stopped'));
        if (kind === 'write' && moment === 'after' && what.endsWith('/usr/local/bin/kubelet'))
          stop.abort(new Error('stopped'));
      },
    });
    expect(result).toMatchObject({ outcome: 'rolled-back', error: { class: 'signal' } });
    expect(installed()).toEqual(['1.32.7', '1.7.20']);
  });

  test('killed at any point, the next upgrade ends with the new versions, and leaves no record', async () => {
    await bootstrapped();
    const counting = killSwitch();
    const config = await machine.configOf(NEXT);
    await upgrade(config, { kill: counting });
    const points = counting.points.length;
    expect(points).toBeGreaterThan(60);
    const old = await machine.configOf();
    for (let at = 0; at < points; at += Math.max(1, Math.floor(points / KILLS))) {
      await machine.configOf();
      await upgrade(old, { target: { allowDowngrade: true } });
      expect(installed()).toEqual(['1.32.7', '1.7.20']);
      const next = await machine.configOf(NEXT);
      await upgrade(next, { kill: killSwitch(at) }).catch(() => undefined);
      const result = await upgrade(next);
      expect([at, counting.points[at], result.error, installed()]).toEqual([
        at,
        counting.points[at],
        undefined,
        ['1.32.9', '1.7.24'],
      ]);
      expect(await readRecord((await machine.parts({ config: next })).host)).toBeUndefined();
    }
  });
});
