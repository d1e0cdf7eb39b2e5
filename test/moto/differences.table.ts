/** Refusals in which moto and the simulated AWS differ, with what AWS documents. A row without a difference fails the suite. */
export interface DifferentRefusal {
  readonly moto: string;
  /** As AWS documents it. */
  readonly simulated: string;
  readonly why: string;
}

/** By name of the call. */
export const DIFFERENT_REFUSALS: Readonly<Record<string, DifferentRefusal>> = {
  'TerminateInstances of what is no id': {
    moto: 'InvalidInstanceID.NotFound 400',
    simulated: 'InvalidInstanceID.Malformed 400',
    why: 'the error codes of EC2 have a code of its own for ids in a wrong form',
  },
  'CreateTags of an unknown instance': {
    moto: 'no error',
    simulated: 'InvalidInstanceID.NotFound 400',
    why: 'the error codes of EC2: the instance does not exist; moto tags what does not exist',
  },
  'DeleteLaunchTemplate of an unknown name': {
    moto: 'MissingParameter 400',
    simulated: 'InvalidLaunchTemplateName.NotFoundException 400',
    why: 'the error codes of EC2: the launch template name does not exist; the parameter is there',
  },
  'DescribeInstanceTypes as a dry run': {
    moto: 'no error',
    simulated: 'DryRunOperation 412',
    why: 'the reference of DescribeInstanceTypes: DryRun answers with an error, also if it is allowed; moto ignores it',
  },
  'RemoveRoleFromInstanceProfile that does not have it': {
    moto: 'BadAnswer 500',
    simulated: 'NoSuchEntity 404',
    why: 'the reference of RemoveRoleFromInstanceProfile: NoSuchEntity, 404; moto fails',
  },
};
