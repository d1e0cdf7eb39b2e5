/** Whether AKS made the subnet. Such a subnet has the cluster's security group already; on any other the NIC gets it. */
import { parseResourceId } from '../../../arm/index.ts';

export function isManagedSubnet(subnetId: string, nodeResourceGroup: string): boolean {
  const parsed = parseResourceId(subnetId, 'Microsoft.Network/virtualNetworks/subnets');
  if ('problem' in parsed) return false;
  const { resourceGroup, segments } = parsed.id;
  return (
    resourceGroup.toLowerCase() === nodeResourceGroup.toLowerCase() &&
    /^aks-vnet-\d{8}$/i.test(segments[0]![1]) &&
    segments[1]![1].toLowerCase() === 'aks-subnet'
  );
}
