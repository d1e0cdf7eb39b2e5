/** All options of a controller on Azure, and what must hold between them. */

import { CORE_OPTIONS, LAUNCH_LIMITS, type OptionRule, type OptionValues } from '../../../settings/index.ts';

import { AZURE_OWN_OPTIONS } from './own-options.ts';
import { AZURE_UPSTREAM_OPTIONS } from './upstream-options.ts';

export const AZURE_OPTIONS = { ...AZURE_UPSTREAM_OPTIONS, ...AZURE_OWN_OPTIONS };

export type AzureOptionValues = OptionValues<typeof AZURE_OPTIONS>;

export const AZURE_CONTROLLER_OPTIONS = { ...CORE_OPTIONS, ...LAUNCH_LIMITS, ...AZURE_OPTIONS };

export type AzureControllerValues = OptionValues<typeof AZURE_CONTROLLER_OPTIONS>;

export const AZURE_RULES: readonly OptionRule[] = [
  {
    options: ['provisionMode'],
    problem: ({ provisionMode }) =>
      provisionMode === 'aksmachineapi' || provisionMode === 'aksmachineapiheaderbatch'
        ? `${provisionMode} has AKS make the machines, which is not done here; use aksscriptless or ` +
          'bootstrappingclient. Nodes that were made so are left alone'
        : undefined,
  },
  {
    options: ['manageExistingAksMachines'],
    problem: ({ manageExistingAksMachines }) =>
      manageExistingAksMachines === true
        ? 'machines of the machine API are not managed here: they are left alone, and this must be false'
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
        ? 'excludes arm-cloud: set one of them'
        : undefined,
  },
  {
    options: ['providerBatchMaxDuration', 'providerBatchIdleDuration'],
    problem: ({ providerBatchIdleDuration: idle, providerBatchMaxDuration: longest }) =>
      (longest as number) < (idle as number) ? 'must not be below provider-batch-idle-duration' : undefined,
  },
];
