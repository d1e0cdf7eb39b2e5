/**
 * The network of an AKS cluster as its creation leaves it in the node resource group: virtual network, subnet, security
 * group, route table, and the outbound load balancer `kubernetes`.
 */
import { formatResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import { putPlain } from './plain-resources.ts';

export function seedClusterNetwork(context: ArmContext, subnetPrefix = '10.224.0.0/16'): void {
  const { region: location, clusterId } = context.settings;
  const id = (type: string, name: string) => nodeGroupId(context, type, name);
  const put = (
    type: string,
    name: string,
    properties: Record<string, unknown>,
    sku?: Record<string, unknown>,
  ) =>
    putPlain(context, {
      id: id(type, name),
      name,
      type: `Microsoft.Network/${type}`,
      location,
      ...(sku === undefined ? {} : { sku }),
      properties,
    });
  const securityGroup = `aks-agentpool-${clusterId}-nsg`;
  const routeTable = `aks-agentpool-${clusterId}-routetable`;
  put('networkSecurityGroups', securityGroup, { securityRules: [], defaultSecurityRules: DEFAULT_RULES });
  put('routeTables', routeTable, { disableBgpRoutePropagation: false, routes: [] });
  put('virtualNetworks', `aks-vnet-${clusterId}`, {
    addressSpace: { addressPrefixes: [ADDRESS_SPACE] },
    enableDdosProtection: false,
    subnets: [
      {
        name: 'aks-subnet',
        properties: {
          addressPrefix: subnetPrefix,
          networkSecurityGroup: { id: id('networkSecurityGroups', securityGroup) },
          routeTable: { id: id('routeTables', routeTable) },
          privateEndpointNetworkPolicies: 'Disabled',
          privateLinkServiceNetworkPolicies: 'Enabled',
        },
      },
    ],
  });
  put(
    'loadBalancers',
    'kubernetes',
    {
      frontendIPConfigurations: [{ name: 'outbound', properties: {} }],
      backendAddressPools: [{ name: 'aksOutboundBackendPool' }, { name: 'kubernetes' }],
      outboundRules: [{ name: 'aksOutboundRule', properties: { protocol: 'All' } }],
    },
    { name: 'Standard', tier: 'Regional' },
  );
}

/** The subnet that nodes go to by default. */
export function clusterSubnetId(context: Pick<ArmContext, 'settings'>): string {
  return `${nodeGroupId(context, 'virtualNetworks', `aks-vnet-${context.settings.clusterId}`)}/subnets/aks-subnet`;
}

// ---------------------------------------------------------------------------------------------------

const ADDRESS_SPACE = '10.224.0.0/12';

const rule = (name: string, priority: number, direction: string, access: string) => ({
  name,
  properties: {
    protocol: '*',
    sourcePortRange: '*',
    destinationPortRange: '*',
    sourceAddressPrefix: '*',
    destinationAddressPrefix: '*',
    access,
    priority,
    direction,
  },
});

const DEFAULT_RULES = [
  rule('AllowVnetInBound', 65000, 'Inbound', 'Allow'),
  rule('DenyAllInBound', 65500, 'Inbound', 'Deny'),
  rule('AllowVnetOutBound', 65000, 'Outbound', 'Allow'),
  rule('DenyAllOutBound', 65500, 'Outbound', 'Deny'),
];

function nodeGroupId({ settings }: Pick<ArmContext, 'settings'>, type: string, name: string): string {
  return formatResourceId({
    subscriptionId: settings.subscriptionId,
    resourceGroup: settings.nodeResourceGroup,
    type: `Microsoft.Network/${type}`,
    names: [name],
  });
}
