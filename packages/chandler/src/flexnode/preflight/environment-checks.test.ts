/** Checks of what else is on the machine, of its directories and networks, and of the cluster in Azure. */

import type { Clock } from '@chandler/kube';
import { createAuthority } from '@chandler/kube/tls';
import { beforeAll, describe, expect, test } from 'vitest';
import type { AzureClient } from '../azure/azure-client.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import { toLine } from '../engine/journal.ts';
import { JOURNAL_PATH } from '../engine/parts.ts';
import { FlexError } from '../flex-error.ts';
import { type Around, CURRENT, of, pinned, preflight } from './preflight.fixture.ts';

const active = (unit: string): Around => ({
  commands: { [`systemctl is-active ${unit}`]: { stdout: 'active\n' } },
});
const enabled = (unit: string): Around => ({
  commands: { [`systemctl is-enabled ${unit}`]: { stdout: 'enabled\n' } },
});
const kubelet = (version: string, extraConfig: Readonly<Record<string, unknown>> = {}) =>
  pinned(sampleConfig({ ...CURRENT, kubernetes: { version }, node: { kubelet: { extraConfig } } }));
const CGROUP_V1 = { '/sys/fs/cgroup/cgroup.controllers': '' };
const MOUNTS = '/dev/sda1 / ext4 rw,relatime 0 0\n';
const ROUTES = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n';
/** 0.0.0.0/0 through eth0, and this destination. */
const route = (device: string, destination: string, mask: string) =>
  `${ROUTES}eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\n${device}\t${destination}\t00000000\t0001\t0\t0\t0\t${mask}\n`;
/** Of a control plane that kubeadm made; the kubelet ignores names with a dot in front. */
const STATIC_PODS = {
  '/etc/kubernetes/manifests/etcd.yaml': '',
  '/etc/kubernetes/manifests/kube-apiserver.yaml': '',
  '/etc/kubernetes/manifests/.kubelet-keep': '',
};
const OURS = {
  [JOURNAL_PATH]: toLine({ kind: 'step-started', step: 'runc', fingerprint: 'f', at: 't' }),
};
const OWN_MANIFESTS = pinned(
  sampleConfig({ ...CURRENT, paths: { kubernetes: { manifestsDir: '/etc/kubernetes/own' } } }),
);
/** The services of the node have been started. */
const JOINED = { 'network.chains-before': '' };
const listening = (port: number) => ({
  '/proc/net/tcp': `  sl\n   0: 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} 00000000:0000 0A\n`,
});

