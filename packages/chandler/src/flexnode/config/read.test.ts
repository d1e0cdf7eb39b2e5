import { describe, expect, test } from 'vitest';
import { bundleOf } from '../artifacts/sources.ts';
import { sampleConfig } from './config.fixture.ts';
import { CLUSTER_ID, minimalFile, reading, told, warned } from './read.fixture.ts';

describe('a config file', () => {
  test('[004-checklist] with only the four required keys has every default', () => {
    const result = reading();
    expect(result.ok && result.config).toEqual(
      sampleConfig({
        azure: {
          arc: {
            resourceGroup: 'rg-cluster',
            tags: { site: undefined } as never,
            agentVersion: '1.66.03466.1193',
          },
        },
        containerd: { version: '2.3.4' },
        runc: { version: '1.4.3' },
      }),
    );
    expect(result.warnings).toEqual([]);
  });

  test.each([
    [{}, true],
    [{ 'security.documentMode': true }, false],
    [{ 'security.tlsBootstrap': false }, false],
  ])('TLS bootstrap is the default, but not in document mode: %j', (changes, expected) => {
    const result = reading(changes);
    expect(result.ok && result.config.security.tlsBootstrap).toBe(expected);
  });

  test('a config without TLS bootstrap is accepted with a warning that says what the machine may do', () => {
    const [warning] = warned(reading({ 'security.tlsBootstrap': false }));
    expect(warning).toContain('read every Secret');
    expect(warning).toContain('tokens of every ServiceAccount');
  });

  test('[004-checklist] [004-S1] names the Arc machine, its group, region and tags', () => {
    const result = reading({
      'azure.arc.machineName': 'Edge_07.lab',
      'azure.arc.resourceGroup': 'rg-edge',
      'azure.arc.location': 'West US 3',
      'azure.arc.tags': { site: 'b', owner: 'ops team' },
    });
    expect(result.ok && result.config.azure.arc).toMatchObject({
      machineName: 'Edge_07.lab',
      resourceGroup: 'rg-edge',
      location: 'westus3',
      tags: { owner: 'ops team', site: 'b' },
    });
  });

  test('[004-checklist] [004-S9] the cluster name, group and subscription come out of its id, in any case', () => {
    const id = CLUSTER_ID.replace('resourceGroups', 'resourcegroups').replace(
      'Microsoft.ContainerService/managedClusters',
      'microsoft.containerservice/ManagedClusters',
    );
    const result = reading({ 'azure.targetCluster.resourceId': id });
    expect(result.ok && result.config.azure.targetCluster).toMatchObject({
      resourceId: id,
      name: 'harbour',
      resourceGroup: 'rg-cluster',
      subscriptionId: '11111111-2222-3333-4444-555555555555',
    });
  });

  test('labels and eviction signals keep their dots, slashes and capitals', () => {
    const result = reading({
      'node.labels': { 'topology.example.com/Rack': 'R1', 'app.kubernetes-free.io/a': '' },
      'node.kubelet.evictionHard': { 'nodefs.inodesFree': '5%', 'memory.available': '100Mi' },
    });
    expect(result.ok && result.config.node).toMatchObject({
      labels: {
        'app.kubernetes-free.io/a': '',
        'kubernetes.azure.com/managed': 'false',
        'topology.example.com/Rack': 'R1',
      },
      kubelet: { evictionHard: { 'memory.available': '100Mi', 'nodefs.inodesFree': '5%' } },
    });
  });

  test('maps are sorted, so that the same config always gives the same files', () => {
    const one = reading({ 'node.labels': { b: '1', a: '2' } });
    const other = reading({ 'node.labels': { a: '2', b: '1' } });
    expect(JSON.stringify(one)).toBe(JSON.stringify(other));
  });

  test('an upper-case host name becomes a node name in lower case', () => {
    const result = reading({}, { hostname: 'EDGE-01' });
    expect(result.ok && [result.config.agent.nodeName, result.config.azure.arc.machineName]).toEqual([
      'edge-01',
      'EDGE-01',
    ]);
  });

  test('the label that keeps Azure from deleting the node cannot be unset', () => {
    const result = reading({ 'node.labels|kubernetes.azure.com/managed': 'true' });
    expect(result.ok && result.config.node.labels).toEqual({ 'kubernetes.azure.com/managed': 'false' });
    expect(warned(result)).toEqual([expect.stringContaining('Azure would delete the node')]);
  });

  test.each([
    ['AzureUSGovernment', 'AzureUSGovernment'],
    ['AzureGovernmentCloud', 'AzureUSGovernment'],
    ['AzureChinaCloud', 'AzureChinaCloud'],
    ['AzurePublicCloud', 'AzurePublicCloud'],
  ])('the cloud may be called %s', (name, cloud) => {
    const result = reading({ 'azure.cloud': name });
    expect(result.ok && result.config.azure.cloud).toBe(cloud);
  });

  test('Azure may be a stand-in on this machine, by plain HTTP', () => {
    const result = reading({
      'azure.resourceManagerEndpoint': 'http://127.0.0.1:8080/',
      'azure.authorityHost': 'https://login.example:8443',
    });
    expect(result.ok && result.config.azure).toMatchObject({
      resourceManagerEndpoint: 'http://127.0.0.1:8080',
      authorityHost: 'https://login.example:8443',
    });
  });

  test('kubelet fields and containerd TOML of the operator are handed on as they are', () => {
    const extra = { featureGates: { 'Some.Gate': true }, allowedUnsafeSysctls: [1, { deep: null }] };
    const result = reading({
      'node.kubelet.extraConfig': extra,
      'containerd.extraConfig': '[debug]\nlevel = "debug"\n',
    });
    expect(result.ok && result.config.node.kubelet.extraConfig).toEqual(extra);
    expect(result.ok && result.config.containerd.extraConfig).toBe('[debug]\nlevel = "debug"\n');
  });

  test('the hash of one Arc agent version in the config selects that version', () => {
    const hash = 'a'.repeat(64);
    const one = reading({ 'downloads.sha256|azcmagent/1.64.03414.1079/amd64': hash });
    expect(one.ok && one.config.azure.arc.agentVersion).toBe('1.64.03414.1079');
    const named = reading({
      'downloads.sha256|azcmagent/1.64.03414.1079/amd64': hash,
      'azure.arc.agentVersion': '1.60.03293.809',
    });
    expect(named.ok && named.config.azure.arc.agentVersion).toBe('1.60.03293.809');
  });

  test('document mode opens the metrics as the document does, and says what it means', () => {
    const result = reading({ 'security.documentMode': true });
    expect(result.ok && result.config.containerd.metricsAddress).toBe('0.0.0.0:10257');
    expect(warned(result)).toEqual([expect.stringContaining('the machine becomes cluster admin')]);
  });

  test('an empty text is as good as none', () => {
    const result = reading({ 'agent.nodeName': '', 'node.kubelet.nodeIP': '', 'kubernetes.urlTemplate': '' });
    expect(result.ok && result.config.kubernetes.urlTemplates).toEqual([
      'https://dl.k8s.io/release/v{version}/bin/linux/{arch}',
    ]);
    expect(result.ok && 'nodeIp' in result.config.node.kubelet).toBe(false);
  });
});

