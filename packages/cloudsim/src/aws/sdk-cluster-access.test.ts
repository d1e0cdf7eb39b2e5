/** Who may join and use a cluster of EKS, through the official clients, over HTTP: access entries, Pod Identity, IRSA, tags. */
import { createSign, generateKeyPairSync } from 'node:crypto';
import {
  CreateTagsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
} from '@aws-sdk/client-ec2';
import {
  CreateAccessEntryCommand,
  CreatePodIdentityAssociationCommand,
  DeleteAccessEntryCommand,
  DeletePodIdentityAssociationCommand,
  DescribeAccessEntryCommand,
  DescribeAddonCommand,
  DescribeClusterCommand,
  DescribePodIdentityAssociationCommand,
  ListAccessEntriesCommand,
  ListAddonsCommand,
  ListPodIdentityAssociationsCommand,
  ListTagsForResourceCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-eks';
import { CreateOpenIDConnectProviderCommand, CreateRoleCommand } from '@aws-sdk/client-iam';
import { AssumeRoleWithWebIdentityCommand, GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusal, type SdkAws, sdkAws, sdkClients } from './sdk.fixture.ts';
import { CLUSTER_GROUP_ID, subnetIdOf } from './store/furnish.ts';

const ISSUER = 'https://oidc.eks.us-west-2.amazonaws.com/id/0123456789ABCDEF';
const HOST = ISSUER.slice('https://'.length);
const SUBJECT = 'system:serviceaccount:kube-system:karpenter';
const clusterName = 'playground';
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let aws: SdkAws;

beforeAll(async () => {
  const keys = () => [publicKey.export({ format: 'jwk' }) as Record<string, unknown>];
  aws = await sdkAws({
    configured: false,
    identityProviders: [{ issuer: ISSUER, audiences: ['sts.amazonaws.com'], keys }],
  });
});

afterAll(() => aws.close());

async function roleTrusting(RoleName: string, statement: object): Promise<string> {
  const trust = { Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] };
  const { Role } = await aws.iam.send(
    new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: JSON.stringify(trust) }),
  );
  return Role!.Arn!;
}

const podRole = (name: string, Action: string | readonly string[] = ['sts:AssumeRole', 'sts:TagSession']) =>
  roleTrusting(name, { Principal: { Service: 'pods.eks.amazonaws.com' }, Action });

test('a cluster where nothing is configured has no entry, association, tag for discovery or queue', async () => {
  const { cluster } = await aws.eks.send(new DescribeClusterCommand({ name: clusterName }));
  expect(cluster).toMatchObject({
    identity: { oidc: { issuer: ISSUER } },
    accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
    tags: {},
  });
  const { subnets, securityGroups, queues, roles, eventRules } = aws.server.account;
  const tags = [...subnets.values()].flatMap((subnet) => subnet.tags);
  expect(tags.map(({ Key }) => Key)).not.toContain('karpenter.sh/discovery');
  expect([...securityGroups.values()].flatMap((group) => group.Tags)).toEqual([]);
  expect([queues.size, roles.size, eventRules.size, aws.server.cluster.accessEntries.size]).toEqual([
    0, 0, 0, 0,
  ]);
  expect(() => aws.server.queue).toThrow('the account has no queue playground');
});

