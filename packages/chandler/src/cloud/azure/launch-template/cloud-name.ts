/** The name of the cloud in the values of nodes: the one that the controller uses, with the option that decided it. */
import type { AzureEnvironment } from '../../../arm/index.ts';
import { hardcoded, type Sourced } from '../../../settings/index.ts';

export interface CloudOptions {
  readonly armCloud: Sourced<string>;
  /** It replaces arm-cloud. */
  readonly azureEnvironmentFilepath?: Sourced<string>;
}

export function nodeCloud(
  { armCloud, azureEnvironmentFilepath: file }: CloudOptions,
  { name }: Pick<AzureEnvironment, 'name'>,
): Sourced<string> {
  if (file !== undefined && file.value !== '') return { ...file, value: name };
  return armCloud.value.trim() === '' ? hardcoded(name) : { ...armCloud, value: name };
}