describe('a config file of the later schema', () => {
  test('its names for versions are understood', () => {
    const result = reading({
      'components.kubernetes': '1.33.2',
      'components.containerd': '2.0.4',
      'components.runc': '1.2.5',
      'components.sandboxImage': 'mcr.microsoft.com/oss/kubernetes/pause:3.9',
      'networking.cniVersion': '1.6.2',
      'networking.dnsServiceIP': '10.2.0.10',
      'bootstrap.offlineArtifacts.source': 'file:///srv/{{.KubernetesVersion}}/{{ .KubernetesVersionNoV }}',
    });
    expect(told(result)).toEqual(['accepted']);
    expect(result.ok && result.config).toMatchObject({
      kubernetes: { version: '1.33.2' },
      containerd: { version: '2.0.4', pauseImage: 'mcr.microsoft.com/oss/kubernetes/pause:3.9' },
      runc: { version: '1.2.5' },
      cni: { version: '1.6.2' },
      networking: { dnsServiceIp: '10.2.0.10', dnsServiceIpGiven: true },
      downloads: { bundle: '/srv/{{.KubernetesVersion}}/{{ .KubernetesVersionNoV }}' },
    });
    expect(result.ok && bundleOf(result.config)).toBe('/srv/v1.33.2/1.33.2');
  });

  test('the newer of two names for a key wins, and a warning names the other', () => {
    const result = reading({ 'components.kubernetes': '1.33.2', 'kubernetes.version': '1.32.7' });
    expect(result.ok && result.config.kubernetes.version).toBe('1.33.2');
    expect(warned(result)).toEqual([
      'kubernetes.version is ignored: components.kubernetes has another value and takes precedence',
    ]);
    const dns = reading({ 'node.kubelet.dnsServiceIP': '10.9.0.10', 'networking.dnsServiceIP': '10.8.0.10' });
    expect(dns.ok && dns.config.networking.dnsServiceIp).toBe('10.8.0.10');
  });

  test('keys that mean nothing here are named, each with a reason', () => {
    const result = reading({
      'azure.managedIdentity': {},
      'azure.targetAgentPoolName': 'aksflexnodes',
      'agent.machineClient': { mode: 'in-cluster', endpointUrl: '/api/x' },
      'agent.machineReconcileInterval': '10m',
      'bootstrap.ociImage': 'ghcr.io/azure/agent-ubuntu2404:v1',
      'node.kubelet.clusterFQDN': 'harbour.example',
      'node.kubelet.caCertData': 'AAAA',
      'npd.version': 'v1.35.1',
      'hostRouting.staticRoutes.enabled': true,
    });
    expect(told(result)).toEqual(['accepted']);
    expect(warned(result)).toHaveLength(9);
    expect(warned(result)).toContain(
      'npd has no effect: the node problem detector runs as a DaemonSet of the cluster',
    );
  });

  test('the archive address of the original is not used, and that is said', () => {
    const result = reading({
      'kubernetes.urlTemplate':
        'https://acs-mirror.azureedge.net/kubernetes/v%s/binaries/kubernetes-node-linux-%s.tar.gz',
    });
    expect(result.ok && result.config.kubernetes.urlTemplates).toEqual([
      'https://dl.k8s.io/release/v{version}/bin/linux/{arch}',
    ]);
    expect(warned(result)).toHaveLength(1);
  });

  test("[004-S7] a base in either form, or several bases, are asked in the operator's order", () => {
    const result = reading({
      'kubernetes.urlTemplate': ['https://mirror.example/k8s/v%s/%s/', 'https://dl.k8s.io/v{version}/{arch}'],
    });
    expect(result.ok && result.config.kubernetes.urlTemplates).toEqual([
      'https://mirror.example/k8s/v{version}/{arch}',
      'https://dl.k8s.io/v{version}/{arch}',
    ]);
  });

  test('a variable that the original would have read is not read silently', () => {
    const result = reading({}, { env: { AKS_NODE_CONTROLLER_AZURE_CLOUD: 'x', HTTPS_PROXY: 'http://p:1' } });
    expect(warned(result)).toEqual([
      expect.stringContaining('AKS_NODE_CONTROLLER_AZURE_CLOUD is ignored'),
      expect.stringContaining('HTTPS_PROXY is ignored'),
    ]);
  });

  test('the file in the fixture is what it says', () => {
    expect(minimalFile({ 'azure.tenantId': undefined, 'node.labels|a.b/c': '1' })).toMatchObject({
      node: { labels: { 'a.b/c': '1' } },
    });
  });
});
