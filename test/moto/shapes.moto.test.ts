/**
 * Answers of moto and of the simulated AWS, read by the same client after the same launch: a field that both have is of the same type,
 * and those that the product reads are there.
 */
import { neverAborted } from '@chandler/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AwsCalls } from '../../packages/chandler/src/cloud/aws/index.ts';
import { type AwsCloudFixture, aClaim, awsCloud, callsOf, settleOne } from '../aws/aws-cloud.fixture.ts';
import { CLUSTER } from './account.ts';
import { type MotoCloud, motoCloud } from './moto.fixture.ts';

interface Side {
  readonly calls: AwsCalls;
  readonly clusterName: string;
  readonly profile: string;
  readonly imageId: string;
  readonly subnetIds: string[];
  readonly groupIds: string[];
}

interface Answer {
  readonly call: (side: Side) => Promise<unknown>;
  /** What the product reads, and both must have. */
  readonly fields: readonly string[];
}

let moto: MotoCloud;
let simulated: AwsCloudFixture;
let sides: readonly [moto: Side, simulated: Side];

beforeAll(async () => {
  moto = await motoCloud();
  simulated = await awsCloud();
  const nodeClass = simulated.nodeClass();
  await settleOne(moto.world, moto.cloud, aClaim('a'), moto.nodeClass);
  await settleOne(simulated, simulated.cloud, aClaim('a'), nodeClass);
  const side = (calls: AwsCalls, clusterName: string, { status }: typeof nodeClass): Side => ({
    calls,
    clusterName,
    profile: status!.instanceProfile!,
    imageId: status!.amis![0]!.id,
    subnetIds: status!.subnets!.map(({ id }) => id),
    groupIds: status!.securityGroups!.map(({ id }) => id),
  });
  const { aws, server } = simulated;
  sides = [
    side(moto.calls, CLUSTER, moto.nodeClass),
    side(callsOf(aws, server.fetch), server.settings.clusterName, nodeClass),
  ];
});

afterAll(async () => {
  moto?.close();
  await simulated?.close();
});

const o = { signal: neverAborted() };

