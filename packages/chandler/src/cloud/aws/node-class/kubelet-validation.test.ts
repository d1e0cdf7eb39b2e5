import { describe, expect, test } from 'vitest';

import { kubeletProblems, kubeletWarning } from './kubelet-validation.ts';

const INVALID = 'InvalidKubeletConfiguration';

describe('the kubelet settings of an EC2NodeClass', () => {
  test.each([
    [{}],
    [{ maxPods: 110, podsPerCore: 0, clusterDNS: ['10.100.0.10', '10.100.0.11'] }],
    [{ kubeReserved: { cpu: '200m', memory: '100Mi', 'ephemeral-storage': '1Gi', pid: '1000' } }],
    [{ evictionHard: { 'memory.available': '5%', 'nodefs.available': '10Gi', 'pid.available': '100%' } }],
    [
      {
        evictionSoft: { 'memory.available': '500Mi' },
        evictionSoftGracePeriod: { 'memory.available': '1m30s' },
      },
    ],
    [{ imageGCHighThresholdPercent: 60, imageGCLowThresholdPercent: 50 }],
    [{ imageGCHighThresholdPercent: 90 }],
    [{ imageGCLowThresholdPercent: 60 }],
    [{ featureGates: { UserNamespacesSupport: true }, logging: { verbosity: 3, flushFrequency: '5s' } }],
    [
      {
        authentication: { webhook: { cacheTTL: '30s' } },
        reservedMemory: [{ numaNode: 0, limits: { memory: 1024 } }],
      },
    ],
    [{ apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration', cpuCFSQuota: null }],
  ])('%j are valid on AL2023', (kubelet) => {
    expect(kubeletProblems(kubelet, 'AL2023')).toEqual([]);
  });

  test('one threshold alone is valid where user data or an image may set the other one', () => {
    const kubelet = { imageGCHighThresholdPercent: 75 };
    expect(kubeletProblems(kubelet, 'AL2023', { hasOwnSettings: true })).toEqual([]);
    expect(kubeletProblems(kubelet, 'Custom')).toEqual([]);
  });

  test.each([
    [{ maxPod: 110 }, 'maxPod', "is no field of the kubelet's configuration; did you mean maxPods?"],
    [{ logging: { verbose: 3 } }, 'logging.verbose', "is no field of the kubelet's configuration"],
    [{ podsPerCore: '4' }, 'podsPerCore', 'must be an integer, not "4"'],
    [{ cpuCFSQuota: 'yes' }, 'cpuCFSQuota', 'must be true or false, not "yes"'],
    [{ clusterDNS: '10.0.0.10' }, 'clusterDNS', 'must be a list'],
    [{ clusterDNS: ['10.0.0.10', 7] }, 'clusterDNS[1]', 'must be a string, not 7'],
    [{ kubeReserved: { cpu: 1 } }, 'kubeReserved.cpu', 'must be a string, not 1'],
    [{ kubeReserved: 'cpu=1' }, 'kubeReserved', 'must be an object'],
    [{ syncFrequency: 60 }, 'syncFrequency', 'must be a duration such as 1m30s, not 60'],
    [{ registerWithTaints: [] }, 'registerWithTaints', 'is not supported; set taints on the NodePool'],
    [{ kubeReserved: { gpu: '1' } }, 'kubeReserved.gpu', 'is not one of cpu, memory, ephemeral-storage, pid'],
    [{ systemReserved: { memory: '-1Gi' } }, 'systemReserved.memory', 'must not be negative: "-1Gi"'],
    [
      { evictionHard: { 'memory.available': '101%' } },
      'evictionHard.memory.available',
      'must be a percentage from 0% to 100%: "101%"',
    ],
    [
      { evictionHard: { 'memory.available': '5..5%' } },
      'evictionHard.memory.available',
      'must be a percentage from 0% to 100%: "5..5%"',
    ],
    [
      { evictionHard: { 'memory.available': '110GB' } },
      'evictionHard.memory.available',
      'must be a percentage or a quantity: "110GB"',
    ],
    [
      { evictionMinimumReclaim: { 'memory.available': '-1Gi' } },
      'evictionMinimumReclaim.memory.available',
      'must not be negative: "-1Gi"',
    ],
    [
      { evictionSoft: { 'memory.available': '5%' } },
      'evictionSoft.memory.available',
      'has no counterpart in evictionSoftGracePeriod',
    ],
    [
      { evictionSoftGracePeriod: { 'pid.available': '1m' } },
      'evictionSoftGracePeriod.pid.available',
      'has no counterpart in evictionSoft',
    ],
    [
      { imageGCHighThresholdPercent: 50, imageGCLowThresholdPercent: 50 },
      'imageGCHighThresholdPercent',
      'must be greater than imageGCLowThresholdPercent, which is 50',
    ],
    [
      { imageGCHighThresholdPercent: 75 },
      'imageGCHighThresholdPercent',
      'must be greater than imageGCLowThresholdPercent, which is 80 by default; set both',
    ],
    [
      { imageGCLowThresholdPercent: 90, imageGCHighThresholdPercent: null },
      'imageGCLowThresholdPercent',
      'must be less than imageGCHighThresholdPercent, which is 85 by default; set both',
    ],
    [{ imageGCLowThresholdPercent: 101 }, 'imageGCLowThresholdPercent', 'must be from 0 to 100'],
    [{ evictionMaxPodGracePeriod: -1 }, 'evictionMaxPodGracePeriod', 'must not be negative'],
    [{ maxPods: -1 }, 'maxPods', 'must not be negative'],
  ])('%j are invalid', (kubelet, field, message) => {
    expect(kubeletProblems(kubelet, 'AL2023')).toEqual([
      { reason: INVALID, field: `spec.kubelet.${field}`, message },
    ]);
  });

  test('a grace period must be a duration that is not negative', () => {
    const grace = (text: string) => ({
      evictionSoft: { 'memory.available': '5%' },
      evictionSoftGracePeriod: { 'memory.available': text },
    });
    expect(kubeletProblems(grace('soon'), 'AL2023')[0]?.message).toBe(
      'must be a duration such as 1m30s: "soon"',
    );
    expect(kubeletProblems(grace('-1m'), 'AL2023')[0]?.message).toBe('must not be negative: "-1m"');
  });

  test('a signal that the kubelet does not have is invalid', () => {
    expect(kubeletProblems({ evictionHard: { 'memory.free': '5%' } }, 'AL2023')).toEqual([
      {
        reason: INVALID,
        field: 'spec.kubelet.evictionHard.memory.free',
        message:
          'is not one of memory.available, nodefs.available, nodefs.inodesFree, imagefs.available, imagefs.inodesFree, pid.available',
      },
    ]);
  });

  test('every problem is reported, invalid fields first', () => {
    const kubelet = {
      seccompDefault: true,
      maxPods: 'vcpus * 8',
      kubeReserved: { cpu: 'vcpus * 10' },
      typo: 1,
    };
    expect(kubeletProblems(kubelet, 'AL2').map(({ reason, field }) => [reason, field])).toEqual([
      [INVALID, 'spec.kubelet.typo'],
      ['KubeletExpressionsDisabled', 'spec.kubelet.maxPods'],
      ['KubeletExpressionsDisabled', 'spec.kubelet.kubeReserved.cpu'],
      ['UnsupportedKubeletConfiguration', 'spec.kubelet.seccompDefault'],
      ['UnsupportedKubeletConfiguration', 'spec.kubelet.typo'],
    ]);
  });
});

describe('what an AMI family does not pass on to the kubelet', () => {
  test.each([
    ['AL2', { seccompDefault: true }, ['spec.kubelet.seccompDefault']],
    [
      'Windows2022',
      { evictionMinimumReclaim: { 'memory.available': '1Gi' } },
      ['spec.kubelet.evictionMinimumReclaim'],
    ],
    ['Bottlerocket', { podsPerCore: 2 }, ['spec.kubelet.podsPerCore']],
    ['Bottlerocket', { clusterDNS: ['10.0.0.10', '10.0.0.11'] }, ['spec.kubelet.clusterDNS']],
    ['AL2', { podsPerCore: 2, clusterDNS: ['10.0.0.10'] }, []],
    ['AL2023', { seccompDefault: true }, []],
    ['Custom', { seccompDefault: true }, []],
  ] as const)('%s: %j', (family, kubelet, fields) => {
    const problems = kubeletProblems(kubelet, family);
    expect(problems.map(({ field }) => field)).toEqual(fields);
    for (const { reason } of problems) expect(reason).toBe('UnsupportedKubeletConfiguration');
  });

  test('Custom passes on nothing, and says so', () => {
    expect(kubeletWarning({ maxPods: 20, clusterDNS: [] }, 'Custom')).toContain(
      'spec.kubelet (clusterDNS, maxPods)',
    );
    expect(kubeletWarning({ maxPods: 20 }, 'AL2')).toBeUndefined();
    expect(kubeletWarning(undefined, 'Custom')).toBeUndefined();
  });
});
