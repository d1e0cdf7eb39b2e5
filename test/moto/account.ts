/** The account of moto as an operator prepares it before the controller is installed: network, node role, images, cluster, queue. */
import {
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import {
  CreateAccessKeyCommand,
  CreateRoleCommand,
  CreateUserCommand,
  DeleteUserPolicyCommand,
  IAMClient,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { MOTO_IMAGES } from './images.table.ts';

const { CHANDLER_TEST_MOTO: url } = process.env;
if (url === undefined) throw new Error('CHANDLER_TEST_MOTO names no server; `npm run test:moto` sets it');

export const MOTO_URL: string = url;
export const REGION = 'us-west-2';
export const ACCOUNT_ID = '123456789012';
export const CLUSTER = 'moto';
export const KUBERNETES_MINOR = '1.33';
export const QUEUE = 'interruptions';
export const NODE_ROLE = `KarpenterNodeRole-${CLUSTER}`;
export const DISCOVERY = { 'karpenter.sh/discovery': CLUSTER };
export const ZONES = ['a', 'b', 'c'].map((letter) => `${REGION}${letter}`);

export interface AccessKey {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface MotoAccount {
  readonly vpcId: string;
  /** In the order of `ZONES`. */
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
  readonly queueUrl: string;
  /** Of the controller: moto checks the signatures that are made with it, and its policies. */
  readonly key: AccessKey;
  readonly clients: MotoClients;
}

export type MotoClients = ReturnType<typeof motoClients>;

/** A new account: what was there before is gone. */
export async function prepareAccount(): Promise<MotoAccount> {
  await control('reset-auth', 'inf');
  await control('reset');
  const clients = motoClients({ accessKeyId: 'operator', secretAccessKey: 'operator' });
  const network = await createNetwork(clients);
  const trust = {
    Version: '2012-10-17',
    Statement: [{ Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: 'ec2.amazonaws.com' } }],
  };
  await clients.iam.send(
    new CreateRoleCommand({ RoleName: NODE_ROLE, AssumeRolePolicyDocument: JSON.stringify(trust) }),
  );
  for (const { ami_id: Value, architecture } of MOTO_IMAGES)
    await clients.ssm.send(
      new PutParameterCommand({ Name: parameterOf(architecture), Value, Type: 'String' }),
    );
  await clients.eks.send(
    new CreateClusterCommand({
      name: CLUSTER,
      version: KUBERNETES_MINOR,
      roleArn: `arn:aws:iam::${ACCOUNT_ID}:role/${NODE_ROLE}`,
      resourcesVpcConfig: { subnetIds: [...network.subnetIds] },
    }),
  );
  const { QueueUrl: queueUrl = '' } = await clients.sqs.send(new CreateQueueCommand({ QueueName: QUEUE }));
  const key = await createController(clients);
  clients.destroy();
  await control('reset-auth', '0');
  return { ...network, queueUrl, key, clients: motoClients(key) };
}

/** The SSM parameter with the image of an architecture: moto refuses those of AWS itself. */
export function parameterOf(architecture: string): string {
  return `/chandler/images/${architecture}`;
}

/** Takes an action away from the controller, until it is allowed again. */
export async function deny({ iam }: MotoClients, action: string): Promise<void> {
  await putPolicy(iam, DENIED, { Effect: 'Deny', Action: action, Resource: '*' });
}

export async function allow({ iam }: MotoClients): Promise<void> {
  await iam.send(new DeleteUserPolicyCommand({ UserName: CONTROLLER, PolicyName: DENIED }));
}

// ---------------------------------------------------------------------------------------------------

const CONTROLLER = 'controller';
const DENIED = 'denied';

function motoClients(credentials: AccessKey) {
  const config = { endpoint: MOTO_URL, region: REGION, maxAttempts: 1, credentials };
  const clients = {
    ec2: new EC2Client(config),
    eks: new EKSClient(config),
    iam: new IAMClient(config),
    sqs: new SQSClient(config),
    ssm: new SSMClient(config),
  };
  return {
    ...clients,
    destroy() {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}

async function control(what: string, body = ''): Promise<void> {
  const answer = await fetch(`${MOTO_URL}/moto-api/${what}`, { method: 'POST', body });
  if (!answer.ok) throw new Error(`moto-api/${what}: ${answer.status} ${await answer.text()}`);
}

async function createNetwork({ ec2 }: MotoClients) {
  const Tags = Object.entries(DISCOVERY).map(([Key, Value]) => ({ Key, Value }));
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.0.0.0/16' }));
  const vpcId = Vpc!.VpcId!;
  const subnetIds: string[] = [];
  for (const [index, AvailabilityZone] of ZONES.entries()) {
    const { Subnet } = await ec2.send(
      new CreateSubnetCommand({
        VpcId: vpcId,
        AvailabilityZone,
        CidrBlock: `10.0.${index * 32}.0/19`,
        TagSpecifications: [{ ResourceType: 'subnet', Tags }],
      }),
    );
    subnetIds.push(Subnet!.SubnetId!);
  }
  const { GroupId } = await ec2.send(
    new CreateSecurityGroupCommand({
      VpcId: vpcId,
      GroupName: 'nodes',
      Description: 'nodes',
      TagSpecifications: [{ ResourceType: 'security-group', Tags }],
    }),
  );
  return { vpcId, subnetIds, securityGroupId: GroupId! };
}

async function createController({ iam }: MotoClients): Promise<AccessKey> {
  await iam.send(new CreateUserCommand({ UserName: CONTROLLER }));
  await putPolicy(iam, 'everything', { Effect: 'Allow', Action: '*', Resource: '*' });
  const { AccessKey: key } = await iam.send(new CreateAccessKeyCommand({ UserName: CONTROLLER }));
  return { accessKeyId: key!.AccessKeyId!, secretAccessKey: key!.SecretAccessKey! };
}

async function putPolicy(iam: IAMClient, PolicyName: string, statement: object): Promise<void> {
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [statement] });
  await iam.send(new PutUserPolicyCommand({ UserName: CONTROLLER, PolicyName, PolicyDocument }));
}
