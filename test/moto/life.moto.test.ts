/** What the product reads from moto and leaves there: node class, instance types, instance, queue, and nothing in the end. */
import {
  DescribeInstanceAttributeCommand,
  DescribeLaunchTemplatesCommand,
  DescribeLaunchTemplateVersionsCommand,
} from '@aws-sdk/client-ec2';
import { ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseMessage, QueueReader } from '../../packages/chandler/src/cloud/aws/index.ts';
import { isCloudError } from '../../packages/chandler/src/cloud/index.ts';
import { aClaim, removeClaim, settleOne } from '../aws/aws-cloud.fixture.ts';
import { CLUSTER, NODE_ROLE, QUEUE, REGION, ZONES } from './account.ts';
import { MOTO_IMAGES } from './images.table.ts';
import { type MotoCloud, motoCloud } from './moto.fixture.ts';

let moto: MotoCloud;
beforeEach(async () => {
  moto = await motoCloud();
});
afterEach(() => moto.close());

const SPOT = {
  requirements: [
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] },
  ],
};

test('an EC2NodeClass becomes ready: subnets, security groups, images of SSM parameters, and a profile for its role', async () => {
  const { nodeClass, account, calls } = moto;
  const { subnets = [], securityGroups, amis = [], instanceProfile = '' } = nodeClass.status!;
  expect(new Map(subnets.map(({ id, zone }) => [id, zone]))).toEqual(
    new Map(account.subnetIds.map((id, index) => [id, ZONES[index]!])),
  );
  for (const { zoneID } of subnets) expect(zoneID).toMatch(/^usw2-az\d$/);
  expect(securityGroups).toEqual([{ id: account.securityGroupId, name: 'nodes' }]);
  expect(amis.map(({ id }) => id).sort()).toEqual(MOTO_IMAGES.map(({ ami_id: id }) => id).sort());
  const { InstanceProfile } = await calls.iam.getInstanceProfile(
    { InstanceProfileName: instanceProfile },
    { signal: neverAborted() },
  );
  expect(InstanceProfile!.Roles!.map(({ RoleName }) => RoleName)).toEqual([NODE_ROLE]);
  expect(Object.fromEntries(InstanceProfile!.Tags!.map(({ Key, Value }) => [Key, Value]))).toMatchObject({
    [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
    'eks:eks-cluster-name': CLUSTER,
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'topology.kubernetes.io/region': REGION,
  });
});

test('instance types have the size that EC2 describes, and an offering in every zone of a subnet', async () => {
  const types = await moto.cloud.instanceTypes({ nodeClass: moto.nodeClass }, neverAborted());
  expect(types.length).toBeGreaterThan(500);
  const large = types.find(({ name }) => name === 'm5.large')!;
  expect(large.capacity).toMatchObject({ cpu: '2', pods: '29' });
  const sold = large.offerings.filter(({ available }) => available);
  const zones = sold.flatMap(({ requirements }) =>
    requirements.filter(({ key }) => key === 'topology.kubernetes.io/zone').flatMap(({ values }) => values),
  );
  expect([...new Set(zones)].sort()).toEqual(ZONES);
});

test('an instance has the image, the subnet, the tags and the user data of its launch', async () => {
  const { world, cloud, nodeClass, account } = moto;
  const claim = aClaim('a');
  const { instance } = await settleOne(world, cloud, claim, nodeClass);
  const [found] = await moto.running();
  expect(found).toMatchObject({
    InstanceId: instance.name,
    InstanceType: instance.instanceType,
    ImageId: MOTO_IMAGES[0]!.ami_id,
    SubnetId: account.subnetIds[ZONES.indexOf(instance.zone)],
  });
  expect(Object.fromEntries(found!.Tags!.map(({ Key, Value }) => [Key, Value]))).toMatchObject({
    Name: found!.PrivateDnsName,
    'karpenter.sh/nodeclaim': 'a',
    'karpenter.sh/nodepool': 'general',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'eks:eks-cluster-name': CLUSTER,
    [`kubernetes.io/cluster/${CLUSTER}`]: 'owned',
  });
  const { UserData } = await account.clients.ec2.send(
    new DescribeInstanceAttributeCommand({ InstanceId: instance.name, Attribute: 'userData' }),
  );
  const text = Buffer.from(UserData!.Value!, 'base64').toString();
  expect(text).toContain('apiVersion: "node.eks.aws/v1alpha1"');
  expect(text).toContain(`name: "${CLUSTER}"`);
});

test('the launch template has what CreateFleet of moto does not apply: profile, security groups, metadata options, disks', async () => {
  const { world, cloud, nodeClass, account } = moto;
  await settleOne(world, cloud, aClaim('a'), nodeClass);
  const { LaunchTemplateVersions = [] } = await account.clients.ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ Versions: ['$Latest'] }),
  );
  expect(LaunchTemplateVersions.length).toBeGreaterThan(0);
  for (const { LaunchTemplateData } of LaunchTemplateVersions) {
    expect(LaunchTemplateData).toMatchObject({
      IamInstanceProfile: { Name: nodeClass.status!.instanceProfile },
      MetadataOptions: { HttpTokens: 'required' },
    });
    const groups = LaunchTemplateData!.NetworkInterfaces?.flatMap(({ Groups = [] }) => Groups);
    expect(groups ?? LaunchTemplateData!.SecurityGroupIds).toEqual([account.securityGroupId]);
    expect(LaunchTemplateData!.BlockDeviceMappings).toMatchObject([
      { DeviceName: '/dev/xvda', Ebs: { Encrypted: true, VolumeType: 'gp3' } },
    ]);
  }
});

