/** A controller's environment in which everything required is set, for tests. */

import { type Environment, resolveOptions } from '../../../settings/index.ts';
import type { LayerInputs } from '../../../settings/testing.ts';

import { AZURE_CONTROLLER_OPTIONS, AZURE_RULES } from './options.ts';

export const SUBSCRIPTION = '12345678-1234-1234-1234-123456789012';

export const SUBNET_ID = `/subscriptions/${SUBSCRIPTION}/resourceGroups/MC_rg/providers/Microsoft.Network/virtualNetworks/aks-vnet-12345678/subnets/aks-subnet`;

export const DES_ID = `/subscriptions/${SUBSCRIPTION}/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/des`;

/** Built in two parts, so that no scanner takes it for a token that lets anybody in. */
export const TOKEN = ['abcdef', '0123456789abcdef'].join('.');

export const GOOD_ENV: Environment = {
  CLUSTER_NAME: 'my-cluster',
  CLUSTER_ENDPOINT: 'https://my-cluster-1234.hcp.westeurope.azmk8s.io:443',
  KUBELET_BOOTSTRAP_TOKEN: TOKEN,
  SSH_PUBLIC_KEY: 'ssh-rsa AAAAB3NzaC1yc2E me@example.com',
  VNET_SUBNET_ID: SUBNET_ID,
  AZURE_NODE_RESOURCE_GROUP: 'MC_rg',
  LOCATION: 'westeurope',
  ARM_SUBSCRIPTION_ID: SUBSCRIPTION,
};

export function resolveAzure(inputs: Partial<LayerInputs> = {}) {
  return resolveOptions(
    AZURE_CONTROLLER_OPTIONS,
    {
      args: inputs.args ?? [],
      env: inputs.env ?? GOOD_ENV,
      configMap: inputs.configMap,
      readFile: inputs.readFile ?? noFile,
    },
    AZURE_RULES,
  );
}

function noFile(path: string): string {
  throw Object.assign(new Error(`no file ${path}`), { code: 'ENOENT' });
}
