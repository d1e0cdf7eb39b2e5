/** Calls that AWS refuses, each the same on moto and on the simulated AWS: what both answer must be the same error. */
import type { CreateFleetCommandInput, CreateLaunchTemplateCommandInput } from '@aws-sdk/client-ec2';
import { neverAborted } from '@chandler/kube/testing';
import { type AwsCalls, AwsError } from '../../packages/chandler/src/cloud/aws/index.ts';

/** One of the two, with what the calls name. */
export interface Side {
  readonly calls: AwsCalls;
  readonly imageId: string;
  readonly nodeRole: string;
}

/** Code and status of the error, or that there was none. */
export async function refusalOf(side: Side, call: RefusedCall): Promise<string> {
  try {
    await call(side);
    return 'no error';
  } catch (error) {
    if (!(error instanceof AwsError)) throw error;
    return `${error.code} ${error.status}`;
  }
}

export type RefusedCall = (side: Side) => Promise<unknown>;

const UNKNOWN_INSTANCE = 'i-0123456789abcdef0';
const o = { signal: neverAborted() };

export const REFUSED_CALLS: Readonly<Record<string, RefusedCall>> = {
  'TerminateInstances of an unknown instance': ({ calls }) =>
    calls.ec2.terminateInstances({ InstanceIds: [UNKNOWN_INSTANCE] }, o),
  'TerminateInstances of what is no id': ({ calls }) =>
    calls.ec2.terminateInstances({ InstanceIds: ['nonsense'] }, o),
  'RebootInstances of an unknown instance': ({ calls }) =>
    calls.ec2.rebootInstances({ InstanceIds: [UNKNOWN_INSTANCE] }, o),
  'DescribeInstances of an unknown instance': ({ calls }) =>
    calls.ec2.describeInstances({ InstanceIds: [UNKNOWN_INSTANCE] }, o),
  'DescribeInstances by id with a page size': ({ calls }) =>
    calls.ec2.describeInstances({ InstanceIds: [UNKNOWN_INSTANCE], MaxResults: 5 }, o),
  'DescribeInstanceStatus of an unknown instance': ({ calls }) =>
    calls.ec2.describeInstanceStatus({ InstanceIds: [UNKNOWN_INSTANCE] }, o),
  'GetConsoleOutput of an unknown instance': ({ calls }) =>
    calls.ec2.getConsoleOutput({ InstanceId: UNKNOWN_INSTANCE }, o),
  'CreateTags of an unknown instance': ({ calls }) =>
    calls.ec2.createTags({ Resources: [UNKNOWN_INSTANCE], Tags: [{ Key: 'Name', Value: 'n' }] }, o),
  'DescribeSubnets of an unknown subnet': ({ calls }) =>
    calls.ec2.describeSubnets({ SubnetIds: ['subnet-0123456789abcdef0'] }, o),
  'DescribeSecurityGroups of an unknown group': ({ calls }) =>
    calls.ec2.describeSecurityGroups({ GroupIds: ['sg-0123456789abcdef0'] }, o),
  'DescribeImages of an unknown image': ({ calls }) =>
    calls.ec2.describeImages({ ImageIds: ['ami-0123456789abcdef0'] }, o),
  'DescribeImages of what is no id': ({ calls }) => calls.ec2.describeImages({ ImageIds: ['nonsense'] }, o),
  'DescribeInstanceTypes of an unknown type': ({ calls }) =>
    calls.ec2.describeInstanceTypes({ InstanceTypes: ['z9.huge' as never] }, o),
  'DescribeLaunchTemplates of an unknown name': ({ calls }) =>
    calls.ec2.describeLaunchTemplates({ LaunchTemplateNames: ['none'] }, o),
  'DeleteLaunchTemplate of an unknown name': ({ calls }) =>
    calls.ec2.deleteLaunchTemplate({ LaunchTemplateName: 'none' }, o),
  'CreateLaunchTemplate with a name that is taken': async ({ calls, imageId }) => {
    await calls.ec2.createLaunchTemplate(template(imageId), o);
    await calls.ec2.createLaunchTemplate(template(imageId), o);
  },
  'CreateLaunchTemplate as a dry run': ({ calls, imageId }) =>
    calls.ec2.createLaunchTemplate({ ...template(imageId), DryRun: true }, o),
  'CreateFleet from an unknown template': ({ calls }) => calls.ec2.createFleet(fleet('none'), o),
  'CreateFleet as a dry run': async ({ calls, imageId }) => {
    await calls.ec2.createLaunchTemplate(template(imageId, 'for-a-dry-run'), o);
    await calls.ec2.createFleet({ ...fleet('for-a-dry-run'), DryRun: true }, o);
  },
  'DescribeSubnets as a dry run': ({ calls }) => calls.ec2.describeSubnets({ DryRun: true }, o),
  'DescribeInstanceTypes as a dry run': ({ calls }) =>
    calls.ec2.describeInstanceTypes({ InstanceTypes: ['m5.large'], DryRun: true }, o),
  'GetInstanceProfile of an unknown profile': ({ calls }) =>
    calls.iam.getInstanceProfile({ InstanceProfileName: 'none' }, o),
  'DeleteInstanceProfile of an unknown profile': ({ calls }) =>
    calls.iam.deleteInstanceProfile({ InstanceProfileName: 'none' }, o),
  'CreateInstanceProfile with a name that is taken': async ({ calls }) => {
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'taken' }, o);
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'taken' }, o);
  },
  'AddRoleToInstanceProfile of an unknown role': async ({ calls }) => {
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'without-role' }, o);
    await calls.iam.addRoleToInstanceProfile(
      { InstanceProfileName: 'without-role', RoleName: 'no-such-role' },
      o,
    );
  },
  'AddRoleToInstanceProfile of a second role': async ({ calls, nodeRole: RoleName }) => {
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'full' }, o);
    await calls.iam.addRoleToInstanceProfile({ InstanceProfileName: 'full', RoleName }, o);
    await calls.iam.addRoleToInstanceProfile({ InstanceProfileName: 'full', RoleName }, o);
  },
  'DeleteInstanceProfile with a role': async ({ calls, nodeRole: RoleName }) => {
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'in-use' }, o);
    await calls.iam.addRoleToInstanceProfile({ InstanceProfileName: 'in-use', RoleName }, o);
    await calls.iam.deleteInstanceProfile({ InstanceProfileName: 'in-use' }, o);
  },
  'RemoveRoleFromInstanceProfile that does not have it': async ({ calls, nodeRole: RoleName }) => {
    await calls.iam.createInstanceProfile({ InstanceProfileName: 'empty' }, o);
    await calls.iam.removeRoleFromInstanceProfile({ InstanceProfileName: 'empty', RoleName }, o);
  },
  'GetParameter of an unknown name': ({ calls }) => calls.ssm.getParameter({ Name: '/no/such' }, o),
  'DescribeCluster of an unknown name': ({ calls }) => calls.eks.describeCluster({ name: 'none' }, o),
  'GetQueueUrl of an unknown name': ({ calls }) => calls.sqs.getQueueUrl({ QueueName: 'none' }, o),
};

// ---------------------------------------------------------------------------------------------------

function template(ImageId: string, LaunchTemplateName = 'taken'): CreateLaunchTemplateCommandInput {
  return { LaunchTemplateName, LaunchTemplateData: { ImageId } };
}

function fleet(LaunchTemplateName: string): CreateFleetCommandInput {
  return {
    Type: 'instant',
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName, Version: '$Latest' },
        Overrides: [{ InstanceType: 'm5.large' }],
      },
    ],
    TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
  };
}
