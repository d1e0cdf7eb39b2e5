/** What the network options of the cluster mean for one node: its CNI, its subnet, its names. */
import type { Sourced } from '../../settings/index.ts';
import { BootstrapError } from '../bootstrapper.ts';
import type { BootstrapOptions, NodeBootstrapInput } from '../input.ts';

/** Pods have addresses of their own, outside the subnet. */
export function isOverlay(options: Pick<BootstrapOptions, 'networkPlugin' | 'networkPluginMode'>): boolean {
  return options.networkPlugin.value === 'azure' && options.networkPluginMode.value === 'overlay';
}

/** Which CNI the node itself installs: only Azure's own one with pod addresses from the subnet and without Cilium. */
export function nodeNetworkPlugin(
  options: Pick<BootstrapOptions, 'networkPlugin' | 'networkPluginMode' | 'networkDataplane'>,
): 'azure' | 'none' {
  const ownPlugin = options.networkPlugin.value === 'azure' && !isOverlay(options);
  return ownPlugin && options.networkDataplane.value !== 'cilium' ? 'azure' : 'none';
}

export interface SubnetId {
  readonly id: string;
  readonly resourceGroup: string;
  readonly virtualNetwork: string;
  readonly subnet: string;
}

/** The node class first, then the option. */
export function subnetIdOf(input: Pick<NodeBootstrapInput, 'nodeClass' | 'options'>): Sourced<string> {
  const own = input.nodeClass.spec.vnetSubnetID;
  return own === undefined || own === ''
    ? input.options.vnetSubnetId
    : { value: own, source: 'NodeClass', path: 'spec.vnetSubnetID' };
}

/** @throws {BootstrapError} `malformedSubnetId`. */
export function parseSubnetId(id: Sourced<string>): SubnetId {
  const match = SUBNET.exec(id.value);
  if (match === null) {
    throw new BootstrapError(
      'malformedSubnetId',
      `"${id.value}" is not a subnet ID; the format is /subscriptions/…/resourceGroups/…/providers/Microsoft.Network/virtualNetworks/…/subnets/…`,
      { path: id.path },
    );
  }
  return { id: id.value, resourceGroup: match[1]!, virtualNetwork: match[2]!, subnet: match[3]! };
}

/** The API server without scheme and port; what is no URL is taken to be a host. */
export function apiServerName(endpoint: string): string {
  try {
    return new URL(endpoint).hostname;
  } catch {
    return endpoint;
  }
}

// ---------------------------------------------------------------------------------------------------

const SUBNET =
  /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Network\/virtualNetworks\/([^/]+)\/subnets\/([^/]+)$/i;