test('a spot instance is listed as one', async () => {
  const { world, cloud, nodeClass } = moto;
  const { instance } = await settleOne(world, cloud, aClaim('a', { spec: SPOT }), nodeClass);
  expect(instance.capacityType).toBe('spot');
  const listed = await moto.startProcess().list(neverAborted());
  expect(listed.map(({ name, capacityType }) => [name, capacityType])).toEqual([[instance.name, 'spot']]);
});

test('an interruption is received from the queue, understood and deleted', async () => {
  const { account, calls } = moto;
  const id = 'i-0123456789abcdef0';
  const event = {
    version: '0',
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    time: '2026-11-17T00:00:00Z',
    detail: { 'instance-id': id, 'instance-action': 'terminate' },
  };
  const { queueUrl: QueueUrl, clients } = account;
  await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(event) }));
  const queue = new QueueReader({ sqs: calls.sqs, queueName: QUEUE, place: () => REGION });
  const [message] = await queue.receive(neverAborted());
  expect(message).toMatchObject({ receives: 1, sentAtMs: expect.any(Number) });
  expect(parseMessage(message!.body)).toMatchObject({
    is: 'interruption',
    interruption: { kind: 'spot_interrupted', instanceIds: [id] },
  });
  await queue.delete(message!, neverAborted());
  const other = new QueueReader({ sqs: calls.sqs, queueName: 'none', place: () => REGION });
  const missing = await other.receive(neverAborted()).catch((error: unknown) => error);
  expect(isCloudError(missing, 'NotFound') || missing).toBe(true);
});

test('nothing is left: no instance, no launch template and no instance profile', async () => {
  const { world, cloud, nodeClass, account, profiles } = moto;
  const { ec2, iam } = account.clients;
  const left = async () => ({
    instances: (await moto.running()).length,
    templates: (await ec2.send(new DescribeLaunchTemplatesCommand({}))).LaunchTemplates!.length,
    profiles: (await iam.send(new ListInstanceProfilesCommand({}))).InstanceProfiles!.length,
  });
  const claim = aClaim('a');
  await settleOne(world, cloud, claim, nodeClass);
  const before = await left();
  expect(Math.min(...Object.values(before)), JSON.stringify(before)).toBeGreaterThan(0);
  await removeClaim(world, cloud, claim);
  const { name, uid } = nodeClass.metadata;
  await cloud.templates.deleteOfClass(name, neverAborted());
  await profiles.removeOfClass({ name, uid }, neverAborted());
  expect(await left()).toEqual({ instances: 0, templates: 0, profiles: 0 });
});