test('an access entry lets a role join until it is deleted', async () => {
  const principalArn = await podRole('nodes');
  const create = (type: string, arn = principalArn) =>
    aws.eks.send(new CreateAccessEntryCommand({ clusterName, principalArn: arn, type, tags: { a: 'b' } }));
  const { accessEntry } = await create('EC2_LINUX');
  expect(accessEntry).toMatchObject({
    kubernetesGroups: ['system:nodes'],
    tags: { a: 'b' },
    type: 'EC2_LINUX',
  });
  expect(accessEntry!.accessEntryArn).toMatch(
    /^arn:aws:eks:us-west-2:111122223333:access-entry\/playground\/role\/111122223333\/nodes\/[0-9a-f-]{36}$/,
  );
  expect((await refusal(create('EC2_LINUX'))).name).toBe('ResourceInUseException');
  expect(await refusal(create('EC2_LINUX', 'arn:aws:iam::111122223333:role/nobody'))).toEqual({
    name: 'InvalidParameterException',
    message: 'The specified principalArn is invalid: invalid principal.',
  });
  const list = async () => (await aws.eks.send(new ListAccessEntriesCommand({ clusterName }))).accessEntries;
  expect(await list()).toEqual([principalArn]);
  await aws.eks.send(new DeleteAccessEntryCommand({ clusterName, principalArn }));
  expect(await list()).toEqual([]);
  expect(
    (await refusal(aws.eks.send(new DescribeAccessEntryCommand({ clusterName, principalArn })))).name,
  ).toBe('ResourceNotFoundException');
});

test('the cluster is tagged, and its tags are removed', async () => {
  const { arn: resourceArn } = aws.server.cluster;
  await aws.eks.send(new TagResourceCommand({ resourceArn, tags: { a: '1', b: '2', c: '3' } }));
  await aws.eks.send(new UntagResourceCommand({ resourceArn, tagKeys: ['a', 'b'] }));
  expect((await aws.eks.send(new ListTagsForResourceCommand({ resourceArn }))).tags).toEqual({ c: '3' });
  await aws.eks.send(new UntagResourceCommand({ resourceArn, tagKeys: ['c'] }));
  const { cluster } = await aws.eks.send(new DescribeClusterCommand({ name: clusterName }));
  expect(cluster!.tags).toEqual({});
});

test('subnets and security groups are tagged for discovery', async () => {
  const Tags = [{ Key: 'karpenter.sh/discovery', Value: clusterName }];
  await aws.ec2.send(new CreateTagsCommand({ Resources: [subnetIdOf(0), CLUSTER_GROUP_ID], Tags }));
  const Filters = [{ Name: 'tag:karpenter.sh/discovery', Values: [clusterName] }];
  const { Subnets } = await aws.ec2.send(new DescribeSubnetsCommand({ Filters }));
  expect(Subnets!.map(({ SubnetId }) => SubnetId)).toEqual([subnetIdOf(0)]);
  const { SecurityGroups } = await aws.ec2.send(new DescribeSecurityGroupsCommand({ Filters }));
  expect(SecurityGroups!.map(({ GroupId }) => GroupId)).toEqual([CLUSTER_GROUP_ID]);
  const unknown = aws.ec2.send(new CreateTagsCommand({ Resources: ['subnet-0'], Tags }));
  expect((await refusal(unknown)).name).toBe('InvalidSubnetID.NotFound');
});

