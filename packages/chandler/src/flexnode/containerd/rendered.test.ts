import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse as parseToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { type DeepPartial, sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { KERNEL_FILES, SYSCTLS } from '../steps/kernel.ts';
import { bridgeNetwork, podRange } from './bridge-network.ts';
import { renderConfigToml } from './config-toml.ts';
import { containerdProxyEnvironment, renderContainerdProxyDropIn, renderContainerdUnit } from './unit.ts';

const GOLDEN = '../../../../../test/flexnode/golden/machine';
const EXTRA = `
[plugins."io.containerd.grpc.v1.cri"]
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
    SystemdCgroup = false
[debug]
  level = "debug"
`;
const PROXY: FlexConfig['proxy'] = {
  http: 'http://user:p%40ss@proxy.example:3128',
  https: 'http://proxy.example:3128',
  noProxy: ['10.0.0.0/8', '.corp.example'],
};

const FILES: Readonly<Record<string, () => string>> = {
  'containerd-1.7.20.config.toml': () => toml(),
  'containerd-2.0.4.config.toml': () => toml({ containerd: { version: '2.0.4' } }),
  'containerd-2.1.4.config.toml': () => toml({ containerd: { version: '2.1.4' } }),
  'containerd-1.7.20-extra.config.toml': () => toml({ containerd: { extraConfig: EXTRA } }),
  'containerd.service': renderContainerdUnit,
  '20-chandler-proxy.conf': renderContainerdProxyDropIn,
  'proxy.env': () => containerdProxyEnvironment(sampleConfig({ proxy: PROXY }))!,
  '99-bridge.conf': () => bridgeNetwork(sampleConfig()),
  '99-bridge-own-range.conf': () =>
    bridgeNetwork(sampleConfig({ cni: { bridge: { podCidr: '10.99.7.64/26' } } })),
  'modules-load.conf': () => KERNEL_FILES[0]!.content,
  '999-sysctl-aks.conf': () => KERNEL_FILES[1]!.content,
};

describe('every file that is written looks as it did', () => {
  test.each(Object.keys(FILES))('%s', async (name) => {
    await expect(FILES[name]!()).toMatchFileSnapshot(`${GOLDEN}/${name}`);
  });
});

describe("containerd's configuration", () => {
  test('[004-checklist] Step 6: schema 2, runc with systemd cgroups, CNI folders, registry folder, pause image', () => {
    const read = parseToml(toml()) as Record<string, never>;
    expect(read).toMatchObject({
      version: 2,
      plugins: {
        'io.containerd.grpc.v1.cri': {
          sandbox_image: 'mcr.microsoft.com/oss/kubernetes/pause:3.6',
          containerd: {
            default_runtime_name: 'runc',
            runtimes: {
              runc: {
                runtime_type: 'io.containerd.runc.v2',
                options: { BinaryName: '/usr/local/sbin/runc', SystemdCgroup: true },
              },
            },
          },
          cni: { bin_dir: '/opt/cni/bin', conf_dir: '/etc/cni/net.d' },
          registry: { config_path: '/etc/containerd/certs.d' },
        },
      },
    });
  });

  test('[004-checklist] Step 6: keys containerd.pauseImage, paths.cni.binDir and paths.cni.confDir reach it', () => {
    const text = toml({
      containerd: { pauseImage: 'registry.example/pause:9' },
      paths: { cni: { binDir: '/data/cni/bin', confDir: '/data/cni/net.d' } },
    });
    expect(parseToml(text)).toMatchObject({
      plugins: {
        'io.containerd.grpc.v1.cri': {
          sandbox_image: 'registry.example/pause:9',
          cni: { bin_dir: '/data/cni/bin', conf_dir: '/data/cni/net.d' },
        },
      },
    });
  });

  test('[004-SEC-11] metrics are for this machine alone', () => {
    expect(parseToml(toml())).toMatchObject({ metrics: { address: '127.0.0.1:10257' } });
  });

  test('of 2.x is schema 3, with a list of CNI folders from 2.1 on', () => {
    const runtime = (version: string) =>
      (
        parseToml(toml({ containerd: { version } })) as Record<
          string,
          Record<string, Record<string, unknown>>
        >
      )['plugins']!['io.containerd.cri.v1.runtime']!['cni'];
    expect(runtime('2.0.4')).toEqual({ bin_dir: '/opt/cni/bin', conf_dir: '/etc/cni/net.d' });
    expect(runtime('2.4.2')).toEqual({ bin_dirs: ['/opt/cni/bin'], conf_dir: '/etc/cni/net.d' });
  });

  test('takes what the operator adds to a table that we write too', () => {
    expect(parseToml(toml({ containerd: { extraConfig: EXTRA } }))).toMatchObject({
      debug: { level: 'debug' },
      plugins: {
        'io.containerd.grpc.v1.cri': {
          restrict_oom_score_adj: true,
          sandbox_image: expect.any(String),
          containerd: {
            runtimes: { runc: { options: { SystemdCgroup: false, BinaryName: '/usr/local/sbin/runc' } } },
          },
        },
      },
    });
  });

  test('with an addition that is not TOML is refused with its line', () => {
    const extraConfig = 'a = 1\nb ==';
    expect(() => toml({ containerd: { extraConfig } })).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ class: 'config', line: 2 }) }),
    );
  });
});

