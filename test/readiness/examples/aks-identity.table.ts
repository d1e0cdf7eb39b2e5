import {
  anAzureApplication,
  CLIENT,
  cluster,
  clusterState,
  credential,
  identityState,
  PRINCIPAL,
  values,
} from './aks.ts';
import { aState, type ExampleTable } from './example.ts';

const account = (name: string) =>
  anAzureApplication(
    `serviceAccount:\n  name: ${name}\n  annotations:\n    azure.workload.identity/client-id: ${CLIENT}`,
  );
const annotated = (id: string, label = 'true') =>
  `serviceAccount:\n  annotations:\n    azure.workload.identity/client-id: ${id}\npodLabels:\n  azure.workload.identity/use: "${label}"\n${values({ VNET_SUBNET_ID: 'x' })}`;
const federated = (issuer: string) => ({
  'main.tf': `${cluster()}${credential(issuer)}`,
});

export const AKS_IDENTITY_EXAMPLES: ExampleTable = {
  'A-01': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': values({ CLUSTER_NAME: 'shop-dev', VNET_SUBNET_ID: 'x' }),
        'main.tf': cluster(),
      },
      sources: ['values.yaml:4', 'main.tf:2'],
    },
    passes: {
      files: { 'values.yaml': values({ CLUSTER_NAME: 'shop', VNET_SUBNET_ID: 'x' }), 'main.tf': cluster() },
      sources: ['values.yaml:4', 'main.tf:2'],
    },
  },
  'A-02': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': values({
          CLUSTER_ENDPOINT: 'https://shop-a1b2c3d4.hcp.northeurope.azmk8s.io:443',
          VNET_SUBNET_ID: 'x',
        }),
        'main.tf': cluster('  dns_prefix          = "shop"\n'),
      },
      sources: ['values.yaml:4', 'main.tf:6', 'main.tf:3'],
    },
    passes: {
      files: {
        'values.yaml': values({
          CLUSTER_ENDPOINT: 'https://shop-a1b2c3d4.hcp.westeurope.azmk8s.io:443',
          VNET_SUBNET_ID: 'x',
        }),
        'state.json': aState(clusterState({ fqdn: 'shop-a1b2c3d4.hcp.westeurope.azmk8s.io' })),
      },
      sources: ['values.yaml:4', 'state.json:2'],
    },
  },
  'A-03': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': values({ AZURE_NODE_RESOURCE_GROUP: 'shop' }), 'main.tf': cluster() },
      sources: ['values.yaml:4', 'main.tf:5'],
    },
    passes: {
      files: {
        'values.yaml': values({ AZURE_NODE_RESOURCE_GROUP: 'MC_shop_shop_westeurope' }),
        'main.tf': cluster().replace(/ {2}node_resource_group.*\n/, ''),
      },
      sources: ['values.yaml:4', 'main.tf:1'],
    },
  },
  'A-04': {
    fails: {
      status: 'fail',
      files: { 'main.tf': `${cluster('  oidc_issuer_enabled = true\n')}${credential()}` },
      sources: ['main.tf:1'],
    },
    passes: {
      files: {
        'main.tf': `${cluster('  oidc_issuer_enabled = true\n  workload_identity_enabled = true\n')}${credential()}`,
      },
      sources: ['main.tf:6', 'main.tf:7'],
    },
  },
  'A-05': {
    fails: {
      status: 'fail',
      files: { ...federated('"https://northeurope.oic.prod-aks.azure.com/6c1d/4e2a/"') },
      sources: ['main.tf:14', 'main.tf:3'],
    },
    passes: {
      files: federated('azurerm_kubernetes_cluster.shop.oidc_issuer_url'),
      sources: ['main.tf:14', 'main.tf:2'],
    },
  },
  'A-06': {
    fails: {
      status: 'fail',
      files: { 'main.tf': `${cluster()}${credential()}`, 'app.yaml': account('karpenter-sa') },
      sources: ['main.tf:15', 'app.yaml:8', 'app.yaml:16'],
    },
    passes: {
      files: { 'main.tf': `${cluster()}${credential()}`, 'app.yaml': account('karpenter') },
      sources: ['main.tf:15', 'app.yaml:8', 'app.yaml:16'],
    },
  },
  'A-07': {
    fails: {
      status: 'fail',
      files: { 'main.tf': credential(undefined, undefined, '"sts.amazonaws.com"') },
      sources: ['main.tf:10'],
    },
    passes: { files: { 'main.tf': credential() }, sources: ['main.tf:10'] },
  },
  'A-08': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': annotated(PRINCIPAL), 'state.json': aState(identityState) },
      sources: ['values.yaml:3', 'state.json:2'],
    },
    passes: {
      files: { 'values.yaml': annotated(CLIENT), 'state.json': aState(identityState) },
      sources: ['values.yaml:3', 'state.json:2', 'values.yaml:5'],
    },
  },
};
