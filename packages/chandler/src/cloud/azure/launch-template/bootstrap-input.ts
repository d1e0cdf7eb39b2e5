/** Gathers what a bootstrapper looks at: from the claim, its classes, the offering that was chosen, cluster and options. */
import type { AKSNodeClass, NodeClaim, NodePool, ResourceList } from '../../../api/index.ts';
import {
  type BootstrapMode,
  type BootstrapOptions,
  type ClusterValues,
  kubeletLabels,
  type LabelFacts,
  type NodeBootstrapInput,
  type NodeGpu,
  nodeLabels,
} from '../../../bootstrap/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import type { ClusterFacts } from '../cluster/facts.ts';
import type { ResolvedFamily } from '../images/index.ts';
import { type AzureInstanceType, type AzureOffering, EVICTION_MEMORY } from '../instance-types/index.ts';
import { gpuDriver, gpuOf, type SkuFacts } from '../sizes/index.ts';

/** Of an instance type, what a launch reads. */
export type LaunchInstanceType = Pick<
  AzureInstanceType,
  'name' | 'requirements' | 'capacity' | 'overhead'
> & {
  readonly sku: Pick<SkuFacts, 'architecture' | 'vcpus' | 'memoryGiB' | 'disks'>;
};

export type LaunchOffering = Pick<AzureOffering, 'zone' | 'capacityType' | 'placementScope'>;

/** Options that are not among the cluster's facts. */
export type LaunchOptions = Omit<BootstrapOptions, NetworkOption | 'nodeResourceGroup'> & {
  readonly additionalTags: Sourced<Readonly<Record<string, string>>>;
};

type NetworkOption = 'networkPlugin' | 'networkPluginMode' | 'networkPolicy' | 'networkDataplane';

export interface BootstrapInputRequest {
  readonly mode: BootstrapMode;
  readonly claim: NodeClaim;
  readonly nodeClass: AKSNodeClass;
  readonly nodePool?: NodePool;
  readonly instanceType: LaunchInstanceType;
  readonly offering: LaunchOffering;
  readonly cluster: Omit<ClusterFacts, 'diskEncryptionSetId'>;
  readonly options: LaunchOptions;
}

export interface ChosenImage {
  readonly family: ResolvedFamily;
  readonly distro: string | undefined;
  readonly ephemeralOsDisk: boolean;
  readonly ultraSsd: boolean;
}

export interface GatheredInput {
  readonly input: NodeBootstrapInput;
  /** All labels of the node, also those that its kubelet may not set. */
  readonly labels: Readonly<Record<string, string>>;
}

/** @throws {BootstrapError} for values that are none. */
export function bootstrapInput(request: BootstrapInputRequest, image: ChosenImage): GatheredInput {
  const { claim, nodePool, instanceType } = request;
  const cluster = clusterValues(request);
  const options = bootstrapOptions(request);
  const nodeClass: NodeBootstrapInput['nodeClass'] = {
    name: request.nodeClass.metadata.name ?? '',
    spec: request.nodeClass.spec ?? {},
    localDnsEnabled: request.nodeClass.status?.localDNSState === 'Enabled',
  };
  const labels = nodeLabels({ ...labelFacts(request, image), cluster, options, nodeClass });
  const overhead = instanceType.overhead;
  const gpu = gpuFacts(instanceType.name);
  const input: NodeBootstrapInput = {
    cluster,
    options,
    nodeClass,
    node: {
      size: instanceType.name,
      architecture: instanceType.sku.architecture,
      cpu: instanceType.sku.vcpus,
      memoryGiB: instanceType.sku.memoryGiB,
      ...(gpu === undefined ? {} : { gpu }),
      maxPods: maxPods(nodeClass.spec.maxPods, instanceType.capacity),
      kubeReserved: overhead.kubeReserved ?? {},
      systemReserved: overhead.systemReserved ?? {},
      evictionMemory: String(overhead.evictionThreshold?.['memory'] ?? EVICTION_MEMORY),
      labels: kubeletLabels(labels),
      taints: fromPool(claim.spec.taints ?? [], 'taints', nodePool),
      startupTaints: fromPool(claim.spec.startupTaints ?? [], 'startupTaints', nodePool),
      ...(image.distro === undefined ? {} : { distro: image.distro }),
      ephemeralOsDisk: image.ephemeralOsDisk,
    },
  };
  return { input, labels };
}

/** What the node class says it was resolved to, else what the cluster says now. */
export function nodeVersion(request: {
  readonly nodeClass: Pick<AKSNodeClass, 'status'>;
  readonly cluster: Pick<ClusterFacts, 'kubernetesVersion'>;
}): Sourced<string> {
  const resolved = request.nodeClass.status?.kubernetesVersion;
  return resolved === undefined || resolved === ''
    ? request.cluster.kubernetesVersion
    : { value: resolved, source: 'cluster', path: 'status.kubernetesVersion' };
}

// ---------------------------------------------------------------------------------------------------

function clusterValues(request: BootstrapInputRequest): ClusterValues {
  const { cluster } = request;
  const group = cluster.networkSecurityGroup;
  return {
    kubernetesVersion: nodeVersion(request),
    caBundle: cluster.caBundle,
    clusterId: cluster.clusterId,
    networkSecurityGroup:
      group === undefined
        ? {
            value: `aks-agentpool-${cluster.clusterId.value}-nsg`,
            source: 'computed',
            path: cluster.clusterId.path,
          }
        : { ...group, value: group.value.name },
    dnsServiceIp: cluster.dnsServiceIP,
    vnetGuid: cluster.vnetGuid,
  };
}

function bootstrapOptions({ options, cluster }: BootstrapInputRequest): BootstrapOptions {
  const { network } = cluster;
  return {
    ...options,
    nodeResourceGroup: cluster.nodeResourceGroup,
    networkPlugin: network.plugin,
    networkPluginMode: network.pluginMode,
    networkPolicy: network.policy,
    networkDataplane: network.dataplane,
  };
}

function labelFacts(
  request: BootstrapInputRequest,
  image: ChosenImage,
): Omit<LabelFacts, 'cluster' | 'options' | 'nodeClass'> {
  const { mode, claim, instanceType, offering } = request;
  const { family } = image.family;
  return {
    mode,
    image: { osSku: family.osSku, effective: family.label },
    claim: { labels: claim.metadata.labels ?? {}, requirements: claim.spec.requirements },
    instanceType: instanceType.requirements,
    offering: {
      capacityType: offering.capacityType,
      placementScope: offering.placementScope,
      ultraSsd: image.ultraSsd,
    },
    architecture: instanceType.sku.architecture,
  };
}

function gpuFacts(size: string): NodeGpu | undefined {
  const gpu = gpuOf(size);
  if (gpu === undefined) return undefined;
  const driver = gpuDriver(size);
  return { manufacturer: gpu.manufacturer, ...(driver === undefined ? {} : { driver }) };
}

function maxPods(own: number | undefined, capacity: ResourceList): Sourced<number> {
  return own === undefined
    ? { value: Number(capacity['pods']), source: 'computed', path: 'NETWORK_PLUGIN, NETWORK_PLUGIN_MODE' }
    : { value: own, source: 'NodeClass', path: 'spec.maxPods' };
}

/** Claims have what their pool says; those that people made say it themselves. */
function fromPool<T>(value: T, field: string, nodePool: NodePool | undefined): Sourced<T> {
  const path = nodePool === undefined ? `NodeClaim spec.${field}` : `spec.template.spec.${field}`;
  return { value, source: 'NodePool', path };
}
