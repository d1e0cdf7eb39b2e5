import { anAksNodeClass, cluster, SUBNET, values } from './aks.ts';
import type { ExampleTable } from './example.ts';

const NODES = values({ VNET_SUBNET_ID: SUBNET });

/** The cluster ends in line 9; the name of the subnet is in line 11, its range in line 14, more in line 15. */
function networked(profile: string, more = '', range = '10.1.0.0/22'): string {
  return `${cluster(`  network_profile {\n    ${profile}\n  }\n`)}resource "azurerm_subnet" "nodes" {
  name                 = "nodes"
  resource_group_name  = "shop"
  virtual_network_name = "shop"
  address_prefixes     = ["${range}"]
${more}}
`;
}
const OVERLAY = 'network_plugin = "azure"\n    network_plugin_mode = "overlay"';
const ROUTED = 'outbound_type = "userDefinedRouting"';
const ASSOCIATION = `resource "azurerm_subnet_route_table_association" "nodes" {
  subnet_id      = azurerm_subnet.nodes.id
  route_table_id = azurerm_route_table.nodes.id
}
`;

export const AKS_NETWORK_EXAMPLES: ExampleTable = {
  'A-13': {
    fails: {
      status: 'fail',
      files: {
        'class.yaml': anAksNodeClass(`  vnetSubnetID: ${SUBNET.replace(/nodes$/, 'node')}`),
        'main.tf': networked('network_plugin = "azure"'),
      },
      sources: ['class.yaml:6', 'main.tf:11'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': networked('network_plugin = "azure"') },
      sources: ['values.yaml:4', 'main.tf:11'],
    },
  },
  'A-14': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': NODES,
        'main.tf': networked('network_plugin = "azure"', '  delegation {\n    name = "aci"\n  }\n'),
      },
      sources: ['main.tf:15'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': networked('network_plugin = "azure"') },
      sources: ['main.tf:10'],
    },
  },
  'A-15': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': NODES, 'main.tf': networked('network_plugin = "azure"', '', '10.1.0.0/27') },
      sources: ['main.tf:14'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': networked('network_plugin = "azure"') },
      sources: ['main.tf:14'],
    },
  },
  'A-16': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': NODES, 'main.tf': networked('network_plugin = "azure"') },
      sources: ['values.yaml:2', 'main.tf:6'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': networked(OVERLAY) },
      sources: ['values.yaml:2', 'main.tf:8'],
    },
  },
  'A-17': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': values({ NETWORK_POLICY: 'calico', VNET_SUBNET_ID: SUBNET }),
        'main.tf': networked('network_policy = "calico"\n    network_plugin = "azure"'),
      },
      sources: ['values.yaml:4', 'main.tf:7'],
    },
    passes: {
      files: {
        'values.yaml': values({ NETWORK_POLICY: 'cilium', VNET_SUBNET_ID: SUBNET }),
        'main.tf': networked(
          'network_policy = "cilium"\n    network_data_plane = "cilium"\n    network_plugin = "azure"',
        ),
      },
      sources: ['values.yaml:2', 'main.tf:8'],
    },
  },
  'A-18': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': NODES,
        'main.tf': cluster('  node_provisioning_profile {\n    mode = "Auto"\n  }\n'),
      },
      sources: ['main.tf:7', 'values.yaml:1'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': cluster() },
      sources: ['main.tf:1', 'values.yaml:1'],
    },
  },
  'A-19': {
    fails: {
      status: 'warn',
      files: { 'main.tf': cluster('  default_node_pool {\n    auto_scaling_enabled = true\n  }\n') },
      sources: ['main.tf:7'],
    },
    passes: {
      files: { 'main.tf': cluster('  default_node_pool {\n    node_count = 2\n  }\n') },
      sources: ['main.tf:6'],
    },
  },
  'A-29': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': NODES, 'main.tf': networked(ROUTED) },
      sources: ['main.tf:7', 'main.tf:11'],
    },
    passes: {
      files: { 'values.yaml': NODES, 'main.tf': `${networked(ROUTED)}${ASSOCIATION}` },
      sources: ['main.tf:7', 'main.tf:17'],
    },
  },
};
