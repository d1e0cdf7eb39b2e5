/** SSM, IAM, STS, EKS, SQS and Pricing through their official clients, over HTTP. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import { DescribeAccessEntryCommand, DescribeClusterCommand } from '@aws-sdk/client-eks';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  GetRoleCommand,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
  TagInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { paginateGetProducts } from '@aws-sdk/client-pricing';
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { GetParameterCommand, GetParametersByPathCommand, GetParametersCommand } from '@aws-sdk/client-ssm';
import { AssumeRoleWithWebIdentityCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refusal, type SdkAws, sdkAws, sdkClients } from './sdk.fixture.ts';
import { addRole } from './store/furnish.ts';

const ISSUER = 'https://oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });

let aws: SdkAws;

beforeEach(async () => {
  const keys = () => [publicKey.export({ format: 'jwk' }) as Record<string, unknown>];
  aws = await sdkAws({ identityProviders: [{ issuer: ISSUER, audiences: ['sts.amazonaws.com'], keys }] });
});

afterEach(() => aws.close());

test('parameters name the images of EKS', async () => {
  const folder = '/aws/service/eks/optimized-ami/1.36/amazon-linux-2023/x86_64/standard';
  const { Parameter } = await aws.ssm.send(
    new GetParameterCommand({ Name: `${folder}/recommended/image_id` }),
  );
  expect(aws.server.account.images.has(Parameter!.Value!)).toBe(true);
  expect(Parameter!.LastModifiedDate).toBeInstanceOf(Date);
  expect((await refusal(aws.ssm.send(new GetParameterCommand({ Name: '/no/such' })))).name).toBe(
    'ParameterNotFound',
  );
  const several = await aws.ssm.send(
    new GetParametersCommand({ Names: [`${folder}/recommended/image_id`, '/no/such'] }),
  );
  expect(several.InvalidParameters).toEqual(['/no/such']);
  const byPath = await aws.ssm.send(
    new GetParametersByPathCommand({ Path: folder, Recursive: true, MaxResults: 2 }),
  );
  expect(byPath.Parameters).toHaveLength(2);
  expect(byPath.NextToken).toBeDefined();
});

test('an instance profile has a path, tags and one role, and is deleted without it', async () => {
  const InstanceProfileName = 'playground_123';
  const RoleName = 'KarpenterNodeRole-playground';
  const created = await aws.iam.send(
    new CreateInstanceProfileCommand({
      InstanceProfileName,
      Path: '/karpenter/us-west-2/playground/uid/',
      Tags: [{ Key: 'owner', Value: 'us' }],
    }),
  );
  expect(created.InstanceProfile!.Arn).toBe(
    'arn:aws:iam::111122223333:instance-profile/karpenter/us-west-2/playground/uid/playground_123',
  );
  expect((await refusal(aws.iam.send(new CreateInstanceProfileCommand({ InstanceProfileName })))).name).toBe(
    'EntityAlreadyExistsException',
  );
  await aws.iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }));
  expect(
    (await refusal(aws.iam.send(new AddRoleToInstanceProfileCommand({ InstanceProfileName, RoleName }))))
      .name,
  ).toBe('LimitExceededException');
  await aws.iam.send(
    new TagInstanceProfileCommand({ InstanceProfileName, Tags: [{ Key: 'more', Value: '1' }] }),
  );
  const { InstanceProfile } = await aws.iam.send(new GetInstanceProfileCommand({ InstanceProfileName }));
  expect(InstanceProfile!.Roles!.map(({ RoleName: name }) => name)).toEqual([RoleName]);
  expect(InstanceProfile!.Tags!.map(({ Key }) => Key)).toEqual(['owner', 'more']);
  const { InstanceProfiles } = await aws.iam.send(
    new ListInstanceProfilesCommand({ PathPrefix: '/karpenter/' }),
  );
  expect(InstanceProfiles).toHaveLength(1);
  expect((await refusal(aws.iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName })))).name).toBe(
    'DeleteConflictException',
  );
  await aws.iam.send(new RemoveRoleFromInstanceProfileCommand({ InstanceProfileName, RoleName }));
  await aws.iam.send(new DeleteInstanceProfileCommand({ InstanceProfileName }));
  expect((await refusal(aws.iam.send(new GetInstanceProfileCommand({ InstanceProfileName })))).name).toBe(
    'NoSuchEntityException',
  );
  expect((await refusal(aws.iam.send(new GetRoleCommand({ RoleName: 'nobody' })))).name).toBe(
    'NoSuchEntityException',
  );
});

test('messages are received once until their visibility ends, and the body has its MD5', async () => {
  const { QueueUrl } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName: 'playground' }));
  const waiting = aws.sqs.send(
    new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20, MaxNumberOfMessages: 10 }),
  );
  // The SDK compares MD5OfBody with what it received.
  await aws.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: '{"version":"0"}' }));
  const { Messages } = await waiting;
  expect(Messages!.map(({ Body }) => Body)).toEqual(['{"version":"0"}']);
  expect((await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl }))).Messages).toBeUndefined();
  const counts = await aws.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }));
  expect(counts.Attributes!['ApproximateNumberOfMessagesNotVisible']).toBe('1');
  await aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages![0]!.ReceiptHandle }));
  expect(aws.server.queue.size).toBe(0);
  expect((await refusal(aws.sqs.send(new GetQueueUrlCommand({ QueueName: 'other' })))).name).toBe(
    'QueueDoesNotExist',
  );
  expect((await refusal(aws.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: 'x' })))).name).toBe(
    'ReceiptHandleIsInvalid',
  );
});

test('the cluster is described, and its access entries', async () => {
  const { cluster } = await aws.eks.send(new DescribeClusterCommand({ name: 'playground' }));
  expect(cluster).toMatchObject({
    version: '1.36',
    kubernetesNetworkConfig: { serviceIpv4Cidr: '172.20.0.0/16' },
  });
  expect(cluster!.createdAt).toBeInstanceOf(Date);
  expect(await refusal(aws.eks.send(new DescribeClusterCommand({ name: 'other' })))).toEqual({
    name: 'ResourceNotFoundException',
    message: 'No cluster found for name: other.',
  });
  const principalArn = 'arn:aws:iam::111122223333:role/KarpenterNodeRole-playground';
  const { accessEntry } = await aws.eks.send(
    new DescribeAccessEntryCommand({ clusterName: 'playground', principalArn }),
  );
  expect(accessEntry!.type).toBe('EC2_LINUX');
});

test('prices are JSON texts in pages', async () => {
  const term = (Field: string, Value: string) => ({ Type: 'TERM_MATCH' as const, Field, Value });
  const input = {
    ServiceCode: 'AmazonEC2',
    Filters: [
      term('regionCode', 'us-west-2'),
      term('serviceCode', 'AmazonEC2'),
      term('preInstalledSw', 'NA'),
      term('operatingSystem', 'Linux'),
      term('capacitystatus', 'Used'),
      term('marketoption', 'OnDemand'),
      term('tenancy', 'Shared'),
      term('productFamily', 'Compute Instance'),
    ],
  };
  const prices = new Map<string, number>();
  for await (const page of paginateGetProducts({ client: aws.pricing, pageSize: 20 }, input))
    for (const text of page.PriceList!) {
      const { product, terms } = JSON.parse(String(text));
      const [offer] = Object.values<{ priceDimensions: Record<string, { pricePerUnit: { USD: string } }> }>(
        terms.OnDemand,
      );
      const [dimension] = Object.values(offer!.priceDimensions);
      prices.set(product.attributes.instanceType, Number(dimension!.pricePerUnit.USD));
    }
  expect(prices.get('m5.large')).toBe(0.096);
  expect(prices.size).toBeGreaterThan(55);
});

test('a pod exchanges its token for credentials of a role that trusts it', async () => {
  const subject = 'system:serviceaccount:kube-system:karpenter';
  const host = ISSUER.slice('https://'.length);
  const role = addRole(aws.server.context, 'irsa', {
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:aws:iam::111122223333:oidc-provider/${host}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: { StringEquals: { [`${host}:sub`]: subject, [`${host}:aud`]: 'sts.amazonaws.com' } },
      },
    ],
  });
  const assume = (WebIdentityToken: string) =>
    aws.sts.send(
      new AssumeRoleWithWebIdentityCommand({ RoleArn: role.arn, RoleSessionName: 's1', WebIdentityToken }),
    );
  const { Credentials } = await assume(jwt(subject));
  const clients = sdkClients(aws.server, {
    accessKeyId: Credentials!.AccessKeyId!,
    secretAccessKey: Credentials!.SecretAccessKey!,
    sessionToken: Credentials!.SessionToken!,
    principal: aws.server.credentials.principal,
  });
  const { Arn } = await clients.sts.send(new GetCallerIdentityCommand({}));
  clients.destroy();
  expect(Arn).toBe('arn:aws:sts::111122223333:assumed-role/irsa/s1');
  expect((await refusal(assume(jwt('system:serviceaccount:default:other')))).name).toBe('AccessDenied');
  expect((await refusal(assume(`${jwt(subject).slice(0, -8)}AAAAAAAA`))).name).toBe(
    'InvalidIdentityTokenException',
  );
  expect((await refusal(assume(jwt(subject, -60)))).name).toBe('ExpiredTokenException');
});

function jwt(sub: string, livesSeconds = 600): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + livesSeconds;
  const text = `${part({ alg: 'RS256' })}.${part({ iss: ISSUER, sub, aud: ['sts.amazonaws.com'], exp })}`;
  return `${text}.${createSign('sha256').update(text).sign(privateKey, 'base64url')}`;
}
