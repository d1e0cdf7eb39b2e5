/** The stages of a claim's journey on AWS, in the order in which it passes them. */
export const AWS_STAGES = [
  'nodeClass',
  'instanceTypes',
  'subnets',
  'userData',
  'launchTemplate',
  'fleetRequest',
  'fleetResult',
  'instance',
] as const;

export type AwsStage = (typeof AWS_STAGES)[number];
