/**
 * The Node that a machine would register, from its instance type, its image and what it was told. Pure; throws the message of
 * the kubelet where it would exit instead.
 */
import { parseQuantity, Quantity, type Taint } from '@chandler/kube';
import type { NodeRegistration } from '../../node-host.ts';
import type { OfferedType } from '../catalogue/catalogue.ts';
import type { InstanceRecord } from '../store/records.ts';
import { BootstrapError, type NodeSettings } from './node-settings.ts';

export interface NodePlanInput {
  readonly settings: NodeSettings;
  readonly instance: InstanceRecord;
  readonly type: OfferedType;
  readonly imageName: string;
  /** Of the root volume. */
  readonly diskGiB: number;
  /** `1.36.3`. */
  readonly kubernetesVersion: string;
}

/** @throws {BootstrapError} where the kubelet exits before it registers. */
export function planNode(input: NodePlanInput): Omit<NodeRegistration, 'readyAfterMs'> {
  const { settings, instance, type, imageName } = input;
  checkLabels(settings.labels);
  const pods = settings.maxPods ?? eniPods(type);
  const milliCpu = type.vCpus * 1000;
  const memoryBytes = memoryOf(type) * MIB;
  const storageBytes = Math.floor(input.diskGiB * 1024 * MIB * FILE_SYSTEM_SHARE);
  const reserved = (resource: string, usual: number) =>
    amount(settings.kubeReserved[resource], usual) + amount(settings.systemReserved[resource], 0);
  const eviction = evictionBytes(settings.evictionHard['memory.available'], memoryBytes);
  const freeCpu = milliCpu - Math.round(1000 * reserved('cpu', usualMilliCpu(type.vCpus) / 1000));
  const freeMemory = memoryBytes - reserved('memory', (255 + 11 * eniPods(type)) * MIB) - eviction;
  if (freeCpu < 0 || freeMemory < 0)
    throw new BootstrapError(
      'kubelet: failed to run Kubelet: invalid Node Allocatable configuration. Resource "memory" has a reservation greater than the capacity.',
    );
  const freeStorage =
    storageBytes - reserved('ephemeral-storage', 1024 * MIB) - Math.ceil(storageBytes * 0.1);
  const devices = devicesOf(type, imageName);
  return {
    name: instance.nodeName,
    labels: settings.labels,
    taints: [...settings.taints, UNINITIALIZED],
    architecture: type.architecture === 'arm64' ? 'arm64' : 'amd64',
    kubeletVersion: `v${input.kubernetesVersion}-eks-113cf36`,
    capacity: {
      cpu: String(type.vCpus),
      memory: bytes(memoryBytes),
      pods: String(pods),
      'ephemeral-storage': bytes(storageBytes),
      ...devices,
    },
    allocatable: {
      cpu: Quantity.ofMilli(freeCpu).toString(),
      memory: bytes(freeMemory),
      'ephemeral-storage': String(Math.max(0, freeStorage)),
      pods: String(pods),
      ...devices,
    },
  };
}

export const UNINITIALIZED: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

export function providerIdOf({ zone, id }: Pick<InstanceRecord, 'zone' | 'id'>): string {
  return `aws:///${zone}/${id}`;
}

/** What the cloud controller manager of EKS adds to a node. */
export function cloudLabels(
  { zone, type }: Pick<InstanceRecord, 'zone' | 'type'>,
  region: string,
  zoneId: string | undefined,
): Readonly<Record<string, string>> {
  return {
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': zone,
    'failure-domain.beta.kubernetes.io/region': region,
    'failure-domain.beta.kubernetes.io/zone': zone,
    'node.kubernetes.io/instance-type': type,
    'beta.kubernetes.io/instance-type': type,
    ...(zoneId === undefined ? {} : { 'topology.k8s.aws/zone-id': zoneId }),
  };
}

// ---------------------------------------------------------------------------------------------------

const MIB = 1024 * 1024;
const FILE_SYSTEM_SHARE = 0.9985;

/** Seen on nodes: between 3 and 6 % of the memory is firmware and kernel. */
function memoryOf({ info, architecture }: OfferedType): number {
  const sizeMiB = info.MemoryInfo?.SizeInMiB ?? 0;
  return Math.floor((sizeMiB - (architecture === 'arm64' ? 64 : 0)) * 0.96) - 40;
}

function eniPods({ info }: OfferedType): number {
  const interfaces = info.NetworkInfo?.NetworkCards?.[0]?.MaximumNetworkInterfaces ?? 1;
  return interfaces * ((info.NetworkInfo?.Ipv4AddressesPerInterface ?? 2) - 1) + 2;
}

/** 6 % of the first core, 1 % of the second, half a percent of two more, a quarter percent of the rest. */
function usualMilliCpu(cores: number): number {
  const share = (from: number, to: number, perMille: number) =>
    Math.max(0, Math.min(cores, to) - from) * perMille;
  return share(0, 1, 60) + share(1, 2, 10) + share(2, 4, 5) + share(4, Number.POSITIVE_INFINITY, 2.5);
}

function devicesOf({ info }: OfferedType, imageName: string): Readonly<Record<string, string>> {
  const gpus = info.GpuInfo?.Gpus?.reduce((sum, { Count = 0 }) => sum + Count, 0) ?? 0;
  const neurons = info.NeuronInfo?.NeuronDevices?.reduce((sum, { Count = 0 }) => sum + Count, 0) ?? 0;
  return {
    ...(gpus > 0 && /nvidia|gpu/.test(imageName) ? { 'nvidia.com/gpu': String(gpus) } : {}),
    ...(neurons > 0 && /neuron|gpu|bottlerocket/.test(imageName)
      ? { 'aws.amazon.com/neuron': String(neurons) }
      : {}),
  };
}

function amount(text: string | undefined, usual: number): number {
  if (text === undefined) return usual;
  try {
    return parseQuantity(text).toNumber();
  } catch {
    throw new BootstrapError(`kubelet: failed to parse reserved quantity "${text}"`);
  }
}

function evictionBytes(text: string | undefined, memoryBytes: number): number {
  if (text === undefined) return 100 * MIB;
  return text.endsWith('%') ? (memoryBytes * Number.parseFloat(text)) / 100 : amount(text, 0);
}

function bytes(value: number): string {
  return Quantity.of(Math.floor(value), 'BinarySI').toString();
}

/** A kubelet may set only some labels of Kubernetes' own domains. */
function checkLabels(labels: NodeSettings['labels']): void {
  const unknown = Object.keys(labels).filter((key) => {
    const domain = key.includes('/') ? key.split('/')[0]! : '';
    if (!/(?:^|\.)(?:kubernetes|k8s)\.io$/.test(domain)) return false;
    if (/(?:^|\.)(?:kubelet|node)\.kubernetes\.io$/.test(domain)) return false;
    return !KNOWN_LABELS.has(key);
  });
  if (unknown.length > 0)
    throw new BootstrapError(
      `kubelet: failed to run Kubelet: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [${unknown.join(' ')}]`,
    );
}

const KNOWN_LABELS: ReadonlySet<string> = new Set([
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/instance-type',
  'beta.kubernetes.io/os',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'kubernetes.io/arch',
  'kubernetes.io/hostname',
  'kubernetes.io/os',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
]);