test.each<[name: string, severity: 'ok' | 'error' | 'warning', around: Around, words: RegExp]>([
  ['other-distributions', 'error', active('rke2-server.service'), /RKE2 is running/],
  ['other-distributions', 'error', active('k0scontroller.service'), /k0s is running/],
  ['other-distributions', 'error', active('snap.microk8s.daemon-kubelite.service'), /MicroK8s is running/],
  ['other-distributions', 'error', active('snap.k8s.kubelet.service'), /Canonical Kubernetes is running/],
  ['other-distributions', 'error', active('crio.service'), /CRI-O is running/],
  ['other-distributions', 'error', active('aks-flex-node-agent.service'), /AKS Flex Node is running/],
  ['other-distributions', 'error', enabled('k3s.service'), /k3s starts when the machine boots/],
  ['other-distributions', 'warning', { files: { '/var/lib/rancher/k3s/x': '' } }, /k3s is installed/],
  ['other-distributions', 'warning', { files: { '/etc/kubernetes/kubelet.conf': '' } }, /kubeadm joined/],
  ['other-distributions', 'error', { files: STATIC_PODS }, /static pods .*etcd\.yaml, kube-apiserver\.yaml/],
  ['other-distributions', 'ok', { files: STATIC_PODS, config: OWN_MANIFESTS }, /no other Kubernetes/],
  [
    'other-distributions',
    'ok',
    { files: { '/etc/kubernetes/manifests/backup/etcd.yaml': '' } },
    /no other Kubernetes/,
  ],
  ['other-distributions', 'ok', { files: { ...STATIC_PODS, ...OURS } }, /no other Kubernetes/],
  ['docker-active', 'warning', active('snap.docker.dockerd.service'), /Docker \(snap\) is running/],
  ['existing-deployment', 'warning', { files: { '/usr/bin/containerd': '' } }, /not running/],
  ['existing-deployment', 'ok', { files: { '/var/lib/kubelet/.kubelet-keep': '' } }, /no existing kubelet/],
  ['cgroups', 'error', { files: CGROUP_V1, config: kubelet('1.35.1') }, /kubelet 1\.35\.1 does not start/],
  ['cgroups', 'warning', { files: CGROUP_V1, config: kubelet('1.34.2') }, /cgroup v1/],
  [
    'cgroups',
    'warning',
    { files: CGROUP_V1, config: kubelet('1.35.1', { failCgroupV1: false }) },
    /cgroup v1/,
  ],
  [
    'executable-mounts',
    'error',
    { files: { '/proc/mounts': `${MOUNTS}/dev/sdb /opt ext4 rw,noexec 0 0\n` } },
    /\/opt\/cni\/bin cannot be run: \/opt is mounted noexec/,
  ],
  [
    'executable-mounts',
    'error',
    { files: { '/proc/mounts': `${MOUNTS}/dev/sdb /var ext4 rw,noexec 0 0\n` } },
    /\/var\/lib\/containerd cannot be run/,
  ],
  ['folder-owners', 'error', { folders: { '/opt/cni': { uid: 1000 } } }, /belongs to user 1000/],
  ['folder-owners', 'error', { folders: { '/etc/kubernetes': { mode: 0o777 } } }, /all users can change/],
  ['folder-owners', 'warning', { folders: { '/usr/local/bin': { mode: 0o775, gid: 50 } } }, /group 50/],
  [
    'pod-range',
    'error',
    { files: { '/proc/net/route': route('eth0', '0000F40A', '0000FFFF') } },
    /10\.244\.0\.0\/16 of eth0/,
  ],
  [
    'pod-range',
    'error',
    { files: { '/proc/net/route': route('wg0', '0000000A', '000000FF') } },
    /10\.0\.0\.0\/8 of wg0/,
  ],
  [
    'pod-range',
    'ok',
    { files: { '/proc/net/route': route('eth0', '0000A8C0', '0000FFFF') } },
    /not a network/,
  ],
  [
    'pod-range',
    'ok',
    { files: { '/proc/net/route': route('cni0', '0000F40A', '0000FFFF') } },
    /not a network/,
  ],
  [
    'pod-range',
    'ok',
    {
      facts: { ...JOINED, 'network.devices-before': 'eth0,lo' },
      files: { '/proc/net/route': route('cilium_host', '0001F40A', '00FFFFFF') },
    },
    /pods run on this machine/,
  ],
  [
    'pod-range',
    'ok',
    { facts: JOINED, files: { '/proc/net/route': route('flannel.1', '0001F40A', '00FFFFFF') } },
    /pods run on this machine/,
  ],
  [
    'pod-range',
    'error',
    {
      facts: { ...JOINED, 'network.devices-before': 'eth0,lo,wg0' },
      files: { '/proc/net/route': route('wg0', '0000000A', '000000FF') },
    },
    /10\.0\.0\.0\/8 of wg0/,
  ],
  [
    'pod-range',
    'error',
    { facts: JOINED, files: { '/proc/net/route': route('eth0', '0000F40A', '0000FFFF') } },
    /10\.244\.0\.0\/16 of eth0/,
  ],
  ['folder-owners', 'ok', { folders: { '/var/log': { mode: 0o775, gid: 104 } } }, /only root can change/],
  ['folder-owners', 'error', { folders: { '/var/log': { mode: 0o777 } } }, /all users can change/],
  ['himds-bind-address', 'error', { files: listening(40342) }, /used by another process/],
  ['himds-bind-address', 'ok', { files: listening(40342), ...active('himdsd.service') }, /by the Arc agent/],
  [
    'arc-agent',
    'error',
    { commands: { 'azcmagent version': { exitCode: 124 } } },
    /hangs: azcmagent version/,
  ],
  [
    'arc-agent',
    'error',
    { commands: { 'azcmagent version': { stdout: '1.59' }, 'azcmagent show': { exitCode: 124 } } },
    /azcmagent show did not end within 60 s/,
  ],
  [
    'arc-agent',
    'error',
    {
      commands: {
        'azcmagent version': { stdout: '1.59' },
        'azcmagent show': { stdout: '{"status":"Disconnected","resourceName":"other","resourceGroup":"g"}' },
      },
    },
    /registered as another machine \(other\)/,
  ],
  [
    'swap-active',
    'ok',
    {
      files: { '/proc/swaps': 'Filename\n/swap.img file 1 0 -2\n' },
      config: kubelet('1.32.7', { failSwapOn: false }),
    },
    /stays enabled/,
  ],
  ['kernel-settings', 'ok', { files: { '/proc/sys/kernel/panic': '0\n' } }, /bootstrap sets kernel\.panic/],
  [
    'kernel-settings',
    'error',
    { files: { '/etc/sysctl.d/9999-own.conf': '# ours\nkernel.keys.root_maxkeys=200\n' } },
    /root_maxkeys = 200 is set after/,
  ],
  [
    'kernel-settings',
    'error',
    {
      files: {
        '/proc/sys/kernel/panic': '0\n',
        '/proc/mounts': `${MOUNTS}proc /proc/sys proc ro,nosuid 0 0\n`,
      },
    },
    /\/proc\/sys is read-only/,
  ],
])('preflight finds %s with severity %s, row %#', async (name, severity, around, words) => {
  const { report, changed } = await preflight(around);
  const [first] = of(report, name);
  expect(first).toMatchObject({ severity, message: expect.stringMatching(words) });
  if (severity !== 'ok') expect(first?.remedy).toBeTruthy();
  expect(changed).toBe(0);
});

