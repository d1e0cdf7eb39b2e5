import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';
import { killSwitch } from './kill-switch.ts';
import { filesOf, OWN_STATE } from './tree.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

describe('the whole bootstrap on a folder machine', () => {
  test('[004-checklist] does the eleven steps in strict order and ends with a Ready node', async () => {
    const result = await machine.bootstrap();
    expect(result.error).toBeUndefined();
    expect(result.steps.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
      'ArcInstall completed',
      'ServicesDisabled completed',
      'DirectoriesCreated completed',
      'SystemConfigured completed',
      'Runc_Installer completed',
      'ContainerdInstaller completed',
      'KubernetesComponentsInstaller completed',
      'CNISetup completed',
      'ClusterCredentialsDownloaded completed',
      'KubeletInstaller completed',
      'ServicesEnabled completed',
    ]);
    expect([...machine.azure.nodes]).toEqual(['edge-01']);
  });

  test('a second run writes nothing', async () => {
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    const before = machine.tree();
    const kill = killSwitch();
    const result = await machine.bootstrap({ config, kill });
    expect(result).toMatchObject({ success: true, changed: false });
    expect(kill.points.filter((point) => !/^(?:command|call)/.test(point))).toEqual([]);
    expect(machine.commands.filter((command) => command.changes).length).toBeGreaterThan(0);
    expect(machine.tree()).toEqual(before);
  });

  test('[004-checklist] unbootstrap leaves the tree, the services and Azure as they were', async () => {
    const before = machine.tree();
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    const result = await machine.unbootstrap({ config });
    expect(result.leftovers).toEqual([]);
    expect(result.success).toBe(true);
    expect(machine.tree()).toEqual(before);
    expect([...machine.systemd.active]).toEqual(['ssh.service']);
    expect(machine.azure.machines.size + machine.azure.bindings.size + machine.azure.nodes.size).toBe(0);
  });
});

describe('a changed configuration', () => {
  const executed = (result: Awaited<ReturnType<FolderMachine['bootstrap']>>) =>
    result.steps.filter(({ outcome }) => outcome === 'completed').map(({ step }) => step);

  beforeEach(async () => {
    await machine.bootstrap();
    machine.systemd.acts.length = 0;
    machine.fetched.length = 0;
  });

  test('a new label changes the kubelet and restarts it, and nothing else', async () => {
    const config = await machine.configOf({ node: { labels: { 'example.com/site': 'b' } } });
    const result = await machine.bootstrap({ config });
    expect(result.error).toBeUndefined();
    expect(executed(result)).toEqual(['kubelet', 'start-services']);
    expect(machine.systemd.acts.slice(-2)).toEqual(['stop kubelet.service', 'start kubelet.service']);
    expect(machine.systemd.acts).not.toContain('restart containerd.service');
    expect(machine.fetched).toEqual([]);
  });

  test('a new pause image changes containerd and what must follow', async () => {
    const config = await machine.configOf({ containerd: { pauseImage: 'registry.test/pause:3.9' } });
    const result = await machine.bootstrap({ config });
    expect(executed(result)).toEqual(expect.arrayContaining(['containerd', 'start-services']));
    expect(executed(result)).not.toContain('kubernetes');
    expect(machine.fetched).toEqual([]);
    expect(machine.systemd.acts).toContain('restart containerd.service');
  });

  test('a new version of runc installs runc', async () => {
    const result = await machine.bootstrap({
      config: await machine.configOf({ runc: { version: '1.1.13' } }),
    });
    expect(executed(result)).toEqual(expect.arrayContaining(['runc']));
    expect(executed(result)).not.toContain('kubernetes');
    expect(machine.fetched.map((url) => url.split('/')[3])).toEqual(['runc']);
  });

  test('a new version of Kubernetes fetches its three programs and restarts the kubelet', async () => {
    const config = await machine.configOf({ kubernetes: { version: '1.32.8' } });
    const result = await machine.bootstrap({ config });
    expect(result.error).toBeUndefined();
    expect(executed(result)).toEqual(expect.arrayContaining(['kubernetes', 'start-services']));
    expect(executed(result)).not.toContain('containerd');
    expect(machine.fetched).toHaveLength(3);
  });

  test('is undone to the tree from before the first of them', async () => {
    const untouched = createFolderMachine();
    const before = untouched.tree();
    untouched.dispose();
    await machine.bootstrap({
      config: await machine.configOf({ node: { labels: { a: 'b' } }, runc: { version: '1.1.13' } }),
    });
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(machine.tree()).toEqual(before);
  });
});

