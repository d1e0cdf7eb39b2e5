/** EC2 through its official client, over HTTP. */
import {
  CreateFleetCommand,
  type CreateFleetRequest,
  CreateLaunchTemplateCommand,
  type CreateLaunchTemplateRequest,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeAvailabilityZonesCommand,
  DescribeImagesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  DescribeVpcsCommand,
  GetConsoleOutputCommand,
  paginateDescribeInstanceTypes,
  paginateDescribeSpotPriceHistory,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fleetParams, templateParams } from './aws.fixture.ts';
import { refusal, type SdkAws, sdkAws } from './sdk.fixture.ts';
import { NODE_GROUP_ID, subnetIdOf } from './store/furnish.ts';

let aws: SdkAws;

beforeEach(async () => {
  aws = await sdkAws();
});

afterEach(() => aws.close());

const template = (change = {}) => templateParams(aws.server, change) as CreateLaunchTemplateRequest;
const fleet = (options = {}) => fleetParams(aws.server, options) as CreateFleetRequest;

test('instance types come in pages of at most 100, with filters', async () => {
  const names: string[] = [];
  const input = {
    Filters: [
      { Name: 'supported-virtualization-type', Values: ['hvm'] },
      { Name: 'processor-info.supported-architecture', Values: ['arm64'] },
    ],
  };
  for await (const page of paginateDescribeInstanceTypes({ client: aws.ec2, pageSize: 5 }, input)) {
    expect(page.InstanceTypes!.length).toBeLessThanOrEqual(5);
    names.push(...page.InstanceTypes!.map(({ InstanceType }) => InstanceType!));
  }
  expect(names).toContain('m6g.xlarge');
  expect(names).not.toContain('m5.large');
  expect(new Set(names).size).toBe(names.length);
  const { InstanceTypes } = await aws.ec2.send(
    new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.large'] }),
  );
  expect(InstanceTypes![0]).toMatchObject({
    VCpuInfo: { DefaultVCpus: 2 },
    MemoryInfo: { SizeInMiB: 8192 },
    NetworkInfo: { MaximumNetworkInterfaces: 3, Ipv4AddressesPerInterface: 10 },
    BareMetal: false,
  });
});

test('pages outside of the limits, tokens of other calls and unknown filters are rejected', async () => {
  expect(await refusal(aws.ec2.send(new DescribeInstanceTypesCommand({ MaxResults: 101 })))).toEqual({
    name: 'InvalidParameterValue',
    message: 'Value ( 101 ) for parameter maxResults is invalid. Expecting a value between 5 and 100.',
  });
  const { NextToken } = await aws.ec2.send(new DescribeInstanceTypesCommand({ MaxResults: 5 }));
  expect((await refusal(aws.ec2.send(new DescribeSubnetsCommand({ NextToken })))).name).toBe(
    'InvalidNextToken',
  );
  const filter = { Filters: [{ Name: 'colour', Values: ['red'] }] };
  expect((await refusal(aws.ec2.send(new DescribeSubnetsCommand(filter)))).message).toContain("'colour'");
  const both = { InstanceIds: ['i-0123456789abcdef0'], MaxResults: 5 };
  expect((await refusal(aws.ec2.send(new DescribeInstancesCommand(both)))).name).toBe(
    'InvalidParameterCombination',
  );
});

test('the network of the cluster is found by tags with wildcards', async () => {
  const Filters = [{ Name: 'tag:karpenter.sh/discovery', Values: ['play*'] }];
  const { Subnets } = await aws.ec2.send(new DescribeSubnetsCommand({ Filters }));
  expect(
    Subnets!.map(({ AvailabilityZone, AvailabilityZoneId }) => [AvailabilityZone, AvailabilityZoneId]),
  ).toEqual([
    ['us-west-2a', 'usw2-az2'],
    ['us-west-2b', 'usw2-az1'],
    ['us-west-2c', 'usw2-az3'],
  ]);
  expect(Subnets![0]!.AvailableIpAddressCount).toBe(2 ** 13 - 5);
  const { SecurityGroups } = await aws.ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  expect(SecurityGroups!.map(({ GroupName }) => GroupName)).toEqual(['eks-cluster-sg-playground-1234567890']);
  const { Vpcs } = await aws.ec2.send(new DescribeVpcsCommand({}));
  expect(Vpcs).toHaveLength(1);
  const { AvailabilityZones } = await aws.ec2.send(new DescribeAvailabilityZonesCommand({}));
  expect(AvailabilityZones!.map(({ ZoneName }) => ZoneName)).toEqual([
    'us-west-2a',
    'us-west-2b',
    'us-west-2c',
  ]);
});

