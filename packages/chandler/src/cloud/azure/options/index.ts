/** Azure's options, without anything that reads them: help and completion load these and no SDK. */
import type { CloudOptions } from '../../index.ts';
import { AZURE_OPTIONS, AZURE_RULES, type AzureControllerValues } from './options.ts';

export const azureOptions: CloudOptions = {
  title: 'Azure',
  table: AZURE_OPTIONS,
  rules: AZURE_RULES,
  ownGroups: ['Azure: values that are detected when not set', 'Azure: behaviour', 'Azure: calls to ARM'],
  caFile: (values) => ({
    path: (values as unknown as AzureControllerValues).armCaFile.value,
    flag: AZURE_OPTIONS.armCaFile.flag,
  }),
};

export { AZURE_CONTROLLER_OPTIONS, AZURE_OPTIONS, AZURE_RULES } from './options.ts';