describe('a machine that somebody changed', () => {
  test('is put right, and what runs with a repaired file is started anew with it, once', async () => {
    const config = await machine.configOf();
    await machine.bootstrap({ config });
    const right = machine.tree(OWN_STATE);
    const starts = async (...paths: string[]) => {
      for (const path of paths) writeFileSync(machine.root + path, '# changed by hand\n');
      machine.systemd.acts.length = 0;
      expect((await machine.bootstrap({ config })).error).toBeUndefined();
      expect(machine.tree(OWN_STATE)).toEqual(right);
      expect((await machine.bootstrap({ config })).changed).toBe(false);
      return machine.systemd.acts.filter((act) => /^(?:re)?start /.test(act));
    };
    expect(await starts('/var/lib/kubelet/config.yaml')).toEqual(['start kubelet.service']);
    expect(await starts('/etc/systemd/system/kubelet.service.d/10-containerd.conf')).toEqual([
      'start kubelet.service',
    ]);
    expect(await starts('/usr/local/bin/kubelet')).toEqual(['start kubelet.service']);
    expect(await starts('/etc/containerd/config.toml')).toEqual([
      'restart containerd.service',
      'start kubelet.service',
    ]);
  });
});

describe('a file system that fails', () => {
  const failing = (errno: string, path: string) => (kind: string, what: string, moment: string) => {
    if (kind === 'write' && what === path && moment === 'before') {
      throw Object.assign(new Error(errno), { code: errno });
    }
  };

  test.each([
    ['ENOSPC', 'host.disk-full', '/usr/local/bin/kubelet', 'KubernetesComponentsInstaller'],
    ['EROFS', 'host.read-only', '/etc/sysctl.d/999-sysctl-aks.conf', 'SystemConfigured'],
    ['EACCES', 'host.permission', '/var/lib/kubelet/bootstrap-kubeconfig', 'KubeletInstaller'],
  ])(
    '%s is reported with the path and a remedy, and no partial file remains',
    async (errno, code, path, step) => {
      const result = await machine.bootstrap({ onEffect: failing(errno, path) });
      expect(result.error).toMatchObject({ class: 'step', code, where: path });
      expect(result.error?.message).toContain(`${step}: Could not write ${path}`);
      expect(result.error?.remedy).toBeTruthy();
      expect(
        machine.tree().filter((line) => line.includes('flexnode-new') || line.startsWith(`${path} `)),
      ).toEqual([]);
      expect((await machine.bootstrap()).success).toBe(true);
    },
  );

  test('a journal that cannot be written stops the run before the first effect', async () => {
    const before = machine.tree();
    const onEffect = (kind: string) => {
      if (kind === 'append') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
    };
    const result = await machine.bootstrap({ onEffect });
    expect(result.error).toMatchObject({
      code: 'host.disk-full',
      where: '/var/lib/chandler-flexnode/journal.jsonl',
    });
    const ours = /^\/(?:var\/lib|run)\/chandler-flexnode/;
    expect(machine.tree().filter((line) => !ours.test(line))).toEqual(before);
    expect(machine.azure.machines.size).toBe(0);
  });
});

describe('two bootstraps at once', () => {
  test('one does the work, the other is refused and says who is at work', async () => {
    const config = await machine.configOf();
    const results = await Promise.all([machine.bootstrap({ config }), machine.bootstrap({ config })]);
    expect(results.filter(({ success }) => success)).toHaveLength(1);
    const refused = results.find(({ success }) => !success);
    expect(refused?.error).toMatchObject({ code: 'run.locked' });
    expect(refused?.error?.message).toMatch(/`bootstrap`, process \d+, started at 2026-/);
  });
});

describe('secrets', () => {
  test('are in no file of the machine, in no argument and in no event', async () => {
    const events: string[] = [];
    const config = await machine.configOf();
    await machine.bootstrap({ config, on: (event) => void events.push(JSON.stringify(event)) });
    const commands = JSON.stringify(machine.commands);
    const files = filesOf(machine.root);
    for (const secret of ['secret-of-the-operator', 'secret-of-the-admin', 'token-of-the-node']) {
      expect(events.join('\n')).not.toContain(secret);
      expect(commands).not.toContain(secret);
      expect(files.filter(({ content }) => content.includes(secret)).map(({ path }) => path)).toEqual([]);
    }
  });
});
