/** The network interface as ARM wants it. The first address is the node's; the others are for pods. */
import type { NetworkInterface, NetworkInterfaceIPConfiguration } from '@azure/arm-network';
import type { VmPlan } from './vm-plan.ts';

export function nicObject(plan: VmPlan, backendPoolIds: readonly string[]): NetworkInterface {
  const { network } = plan;
  const subnet = { id: network.subnetId };
  const primary: NetworkInterfaceIPConfiguration = {
    name: plan.name,
    primary: true,
    privateIPAllocationMethod: 'Dynamic',
    subnet,
    loadBalancerBackendAddressPools: backendPoolIds.map((id) => ({ id })),
  };
  const others = Array.from({ length: network.secondaryAddresses }, (_, at) => ({
    name: `ipconfig${at + 1}`,
    primary: false,
    privateIPAllocationMethod: 'Dynamic' as const,
    subnet,
  }));
  return {
    location: plan.location,
    tags: { ...plan.tags },
    ipConfigurations: [primary, ...others],
    enableAcceleratedNetworking: network.acceleratedNetworking,
    enableIPForwarding: false,
    ...(network.securityGroupId === undefined
      ? {}
      : { networkSecurityGroup: { id: network.securityGroupId } }),
  };
}