test('offerings and spot prices are by zone', async () => {
  const { InstanceTypeOfferings } = await aws.ec2.send(
    new DescribeInstanceTypeOfferingsCommand({
      LocationType: 'availability-zone',
      Filters: [{ Name: 'instance-type', Values: ['m5.large'] }],
    }),
  );
  expect(InstanceTypeOfferings!.map(({ Location }) => Location)).toEqual([
    'us-west-2a',
    'us-west-2b',
    'us-west-2c',
  ]);
  const prices: (string | undefined)[] = [];
  const input = { InstanceTypes: ['m5.large' as const], ProductDescriptions: ['Linux/UNIX'] };
  for await (const page of paginateDescribeSpotPriceHistory({ client: aws.ec2, pageSize: 2 }, input))
    prices.push(...page.SpotPriceHistory!.map(({ SpotPrice }) => SpotPrice));
  expect(prices).toHaveLength(3);
  for (const price of prices) expect(Number(price)).toBeGreaterThan(0);
  const { SpotPriceHistory } = await aws.ec2.send(new DescribeSpotPriceHistoryCommand({ MaxResults: 1 }));
  expect(SpotPriceHistory![0]!.Timestamp).toBeInstanceOf(Date);
});

test('a fleet launches from a template, and the instance has what both say', async () => {
  await aws.ec2.send(
    new CreateLaunchTemplateCommand(template({ UserData: Buffer.from('#!/bin/sh').toString('base64') })),
  );
  const answer = await aws.ec2.send(
    new CreateFleetCommand(fleet({ zones: [0, 1], types: ['m5.large', 'c5.large'] })),
  );
  expect(answer.Errors).toEqual([]);
  const [{ InstanceIds, InstanceType, Lifecycle, LaunchTemplateAndOverrides } = {}] = answer.Instances!;
  expect({ InstanceType, Lifecycle }).toEqual({ InstanceType: 'c5.large', Lifecycle: 'on-demand' });
  expect(LaunchTemplateAndOverrides!.LaunchTemplateSpecification).toMatchObject({ Version: '1' });
  const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ InstanceIds }));
  const instance = Reservations![0]!.Instances![0]!;
  expect(instance).toMatchObject({
    InstanceType: 'c5.large',
    SubnetId: subnetIdOf(0),
    Placement: { AvailabilityZone: 'us-west-2a', Tenancy: 'default' },
    MetadataOptions: { HttpTokens: 'required', HttpPutResponseHopLimit: 1 },
    SecurityGroups: [{ GroupId: NODE_GROUP_ID }],
    Architecture: 'x86_64',
  });
  expect(instance.PrivateDnsName).toMatch(/^ip-10-0-\d+-\d+\.us-west-2\.compute\.internal$/);
  const tags = new Map(instance.Tags!.map(({ Key, Value }) => [Key, Value]));
  expect(tags.get('karpenter.sh/nodepool')).toBe('default');
  expect(tags.get('aws:ec2:fleet-id')).toBe(answer.FleetId);
});

test('the same client token gives the same fleet, with other parameters it is refused', async () => {
  await aws.ec2.send(new CreateLaunchTemplateCommand(template()));
  const first = await aws.ec2.send(new CreateFleetCommand(fleet({ token: 'claim-1' })));
  const second = await aws.ec2.send(new CreateFleetCommand(fleet({ token: 'claim-1' })));
  expect(second.Instances).toEqual(first.Instances);
  expect(second.FleetId).toBe(first.FleetId);
  expect(aws.server.instances.list()).toHaveLength(1);
  const other = refusal(
    aws.ec2.send(new CreateFleetCommand(fleet({ token: 'claim-1', types: ['c5.large'] }))),
  );
  expect((await other).name).toBe('IdempotentParameterMismatch');
});

test('a launch template is created once by name, and deleted', async () => {
  const { LaunchTemplate } = await aws.ec2.send(new CreateLaunchTemplateCommand(template()));
  expect((await refusal(aws.ec2.send(new CreateLaunchTemplateCommand(template())))).name).toBe(
    'InvalidLaunchTemplateName.AlreadyExistsException',
  );
  const Filters = [{ Name: 'tag:eks:eks-cluster-name', Values: ['playground'] }];
  const { LaunchTemplates } = await aws.ec2.send(new DescribeLaunchTemplatesCommand({ Filters }));
  expect(LaunchTemplates!.map(({ LaunchTemplateId }) => LaunchTemplateId)).toEqual([
    LaunchTemplate!.LaunchTemplateId,
  ]);
  const versions = await aws.ec2.send(
    new DescribeLaunchTemplateVersionsCommand({
      LaunchTemplateName: 'karpenter.k8s.aws/1',
      Versions: ['$Latest'],
    }),
  );
  expect(versions.LaunchTemplateVersions![0]!.LaunchTemplateData).toMatchObject({
    MetadataOptions: { HttpTokens: 'required' },
  });
  await aws.ec2.send(new DeleteLaunchTemplateCommand({ LaunchTemplateName: 'karpenter.k8s.aws/1' }));
  const missing = refusal(
    aws.ec2.send(new DescribeLaunchTemplatesCommand({ LaunchTemplateNames: ['karpenter.k8s.aws/1'] })),
  );
  expect((await missing).name).toBe('InvalidLaunchTemplateName.NotFoundException');
  expect((await refusal(aws.ec2.send(new CreateFleetCommand(fleet())))).name).toBe(
    'InvalidLaunchTemplateName.NotFoundException',
  );
});

