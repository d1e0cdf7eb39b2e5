/** The files that `chandler configure eks --write` writes. `npx vitest run test/configure -u` writes the golden ones. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type EksCluster,
  type EksSetupOptions,
  eksFiles,
  eksSetup,
} from '../../packages/chandler/src/configure/eks/index.ts';
import { isWritten } from '../../packages/chandler/src/configure/index.ts';
import { runScript } from './script.fixture.ts';

const CLUSTER: EksCluster = {
  arn: 'arn:aws:eks:eu-west-1:123456789012:cluster/shop',
  name: 'shop',
  accountId: '123456789012',
  partition: 'aws',
  region: 'eu-west-1',
  endpoint: 'https://0A1B2C3D4E5F.gr7.eu-west-1.eks.amazonaws.com',
  issuer: 'https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F',
  subnetIds: ['subnet-0a1', 'subnet-0b2'],
  securityGroupIds: ['sg-0c3'],
  notes: [],
};
const CHINA: EksCluster = {
  ...CLUSTER,
  arn: 'arn:aws-cn:eks:cn-north-1:123456789012:cluster/shop',
  partition: 'aws-cn',
  region: 'cn-north-1',
  issuer: 'https://oidc.eks.cn-north-1.amazonaws.com.cn/id/0A1B2C3D4E5F',
};
const OPTIONS: EksSetupOptions = {
  identity: 'pod-identity',
  namespace: 'kube-system',
  serviceAccount: 'chandler',
};
const setup = (options: Partial<EksSetupOptions> = {}, cluster = CLUSTER) =>
  eksSetup(cluster, { ...OPTIONS, ...options });
const files = (...args: Parameters<typeof setup>) => eksFiles(setup(...args), {});

test.each(
  (['pod-identity', 'irsa'] as const).flatMap((identity) =>
    [...files({ identity }).keys()].map((name) => ({ identity, name })),
  ),
)('with $identity, $name is as recorded', async ({ identity, name }) => {
  const golden = join(import.meta.dirname, 'golden/eks', identity, name);
  await expect(files({ identity }).get(name)).toMatchFileSnapshot(golden);
});

test('every file says in its first lines that configure wrote it', () => {
  expect([...files()].filter(([, text]) => !isWritten(text)).map(([name]) => name)).toEqual([]);
});

test('with Pod Identity, values name no role, and with IRSA they do', () => {
  expect(parse(files().get('values.yaml')!)).not.toHaveProperty('identity');
  expect(parse(files({ identity: 'irsa' }).get('values.yaml')!)).toMatchObject({
    identity: { awsRoleArn: 'arn:aws:iam::123456789012:role/chandler-shop' },
  });
});

test('in China, ARNs and the service of EC2 are those of the partition, and tokens have the same audience', () => {
  const { nodeRole, provider, controllerRole } = setup({ identity: 'irsa' }, CHINA);
  expect(provider).toEqual({
    arn: 'arn:aws-cn:iam::123456789012:oidc-provider/oidc.eks.cn-north-1.amazonaws.com.cn/id/0A1B2C3D4E5F',
    url: CHINA.issuer,
    audience: 'sts.amazonaws.com',
  });
  expect(JSON.stringify(nodeRole.trust)).toContain('"Service":"ec2.amazonaws.com.cn"');
  expect(nodeRole.policyArns).toContain('arn:aws-cn:iam::aws:policy/AmazonEKSWorkerNodePolicy');
  expect(JSON.stringify([...controllerRole.policies.values()])).not.toContain('"arn:aws:');
  for (const [name, text] of files({}, CHINA))
    expect({ name, text: text.includes('arn:aws:') }).toEqual({ name, text: false });
});

test('in GovCloud, services have the names of the public regions', () => {
  const gov = { ...CLUSTER, partition: 'aws-us-gov', region: 'us-gov-west-1' };
  const { nodeRole, queue } = setup({}, gov);
  expect(JSON.stringify(nodeRole.trust)).toContain('"Service":"ec2.amazonaws.com"');
  expect(queue.arn).toBe('arn:aws-us-gov:sqs:us-gov-west-1:123456789012:chandler-shop');
});

test('names fit, however long that of the cluster is, and differ for two clusters', () => {
  const long = (last: string) => setup({}, { ...CLUSTER, name: `${'a'.repeat(99)}${last}` });
  const { controllerRole, nodeRole, queue, rules } = long('b');
  expect(controllerRole.name).toMatch(/^[\w-]{64}$/);
  expect(nodeRole.name).toMatch(/^[\w-]{64}$/);
  expect(queue.name).toMatch(/^[\w-]{80}$/);
  for (const { name, key } of rules) expect(name).toMatch(new RegExp(`^[\\w-]{${63 - key.length}}-${key}$`));
  expect(long('c').nodeRole.name).not.toBe(nodeRole.name);
});

describe('configure.sh', () => {
  const script = files().get('configure.sh')!;
  const role = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
  const rules = 'arn:aws:events:eu-west-1:123456789012:rule';
  const missing = (code: string) => `echo "An error occurred (${code}) when calling: no" >&2; exit 254 ;;`;
  /** An account in which everything is as it should be. */
  const there = (more: readonly string[] = []) => [
    ...more,
    '"sts get-caller-identity "*) echo 123456789012 ;;',
    `"iam get-role "*) echo ${CLUSTER.arn} ;;`,
    '"eks describe-access-entry "*) echo EC2_LINUX ;;',
    '"eks list-pod-identity-associations "*) echo a-1 ;;',
    `"eks describe-pod-identity-association "*) echo ${role('chandler-shop')} ;;`,
    `"sqs get-queue-attributes "*) echo '{"aws:SourceArn":["${rules}/chandler-shop-SpotInterruption"]}' ;;`,
    `"events describe-rule "*) echo '{"detail-type":["EC2 Spot Instance Interruption Warning","EC2 Instance Rebalance Recommendation","EC2 Instance State-change Notification","EC2 Capacity Reservation Instance Interruption Warning","AWS Health Event"]}' ;;`,
    '"events list-targets-by-rule "*) echo arn:aws:sqs:eu-west-1:123456789012:chandler-shop ;;',
    '"events put-targets "*) echo 0 ;;',
    '"ec2 describe-"*) ;;',
    '"iam get-open-id-connect-provider "*) echo other sts.amazonaws.com ;;',
  ];
  const isChange = (call: string) => !/^\S+ (get|list|describe)-/.test(call);

  test('creates what is missing, and goes on once AWS knows the new role', () => {
    const { status, calls } = runScript(script, {
      tool: 'aws',
      cases: there([
        `"iam get-role "*) ${missing('NoSuchEntity')}`,
        `"eks describe-access-entry "*|"events describe-rule "*|"events list-targets-by-rule "*) ${missing('ResourceNotFoundException')}`,
        `"sqs get-queue-url "*) ${missing('AWS.SimpleQueueService.NonExistentQueue')}`,
        '"eks list-pod-identity-associations "*) ;;',
        '"eks create-access-entry "*) [ "$(grep -c "create-access-entry" "$FOLDER/calls")" -gt 3 ] ;;',
      ]),
    });
    expect(status).toBe(0);
    const count = (name: string) => calls.filter((call) => call.startsWith(`${name} `)).length;
    expect(count('iam create-role')).toBe(2);
    expect(count('iam put-role-policy')).toBe(7);
    expect(count('eks create-access-entry')).toBe(4);
    expect(count('eks create-pod-identity-association')).toBe(1);
    expect(count('sqs create-queue')).toBe(1);
    expect(count('events put-targets')).toBe(5);
    expect(count('ec2 create-tags')).toBe(1);
  });

  test.each(['pod-identity', 'irsa'] as const)('with %s, run again, creates nothing', (identity) => {
    const again = files({ identity }).get('configure.sh')!;
    const { status, calls } = runScript(again, { tool: 'aws', cases: there() });
    expect(status).toBe(0);
    expect(calls.filter((call) => /^\S+ create-/.test(call))).toEqual(['ec2 create-tags --resources']);
    expect(calls.filter((call) => call.startsWith('sqs set-queue-attributes '))).toHaveLength(1);
  });

  test.each([
    ['in another account', '"sts get-caller-identity "*) echo 999999999999 ;;'],
    ['for a role of somebody else', '"iam get-role "*) echo None ;;'],
    ['for an access entry of another type', '"eks describe-access-entry "*) echo STANDARD ;;'],
    [
      'for an association with another role',
      `"eks describe-pod-identity-association "*) echo ${role('a')} ;;`,
    ],
    ['for a queue of somebody else', '"sqs get-queue-attributes "*) echo None ;;'],
    ['for a rule of somebody else', `"events describe-rule "*) echo '{"source":["a"]}' ;;`],
    ['for a target of somebody else', '"events list-targets-by-rule "*) echo arn:aws:sqs:a ;;'],
    ['for a subnet of another cluster', '"ec2 describe-subnets "*) echo other ;;'],
    ['for a security group of another cluster', '"ec2 describe-security-groups "*) echo other ;;'],
    ['for an OIDC provider without the audience', '"iam get-open-id-connect-provider "*) echo other ;;'],
    ['if AWS does not answer', `"eks describe-access-entry "*) ${missing('ThrottlingException')}`],
  ])('changes nothing %s', (what, other) => {
    const identity = what.includes('OIDC') ? 'irsa' : 'pod-identity';
    const { status, calls } = runScript(files({ identity }).get('configure.sh')!, {
      tool: 'aws',
      cases: there([other]),
    });
    expect(status).not.toBe(0);
    expect(calls.filter(isChange)).toEqual([]);
  });

  test('has its region, whichever version of the AWS CLI runs it', () => {
    expect(script).toContain('export AWS_REGION=eu-west-1 AWS_DEFAULT_REGION=eu-west-1\n');
  });
});
