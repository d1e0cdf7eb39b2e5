/** Steps 5 to 8 on a directory that represents a machine, with programs from a mirror that really run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { type Mirror, startMirror } from '../../../../../test/flexnode/standins/mirror.ts';
import { artifactRequests } from '../artifacts/artifact-requests.ts';
import { createArtifacts } from '../artifacts/create-artifacts.ts';
import { createDryRunArtifacts } from '../artifacts/dry-run-artifacts.ts';
import { type DeepPartial, sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import type { Step, StepContext } from '../step.ts';
import { cni } from './cni.ts';
import { containerd } from './containerd.ts';
import { createKubernetes, KUBERNETES } from './kubernetes.ts';
import { isInstalled, isVersion } from './programs.ts';
import { runc } from './runc.ts';

const NEWER: DeepPartial<FlexConfig> = {
  runc: { version: '1.3.0' },
  containerd: { version: '2.1.4' },
  kubernetes: { version: '1.33.2' },
  cni: { version: '1.7.1' },
};
const NODE_ARCHIVE = 'https://files.example/v%s/kubernetes-node-linux-%s.tar.gz';

let mirror: Mirror;
let machine: FolderMachine;

beforeAll(async () => {
  mirror = await startMirror([
    ...artifactRequests(sampleConfig(), 'amd64'),
    ...artifactRequests(sampleConfig(), 'arm64'),
    ...artifactRequests(sampleConfig(NEWER), 'amd64'),
    { kind: 'kubernetes-node', version: '1.32.7', architecture: 'amd64' },
  ]);
});
beforeEach(async () => {
  machine = await folderMachine();
  mirror.heal();
  mirror.requests.length = 0;
});
afterEach(() => machine.close());
afterAll(() => mirror.close());

const PROGRAMS: readonly (readonly [string, Step, string])[] = [
  ['[004-S5] runc', runc, '/usr/local/sbin/runc'],
  ['[004-S6] containerd', containerd, '/usr/local/bin/containerd'],
  ['[004-S7] Kubernetes', createKubernetes(), '/usr/local/bin/kubelet'],
  ['[004-S8] CNI', cni, '/opt/cni/bin/bridge'],
];

describe.each(PROGRAMS)('%s', (_, step, path) => {
  test('is installed, executable, and then seen as done', async () => {
    const context = contextOf();
    expect(await step.isCompleted(context)).toBe(false);
    await step.validate(context);
    await step.execute(context);
    expect((await machine.host.lstat(path))?.mode).toBe(0o755);
    expect(await step.isCompleted(context)).toBe(true);
  });

  test('writes nothing when it is done again', async () => {
    const context = contextOf();
    await step.execute(context);
    machine.effects.length = 0;
    await step.execute(context);
    expect(machine.effects.filter((effect) => !effect.includes('chandler-flexnode'))).toEqual([]);
  });

  test('is replaced by another version', async () => {
    await step.execute(contextOf());
    const newer = contextOf(NEWER);
    expect(await step.isCompleted(newer)).toBe(false);
    expect(step.inputs(newer)).not.toEqual(step.inputs(contextOf()));
    await step.execute(newer);
    expect(await step.isCompleted(newer)).toBe(true);
  });

  test('[004-SEC-4] with a wrong hash leaves the machine as it was', async () => {
    await step.execute(contextOf());
    const before = await machine.read(path);
    mirror.fail('/v', 'tampered');
    await expect(step.execute(contextOf(NEWER))).rejects.toMatchObject({
      facts: { code: 'download.hash-mismatch' },
    });
    expect(await machine.read(path)).toBe(before);
  });

  test('[004-SEC-15] [004-SEC-20] ends nothing by name, removes no package, touches no firewall, disables nothing', async () => {
    machine.units['containerd'] = { active: true, enabled: true };
    machine.units['kubelet'] = { active: true, enabled: true };
    const context = contextOf();
    await step.execute(context);
    await step.undo(context);
    const forbidden =
      /^(?:pkill|killall|kill|apt|apt-get|dpkg|rm|nft|iptables)\b|^systemctl (?:disable|mask)\b/;
    expect(machine.changes.filter((line) => forbidden.test(line))).toEqual([]);
  });

  test('is fetched for arm64 on arm64', async () => {
    await step.execute({ ...contextOf({}, 'arm64'), architecture: 'arm64' });
    expect(await machine.read(path)).toContain('# arm64');
  });

  test('in a dry run is named and not fetched', async () => {
    const context = contextOf();
    const said: string[] = [];
    const artifacts = createDryRunArtifacts({ config: context.config, say: (message) => said.push(message) });
    await step.execute({ ...context, artifacts, dryRun: true });
    expect(said.length).toBeGreaterThan(0);
    expect(mirror.requests).toEqual([]);
  });

  test('that says another version than it was fetched as is an error', async () => {
    if (step === cni) return;
    machine.answers = ({ argv }) => (argv[0] === path ? { stdout: 'version 9.9.9' } : undefined);
    await expect(step.execute(contextOf())).rejects.toMatchObject({
      facts: { code: 'program.wrong-version', message: expect.stringContaining('reports 9.9.9') },
    });
  });
});

test('[004-checklist] Step 5: runc to /usr/local/sbin/runc, executable, verify runc --version', async () => {
  const asked: string[] = [];
  machine.answers = ({ argv }) => void asked.push(argv.join(' '));
  await runc.execute(contextOf());
  expect(asked).toEqual(['/usr/local/sbin/runc --version']);
});

test('[004-checklist] Step 5: key runc.url is a template', async () => {
  const urlTemplates = [`${mirror.url}/runc/v{version}/runc.{arch}`];
  const context = contextOf({ downloads: { mirrors: [] }, runc: { urlTemplates } });
  await runc.execute(context);
  expect(mirror.requests.map(({ path }) => path)).toEqual(['/runc/v1.1.12/runc.amd64']);
});

test.each([
  ['1.1.12', '1.1.1', false],
  ['1.1.1', '1.1.12', false],
  ['v1.32.7', '1.32.7', true],
  ['2.4.2+unknown', '2.4.2', true],
  ['1.7.20-rc.1', '1.7.20', false],
  [undefined, '1.1.1', false],
])('[004-S5] a program that says %s is %s: %s', (said, wanted, expected) => {
  expect(isVersion(said, wanted)).toBe(expected);
});

describe('[004-S6] containerd', () => {
  test('[004-checklist] Step 6: four binaries in /usr/local/bin and no others', async () => {
    await containerd.execute(contextOf());
    expect(await machine.host.list('/usr/local/bin')).toEqual([
      'containerd',
      'containerd-shim',
      'containerd-shim-runc-v2',
      'ctr',
    ]);
  });

  test('2.x has three of them', async () => {
    await containerd.execute(contextOf(NEWER));
    expect(await machine.host.list('/usr/local/bin')).toEqual([
      'containerd',
      'containerd-shim-runc-v2',
      'ctr',
    ]);
    expect(await machine.read('/etc/containerd/config.toml')).toContain('version = 3');
  });

  test('[004-checklist] Step 6: config.toml and the unit /etc/systemd/system/containerd.service', async () => {
    await containerd.execute(contextOf());
    expect(await machine.read('/etc/containerd/config.toml')).toContain('SystemdCgroup = true');
    expect(await machine.read('/etc/systemd/system/containerd.service')).toContain(
      'ExecStart=/usr/local/bin/containerd',
    );
    expect(machine.changes).toEqual(['systemctl daemon-reload']);
  });

  test('that runs is restarted with what is new, and only then', async () => {
    machine.units['containerd'] = { active: true, enabled: true };
    await containerd.execute(contextOf());
    expect(machine.changes).toEqual(['systemctl daemon-reload', 'systemctl restart containerd.service']);
  });

  test('gets a changed pause image without its programs being fetched again', async () => {
    await containerd.execute(contextOf());
    mirror.requests.length = 0;
    const changed = contextOf({ containerd: { pauseImage: 'registry.example/pause:9' } });
    expect(await containerd.isCompleted(changed)).toBe(false);
    await containerd.execute(changed);
    expect(mirror.requests).toEqual([]);
    expect(await machine.read('/etc/containerd/config.toml')).toContain('registry.example/pause:9');
  });

  test("gets a proxy, in a file of root's, and loses it again", async () => {
    const proxied = contextOf({ proxy: { https: 'http://u:secret@proxy.example:3128' } });
    await containerd.execute(proxied);
    expect((await machine.host.lstat('/etc/containerd/proxy.env'))?.mode).toBe(0o600);
    expect(JSON.stringify(containerd.inputs(proxied))).not.toContain('secret');
    const drop = '/etc/systemd/system/containerd.service.d/20-chandler-proxy.conf';
    expect(await machine.read(drop)).toContain('EnvironmentFile=/etc/containerd/proxy.env');
    expect(await containerd.isCompleted(contextOf())).toBe(false);
    await containerd.execute(contextOf());
    expect(await machine.read(drop)).toBeUndefined();
    expect(await machine.read('/etc/containerd/proxy.env')).toBeUndefined();
  });

  test('claims what it will fill, before it is there', async () => {
    await containerd.execute(contextOf());
    expect(machine.claims).toEqual(expect.arrayContaining(['/var/lib/containerd', '/run/containerd']));
  });

  test('is stopped when it is undone', async () => {
    machine.units['containerd'] = { active: true, enabled: true };
    await containerd.undo(contextOf());
    expect(machine.units['containerd']?.active).toBe(false);
  });
});

describe('[004-S7] Kubernetes', () => {
  test('[004-checklist] Step 7: kubectl, kubelet, kubeadm in /usr/local/bin, verified by what they say', async () => {
    const asked: string[] = [];
    machine.answers = ({ argv, changes }) =>
      void (!changes && argv[0]?.startsWith('/') && asked.push(argv.join(' ')));
    await createKubernetes().execute(contextOf());
    expect(asked).toEqual([
      '/usr/local/bin/kubelet --version',
      '/usr/local/bin/kubectl version --client',
      '/usr/local/bin/kubeadm version -o short',
    ]);
  });

  test('comes from one archive where the config names one, with its hash', async () => {
    const urlTemplates = [NODE_ARCHIVE];
    await createKubernetes().execute(contextOf({ kubernetes: { urlTemplates } }));
    expect(mirror.requests.map(({ path }) => path)).toEqual([
      '/kubernetes/v1.32.7/kubernetes-node-linux-amd64.tar.gz',
    ]);
    expect(await machine.host.list('/usr/local/bin')).toEqual(['kubeadm', 'kubectl', 'kubelet']);
  });

  test('from an archive without a hash is refused with the line to add', async () => {
    const config = sampleConfig({ kubernetes: { urlTemplates: [NODE_ARCHIVE] } });
    const artifacts = createArtifacts(virtualWorld(), options(config));
    await expect(createKubernetes().execute({ ...contextOf(), config, artifacts })).rejects.toMatchObject({
      facts: {
        code: 'download.hash-unknown',
        remedy: expect.stringContaining('kubernetes-node/1.32.7/amd64'),
      },
    });
  });

  test('does not stop a running kubelet, of whatever version', async () => {
    await createKubernetes().execute(contextOf());
    machine.units['kubelet'] = { active: true, enabled: true };
    await createKubernetes().execute(contextOf(NEWER));
    expect(await isInstalled(machine.host, KUBERNETES.kubelet, '1.33.2')).toBe(true);
    expect(machine.changes).toEqual([]);
  });

  test('replaces a program that is running', async () => {
    const kubelet = `${machine.root}/usr/local/bin/kubelet`;
    await mkdir(dirname(kubelet), { recursive: true });
    await copyFile('/bin/sleep', kubelet);
    const running = spawn(kubelet, ['60']);
    try {
      await once(running, 'spawn');
      await createKubernetes().execute(contextOf());
      expect(await createKubernetes().isCompleted(contextOf())).toBe(true);
      expect(running.exitCode).toBeNull();
    } finally {
      running.kill();
    }
  });

  test('does not touch a running kubelet before everything new is here', async () => {
    await createKubernetes().execute(contextOf());
    machine.units['kubelet'] = { active: true, enabled: true };
    mirror.fail('kubeadm', 'missing');
    await expect(createKubernetes().execute(contextOf(NEWER))).rejects.toMatchObject({ name: 'FlexError' });
    expect(machine.units['kubelet']?.active).toBe(true);
  });
});

describe('[004-S8] CNI', () => {
  test('[004-checklist] Step 8: plugins in /opt/cni/bin, configuration in /etc/cni/net.d', async () => {
    await cni.execute(contextOf());
    expect(await machine.host.list('/opt/cni/bin')).toEqual([
      'bandwidth',
      'bridge',
      'host-device',
      'host-local',
      'loopback',
      'portmap',
    ]);
    expect(await machine.host.list('/etc/cni/net.d')).toEqual(['99-bridge.conf']);
  });

  test('never touches networks that others wrote, and sorts after them', async () => {
    await machine.put('/etc/cni/net.d/10-flannel.conflist', '{}');
    await machine.put('/opt/cni/bin/cilium-cni', 'x', 0o755);
    await cni.execute(contextOf());
    expect(await machine.read('/etc/cni/net.d/10-flannel.conflist')).toBe('{}');
    expect(await machine.host.list('/etc/cni/net.d')).toEqual(['10-flannel.conflist', '99-bridge.conf']);
    expect(await machine.read('/opt/cni/bin/cilium-cni')).toBe('x');
  });

  test('writes no network when the config says so, and takes back only its own', async () => {
    const without = contextOf({ cni: { bridge: { write: false } } });
    await cni.execute(without);
    expect(await machine.host.list('/etc/cni/net.d')).toEqual([]);
    await cni.execute(contextOf());
    expect(await cni.isCompleted(without)).toBe(false);
    await cni.execute(without);
    expect(await machine.host.list('/etc/cni/net.d')).toEqual([]);
    await machine.put('/etc/cni/net.d/99-bridge.conf', '{"name": "mine"}');
    await cni.execute(without);
    expect(await machine.read('/etc/cni/net.d/99-bridge.conf')).toContain('mine');
  });

  test('with a range that is none is refused before anything is done', async () => {
    await expect(cni.validate(contextOf({ cni: { bridge: { podCidr: 'x' } } }))).rejects.toMatchObject({
      facts: { class: 'config', where: 'cni.bridge.podCidr' },
    });
  });

  test('[004-SEC-5] an archive without the plugins installs nothing', async () => {
    const runcAsCni = { 'cni-plugins/1.5.1/amd64': mirror.sha256['containerd/1.7.20/amd64']! };
    mirror.fail('cni/', { redirect: '/containerd/v1.7.20/containerd-1.7.20-linux-amd64.tar.gz' });
    const context = contextOf({ downloads: { sha256: { ...mirror.sha256, ...runcAsCni } } });
    await expect(cni.execute(context)).rejects.toMatchObject({ facts: { code: 'archive.incomplete' } });
    expect(await machine.host.list('/opt/cni/bin')).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

function options(config: FlexConfig, architecture: 'amd64' | 'arm64' = 'amd64') {
  return {
    config,
    architecture,
    // Vendors have nothing here: no test leaves this machine.
    fetch: async (input: string | URL | Request, init?: RequestInit) =>
      String(input).startsWith(mirror.url)
        ? await globalThis.fetch(input, init)
        : new Response(null, { status: 404 }),
    say: () => undefined,
  };
}

function contextOf(
  over: DeepPartial<FlexConfig> = {},
  architecture: 'amd64' | 'arm64' = 'amd64',
): StepContext {
  const downloads = { mirrors: [mirror.url], sha256: mirror.sha256, ...over.downloads };
  const config = sampleConfig({ ...over, downloads });
  return machine.context(
    { ...over, downloads },
    { artifacts: createArtifacts(virtualWorld(), options(config, architecture)) },
  );
}
