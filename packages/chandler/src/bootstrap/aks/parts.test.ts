import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../settings/index.ts';
import { aNodeInput } from '../bootstrap.fixture.ts';
import { bootstrapCloud, credentialProviderUrl, kubeBinaryUrl } from './artifacts.ts';
import { sizeInMiB } from './byte-size.ts';
import { containerdConfig } from './containerd.ts';
import { gpuDriverFor, needsFabricManager } from './gpu.ts';
import { atLeast, parseKubernetesVersion } from './kubernetes-version.ts';
import { apiServerName, nodeNetworkPlugin, parseSubnetId } from './network.ts';
import { sysctlFile } from './sysctl.ts';
import { SYSCTL_NAMES } from './sysctls.table.ts';

const PUBLIC = bootstrapCloud(hardcoded('AzurePublicCloud'));
const version = (text: string) => parseKubernetesVersion(hardcoded(text));

describe('artifacts', () => {
  test.each([
    ['1.29.15', ''],
    ['1.30.0', '1.30.12'],
    ['1.31.9', '1.31.6'],
    ['1.32.1', '1.32.5'],
    ['1.33.0', '1.33.0'],
    ['1.36.0', '1.33.0'],
  ])('with %s comes credential provider %s', (text, release) => {
    const url = `https://acs-mirror.azureedge.net/cloud-provider-azure/v${release}/binaries/azure-acr-credential-provider-linux-arm64-v${release}.tar.gz`;
    expect(credentialProviderUrl(PUBLIC, version(text), 'arm64')).toBe(release === '' ? '' : url);
  });

  test('from 1.34 on the image has its own Kubernetes', () => {
    expect(kubeBinaryUrl(PUBLIC, version('1.33.9'), 'amd64')).toBe(
      'https://acs-mirror.azureedge.net/kubernetes/v1.33.9/binaries/kubernetes-node-linux-amd64.tar.gz',
    );
    expect(kubeBinaryUrl(PUBLIC, version('1.34.0'), 'amd64')).toBe('');
  });

  test.each([
    ['azurepubliccloud', 'AzurePublicCloud'],
    ['AzureCloud', 'AzurePublicCloud'],
    ['AzureUSGovernment', 'AzureUSGovernmentCloud'],
    ['AZURECHINACLOUD', 'AzureChinaCloud'],
  ])('the cloud %s is %s', (given, name) => {
    expect(bootstrapCloud(hardcoded(given)).name).toBe(name);
  });
});

describe('versions', () => {
  test('minors are compared as numbers, and a second major is later than any', () => {
    expect(atLeast(version('1.9.0'), 30)).toBe(false);
    expect(atLeast(version('1.30.0-beta.1'), 30)).toBe(true);
    expect(atLeast(version('2.0.0'), 30)).toBe(true);
    expect(atLeast(version('0.40.0'), 30)).toBe(false);
  });

  test.each(['', 'v1.30.0', '1.30', '1.30.x', '1.30.0 ', 'latest', '1.30.0"; rm'])('"%s" is none', (text) => {
    expect(() => version(text)).toThrow(expect.objectContaining({ code: 'malformedVersion' }));
  });
});

describe('network', () => {
  const options = (plugin: string, mode: string, dataplane: string) => ({
    networkPlugin: hardcoded(plugin),
    networkPluginMode: hardcoded(mode),
    networkDataplane: hardcoded(dataplane),
  });
  test.each([
    ['azure', 'overlay', 'cilium', 'none'],
    ['azure', 'overlay', 'azure', 'none'],
    ['azure', '', 'cilium', 'none'],
    ['azure', '', 'azure', 'azure'],
    ['azure', '', '', 'azure'],
    ['none', '', '', 'none'],
  ])('plugin %s, mode "%s", data plane "%s": the node installs %s', (plugin, mode, dataplane, own) => {
    expect(nodeNetworkPlugin(options(plugin, mode, dataplane))).toBe(own);
  });

  test('subnet ids are read in any case of letters', () => {
    const id = '/SUBSCRIPTIONS/s/resourcegroups/rg/providers/microsoft.network/VirtualNetworks/v/Subnets/n';
    expect(parseSubnetId(hardcoded(id))).toEqual({
      id,
      resourceGroup: 'rg',
      virtualNetwork: 'v',
      subnet: 'n',
    });
  });

  test('the API server goes without scheme and port', () => {
    expect(apiServerName('https://a.b.io:443')).toBe('a.b.io');
    expect(apiServerName('a.b.io')).toBe('a.b.io');
  });
});

