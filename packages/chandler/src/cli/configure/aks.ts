/** `chandler configure aks`: identity, federated credential and roles of the controller in Azure. */
import type * as Aks from '../../configure/aks/index.ts';
import { defineVerb } from '../verb.ts';
import { connectAzure } from './azure-connection.ts';
import { CONFIGURE_OPTIONS, required } from './options.ts';
import {
  type ConfigureCall,
  refuseContradictions,
  runConfigure,
  runUndo,
  withPlainErrors,
} from './run-configure.ts';

const OPTIONS = {
  resourceGroup: {
    flag: 'resource-group',
    short: 'g',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Resource group of the AKS cluster',
  },
  name: {
    flag: 'name',
    short: 'n',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the AKS cluster',
  },
  subscription: {
    flag: 'subscription',
    env: 'AZURE_SUBSCRIPTION_ID',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'ID',
    doc: 'Subscription of the AKS cluster',
  },
  identityName: {
    flag: 'identity-name',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the managed identity. Default: chandler-CLUSTER',
  },
  identityResourceGroup: {
    flag: 'identity-resource-group',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Resource group of the managed identity. Default: that of the cluster',
  },
  subnetId: {
    flag: 'subnet-id',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'ID',
    doc: 'Subnet of new nodes. Default: that of the node pools',
  },
  roles: {
    flag: 'roles',
    type: 'string',
    default: 'least-privilege',
    choices: ['least-privilege', 'built-in'],
    doc: 'least-privilege defines custom roles with the actions that the controller uses; built-in assigns roles of Azure, which allow more',
  },
  ...CONFIGURE_OPTIONS,
} as const;

export const aks = defineVerb({
  name: 'aks',
  summary: 'Set up the identity and the roles of the controller for an AKS cluster',
  description:
    'Reads the cluster and prints what the controller needs in Azure: a managed identity, a federated credential for its ServiceAccount,\n' +
    'and roles on the node resource group, the subnet, the identity of kubelets, the cluster and its disk encryption set; what exists,\n' +
    'what is missing, and why each is needed. It changes nothing without --apply.\n' +
    '--write writes values.yaml for the chart, Terraform, Bicep and a script for the Azure CLI. --apply creates what is missing, one\n' +
    'resource after the other, and records it in a journal; run it again after an interruption. --undo removes what the journal\n' +
    'names, whatever the other options are; the cluster need not exist any more.\n' +
    'Uses the credentials of the environment or of the Azure CLI.\n' +
    'Exit codes: 0 planned or done, 1 failed, or --undo left something, 2 usage error, 130 interrupted.',
  positionals: '',
  examples: [
    { command: 'chandler configure aks -g shop -n shop --subscription ID', does: 'show what is missing' },
    {
      command: 'chandler configure aks -g shop -n shop --apply --write out',
      does: 'create it after confirmation, and write the values of the chart',
    },
    { command: 'chandler configure aks -g shop -n shop -o json', does: 'the plan for a program' },
    { command: 'chandler configure aks -g shop -n shop --undo', does: 'remove what was created' },
  ],
  options: OPTIONS,
  whenOutputCloses: ({ apply, undo }) => (apply.value || undo.value ? 'finish' : 'stop'),
  async run(call) {
    const { options, env, interrupted: signal } = call;
    refuseContradictions(options, call.positionals);
    const target = {
      subscriptionId: required(options.subscription.value, '--subscription'),
      resourceGroup: required(options.resourceGroup.value, '--resource-group'),
      clusterName: required(options.name.value, '--name'),
      subnetId: options.subnetId.value,
    };
    const { subscriptionId } = target;
    const world = await call.world();
    const azure = await connectAzure({ world, env, subscriptionId, where: 'Azure' });
    const { aksClusterId, aksFiles, aksRecorded, aksResources, aksSetup, readAksCluster } = await import(
      '../../configure/aks/index.ts'
    );
    const configureCall = call as unknown as ConfigureCall;
    try {
      return await withPlainErrors(async () => {
        const recorded = (id: string) => aksRecorded(id, azure.clients);
        // The cluster may be gone: the journal has all that is needed.
        if (options.undo.value)
          return await runUndo(configureCall, {
            kind: 'aks',
            title: `AKS cluster ${target.clusterName}`,
            clusterName: target.clusterName,
            target: aksClusterId(target),
            recorded,
          });
        const cluster = await readAksCluster(azure.clients, target, signal);
        const setup = aksSetup(cluster, {
          identityName: options.identityName.value,
          identityResourceGroup: options.identityResourceGroup.value,
          namespace: options.namespace.value,
          serviceAccount: options.serviceAccount.value,
          roles: options.roles.value as Aks.RoleChoice,
          azureCloud: azure.environment.name,
        });
        return await runConfigure(configureCall, {
          kind: 'aks',
          title: `AKS cluster ${cluster.name}`,
          clusterName: cluster.name,
          target: cluster.id,
          notes: cluster.notes,
          recorded,
          resources: aksResources(setup, azure.clients),
          files: (facts) => aksFiles(setup, facts),
        });
      });
    } finally {
      await azure.close();
    }
  },
});