describe('Pod Identity', () => {
  const associate = (roleArn: string, serviceAccount = 'karpenter') =>
    aws.eks.send(
      new CreatePodIdentityAssociationCommand({
        clusterName,
        namespace: 'kube-system',
        serviceAccount,
        roleArn,
      }),
    );
  /** As the SDKs ask the agent. */
  const credentials = async (sub = SUBJECT, aud = 'pods.eks.amazonaws.com') => {
    const authorization = jwt({ sub, aud: [aud] });
    const response = await fetch(`${aws.server.url}/v1/credentials`, { headers: { authorization } });
    return { status: response.status, text: await response.text() };
  };

  test('the add-on is described', async () => {
    const { addons } = await aws.eks.send(new ListAddonsCommand({ clusterName }));
    expect(addons).toContain('eks-pod-identity-agent');
    const addonName = 'eks-pod-identity-agent';
    const { addon } = await aws.eks.send(new DescribeAddonCommand({ clusterName, addonName }));
    expect(addon).toMatchObject({ addonName, status: 'ACTIVE' });
    const other = aws.eks.send(new DescribeAddonCommand({ clusterName, addonName: 'other' }));
    expect((await refusal(other)).name).toBe('ResourceNotFoundException');
  });

  test('an association gives its service account the role', async () => {
    const roleArn = await podRole('pods');
    expect((await credentials()).status).toBe(404);
    const { association } = await associate(roleArn);
    const associationId = association!.associationId!;
    expect((await refusal(associate(roleArn))).name).toBe('ResourceInUseException');
    expect((await refusal(associate('arn:aws:iam::111122223333:role/nobody', 'a'))).name).toBe(
      'InvalidParameterException',
    );
    const { associations } = await aws.eks.send(
      new ListPodIdentityAssociationsCommand({ clusterName, namespace: 'kube-system' }),
    );
    expect(associations!.map((each) => each.associationId)).toEqual([associationId]);
    const described = await aws.eks.send(
      new DescribePodIdentityAssociationCommand({ clusterName, associationId }),
    );
    expect(described.association!.roleArn).toBe(roleArn);
    const key = JSON.parse((await credentials()).text);
    const clients = sdkClients(aws.server, {
      accessKeyId: key.AccessKeyId,
      secretAccessKey: key.SecretAccessKey,
      sessionToken: key.Token,
      principal: aws.server.credentials.principal,
    });
    const { Arn } = await clients.sts.send(new GetCallerIdentityCommand({}));
    clients.destroy();
    expect(Arn).toBe('arn:aws:sts::111122223333:assumed-role/pods/eks-playground-karpenter');
    expect((await credentials('system:serviceaccount:default:karpenter')).status).toBe(404);
    expect((await credentials(SUBJECT, 'sts.amazonaws.com')).status).toBe(400);
    await aws.eks.send(new DeletePodIdentityAssociationCommand({ clusterName, associationId }));
    expect((await credentials()).status).toBe(404);
  });

  test('a role that does not trust the service gives nothing, and passing it is a right of its own', async () => {
    const roleArn = await podRole('without-tags', 'sts:AssumeRole');
    const giveBack = aws.server.withhold('iam:PassRole');
    expect((await refusal(associate(roleArn, 'other'))).message).toContain(
      'perform: iam:PassRole on resource',
    );
    giveBack();
    await associate(roleArn, 'other');
    expect(await credentials('system:serviceaccount:kube-system:other')).toMatchObject({
      status: 403,
      text: expect.stringContaining(roleArn),
    });
  });
});

test('a token of the cluster gives a role only once the account trusts the issuer', async () => {
  const RoleArn = await roleTrusting('irsa', {
    Principal: { Federated: `arn:aws:iam::111122223333:oidc-provider/${HOST}` },
    Action: 'sts:AssumeRoleWithWebIdentity',
    Condition: { StringEquals: { [`${HOST}:sub`]: SUBJECT, [`${HOST}:aud`]: 'sts.amazonaws.com' } },
  });
  const assume = (sub = SUBJECT, aud = 'sts.amazonaws.com') =>
    aws.sts.send(
      new AssumeRoleWithWebIdentityCommand({
        RoleArn,
        RoleSessionName: 's',
        WebIdentityToken: jwt({ sub, aud: [aud] }),
      }),
    );
  expect((await refusal(assume())).message).toBe(
    `No OpenIDConnect provider found in your account for ${ISSUER}`,
  );
  await aws.iam.send(
    new CreateOpenIDConnectProviderCommand({ Url: ISSUER, ClientIDList: ['sts.amazonaws.com'] }),
  );
  expect((await assume()).AssumedRoleUser!.Arn).toBe('arn:aws:sts::111122223333:assumed-role/irsa/s');
  expect((await refusal(assume(SUBJECT, 'other'))).message).toBe('Incorrect token audience');
  expect((await refusal(assume('system:serviceaccount:default:karpenter'))).name).toBe('AccessDenied');
});

function jwt(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 600;
  const text = `${part({ alg: 'ES256' })}.${part({ iss: ISSUER, exp, ...claims })}`;
  return `${text}.${createSign('sha256').update(text).sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }, 'base64url')}`;
}
