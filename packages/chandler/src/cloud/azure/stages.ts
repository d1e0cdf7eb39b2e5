/** The stages of a claim's journey on Azure, in the order in which it passes them. */
import type { StageFact, StageTrace } from '../../journey/index.ts';
import type { Sourced } from '../../settings/index.ts';

export const AZURE_STAGES = [
  'options',
  'nodeClass',
  'offering',
  'image',
  'bootstrap',
  'launchTemplate',
  'networkInterface',
  'vmObject',
  'vmRequest',
  'vmOperation',
  'vmResult',
  'extension',
] as const;

export type AzureStage = (typeof AZURE_STAGES)[number];

export type AzureStageTrace = StageTrace<AzureStage>;

/** The disk encryption set that a stage carried, and its source. */
export function diskEncryptionFact(set: Sourced<string> | undefined): StageFact {
  return set === undefined ? 'none' : { value: set.value, source: set.source };
}