test('dry runs check everything and launch nothing', async () => {
  await aws.ec2.send(new CreateLaunchTemplateCommand(template()));
  const run = {
    DryRun: true,
    MinCount: 1,
    MaxCount: 1,
    InstanceType: 'm5.large' as const,
    LaunchTemplate: { LaunchTemplateName: 'karpenter.k8s.aws/1', Version: '$Latest' },
    NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnetIdOf(0) }],
  };
  expect(await refusal(aws.ec2.send(new RunInstancesCommand(run)))).toEqual({
    name: 'DryRunOperation',
    message: 'Request would have succeeded, but DryRun flag is set.',
  });
  expect((await refusal(aws.ec2.send(new CreateFleetCommand({ ...fleet(), DryRun: true })))).name).toBe(
    'DryRunOperation',
  );
  const arm = { ...run, InstanceType: 'm6g.large' as const };
  expect((await refusal(aws.ec2.send(new RunInstancesCommand(arm)))).message).toContain(
    "architecture 'x86_64'",
  );
  expect(aws.server.instances.list()).toEqual([]);
});

test('an instance is tagged, checked, read and terminated', async () => {
  await aws.ec2.send(new CreateLaunchTemplateCommand(template()));
  const { Instances } = await aws.ec2.send(new CreateFleetCommand(fleet({ capacity: 'spot' })));
  const [id] = Instances![0]!.InstanceIds!;
  await aws.ec2.send(new CreateTagsCommand({ Resources: [id!], Tags: [{ Key: 'Name', Value: 'node-1' }] }));
  const Filters = [{ Name: 'tag:Name', Values: ['node-1'] }];
  const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ Filters }));
  expect(Reservations![0]!.Instances![0]).toMatchObject({ InstanceId: id, InstanceLifecycle: 'spot' });
  const { InstanceStatuses } = await aws.ec2.send(
    new DescribeInstanceStatusCommand({ IncludeAllInstances: true }),
  );
  expect(InstanceStatuses!.map(({ InstanceId }) => InstanceId)).toEqual([id]);
  const console = await aws.ec2.send(new GetConsoleOutputCommand({ InstanceId: id!, Latest: true }));
  expect(console.InstanceId).toBe(id);
  const { TerminatingInstances } = await aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id!] }));
  expect(TerminatingInstances![0]!.CurrentState!.Name).toBe('shutting-down');
  expect(aws.server.account.subnets.get(subnetIdOf(0))!.free).toBeGreaterThan(0);
});

test('ids that do not exist and ids that are none have different codes', async () => {
  const unknown = aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: ['i-0123456789abcdef0'] }));
  expect(await refusal(unknown)).toEqual({
    name: 'InvalidInstanceID.NotFound',
    message: "The instance ID 'i-0123456789abcdef0' does not exist",
  });
  const malformed = aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: ['node-1'] }));
  expect((await refusal(malformed)).name).toBe('InvalidInstanceID.Malformed');
});

test('images are selected by owner, name and id', async () => {
  const { Images } = await aws.ec2.send(
    new DescribeImagesCommand({
      Owners: ['amazon'],
      IncludeDeprecated: true,
      MaxResults: 1000,
      Filters: [
        { Name: 'name', Values: ['amazon-eks-node-al2023-arm64-standard-1.36-*'] },
        { Name: 'state', Values: ['available'] },
      ],
    }),
  );
  expect(Images).toHaveLength(2);
  expect(Images!.every(({ Architecture }) => Architecture === 'arm64')).toBe(true);
  expect(
    (await refusal(aws.ec2.send(new DescribeImagesCommand({ ImageIds: ['ami-0123456789abcdef0'] })))).name,
  ).toBe('InvalidAMIID.NotFound');
});

test('user data of more than 16384 bytes is refused', async () => {
  const UserData = Buffer.from('x'.repeat(16_385)).toString('base64');
  expect(await refusal(aws.ec2.send(new CreateLaunchTemplateCommand(template({ UserData }))))).toEqual({
    name: 'InvalidUserData.Malformed',
    message: 'User data is limited to 16384 bytes',
  });
});
