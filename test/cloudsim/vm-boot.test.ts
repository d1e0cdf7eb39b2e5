import type { VmChange } from '@chandler/cloudsim/azure/testing';
import { conditionOf, type Node } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { foreignCa, type VmTest, vmTest } from './vms.fixture.ts';

let it: VmTest;

afterEach(() => it.stop());

async function boot(golden: string, change: VmChange = {}): Promise<Node> {
  it = await vmTest();
  await it.launch('aks-a', it.script(golden), change);
  const node = await it.node('aks-a');
  if (node === undefined) throw new Error(it.serial('aks-a'));
  return node;
}

const taintsOf = (node: Node) =>
  (node.spec?.taints ?? []).map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);

describe('a VM with valid custom data becomes a node', () => {
  test.each([
    ['ubuntu-overlay-cilium', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['ubuntu-1.29-old-credentials', 'Standard_D4s_v5', 'v1.29.9', 'amd64'],
    ['ubuntu-1.34-24.04', 'Standard_D4s_v5', 'v1.34.1', 'amd64'],
    ['ubuntu-1.35-no-pause-flag', 'Standard_D4s_v5', 'v1.35.0', 'amd64'],
    ['azurelinux2-1.31', 'Standard_D4s_v5', 'v1.31.5', 'amd64'],
    ['azurelinux3-arm64', 'Standard_D4ps_v5', 'v1.33.2', 'arm64'],
    ['azurelinux3-no-plugin', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['ubuntu2204-node-subnet-azure', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['ubuntu2404-node-subnet-cilium', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['china-own-admin', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['ubuntu-kubelet-and-os-config', 'Standard_D4s_v5', 'v1.33.2', 'amd64'],
    ['ubuntu-gpu-cuda', 'Standard_NC24ads_A100_v4', 'v1.33.2', 'amd64'],
    ['ubuntu-gpu-own-driver', 'Standard_NC24ads_A100_v4', 'v1.33.2', 'amd64'],
  ])('%s', async (golden, size, kubeletVersion, arch) => {
    const node = await boot(golden, { size });
    expect(conditionOf(node, 'Ready')?.status).toBe('True');
    expect(node.status?.['nodeInfo']).toMatchObject({ kubeletVersion, architecture: arch });
    expect(node.metadata.labels).toMatchObject({
      'kubernetes.io/arch': arch,
      'kubernetes.io/os': 'linux',
      'kubernetes.io/hostname': 'aks-a',
      'karpenter.sh/nodepool': 'workers',
      'karpenter.azure.com/sku-name': size,
      'node.kubernetes.io/instance-type': size,
      'topology.kubernetes.io/region': 'eastus',
      'topology.kubernetes.io/zone': 'eastus-1',
    });
    expect(taintsOf(node)).toContain('karpenter.sh/unregistered:NoExecute');
    expect(it.exitCode('aks-a')).toBe('0');
    expect(it.world.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('with the provider id, the address and the taints that a real one has', async () => {
    const node = await boot('ubuntu-ephemeral-taints', { size: 'Standard_D8ds_v5', zone: '3' });
    const { subscriptionId } = it.azure.server.settings;
    expect(node.spec?.providerID).toBe(
      `azure:///subscriptions/${subscriptionId}/resourceGroups/mc_playground_playground_eastus/providers/Microsoft.Compute/virtualMachines/aks-a`,
    );
    expect(taintsOf(node)).toEqual([
      'dedicated=batch:NoSchedule',
      'node.cilium.io/agent-not-ready:NoExecute',
      'karpenter.sh/unregistered:NoExecute',
    ]);
    expect(node.metadata.labels).toMatchObject({ team: 'shop', 'topology.kubernetes.io/zone': 'eastus-3' });
    expect(node.status?.['addresses']).toContainEqual({ type: 'InternalIP', address: '10.224.0.4' });
  });

  test('with the capacity of its size, less reservations', async () => {
    const node = await boot('ubuntu-ephemeral-taints', { size: 'Standard_D8ds_v5' });
    expect(node.status?.capacity).toMatchObject({
      cpu: '8',
      memory: '32920043Ki',
      pods: '250',
    });
    // 180m and 3645Mi for the system, 750Mi before eviction, a tenth of the disk.
    expect(node.status?.allocatable).toMatchObject({
      cpu: '7820m',
      memory: `${32920043 - (3645 + 750) * 1024}Ki`,
      pods: '250',
    });
    const bytes = Number(String(node.status?.capacity?.['ephemeral-storage']).replace('Ki', '')) * 1024;
    expect(Number(node.status?.allocatable?.['ephemeral-storage'])).toBe(bytes - Math.floor(bytes / 10));
  });

  test('with its GPUs where drivers were installed, and without where not', async () => {
    const node = await boot('ubuntu-gpu-cuda', { size: 'Standard_NC24ads_A100_v4' });
    expect(node.status?.capacity?.['nvidia.com/gpu']).toBe('1');
    await it.launch('aks-b', it.script('ubuntu-gpu-own-driver'), { size: 'Standard_NC24ads_A100_v4' });
    expect((await it.node('aks-b'))?.status?.capacity?.['nvidia.com/gpu']).toBeUndefined();
  });

  test('in no zone when it has none', async () => {
    const node = await boot('ubuntu-gen1-regional', { zone: null });
    expect(node.metadata.labels).toMatchObject({
      'topology.kubernetes.io/zone': '0',
      'topology.disk.csi.azure.com/zone': '',
    });
  });

  test('step by step: first without a provider ID and not ready, then initialized by the cloud, then ready', async () => {
    it = await vmTest({ bootTimeMs: 10_800 });
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium'));
    const first = await it.node('aks-a');
    expect(first?.spec?.providerID).toBeUndefined();
    expect(taintsOf(first!)).toContain('node.cloudprovider.kubernetes.io/uninitialized=true:NoSchedule');
    expect(conditionOf(first!, 'Ready')?.status).toBe('False');
    await it.advance(3000);
    const second = await it.node('aks-a');
    expect(second?.spec?.providerID).toContain('/aks-a');
    expect(taintsOf(second!)).toEqual(['karpenter.sh/unregistered:NoExecute']);
    expect(conditionOf(second!, 'Ready')?.status).toBe('True');
  });

  test('in one to two minutes with realistic times, not all at the same time', async () => {
    it = await vmTest({ realistic: true });
    for (const name of ['aks-a', 'aks-b', 'aks-c']) await it.launch(name, it.script('ubuntu-overlay-cilium'));
    const { nodes } = it.playground.standins!.watched;
    const times: number[] = [];
    for (let second = 30; second <= 130; second++) {
      await it.advance(1000);
      while (times.length < nodes.store.size) times.push(second);
    }
    expect(times).toHaveLength(3);
    expect(new Set(times).size).toBeGreaterThan(1);
  });
});

describe('a VM with invalid custom data does not, and its console shows why', () => {
  test.each<[string, Record<string, string | null>, string, RegExp]>([
    ['the API server has another name', { API_SERVER_NAME: 'other.hcp.eastus.azmk8s.io' }, '53', /NXDOMAIN/],
    ['the API server has another address', { API_SERVER_NAME: '10.0.0.9' }, '51', /10\.0\.0\.9/],
    ['there is no name of the API server', { API_SERVER_NAME: null }, '53', /code: 53/],
    ['the CA is no certificate', { KUBE_CA_CRT: 'AAAA' }, '51', /SSL certificate problem/],
    ['the helpers are somewhere else', { CSE_HELPERS_FILEPATH: null }, '6', /exit 6/],
    ['the settings are somewhere else', { CSE_CONFIG_FILEPATH: null }, '103', /ensureSysctl/],
    ['containerd content is no base64', { CONTAINERD_CONFIG_CONTENT: '<>' }, '6', /invalid input/],
    ['containerd content is no TOML', { CONTAINERD_CONFIG_CONTENT: 'eyJ4Ijp9' }, '4', /containerd/],
    ['sysctl content is no base64', { SYSCTL_CONTENT: 'x' }, '103', /sysctl --system/],
    ['sysctl content is nonsense', { SYSCTL_CONTENT: 'bm9uc2Vuc2U=' }, '103', /invalid syntax/],
    [
      'the kubelet cannot be downloaded',
      { KUBE_BINARY_URL: 'https://x/nothing' },
      '31',
      /retrycmd_get_tarball/,
    ],
    ['the version is none', { KUBERNETES_VERSION: 'latest' }, '31', /extractKubeBinaries latest/],
    ['no package has the version', { KUBERNETES_VERSION: '1.99.0' }, '121', /not found/],
    [
      'drivers go where no GPU is',
      { GPU_NODE: 'true', CONFIG_GPU_DRIVER_IF_NEEDED: 'true' },
      '84',
      /aks-gpu/,
    ],
    [
      'a CA to trust is none',
      { SHOULD_CONFIGURE_CUSTOM_CA_TRUST: 'true', CUSTOM_CA_TRUST_COUNT: '1' },
      '161',
      /update_certs/,
    ],
    [
      'the swap file does not fit',
      { SHOULD_CONFIG_SWAP_FILE: 'true', SWAP_FILE_SIZE_MB: '999999' },
      '131',
      /Swap/,
    ],
    [
      'the kubelet does not know a flag',
      { KUBELET_FLAGS: '--no-such-flag=1' },
      '0',
      /unknown flag: --no-such-flag/,
    ],
    [
      'a flag is older than the kubelet',
      { KUBELET_FLAGS: '--keep-terminated-pod-volumes=false' },
      '0',
      /unknown flag/,
    ],
    [
      'a taint is none',
      { KUBELET_FLAGS: '--register-with-taints=a:Never' },
      '0',
      /invalid taint spec: a:Never/,
    ],
    ['maxPods is no number', { KUBELET_FLAGS: '--max-pods=many' }, '0', /max-pods/],
    ['more is reserved than there is', { KUBELET_FLAGS: '--kube-reserved=memory=99Gi' }, '0', /Allocatable/],
    [
      'a label is Kubernetes’ own',
      { KUBELET_NODE_LABELS: 'node-role.kubernetes.io/x=y' },
      '0',
      /unknown 'kubernetes\.io'/,
    ],
    ['a label is none', { KUBELET_NODE_LABELS: 'a b=c' }, '0', /Unable to register node/],
    ['there is no kubelet', { KUBE_BINARY_URL: '' }, '0', /ConditionPathExists/],
    ['the token is unknown', { TLS_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef' }, '0', /Unauthorized/],
    ['the token is no token', { TLS_BOOTSTRAP_TOKEN: 'secret' }, '0', /Unauthorized/],
    ['there is no token', { TLS_BOOTSTRAP_TOKEN: null }, '0', /unable to read client-cert/],
  ])('when %s', async (_, change, exitCode, said) => {
    it = await vmTest();
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium', change));
    expect(it.serial('aks-a')).toMatch(said);
    expect(it.exitCode('aks-a')).toBe(exitCode);
    expect(await it.node('aks-a')).toBeUndefined();
    // For Azure, the VM is healthy nevertheless.
    const vm = await it.azure.call('GET', 'Microsoft.Compute/virtualMachines/aks-a?$expand=instanceView');
    expect(vm.json['properties']!['provisioningState']).toBe('Succeeded');
  });

  test('with the wrong CA: the script detects it for a host name, only the kubelet for an address', async () => {
    it = await vmTest();
    const KUBE_CA_CRT = Buffer.from(await foreignCa()).toString('base64');
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium', { KUBE_CA_CRT }));
    await it.launch(
      'aks-b',
      it.script('ubuntu-overlay-cilium', { KUBE_CA_CRT, API_SERVER_NAME: '127.0.0.1' }),
    );
    expect([it.exitCode('aks-a'), it.exitCode('aks-b')]).toEqual(['51', '0']);
    expect(it.serial('aks-b')).toContain('x509: certificate signed by unknown authority');
    expect(await it.node('aks-b')).toBeUndefined();
  });

  test('with an unterminated quote, without a command, or if it is not a script', async () => {
    it = await vmTest();
    const script = it.script('ubuntu-overlay-cilium');
    await it.launch('aks-a', script.replace('ADMINUSER=azureuser', 'ADMINUSER="azureuser'));
    await it.launch('aks-b', script.replace(/\n[^\n]*provision_start.*/, ''));
    await it.launch('aks-c', script.replace('#!/bin/bash\n', ''));
    expect(it.serial('aks-a')).toMatch(/line \d+: unexpected EOF/);
    for (const name of ['aks-a', 'aks-b', 'aks-c']) {
      expect(it.exitCode(name)).toBeUndefined();
      expect(await it.node(name)).toBeUndefined();
    }
  });

  test('the token is never on the console', async () => {
    it = await vmTest();
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium'));
    expect(it.serial('aks-a')).toContain('"ExitCode": "0"');
    expect(it.serial('aks-a')).not.toContain(it.token.split('.')[1]);
  });
});
