/** The values of the chart for an AKS cluster. */
import { header, yamlText } from '../literals.ts';
import type { Facts } from '../resource.ts';
import { CLIENT_ID, TENANT_ID } from './recorded.ts';
import type { AksSetup } from './setup.ts';

/** Without the client ID where the identity does not exist yet. */
export function valuesFile(setup: AksSetup, facts: Facts): string {
  const { cluster, identity } = setup;
  const clientId = facts[CLIENT_ID];
  return [
    header('#', [
      `Values of the chart chandler for the AKS cluster ${cluster.name}, written by "chandler configure aks".`,
      `Install it into the namespace ${setup.namespace}: the federated credential names the namespace and the ServiceAccount.`,
    ]),
    'cloud: azure\n',
    'serviceAccount:\n',
    `  name: ${yamlText(setup.serviceAccount)}\n`,
    ...(clientId === undefined
      ? [
          `  # The identity does not exist yet. Then set its client ID here, or write this file again:\n`,
          `  # az identity show -g ${identity.resourceGroup} -n ${identity.name} --query clientId -o tsv\n`,
          '  # annotations:\n',
          '  #   azure.workload.identity/client-id: ""\n',
        ]
      : ['  annotations:\n', `    azure.workload.identity/client-id: ${yamlText(clientId)}\n`]),
    '# With the ID of the bootstrap token, the part before the dot, the controller warns before the token expires.\n',
    '# rbac:\n',
    '#   bootstrapTokenId: ""\n',
    'secrets:\n',
    '  # A Secret with a bootstrap token of the cluster, with which new kubelets request their certificates.\n',
    '  kubeletBootstrapToken:\n',
    '    name: chandler-bootstrap-token\n',
    '    key: token\n',
    'settings:\n',
    ...settings(setup, facts).map(([name, value]) => `  ${name}: ${value}\n`),
    ...(cluster.sshPublicKey === undefined
      ? [
          '  # Required. The cluster has no SSH key: set a public key of your own.\n',
          '  # sshPublicKey: ""\n',
        ]
      : []),
  ].join('');
}

// ---------------------------------------------------------------------------------------------------------------

/** Names of the options of the controller, and values of YAML. */
function settings({ cluster, azureCloud }: AksSetup, facts: Facts): readonly (readonly [string, string])[] {
  const text = (name: string, value: string | undefined) =>
    value === undefined || value === '' ? [] : [[name, yamlText(value)] as const];
  return [
    ...text('clusterName', cluster.name),
    ...text('clusterEndpoint', cluster.endpoint),
    ...text('location', cluster.location),
    ...text('azureSubscriptionId', cluster.subscriptionId),
    ...text('azureTenantId', facts[TENANT_ID]),
    ...text('armResourceGroup', cluster.resourceGroup),
    ...text('nodeResourceGroup', cluster.nodeResourceGroup),
    ...text('vnetSubnetId', cluster.subnetId),
    ...text('vnetGuid', cluster.vnetGuid),
    ...(cluster.kubeletIdentity === undefined
      ? []
      : ([['nodeIdentities', `[${yamlText(cluster.kubeletIdentity.id)}]`]] as const)),
    ...text('kubeletIdentityClientId', cluster.kubeletIdentity?.clientId),
    ...text('sshPublicKey', cluster.sshPublicKey),
    ...(azureCloud === 'AzurePublicCloud' ? [] : text('armCloud', azureCloud)),
  ];
}
