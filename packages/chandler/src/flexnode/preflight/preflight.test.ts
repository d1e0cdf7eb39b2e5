import { describe, expect, test } from 'vitest';
import { sampleConfig } from '../config/config.fixture.ts';
import { FlexError } from '../flex-error.ts';
import { type Around, answers, CURRENT, of, pinned, preflight } from './preflight.fixture.ts';
import { checkNames } from './preflight.ts';
import { reportJson, reportText } from './report.ts';

describe('preflight', () => {
  test('a good machine passes, every check is there in the order of the table, and nothing is changed', async () => {
    const { report, changed } = await preflight();
    expect(report.checks.filter(({ severity }) => severity !== 'ok')).toEqual([]);
    expect(report.status).toBe('ok');
    const order = [...new Set(report.checks.map(({ name }) => name))];
    expect(order).toEqual(checkNames().filter((name) => order.includes(name)));
    expect(changed).toBe(0);
  });

  test.each<[name: string, severity: 'error' | 'warning', around: Around, words: RegExp]>([
    [
      'known-escapes',
      'warning',
      { config: pinned(sampleConfig({ ...CURRENT, runc: { version: '1.1.12' } })) },
      /CVE-2025-31133/,
    ],
    ['is-privileged-user', 'error', { commands: { 'id -u': { stdout: '1000\n' } } }, /not running as root/],
    [
      'operating-system',
      'error',
      { files: { '/etc/os-release': 'ID=debian\nVERSION_ID="12"\n' } },
      /debian 12/,
    ],
    [
      'operating-system',
      'warning',
      { files: { '/etc/os-release': 'ID=debian\n' }, options: { allowUnsupportedOs: true } },
      /debian/,
    ],
    [
      'host-os-configuration',
      'error',
      { files: { '/proc/mounts': '/dev/sda1 / ext4 rw 0 0\n/dev/sdb /usr squashfs ro 0 0\n' } },
      /read-only/,
    ],
    [
      'systemd',
      'error',
      { commands: { 'systemctl is-system-running': { exitCode: 1, stdout: 'offline\n' } } },
      /not the init system/,
    ],
    [
      'memory',
      'error',
      { files: { '/proc/meminfo': 'MemTotal: 1000000 kB\n' } },
      /1\.0 GB of memory; at least 2 GB/,
    ],
    ['disk-space', 'warning', { freeBytes: 20e9 }, /25 GB are recommended/],
    ['disk-space', 'error', { freeBytes: 5e9 }, /at least 8 GB/],
    ['cgroups', 'warning', { files: { '/sys/fs/cgroup/cgroup.controllers': '' } }, /cgroup v1/],
    ['cgroups', 'error', { files: { '/sys/fs/cgroup/cgroup.controllers': 'cpu pids' } }, /missing: memory/],
    [
      'kernel-modules',
      'error',
      { files: { '/proc/modules': '' }, commands: { 'modprobe --dry-run': { exitCode: 1 } } },
      /kernel module is missing/,
    ],
    ['host-packages', 'warning', { commands: { iptables: { exitCode: 127 } } }, /iptables/],
    [
      'swap-active',
      'warning',
      { files: { '/proc/swaps': 'Filename\n/swap.img file 2097148 0 -2\n' } },
      /swap is enabled/,
    ],
    ['selinux', 'warning', { files: { '/sys/fs/selinux/enforce': '1' } }, /enforcing/],
    [
      'existing-deployment',
      'warning',
      { commands: { 'systemctl is-active kubelet.service': { stdout: 'active\n' } } },
      /a kubelet that was not installed/,
    ],
    [
      'docker-active',
      'warning',
      { commands: { 'systemctl is-active docker.service': { stdout: 'active\n' } } },
      /Docker is running/,
    ],
    [
      'other-distributions',
      'error',
      { commands: { 'systemctl is-active k3s-agent.service': { stdout: 'active\n' } } },
      /k3s is running/,
    ],
    [
      'kubelet-bind-address',
      'error',
      { files: { '/proc/net/tcp6': 'sl\n 0: 00000000000000000000000000000000:280A 0:0 0A\n' } },
      /used by another/,
    ],
    [
      'kubelet-healthz-bind-address',
      'error',
      { files: { '/proc/net/tcp': 'sl\n 0: 0100007F:2808 0:0 0A\n' } },
      /used by another/,
    ],
    [
      'containerd-metrics-bind-address',
      'error',
      { files: { '/proc/net/tcp': 'sl\n 0: 0100007F:2811 0:0 0A\n' } },
      /used by another/,
    ],
    [
      'arc-agent',
      'error',
      { config: pinned(sampleConfig({ azure: { arc: { install: false } } })) },
      /not installed/,
    ],
    ['arc-agent', 'error', { config: sampleConfig() }, /the hash of its package is not known/],
    [
      'arc-agent',
      'error',
      {
        commands: {
          'azcmagent version': { stdout: '1.59' },
          'azcmagent show': { stdout: '{"status":"Connected","resourceName":"other"}' },
        },
      },
      /another machine \(other\)/,
    ],
    [
      'node-name',
      'error',
      { config: pinned(sampleConfig({ agent: { nodeName: 'Edge_01' } })) },
      /not a valid Node name/,
    ],
    ['node-name', 'warning', { commands: { hostname: { stdout: 'EDGE-01\n' } } }, /upper case letters/],
    [
      'node-labels',
      'error',
      { config: pinned(sampleConfig({ node: { labels: { 'node-role.kubernetes.io/worker': '' } } })) },
      /not allowed to set/,
    ],
    ['version-skew', 'error', { facts: { 'cluster.serverVersion': 'v1.31.2' } }, /newer than the API server/],
    [
      'version-skew',
      'warning',
      {
        facts: {
          'cluster.serverVersion': 'v1.31.2',
          'cluster.server': 'https://harbour.test:443',
          'cluster.caData': 'Q0E=',
        },
        serverVersion: async () => {
          throw new FlexError({ class: 'auth', code: 'cluster.unauthorized', message: 'HTTP 401' });
        },
      },
      /the current version could not be read/,
    ],
    [
      'cri-artifacts',
      'error',
      { config: sampleConfig({ containerd: { version: '9.9.9' } }) },
      /not known, so the file is not downloaded/,
    ],
    ['dns', 'error', { commands: { getent: { exitCode: 2 } } }, /cannot be resolved/],
    ['clock-skew', 'error', { fetch: answers(-600_000) }, /600 s ahead/],
    ['clock-skew', 'warning', { fetch: answers(60_000) }, /60 s behind/],
    [
      'azure-endpoints',
      'error',
      {
        fetch: (url) => {
          if (url.includes('management'))
            throw new TypeError('fetch failed', { cause: new Error('refused') });
          return answers()();
        },
      },
      /cannot be reached/,
    ],
    [
      'download-endpoints',
      'error',
      {
        fetch: (url) => {
          if (url.includes('dl.k8s.io')) throw new TypeError('fetch failed', { cause: new Error('refused') });
          return answers()();
        },
      },
      /cannot be reached/,
    ],
    [
      'proxy',
      'error',
      {
        config: pinned(sampleConfig({ proxy: { https: 'http://u:p@proxy.example:3128' } })),
        fetch: (url) => {
          if (url.includes('proxy.example'))
            throw new TypeError('fetch failed', { cause: new Error('refused') });
          return answers()();
        },
      },
      /proxy does not respond/,
    ],
    [
      'api-server-reachable',
      'error',
      {
        facts: { 'cluster.server': 'https://h:443', 'cluster.caData': 'x' },
        serverVersion: () =>
          Promise.reject(
            new FlexError({ class: 'network', code: 'x', message: 'GET https://h:443/version: timed out' }),
          ),
      },
      /timed out/,
    ],
  ])('%s: %s, with a remedy', async (name, severity, around, words) => {
    const { report, changed } = await preflight(around);
    const [bad] = of(report, name).filter((check) => check.severity !== 'ok');
    expect(bad).toMatchObject({ severity, ignored: false });
    expect(bad?.message).toMatch(words);
    expect(bad?.remedy).toMatch(/\w+/);
    expect(changed).toBe(0);
  });

  test('[004-SEC-11] metrics of containerd that are open to the network are warned about', async () => {
    const config = pinned(sampleConfig({ containerd: { metricsAddress: '0.0.0.0:10257' } }));
    const { report } = await preflight({ config });
    expect(of(report, 'containerd-metrics-bind-address').map(({ severity }) => severity)).toEqual([
      'ok',
      'warning',
    ]);
  });

  test('a port that our own kubelet holds is fine', async () => {
    const { report } = await preflight({
      files: { '/proc/net/tcp': 'sl\n 0: 0100007F:280A 0:0 0A\n' },
      commands: { 'systemctl is-active kubelet.service': { stdout: 'active\n' } },
    });
    expect(of(report, 'kubelet-bind-address')[0]).toMatchObject({ severity: 'ok' });
  });

  test('errors that are ignored become warnings that say so; with --fail-on-warnings even these fail', async () => {
    const around: Around = { commands: { 'id -u': { stdout: '1000\n' } } };
    const ignored = await preflight({ ...around, options: { ignore: ['is-privileged-user'] } });
    expect(of(ignored.report, 'is-privileged-user')[0]).toMatchObject({ severity: 'warning', ignored: true });
    expect(ignored.report.status).toBe('ok');
    expect((await preflight({ ...around, options: { ignore: ['all'] } })).report.status).toBe('ok');
    expect(
      (await preflight({ ...around, options: { ignore: ['all'], failOnWarnings: true } })).report.status,
    ).toBe('failed');
    expect((await preflight(around)).report.status).toBe('failed');
  });

  test('the text has the lines that operators know, errors last', async () => {
    const { report } = await preflight({ commands: { 'id -u': { stdout: '1000\n' } } });
    const lines = reportText(report).split('\n');
    expect(lines[0]).toBe('[preflight] Running AKS Flex Node preflight checks');
    expect(lines).toContain('\t[OK operating-system]: the operating system is ubuntu 22.04');
    expect(lines.indexOf('\t[ERROR is-privileged-user]: not running as root')).toBeGreaterThan(
      lines.indexOf('[preflight] Some fatal errors occurred:'),
    );
    expect(reportText(report)).toContain('--ignore-preflight-errors');
  });

  test('the JSON has status, checks and summary, and no message holds an address', async () => {
    const { report } = await preflight({
      fetch: () => {
        throw new TypeError('fetch failed', { cause: new Error('refused') });
      },
    });
    const json = JSON.parse(reportJson(report));
    expect(Object.keys(json)).toEqual(['status', 'checks', 'summary']);
    expect(json.status).toBe('failed');
    expect(json.summary.errors).toBe(
      json.checks.filter((check: { severity: string }) => check.severity === 'error').length,
    );
    for (const { message } of json.checks) expect(message).not.toMatch(/https?:\/\//);
  });

  test('a check that cannot look says so and does not stop the others', async () => {
    const { report } = await preflight({
      commands: {
        'id -u': () => {
          throw new Error('no shell');
        },
      },
    });
    expect(of(report, 'is-privileged-user')[0]).toMatchObject({
      severity: 'warning',
      message: 'the check failed: no shell',
    });
    expect(of(report, 'memory')[0]?.severity).toBe('ok');
  });
});
