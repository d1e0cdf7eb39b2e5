/**
 * The command line of the kubelet: constants, what the version asks for, what the node class and the machine decide.
 * Sorted by name, so that the same node always gets the same flags.
 */
import { parseDuration } from '@chandler/kube';
import type { AKSKubeletConfiguration, ResourceList } from '../../api/index.ts';
import type { NodeBootstrapInput } from '../input.ts';
import { registrationTaints, taintText } from '../taints.ts';
import {
  CONSTANT_FLAGS,
  DEFAULT_GC_HIGH,
  DEFAULT_GC_LOW,
  DISK_EVICTION_SIGNALS,
  VERSIONED_FLAGS,
} from './kubelet-flags.table.ts';
import { atLeast, type KubernetesVersion, parseKubernetesVersion } from './kubernetes-version.ts';

/** By name without the dashes, sorted. */
export function kubeletFlags(input: NodeBootstrapInput): ReadonlyMap<string, string> {
  const version = parseKubernetesVersion(input.cluster.kubernetesVersion);
  const flags: Record<string, string> = {
    ...CONSTANT_FLAGS,
    ...versionedFlags(version),
    ...machineFlags(input),
    ...classFlags(input.nodeClass.spec.kubelet ?? {}),
  };
  const gates = featureGates(input, version);
  if (gates.length > 0) flags['feature-gates'] = gates.join(',');
  return new Map(Object.entries(flags).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `--address=0.0.0.0 --anonymous-auth=false …`. */
export function kubeletFlagText(input: NodeBootstrapInput): string {
  return [...kubeletFlags(input)].map(([name, value]) => `--${name}=${value}`).join(' ');
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_QUOTA_PERIOD_NS = 100_000_000n;

function versionedFlags(version: KubernetesVersion): Record<string, string> {
  const held = VERSIONED_FLAGS.filter(
    ({ from, until }) =>
      (from === undefined || atLeast(version, from)) && (until === undefined || !atLeast(version, until)),
  );
  return Object.fromEntries(held.map(({ flag, value }) => [flag, value]));
}

function machineFlags({ cluster, node }: NodeBootstrapInput): Record<string, string> {
  const taints = registrationTaints(node.taints.value, node.startupTaints.value);
  return {
    'cluster-dns': cluster.dnsServiceIp.value,
    'eviction-hard': [`memory.available<${node.evictionMemory}`, ...DISK_EVICTION_SIGNALS].join(','),
    'image-gc-high-threshold': String(DEFAULT_GC_HIGH),
    'image-gc-low-threshold': String(DEFAULT_GC_LOW),
    'kube-reserved': reserved(node.kubeReserved),
    'max-pods': String(node.maxPods.value),
    'pod-max-pids': '-1',
    'register-with-taints': taints.map(taintText).join(','),
    'system-reserved': reserved(node.systemReserved),
  };
}

function reserved(resources: ResourceList): string {
  return ['cpu', 'memory'].map((name) => `${name}=${resources[name] ?? 0}`).join(',');
}

/** What the node class sets, by flag. Fields that it leaves out keep the kubelet's own default. */
const CLASS_FLAGS: Readonly<Record<string, keyof AKSKubeletConfiguration>> = {
  'allowed-unsafe-sysctls': 'allowedUnsafeSysctls',
  'container-log-max-files': 'containerLogMaxFiles',
  'container-log-max-size': 'containerLogMaxSize',
  'cpu-cfs-quota': 'cpuCFSQuota',
  'cpu-cfs-quota-period': 'cpuCFSQuotaPeriod',
  'cpu-manager-policy': 'cpuManagerPolicy',
  'fail-swap-on': 'failSwapOn',
  'image-gc-high-threshold': 'imageGCHighThresholdPercent',
  'image-gc-low-threshold': 'imageGCLowThresholdPercent',
  'pod-max-pids': 'podPidsLimit',
  'topology-manager-policy': 'topologyManagerPolicy',
};

function classFlags(kubelet: AKSKubeletConfiguration): Record<string, string> {
  const flags: Record<string, string> = {};
  for (const [flag, field] of Object.entries(CLASS_FLAGS)) {
    const value = kubelet[field];
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    flags[flag] = Array.isArray(value) ? value.join(',') : String(value);
  }
  // The default needs no flag, and newer kubelets like this one less and less.
  if (!hasOwnQuotaPeriod(kubelet)) delete flags['cpu-cfs-quota-period'];
  // The kind allows a capital K, on which the kubelet would not start.
  if (kubelet.containerLogMaxSize !== undefined) {
    flags['container-log-max-size'] = kubelet.containerLogMaxSize.replace(/K$/, 'k');
  }
  return flags;
}

function featureGates(input: NodeBootstrapInput, version: KubernetesVersion): string[] {
  return [
    // The kubelet takes another period than its default only behind this gate.
    ...(hasOwnQuotaPeriod(input.nodeClass.spec.kubelet ?? {}) ? ['CustomCPUCFSQuotaPeriod=true'] : []),
    ...(atLeast(version, 30) ? [] : ['DisableKubeletCloudCredentialProviders=false']),
  ];
}

function hasOwnQuotaPeriod({ cpuCFSQuotaPeriod: period }: AKSKubeletConfiguration): boolean {
  return period !== undefined && parseDuration(period) !== DEFAULT_QUOTA_PERIOD_NS;
}
