import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../settings/index.ts';
import { aNodeInput, type InputOverrides } from '../bootstrap.fixture.ts';
import { kubeletFlags, kubeletFlagText } from './kubelet-flags.ts';

const flag = (name: string, request: InputOverrides = {}) => kubeletFlags(aNodeInput(request)).get(name);

describe('flags of the kubelet', () => {
  test('are sorted, so that the same node always gets the same flags', () => {
    const names = [...kubeletFlags(aNodeInput()).keys()];
    expect(names).toEqual([...names].sort());
    expect(kubeletFlagText(aNodeInput())).toMatch(/^--address=0\.0\.0\.0 --anonymous-auth=false /);
  });

  test.each([
    ['1.29.9', 'cloud-config', '/etc/kubernetes/azure.json'],
    ['1.33.9', 'cloud-config', '/etc/kubernetes/azure.json'],
    ['1.34.0', 'cloud-config', undefined],
    ['1.34.0', 'pod-infra-container-image', 'mcr.microsoft.com/oss/kubernetes/pause:3.6'],
    ['1.35.0', 'pod-infra-container-image', undefined],
    ['1.30.0', 'keep-terminated-pod-volumes', 'false'],
    ['1.31.0', 'keep-terminated-pod-volumes', undefined],
    ['1.29.9', 'image-credential-provider-bin-dir', undefined],
    ['1.30.0', 'image-credential-provider-bin-dir', '/var/lib/kubelet/credential-provider'],
    ['1.30.0', 'image-credential-provider-config', '/var/lib/kubelet/credential-provider-config.yaml'],
    ['1.29.9', 'azure-container-registry-config', '/etc/kubernetes/azure.json'],
    ['1.30.0', 'azure-container-registry-config', undefined],
    ['1.29.9', 'feature-gates', 'DisableKubeletCloudCredentialProviders=false'],
    ['1.30.0', 'feature-gates', undefined],
    ['2.0.0', 'cloud-config', undefined],
  ])('%s: --%s is %s', (version, name, value) => {
    expect(flag(name, { version })).toBe(value);
  });

  test('evict for a full disk too, not only for memory', () => {
    expect(flag('eviction-hard')).toBe('memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%');
  });

  test('register the node with its taints, and as unregistered', () => {
    const taints = hardcoded([
      { key: 'dedicated', value: 'batch', effect: 'NoSchedule' as const },
      { key: 'plain', effect: 'NoExecute' as const },
    ]);
    const startupTaints = hardcoded([{ key: 'cni', value: '', effect: 'NoSchedule' as const }]);
    expect(flag('register-with-taints', { node: { taints, startupTaints } })).toBe(
      'dedicated=batch:NoSchedule,plain:NoExecute,cni:NoSchedule,karpenter.sh/unregistered:NoExecute',
    );
  });

  test('name the unregistered taint once, also where the claim has it', () => {
    const taints = hardcoded([{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' as const }]);
    expect(flag('register-with-taints', { node: { taints } })).toBe('karpenter.sh/unregistered:NoExecute');
  });

  test('say what is reserved and how many pods there may be', () => {
    expect(flag('kube-reserved')).toBe('cpu=140m,memory=2662Mi');
    expect(flag('system-reserved')).toBe('cpu=0,memory=0');
    expect(flag('max-pods', { node: { maxPods: hardcoded(30) } })).toBe('30');
    expect(flag('cluster-dns', { cluster: { dnsServiceIp: hardcoded('172.16.0.10') } })).toBe('172.16.0.10');
  });
});

describe('kubelet settings of the node class', () => {
  const kubelet = {
    cpuManagerPolicy: 'static' as const,
    cpuCFSQuota: false,
    imageGCHighThresholdPercent: 70,
    imageGCLowThresholdPercent: 60,
    topologyManagerPolicy: 'restricted' as const,
    allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.*'],
    containerLogMaxSize: '64K',
    containerLogMaxFiles: 9,
    podPidsLimit: 100,
    failSwapOn: false,
  };
  test.each([
    ['cpu-manager-policy', 'static'],
    ['cpu-cfs-quota', 'false'],
    ['image-gc-high-threshold', '70'],
    ['image-gc-low-threshold', '60'],
    ['topology-manager-policy', 'restricted'],
    ['allowed-unsafe-sysctls', 'net.core.somaxconn,kernel.*'],
    ['container-log-max-size', '64k'],
    ['container-log-max-files', '9'],
    ['pod-max-pids', '100'],
    ['fail-swap-on', 'false'],
  ])('--%s=%s', (name, value) => {
    expect(flag(name, { spec: { kubelet } })).toBe(value);
  });

  test('a period of its own comes with the gate that the kubelet asks for', () => {
    const spec = { kubelet: { cpuCFSQuotaPeriod: '50ms' } };
    expect(flag('cpu-cfs-quota-period', { spec })).toBe('50ms');
    expect(flag('feature-gates', { spec })).toBe('CustomCPUCFSQuotaPeriod=true');
    expect(flag('feature-gates', { spec, version: '1.29.1' })).toBe(
      'CustomCPUCFSQuotaPeriod=true,DisableKubeletCloudCredentialProviders=false',
    );
  });

  test('the default period needs neither flag nor gate', () => {
    const spec = { kubelet: { cpuCFSQuotaPeriod: '0.1s' } };
    expect(flag('cpu-cfs-quota-period', { spec })).toBeUndefined();
    expect(flag('feature-gates', { spec })).toBeUndefined();
  });

  test('without them the kubelet keeps its own defaults', () => {
    expect(flag('cpu-manager-policy')).toBeUndefined();
    expect(flag('fail-swap-on')).toBeUndefined();
    expect(flag('pod-max-pids')).toBe('-1');
    expect(flag('image-gc-high-threshold')).toBe('85');
    expect(
      flag('allowed-unsafe-sysctls', { spec: { kubelet: { allowedUnsafeSysctls: [] } } }),
    ).toBeUndefined();
  });
});
