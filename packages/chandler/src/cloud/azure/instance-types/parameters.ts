/**
 * The part of a node class, and of the options, that instance types depend on. Two node classes with equal
 * parameters share one list of types; everything that enters a type must be in here.
 */
import type { AKSNodeClass } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

/** The options that instance types depend on. */
export interface InstanceTypeOptions {
  /** Share of the memory that the hypervisor keeps: 0.075. */
  readonly vmMemoryOverheadPercent: Sourced<number>;
  readonly networkPlugin: Sourced<string>;
  readonly networkPluginMode: Sourced<string>;
  readonly nodeResourceGroup: Sourced<string>;
}

export interface Parameters {
  readonly imageFamily: string;
  readonly osDiskSizeGB: number;
  readonly maxPods: number;
  readonly encryptionAtHost: boolean;
  readonly trustedLaunch: boolean;
  readonly gpuMode: string;
  /** Asked for, not only left to the default. */
  readonly artifactStreaming: boolean;
  readonly fips: boolean;
  readonly localDns: boolean;
  readonly memoryOverheadPercent: number;
  readonly nodeResourceGroup: string;
}

export const DEFAULT_OS_DISK_GB = 128;
export const DEFAULT_IMAGE_FAMILY = 'Ubuntu';

export function parametersOf(nodeClass: AKSNodeClass, options: InstanceTypeOptions): Parameters {
  const spec = nodeClass.spec ?? {};
  const trustedLaunch = spec.security?.trustedLaunch;
  return {
    imageFamily: spec.imageFamily ?? DEFAULT_IMAGE_FAMILY,
    osDiskSizeGB: spec.osDiskSizeGB ?? DEFAULT_OS_DISK_GB,
    maxPods: maxPodsFor(nodeClass, options).value,
    encryptionAtHost: spec.security?.encryptionAtHost === true,
    trustedLaunch: trustedLaunch?.vtpm === true || trustedLaunch?.secureBoot === true,
    gpuMode: spec.gpu?.mode ?? 'Driver',
    artifactStreaming: spec.artifactStreaming?.enabled === true,
    fips: spec.fipsMode === 'FIPS',
    localDns: nodeClass.status?.localDNSState === 'Enabled',
    memoryOverheadPercent: options.vmMemoryOverheadPercent.value,
    nodeResourceGroup: options.nodeResourceGroup.value,
  };
}

export function parametersKey(parameters: Parameters): string {
  return JSON.stringify(parameters);
}

/** How many pods a node may have: the node class, else what the network plugin has addresses for. */
export function maxPodsFor(
  nodeClass: Pick<AKSNodeClass, 'spec'>,
  { networkPlugin, networkPluginMode }: Pick<InstanceTypeOptions, 'networkPlugin' | 'networkPluginMode'>,
): Sourced<number> {
  const own = nodeClass.spec?.maxPods;
  if (own !== undefined) return { value: own, source: 'NodeClass', path: 'spec.maxPods' };
  const value = pluginMaxPods(networkPlugin.value, networkPluginMode.value);
  return { value, source: 'computed', path: 'network-plugin, network-plugin-mode' };
}

// ---------------------------------------------------------------------------------------------------------------

function pluginMaxPods(plugin: string, mode: string): number {
  if (plugin === 'none') return 250;
  if (plugin === 'azure' && mode === 'overlay') return 250;
  if (plugin === 'azure' && mode === '') return 30;
  return 110;
}