describe('sysctls', () => {
  test('every field of the kind has a name in the kernel', () => {
    expect(Object.keys(SYSCTL_NAMES)).toHaveLength(28);
    const everything = Object.fromEntries(Object.keys(SYSCTL_NAMES).map((field) => [field, 7]));
    const lines = sysctlFile({ ...everything, netIPv4IPLocalPortRange: '1024 60999' })
      .trim()
      .split('\n');
    for (const { kernel } of Object.values(SYSCTL_NAMES)) {
      expect(lines.filter((line) => line.startsWith(`${kernel} = `))).toHaveLength(1);
    }
  });

  test('values of the class stand in the place of those that every node gets', () => {
    const file = sysctlFile({ netCoreSomaxconn: 4096, netIPv4TCPTwReuse: false });
    expect(file).toContain('net.core.somaxconn = 4096\n');
    expect(file).not.toContain('16384\nnet.core.somaxconn');
    expect(file).toContain('net.ipv4.tcp_tw_reuse = 0\n');
    expect(file).toContain('net.ipv4.tcp_retries2 = 8\n');
  });

  test("the port of Azure's host agent stays free in a range that covers it", () => {
    expect(sysctlFile({ netIPv4IPLocalPortRange: '32768 65535' })).toContain(
      'ip_local_reserved_ports = 65330',
    );
    expect(sysctlFile({ netIPv4IPLocalPortRange: '32768 60999' })).not.toContain('reserved');
  });
});

describe('GPUs', () => {
  const driver = { type: 'cuda-lts', version: '580', imageTag: '1' } as const;
  const node = (size: string, manufacturer: 'nvidia' | 'amd' = 'nvidia') => ({
    size,
    gpu: { manufacturer, ...(manufacturer === 'nvidia' ? { driver } : {}) },
  });
  test('get a driver unless the class leaves it to others', () => {
    expect(gpuDriverFor(aNodeInput({ node: node('Standard_NC24ads_A100_v4') }))).toBe(driver);
    const own = { spec: { gpu: { mode: 'None' as const } } };
    expect(gpuDriverFor(aNodeInput({ ...own, node: node('Standard_NC24ads_A100_v4') }))).toBeUndefined();
    expect(gpuDriverFor(aNodeInput({ node: node('Standard_NG8ads_V620_v1', 'amd') }))).toBeUndefined();
    expect(gpuDriverFor(aNodeInput())).toBeUndefined();
  });

  test('that talk through NVSwitch get the fabric manager', () => {
    expect(needsFabricManager(aNodeInput({ node: node('Standard_ND96isr_H100_v5') }))).toBe(true);
    expect(needsFabricManager(aNodeInput({ node: node('Standard_NC24ads_A100_v4') }))).toBe(false);
    expect(needsFabricManager(aNodeInput({ node: node('Standard_ND128isr_GB300_v6') }))).toBe(false);
  });

  test('with a driver containers start through the NVIDIA runtime', () => {
    expect(containerdConfig({ nvidia: true })).toContain('default_runtime_name = "nvidia-container-runtime"');
    expect(containerdConfig({ nvidia: false })).toContain('default_runtime_name = "runc"');
  });
});

test.each([
  ['1Gi', 1024],
  ['1G', 954],
  ['64K', 1],
  ['64Ki', 1],
  ['10M', 10],
  ['0Mi', 0],
])('%s is %i MiB', (size, mib) => {
  expect(sizeInMiB(size)).toBe(mib);
});
