/**
 * The request to the bootstrapping server of AKS about a node. A pure function; numbers and names are those of its wire.
 * The server knows the rest of the cluster itself.
 */
import { parseDuration } from '@chandler/kube';
import {
  type AKSKubeletConfiguration,
  AksLabel,
  type LinuxOSConfig,
  type LocalDNS,
  type LocalDNSOverride,
} from '../../api/index.ts';
import { sizeInMiB } from '../aks/byte-size.ts';
import { parseKubernetesVersion } from '../aks/kubernetes-version.ts';
import { parseSubnetId, subnetIdOf } from '../aks/network.ts';
import { SYSCTL_NAMES } from '../aks/sysctls.table.ts';
import { BootstrapError } from '../bootstrapper.ts';
import type { NodeBootstrapInput } from '../input.ts';
import { registrationTaints, taintText } from '../taints.ts';

export type JsonObject = { readonly [field: string]: unknown };

export interface ProvisionValues {
  readonly provisionProfile: JsonObject;
  readonly provisionHelperValues: { readonly skuCPU: number; readonly skuMemory: number };
}

/** @throws {BootstrapError} where a value cannot be sent. */
export function provisionValues(input: NodeBootstrapInput): ProvisionValues {
  const { node } = input;
  return {
    provisionProfile: { ...machineProfile(input), ...classProfile(input) },
    provisionHelperValues: { skuCPU: node.cpu, skuMemory: Math.floor(node.memoryGiB) },
  };
}

// ---------------------------------------------------------------------------------------------------

const OS_LINUX = 2;
const OS_SKU = { Ubuntu: 1, AzureLinux: 7 } as const;
const POOL_MODE = { system: 1, user: 2 } as const;
const SSH_LOCAL_USER = 0;
const GPU_DRIVER = { grid: 2, cuda: 3 } as const;

function machineProfile(input: NodeBootstrapInput): JsonObject {
  const { node, cluster } = input;
  if (node.distro === undefined) {
    throw new BootstrapError('invalidValue', 'AKS has no distribution name for the selected image', {
      path: 'status.images',
    });
  }
  const taints = node.taints.value;
  const atRegistration = registrationTaints(taints, node.startupTaints.value);
  const mode = node.labels[AksLabel.mode] === 'system' ? POOL_MODE.system : POOL_MODE.user;
  return {
    name: '',
    architecture: node.architecture === 'arm64' ? 'Arm64' : 'x64',
    osType: OS_LINUX,
    osSku: node.labels[AksLabel.osSku] === 'AzureLinux' ? OS_SKU.AzureLinux : OS_SKU.Ubuntu,
    distro: node.distro,
    vmSize: node.size,
    customNodeLabels: node.labels,
    orchestratorVersion: parseKubernetesVersion(cluster.kubernetesVersion).text,
    vnetSubnetID: parseSubnetId(subnetIdOf(input)).id,
    storageProfile: node.ephemeralOsDisk ? 'Ephemeral' : 'ManagedDisks',
    nodeTaints: taints.map(taintText),
    // Pods stay away until the controller has seen the node.
    nodeInitializationTaints: atRegistration.slice(taints.length).map(taintText),
    maxPods: node.maxPods.value,
    vnetCidrs: [],
    mode,
    ...gpuProfile(input),
  };
}

function gpuProfile({ node, nodeClass }: NodeBootstrapInput): JsonObject {
  if (node.gpu?.manufacturer !== 'nvidia') return {};
  const isGrid = node.gpu.driver?.type.startsWith('grid') ?? false;
  return {
    gpuProfile: {
      driverType: isGrid ? GPU_DRIVER.grid : GPU_DRIVER.cuda,
      installGPUDriver: nodeClass.spec.gpu?.mode !== 'None',
    },
  };
}

function classProfile({ nodeClass: { spec, localDnsEnabled }, node }: NodeBootstrapInput): JsonObject {
  const { trustedLaunch } = spec.security ?? {};
  const streaming = spec.artifactStreaming?.enabled;
  return {
    securityProfile: {
      sshAccess: SSH_LOCAL_USER,
      ...(trustedLaunch?.vtpm === undefined ? {} : { enableVTPM: trustedLaunch.vtpm }),
      ...(trustedLaunch?.secureBoot === undefined ? {} : { enableSecureBoot: trustedLaunch.secureBoot }),
    },
    ...(spec.fipsMode === undefined ? {} : { enableFIPS: spec.fipsMode === 'FIPS' }),
    ...(streaming === undefined
      ? {}
      : { artifactStreamingProfile: { enabled: streaming && node.architecture !== 'arm64' } }),
    ...(spec.kubelet === undefined ? {} : { customKubeletConfig: kubeletConfig(spec.kubelet) }),
    ...(spec.linuxOSConfig === undefined ? {} : { customLinuxOSConfig: linuxConfig(spec.linuxOSConfig) }),
    ...(spec.localDNS === undefined
      ? {}
      : { localDNSProfile: localDnsProfile(spec.localDNS, localDnsEnabled) }),
  };
}

function kubeletConfig(kubelet: AKSKubeletConfiguration): JsonObject {
  return defined({
    cpuManagerPolicy: kubelet.cpuManagerPolicy,
    cpuCfsQuota: kubelet.cpuCFSQuota,
    cpuCfsQuotaPeriod: kubelet.cpuCFSQuotaPeriod,
    imageGcHighThreshold: kubelet.imageGCHighThresholdPercent,
    imageGcLowThreshold: kubelet.imageGCLowThresholdPercent,
    topologyManagerPolicy: kubelet.topologyManagerPolicy,
    allowedUnsafeSysctls: kubelet.allowedUnsafeSysctls,
    containerLogMaxSizeMB:
      kubelet.containerLogMaxSize === undefined ? undefined : sizeInMiB(kubelet.containerLogMaxSize),
    containerLogMaxFiles: kubelet.containerLogMaxFiles,
    podMaxPids: kubelet.podPidsLimit,
    failSwapOn: kubelet.failSwapOn,
  });
}

function linuxConfig(config: LinuxOSConfig): JsonObject {
  const sysctls = Object.entries(config.sysctls ?? {}).map(([field, value]) => [
    SYSCTL_NAMES[field as keyof typeof SYSCTL_NAMES]?.arm ?? field,
    value,
  ]);
  return defined({
    swapFileSizeMB: config.swapFileSize === undefined ? undefined : sizeInMiB(config.swapFileSize),
    transparentHugePageEnabled: config.transparentHugePageEnabled,
    transparentHugePageDefrag: config.transparentHugePageDefrag,
    sysctls: config.sysctls === undefined ? undefined : Object.fromEntries(sysctls),
  });
}

/** Preferred never leaves the controller: `mode` is what it was resolved to. */
function localDnsProfile(localDNS: LocalDNS, enabled: boolean): JsonObject {
  return {
    mode: enabled ? 'Required' : 'Disabled',
    vnetDNSOverrides: overrides(localDNS.vnetDNSOverrides),
    kubeDNSOverrides: overrides(localDNS.kubeDNSOverrides),
  };
}

function overrides(zones: readonly LocalDNSOverride[]): JsonObject {
  return Object.fromEntries(
    zones.map(({ zone, cacheDuration, serveStaleDuration, ...rest }) => [
      zone,
      {
        ...rest,
        cacheDurationInSeconds: seconds(cacheDuration),
        serveStaleDurationInSeconds: seconds(serveStaleDuration),
      },
    ]),
  );
}

function seconds(duration: string): number {
  return Number(parseDuration(duration) / 1_000_000_000n);
}

function defined(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
