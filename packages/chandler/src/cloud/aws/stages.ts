/** The stages of a claim's journey on AWS, in the order in which it passes them. */
import type { StageTrace } from '../../journey/index.ts';

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

export type AwsStageTrace = StageTrace<AwsStage>;