describe('the cluster in Azure', () => {
  let kubeconfig = '';
  beforeAll(async () => {
    const authority = await createAuthority(Date.now, 'harbour');
    const caData = Buffer.from(authority.certificatePem).toString('base64');
    kubeconfig = JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [
        { name: 'c', cluster: { server: 'https://harbour.test:443', 'certificate-authority-data': caData } },
      ],
      users: [{ name: 'u', user: { token: 'admin-token-of-the-cluster' } }],
    });
  });
  const azure = (over: Partial<AzureClient> = {}, facts: object = {}): Partial<AzureClient> => ({
    cluster: async () => ({
      kubernetesVersion: '1.33.1',
      localAccountsDisabled: false,
      azureRbac: false,
      ...facts,
    }),
    signIn: async () => undefined,
    kubeconfig: async () => kubeconfig,
    machine: async () => undefined,
    ...over,
  });
  const fails = (code: string, message: string, remedy?: string) => async () => {
    throw new FlexError({ class: 'auth', code, message, ...(remedy === undefined ? {} : { remedy }) });
  };

  test('that exists and can be reached is fine, and its credential is not in the report', async () => {
    const { report } = await preflight({ azure: azure() });
    expect(of(report, 'azure-cluster').map(({ severity }) => severity)).toEqual(['ok', 'ok']);
    expect(of(report, 'azure-resource-group')).toMatchObject([{ severity: 'ok' }]);
    expect(JSON.stringify(report)).not.toContain('admin-token');
  });

  test.each([
    ['cluster.unauthorized', 'HTTP 401'],
    ['cluster.forbidden', 'HTTP 403'],
  ])('that answers %s to the operator is an error, not access', async (code, message) => {
    const { report } = await preflight({ mayBind: fails(code, message, 'Do this.'), azure: azure() });
    const found = of(report, 'azure-cluster').filter(({ severity }) => severity !== 'ok');
    expect(found).toMatchObject([{ severity: 'error', message: expect.stringContaining(message) }]);
    expect(found[0]?.remedy).toBeTruthy();
    expect(JSON.stringify(of(report, 'azure-cluster'))).not.toContain('has access');
  });

  test.each([
    ['cluster.unauthorized', 'HTTP 401'],
    ['cluster.forbidden', 'HTTP 403'],
  ])('that hides only its version with %s is fine, as for the step that reads it', async (code, message) => {
    const { report } = await preflight({ serverVersion: fails(code, message, 'Do this.'), azure: azure() });
    expect(of(report, 'azure-cluster').map(({ severity }) => severity)).toEqual(['ok', 'ok']);
  });

  test('in which the operator may create ClusterRoleBindings but not bind the role is a warning', async () => {
    const { report } = await preflight({ mayBind: async () => 'unlessHeld', azure: azure() });
    const [found] = of(report, 'azure-cluster').filter(({ severity }) => severity !== 'ok');
    expect(found).toMatchObject({ severity: 'warning', message: expect.stringContaining('verb bind') });
    expect(found?.remedy).toContain('Cluster Admin');
  });

  test('in which the operator may not create ClusterRoleBindings is an error before the first step', async () => {
    const { report } = await preflight({ mayBind: async () => 'no', azure: azure() });
    const [found] = of(report, 'azure-cluster').filter(({ severity }) => severity !== 'ok');
    expect(found).toMatchObject({
      severity: 'error',
      message: expect.stringContaining('ClusterRoleBinding'),
    });
    expect(found?.remedy).toContain('Cluster Admin');
  });

  test('without local accounts is asked with the token of the operator, not anonymously', async () => {
    const asked: unknown[] = [];
    const anonymous = kubeconfig.replace('"token":"admin-token-of-the-cluster"', '"exec":{}');
    const { report } = await preflight({
      mayBind: async (_, credential) => {
        asked.push(credential);
        return 'yes';
      },
      azure: azure(
        { kubeconfig: async () => anonymous, clusterToken: async () => 'entra-token' },
        { localAccountsDisabled: true },
      ),
    });
    expect(asked).toEqual([{ kind: 'token', token: 'entra-token' }]);
    expect(of(report, 'azure-cluster').map(({ severity }) => severity)).toEqual(['ok', 'ok']);
    expect(JSON.stringify(report)).not.toContain('entra-token');
  });

  test.each([
    ['a Ready Node of another machine', { ready: true, machineId: 'b'.repeat(32) }, 'error'],
    ['a Node of another machine that is not Ready', { ready: false, machineId: 'b'.repeat(32) }, 'warning'],
    ['a Ready Node of this machine', { ready: true, machineId: 'a'.repeat(32) }, undefined],
  ])('that has %s under the name of the config', async (_, node, severity) => {
    const files = { '/etc/machine-id': `${'a'.repeat(32)}\n` };
    const { report } = await preflight({ node: async () => node, files, azure: azure() });
    const found = of(report, 'azure-cluster').filter((each) => each.severity !== 'ok');
    expect(found.map((each) => each.severity)).toEqual(severity === undefined ? [] : [severity]);
    if (severity !== undefined) expect(found[0]?.message).toContain('b'.repeat(32));
  });

  test('is read within a limit, which does not include the time in which the operator logs in', async () => {
    const limits = new Set<object>();
    const after: Clock['after'] = () => {
      const limit = { cancel: () => void limits.delete(limit) };
      limits.add(limit);
      return limit;
    };
    const seen: [string, number][] = [];
    const client = azure({
      signIn: async () => void seen.push(['signIn', limits.size]),
      machine: async () => {
        seen.push(['machine', limits.size]);
        return undefined;
      },
    });
    await preflight({ azure: client, clock: { after } });
    const of = (what: string) => seen.filter(([name]) => name === what).map(([, count]) => count);
    expect(of('signIn').length).toBeGreaterThan(0);
    expect(Math.max(...of('signIn'))).toBeLessThan(Math.min(...of('machine')));
  });

  test('cannot be read without a login, which is an error', async () => {
    const client = azure({ signIn: fails('azure-cli.not-logged-in', 'not logged in', 'Run az login.') });
    expect(of((await preflight({ azure: client })).report, 'azure-cluster')).toMatchObject([
      { severity: 'error', message: 'not logged in', remedy: 'Run az login.' },
    ]);
  });

  test('that does not exist is an error with the id of the config', async () => {
    const cluster = fails('azure.not-found', 'cannot read the cluster harbour: it does not exist');
    const [first] = of((await preflight({ azure: azure({ cluster }) })).report, 'azure-cluster');
    expect(first).toMatchObject({ severity: 'error' });
    expect(first?.remedy).toContain('azure.targetCluster.resourceId: /subscriptions/');
  });

  test('that the operator may not use is an error with the missing role', async () => {
    const kubeconfigs = fails(
      'azure.forbidden',
      'cannot get the admin kubeconfig',
      'Assign the Cluster Admin Role.',
    );
    const [first] = of(
      (await preflight({ azure: azure({ kubeconfig: kubeconfigs }) })).report,
      'azure-cluster',
    );
    expect(first).toMatchObject({ severity: 'error', remedy: 'Assign the Cluster Admin Role.' });
  });

  test('that is older than the kubelet, or in another region, is reported before the first step', async () => {
    const { report } = await preflight({
      azure: azure({}, { kubernetesVersion: '1.31.0', location: 'eastus' }),
    });
    const found = of(report, 'azure-cluster').filter(({ severity }) => severity !== 'ok');
    expect(found).toMatchObject([
      { severity: 'warning', message: 'the cluster is in eastus, not in westus2' },
      { severity: 'error', message: expect.stringContaining('newer than the cluster version 1.31.0') },
    ]);
  });

  test('that is private and cannot be reached is reported with its private name', async () => {
    const serverVersion = async () => {
      throw new FlexError({ class: 'network', code: 'cluster.unreachable', message: 'no route to host' });
    };
    const { report } = await preflight({
      serverVersion,
      azure: azure({}, { privateFqdn: 'harbour.privatelink.westus2.azmk8s.io' }),
    });
    const [found] = of(report, 'azure-cluster').filter(({ severity }) => severity === 'error');
    expect(found?.message).toContain('The cluster is private');
    expect(found?.remedy).toContain('harbour.privatelink.westus2.azmk8s.io');
  });

  test('whose resource group of the machine is missing is an error with the command that creates it', async () => {
    const machine = fails(
      'azure.resource-group-not-found',
      'resource group rg-edge does not exist',
      'Run: az group create',
    );
    const { report } = await preflight({ azure: azure({ machine }) });
    expect(of(report, 'azure-resource-group')).toMatchObject([
      { severity: 'error', remedy: 'Run: az group create' },
    ]);
  });
});
