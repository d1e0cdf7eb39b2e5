import {
  cluster,
  clusterState,
  KUBELET,
  NODE_GROUP,
  rolesState,
  SUBNET,
  SUBSCRIPTION,
  values,
} from './aks.ts';
import type { ExampleTable } from './example.ts';

const SET = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.Compute/diskEncryptionSets/shop`;
const NETWORK = SUBNET.replace(/\/subnets.*/, '');
const VMS = ['Virtual Machine Contributor', NODE_GROUP] as const;
const inSubnet = { 'values.yaml': values({ VNET_SUBNET_ID: SUBNET }) };
const encrypted = {
  'values.yaml': values({ NODE_OSDISK_DISKENCRYPTIONSET_ID: SET, VNET_SUBNET_ID: SUBNET }),
};
const kubelet = clusterState({ kubelet_identity: [{ user_assigned_identity_id: KUBELET }] });
const locked = (level: string) => `${cluster()}resource "azapi_update_resource" "lock" {
  type        = "Microsoft.ContainerService/managedClusters@2026-05-02-preview"
  resource_id = azurerm_kubernetes_cluster.shop.id
  body = {
    properties = {
      nodeResourceGroupProfile = {
        restrictionLevel = "${level}"
      }
    }
  }
}
`;

export const AKS_ROLE_EXAMPLES: ExampleTable = {
  'A-09': {
    fails: {
      status: 'fail',
      files: { 'state.json': rolesState([['Reader', NODE_GROUP]], clusterState({})) },
      sources: ['state.json:2', 'state.json:2'],
    },
    passes: {
      files: { 'state.json': rolesState([VMS], clusterState({})) },
      sources: ['state.json:2', 'state.json:2'],
    },
  },
  'A-10': {
    fails: {
      status: 'fail',
      files: { ...inSubnet, 'state.json': rolesState([VMS]) },
      sources: ['values.yaml:4', 'state.json:2', 'state.json:2'],
    },
    passes: {
      files: { ...inSubnet, 'state.json': rolesState([VMS, ['Network Contributor', NETWORK]]) },
      sources: ['values.yaml:4', 'state.json:3', 'state.json:3'],
    },
  },
  'A-11': {
    fails: {
      status: 'fail',
      files: { 'state.json': rolesState([VMS], kubelet) },
      sources: ['state.json:2', 'state.json:2'],
    },
    passes: {
      files: { 'state.json': rolesState([VMS, ['Managed Identity Operator', KUBELET]], kubelet) },
      sources: ['state.json:3', 'state.json:3'],
    },
  },
  'A-12': {
    fails: { status: 'fail', files: { 'main.tf': locked('ReadOnly') }, sources: ['main.tf:13'] },
    passes: { files: { 'main.tf': locked('Unrestricted') }, sources: ['main.tf:13'] },
  },
  'A-26': {
    fails: {
      status: 'fail',
      files: { ...encrypted, 'state.json': rolesState([VMS]) },
      sources: ['values.yaml:4', 'state.json:2', 'state.json:2'],
    },
    passes: {
      files: { ...encrypted, 'state.json': rolesState([['Reader', SET]]) },
      sources: ['values.yaml:4', 'state.json:2', 'state.json:2'],
    },
  },
};