const ANSWERS: Readonly<Record<string, Answer>> = {
  DescribeSubnets: {
    call: ({ calls, subnetIds: SubnetIds }) => calls.ec2.describeSubnets({ SubnetIds }, o),
    fields: ['SubnetId', 'AvailabilityZone', 'AvailabilityZoneId', 'VpcId', 'AvailableIpAddressCount'].map(
      (name) => `Subnets[].${name}`,
    ),
  },
  DescribeSecurityGroups: {
    call: ({ calls, groupIds: GroupIds }) => calls.ec2.describeSecurityGroups({ GroupIds }, o),
    fields: ['GroupId', 'GroupName', 'VpcId'].map((name) => `SecurityGroups[].${name}`),
  },
  DescribeImages: {
    call: ({ calls, imageId }) => calls.ec2.describeImages({ ImageIds: [imageId] }, o),
    fields: ['ImageId', 'Name', 'Architecture', 'CreationDate'].map((name) => `Images[].${name}`),
  },
  DescribeInstanceTypes: {
    call: ({ calls }) => calls.ec2.describeInstanceTypes({ InstanceTypes: ['m5.large'] }, o),
    fields: [
      'InstanceType',
      'BareMetal',
      'Hypervisor',
      'MemoryInfo.SizeInMiB',
      'VCpuInfo.DefaultVCpus',
      'NetworkInfo.MaximumNetworkInterfaces',
      'NetworkInfo.Ipv4AddressesPerInterface',
      'ProcessorInfo.SupportedArchitectures[]',
      'SupportedUsageClasses[]',
    ].map((name) => `InstanceTypes[].${name}`),
  },
  DescribeInstanceTypeOfferings: {
    call: ({ calls }) => calls.ec2.describeInstanceTypeOfferings({ LocationType: 'availability-zone' }, o),
    fields: ['InstanceType', 'Location'].map((name) => `InstanceTypeOfferings[].${name}`),
  },
  DescribeInstances: {
    call: ({ calls }) => calls.ec2.describeInstances({}, o),
    fields: [
      'InstanceId',
      'InstanceType',
      'ImageId',
      'SubnetId',
      'LaunchTime',
      'PrivateDnsName',
      'Placement.AvailabilityZone',
      'Placement.Tenancy',
      'State.Name',
      'Tags[].Key',
      'Tags[].Value',
    ].map((name) => `Reservations[].Instances[].${name}`),
  },
  DescribeInstanceStatus: {
    call: ({ calls }) => calls.ec2.describeInstanceStatus({ IncludeAllInstances: true }, o),
    fields: ['InstanceId', 'InstanceStatus.Status', 'SystemStatus.Status'].map(
      (name) => `InstanceStatuses[].${name}`,
    ),
  },
  DescribeLaunchTemplates: {
    call: ({ calls }) => calls.ec2.describeLaunchTemplates({}, o),
    fields: ['LaunchTemplateName', 'LaunchTemplateId'].map((name) => `LaunchTemplates[].${name}`),
  },
  DescribeSpotPriceHistory: {
    call: ({ calls }) =>
      calls.ec2.describeSpotPriceHistory(
        { InstanceTypes: ['m5.large'], ProductDescriptions: ['Linux/UNIX'] },
        o,
      ),
    fields: ['InstanceType', 'AvailabilityZone', 'SpotPrice', 'Timestamp'].map(
      (name) => `SpotPriceHistory[].${name}`,
    ),
  },
  GetInstanceProfile: {
    call: ({ calls, profile: InstanceProfileName }) =>
      calls.iam.getInstanceProfile({ InstanceProfileName }, o),
    fields: ['InstanceProfileName', 'Arn', 'Path', 'Roles[].RoleName'].map(
      (name) => `InstanceProfile.${name}`,
    ),
  },
  ListInstanceProfiles: {
    call: ({ calls }) => calls.iam.listInstanceProfiles({}, o),
    fields: ['InstanceProfileName', 'Arn', 'Path'].map((name) => `InstanceProfiles[].${name}`),
  },
  DescribeCluster: {
    call: ({ calls, clusterName: name }) => calls.eks.describeCluster({ name }, o),
    fields: [
      'name',
      'status',
      'endpoint',
      'version',
      'certificateAuthority.data',
      'kubernetesNetworkConfig.serviceIpv4Cidr',
    ].map((name) => `cluster.${name}`),
  },
  GetCallerIdentity: {
    call: ({ calls }) => calls.sts.getCallerIdentity({}, o),
    fields: ['Account', 'Arn', 'UserId'],
  },
  CreateFleet: {
    async call({ calls, subnetIds: [SubnetId] }) {
      const { LaunchTemplates } = await calls.ec2.describeLaunchTemplates({}, o);
      const { LaunchTemplateName } = LaunchTemplates![0]!;
      return calls.ec2.createFleet(
        {
          Type: 'instant',
          LaunchTemplateConfigs: [
            {
              LaunchTemplateSpecification: { LaunchTemplateName, Version: '$Latest' },
              Overrides: [{ InstanceType: 'm5.large', SubnetId }],
            },
          ],
          TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
        },
        o,
      );
    },
    fields: [
      'InstanceIds[]',
      'InstanceType',
      'Lifecycle',
      'LaunchTemplateAndOverrides.LaunchTemplateSpecification.LaunchTemplateId',
      'LaunchTemplateAndOverrides.LaunchTemplateSpecification.Version',
      'LaunchTemplateAndOverrides.Overrides.InstanceType',
      'LaunchTemplateAndOverrides.Overrides.SubnetId',
    ].map((name) => `Instances[].${name}`),
  },
  TerminateInstances: {
    async call({ calls }) {
      const { Reservations } = await calls.ec2.describeInstances({}, o);
      const ids = Reservations!.flatMap(({ Instances = [] }) =>
        Instances.map(({ InstanceId }) => InstanceId!),
      );
      return calls.ec2.terminateInstances({ InstanceIds: ids }, o);
    },
    fields: ['InstanceId', 'CurrentState.Name', 'PreviousState.Name'].map(
      (name) => `TerminatingInstances[].${name}`,
    ),
  },
};

test.each(Object.entries(ANSWERS))('%s', async (_, { call, fields }) => {
  // So that our own call rates never hold back.
  await Promise.all([moto, simulated].map(({ world }) => world.clock.advance(60_000)));
  const [theirs, ours] = await Promise.all(sides.map(async (side) => typesOf(await call(side))));
  for (const field of fields) {
    expect(theirs!.has(field), `moto has no ${field}`).toBe(true);
    expect(ours!.has(field), `the simulated AWS has no ${field}`).toBe(true);
  }
  const shared = [...theirs!.keys()].filter((path) => ours!.has(path));
  const pick = (types: ReadonlyMap<string, string>) => shared.map((path) => `${path}: ${types.get(path)}`);
  expect(pick(ours!)).toEqual(pick(theirs!));
});

// ---------------------------------------------------------------------------------------------------

/** The type of each value, by its path: `Subnets[].SubnetId`. Items of a list count as one. */
function typesOf(value: unknown, path = '', types = new Map<string, string>()): Map<string, string> {
  if (value === undefined || value === null) return types;
  if (Array.isArray(value)) for (const item of value) typesOf(item, `${path}[]`, types);
  else if (value instanceof Date) types.set(path, 'Date');
  else if (typeof value === 'object')
    for (const [name, member] of Object.entries(value))
      typesOf(member, path === '' ? name : `${path}.${name}`, types);
  else types.set(path, typeof value);
  return types;
}
