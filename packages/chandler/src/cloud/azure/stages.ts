/** The stages of a claim's journey on Azure, in the order in which it passes them. */
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
