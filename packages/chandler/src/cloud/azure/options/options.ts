/** All options of a controller on Azure, and the rules between them. */

import { OPERATOR_OPTIONS, type OptionRule, type OptionValues } from '../../../settings/index.ts';

import { AZURE_OWN_OPTIONS } from './own-options.ts';
import { AZURE_UPSTREAM_OPTIONS } from './upstream-options.ts';

export const AZURE_OPTIONS = { ...AZURE_UPSTREAM_OPTIONS, ...AZURE_OWN_OPTIONS };

export const AZURE_CONTROLLER_OPTIONS = { ...OPERATOR_OPTIONS, ...AZURE_OPTIONS };

export type AzureControllerValues = OptionValues<typeof AZURE_CONTROLLER_OPTIONS>;

export const AZURE_RULES: readonly OptionRule[] = [
  {
    options: ['provisionMode'],
    problem: ({ provisionMode }) =>
      provisionMode === 'aksmachineapi' || provisionMode === 'aksmachineapiheaderbatch'
        ? `${provisionMode} is not supported; use aksscriptless or bootstrappingclient. ` +
          'Existing nodes of the AKS machine API are not managed'
        : undefined,
  },
  {
    options: ['manageExistingAksMachines'],
    problem: ({ manageExistingAksMachines }) =>
      manageExistingAksMachines === true
        ? 'nodes of the AKS machine API are not managed; set it to false'
        : undefined,
  },
  {
    options: ['networkPluginMode', 'networkPlugin'],
    problem: ({ networkPlugin, networkPluginMode }) =>
      networkPlugin === 'none' && networkPluginMode !== ''
        ? 'must be empty when network-plugin is none'
        : undefined,
  },
  {
    options: ['azureEnvironmentFilepath', 'armCloud'],
    problem: ({ azureEnvironmentFilepath, armCloud }, isSet) =>
      azureEnvironmentFilepath !== '' && armCloud !== '' && isSet('armCloud')
        ? 'cannot be used together with arm-cloud; set only one of them'
        : undefined,
  },
  {
    options: ['azureClientSecret', 'azureFederatedTokenFile'],
    problem: ({ azureClientSecret, azureFederatedTokenFile }) =>
      azureClientSecret !== '' && azureFederatedTokenFile !== ''
        ? 'azure-client-secret and azure-federated-token-file (workload identity) are two identities; set only one of them'
        : undefined,
  },
  {
    options: ['providerBatchMaxDuration', 'providerBatchIdleDuration'],
    problem: ({ providerBatchIdleDuration: idle, providerBatchMaxDuration: longest }) =>
      (longest as number) < (idle as number) ? 'must be at least provider-batch-idle-duration' : undefined,
  },
];
