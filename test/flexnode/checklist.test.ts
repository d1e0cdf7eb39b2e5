/** Lines of the original document's checklist about the whole rather than one step: shape, platform, what runs afterwards. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { flexnode, inSession } from '../../packages/chandler/src/cli/testing.ts';
import {
  createSteps,
  type RunResult,
  readConfig,
  runPreflight,
} from '../../packages/chandler/src/flexnode/index.ts';
import {
  artifactRequests,
  HIMDS_ENDPOINT,
  kubeletFiles,
  minimalFile,
  sampleConfig,
  sourcesOf,
} from '../../packages/chandler/src/flexnode/testing.ts';
import { parseOptions } from '../../packages/chandler/src/settings/index.ts';

import { createFolderMachine, type FolderMachine } from './folder-machine.ts';
import { TEST_CA_DATA } from './test-ca.ts';

const STARTS_WITH_THE_MACHINE = '/etc/systemd/system/multi-user.target.wants/';

let machine: FolderMachine;
let result: RunResult;
let log = '';

beforeAll(async () => {
  machine = createFolderMachine();
  const config = await machine.configOf();
  const { host } = await machine.parts({ config });
  const terminal = { out: () => undefined, err: () => undefined, color: false };
  const session = { name: 'bootstrap', terminal, json: true, env: {}, host, agent: config.agent };
  await inSession(session, async (on) => {
    result = await machine.bootstrap({ config, on });
    return result;
  });
  log = readFileSync(`${machine.root}${config.agent.logDir}/aks-flex-node.log`, 'utf8');
});
afterAll(() => machine.dispose());

describe('[004-checklist] Shape', () => {
  test('bootstrap --config config.json is the command', () => {
    const verb = flexnode.verbs!.find(({ name }) => name === 'bootstrap')!;
    const { values, problems } = parseOptions(verb.options, ['--config', 'config.json'], {});
    expect(problems).toEqual([]);
    expect(values['config']).toMatchObject({ value: 'config.json', source: 'flag' });
  });

  test('the result says whether it succeeded, how many steps there were, and how each of them went', () => {
    expect(result).toMatchObject({ success: true, stepCount: 11, durationMs: expect.any(Number) });
    expect(result.steps).toHaveLength(11);
    for (const each of result.steps)
      expect(each).toEqual({
        step: expect.any(String),
        name: expect.any(String),
        outcome: 'completed',
        durationMs: expect.any(Number),
      });
  });

  test('each step executes, says whether it is completed, has a name and validates; and each can be undone', () => {
    for (const step of createSteps()) {
      expect(step.name).toMatch(/^[A-Z]\w+$/);
      for (const act of ['execute', 'isCompleted', 'validate', 'undo'] as const)
        expect(step[act], `${step.id}.${act}`).toBeTypeOf('function');
    }
  });

  test('the log is set up from the level and the folder of the config', () => {
    const lines = log.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as { type: string })).toContainEqual(
      expect.objectContaining({ type: 'step-started', step: 'arc' }),
    );
    const reading = readConfig(
      {
        text: JSON.stringify(minimalFile({ 'agent.logDir': '/srv/log', 'agent.logLevel': 'error' })),
        path: 'c',
      },
      { hostname: 'edge-01', env: {}, readSecretFile: async () => undefined },
    );
    expect(reading.ok && reading.config.agent).toMatchObject({ logDir: '/srv/log', logLevel: 'error' });
  });

  test('the agent is gone when it is done: only containerd, kubelet and the Arc agent stay', () => {
    const units = readdirSync(`${machine.root}/etc/systemd/system`).filter((name) =>
      name.endsWith('.service'),
    );
    expect(units.sort()).toEqual(['containerd.service', 'kubelet.service']);
    const enabled = machine.tree().filter((line) => line.startsWith(STARTS_WITH_THE_MACHINE));
    expect(enabled.join('\n')).not.toMatch(/chandler/);
    expect([...machine.systemd.active].sort()).toEqual(
      expect.arrayContaining(['containerd.service', 'kubelet.service']),
    );
    expect([...machine.systemd.active].join()).not.toContain('chandler');
  });

  test('the three phases are identity (step 1), installation (2 to 8) and activation (9 to 11)', () => {
    expect(createSteps().map(({ phase }) => phase)).toEqual([
      'identity',
      ...Array.from({ length: 7 }, () => 'installation'),
      ...Array.from({ length: 3 }, () => 'activation'),
    ]);
  });

  test('the platform is Ubuntu 22.04 with 2 GB of memory and 25 GB of disk', async () => {
    const { checks } = await inspected({});
    expect(checks.find(({ name }) => name === 'operating-system')).toMatchObject({ severity: 'ok' });
    const small = await inspected({
      freeBytes: async () => 24e9,
      readFile: async (path: string) =>
        path === '/proc/meminfo' ? Buffer.from('MemTotal: 1500000 kB\n') : undefined,
    });
    const severity = (name: string) => small.checks.find((check) => check.name === name)?.severity;
    expect([severity('memory'), severity('disk-space')]).not.toContain('ok');
  });
});

describe('[004-checklist] Identity and credentials', () => {
  test('bootstrap without root is refused by the first check', async () => {
    const nobody = { exitCode: 0, stdout: '1000\n', stderr: '' };
    const { checks } = await inspected({ run: async () => nobody });
    expect(checks.find(({ name }) => name === 'is-privileged-user')).toMatchObject({ severity: 'error' });
  });

  test('at runtime the kubelet is root, which the token helper needs, and keeps no token or password', () => {
    expect(content('/etc/systemd/system/kubelet.service')).not.toMatch(/^User=/m);
    expect(content('/var/lib/kubelet/kubeconfig')).not.toMatch(/token:|password|client-key-data/);
  });
});

describe('[004-checklist] Steps 5 to 8: where the programs come from', () => {
  const from = (overrides?: Parameters<typeof sampleConfig>[0]) => {
    const config = sampleConfig(overrides);
    return artifactRequests(config, 'amd64').map((request) => sourcesOf(request, config)[0]);
  };

  test('without a word in the config they come from where the document says', () => {
    const versions = { runc: { version: '1.1.12' }, containerd: { version: '1.7.13' } };
    expect(from({ ...versions, kubernetes: { version: '1.29.2' }, cni: { version: '1.5.1' } })).toEqual([
      'https://github.com/opencontainers/runc/releases/download/v1.1.12/runc.amd64',
      'https://github.com/containerd/containerd/releases/download/v1.7.13/containerd-1.7.13-linux-amd64.tar.gz',
      'https://dl.k8s.io/release/v1.29.2/bin/linux/amd64/kubelet',
      'https://dl.k8s.io/release/v1.29.2/bin/linux/amd64/kubectl',
      'https://dl.k8s.io/release/v1.29.2/bin/linux/amd64/kubeadm',
      'https://github.com/containernetworking/plugins/releases/download/v1.5.1/cni-plugins-linux-amd64-v1.5.1.tgz',
    ]);
  });

  test('keys kubernetes.version and kubernetes.urlTemplate: the template, and behind it the name of the program', () => {
    const urlTemplates = ['https://files.test/v{version}/{arch}'];
    expect(from({ kubernetes: { version: '1.30.1', urlTemplates } })).toEqual(
      expect.arrayContaining([
        'https://files.test/v1.30.1/amd64/kubelet',
        'https://files.test/v1.30.1/amd64/kubectl',
        'https://files.test/v1.30.1/amd64/kubeadm',
      ]),
    );
  });
});

describe('[004-checklist] Step 10: keys', () => {
  test('node.maxPods, node.labels, node.kubelet.kubeReserved, node.kubelet.evictionHard and containerd.pauseImage', () => {
    const node = {
      maxPods: 33,
      labels: { 'example.com/site': 'north' },
      kubelet: { kubeReserved: { cpu: '120m' }, evictionHard: { 'memory.available': '7%' } },
    };
    const config = sampleConfig({ node, containerd: { pauseImage: 'registry.test/pause:1' } });
    const cluster = { server: 'https://harbour.test', caData: TEST_CA_DATA };
    const files = kubeletFiles(config, cluster, { resolvConf: '/etc/resolv.conf' });
    const defaults = files.find(({ path }) => path === '/etc/default/kubelet')?.content;
    for (const part of [
      '--max-pods=33',
      'example.com/site=north',
      'cpu=120m',
      'memory.available<7%',
      'pause:1',
    ])
      expect(defaults).toContain(part);
  });
});

describe('[004-checklist] Network', () => {
  test('the agent listens on nothing', () => {
    const folder = join(import.meta.dirname, '../../packages/chandler/src/flexnode');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(name),
    );
    const listening = sources.filter((name) =>
      /\.listen\(|createServer\(/.test(readFileSync(join(folder, name), 'utf8')),
    );
    expect(sources.length).toBeGreaterThan(100);
    expect(listening).toEqual([]);
  });

  test('HIMDS is asked at 127.0.0.1:40342, over plain HTTP', () => {
    expect(new URL(HIMDS_ENDPOINT).origin).toBe('http://127.0.0.1:40342');
  });
});

function content(path: string): string {
  return readFileSync(machine.root + path, 'utf8');
}

async function inspected(changed: object) {
  const parts = await machine.parts();
  const host = { ...parts.host, ...changed } as typeof parts.host;
  const fetch = async () => new Response('', { status: 404 });
  return runPreflight({ ...parts, host, fetch }, { signal: new AbortController().signal });
}