test('[004-checklist] Step 4: the three settings of the document are 1', () => {
  const lines = KERNEL_FILES[1]!.content.split('\n').filter((line) => !line.startsWith('#') && line !== '');
  const read = Object.fromEntries(lines.map((line) => line.split(' = ')));
  expect(read).toEqual(SYSCTLS);
  expect(read).toMatchObject({
    'net.bridge.bridge-nf-call-iptables': '1',
    'net.bridge.bridge-nf-call-ip6tables': '1',
    'net.ipv4.ip_forward': '1',
  });
});

describe('the network of this machine', () => {
  test('is JSON with the range and its first address', () => {
    const read = JSON.parse(FILES['99-bridge-own-range.conf']!());
    expect(read.ipam.ranges).toEqual([[{ subnet: '10.99.7.64/26', gateway: '10.99.7.65' }]]);
  });

  test.each(['10.244.0.0', '10.244.0.0/33', '10.300.0.0/16', 'fd00::/64', '10.0.0.0/30', 'x'])(
    'with the range %s is refused',
    (podCidr) => {
      expect(() => podRange(sampleConfig({ cni: { bridge: { podCidr } } }))).toThrow('cni.bridge.podCidr');
    },
  );

  test('with an address inside the range means the range', () => {
    expect(podRange(sampleConfig({ cni: { bridge: { podCidr: '10.1.2.3/16' } } }))).toEqual({
      subnet: '10.1.0.0/16',
      gateway: '10.1.0.1',
    });
  });
});

test("the password of a proxy is in a file of root's, not in the unit", () => {
  expect(FILES['20-chandler-proxy.conf']!()).not.toContain('p%40ss');
  expect(FILES['proxy.env']!()).toContain('p%40ss');
  expect(containerdProxyEnvironment(sampleConfig())).toBeUndefined();
});

test('systemd takes the unit as it is', ({ skip }) => {
  if (spawnSync('systemd-analyze', ['--version']).status !== 0)
    skip('there is no systemd-analyze on this machine');
  const root = mkdtempSync(join(tmpdir(), 'units-'));
  try {
    const place = (path: string, text: string, mode = 0o644) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
      chmodSync(join(root, path), mode);
    };
    for (const program of ['/usr/local/bin/containerd', '/sbin/modprobe'])
      place(program, '#!/bin/sh\n', 0o755);
    for (const unit of ['multi-user', 'network', 'local-fs', 'sysinit', 'basic', 'shutdown']) {
      place(`/usr/lib/systemd/system/${unit}.target`, `[Unit]\nDescription=${unit}\n`);
    }
    place('/usr/lib/systemd/system/system.slice', '[Unit]\nDescription=slice\n');
    place('/etc/systemd/system/containerd.service', renderContainerdUnit());
    place('/etc/systemd/system/containerd.service.d/20-chandler-proxy.conf', renderContainerdProxyDropIn());
    place('/etc/containerd/proxy.env', FILES['proxy.env']!());
    const args = ['verify', '--man=no', `--root=${root}`, 'containerd.service'];
    const { status, stdout, stderr } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect({ status, said: stdout + stderr }).toEqual({ status: 0, said: '' });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

// ---------------------------------------------------------------------------------------------------

function toml(over: DeepPartial<FlexConfig> = {}): string {
  return renderConfigToml(sampleConfig(over));
}
