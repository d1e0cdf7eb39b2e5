/** The requests that validate a node class, as EC2 and the policies of an account judge them. */
import { CONTROLLER_ROLE, controllerPolicy } from '@chandler/cloudsim/aws';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import {
  AwsError,
  type ClassPool,
  DryRuns,
  isDryRunSuccess,
} from '../../packages/chandler/src/cloud/aws/index.ts';
import { type AwsCloudFixture, type AwsCloudFixtureOptions, awsCloud, callsOf } from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(options: AwsCloudFixtureOptions['server'] = {}) {
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] }, ...options } });
  const fixture = open;
  const { ec2 } = callsOf(fixture.aws, fixture.server.fetch);
  const dryRuns = new DryRuns({ clock: fixture.clock, ec2, requests: fixture.cloud.dryRunRequests });
  return { ...fixture, ec2, dryRuns };
}

type Started = Awaited<ReturnType<typeof start>>;

const outcome = ({ dryRuns, nodeClass }: Started, pools: readonly ClassPool[] = []) =>
  dryRuns.about(nodeClass(), pools, neverAborted());

/** The account denies instances of which the condition key has another value. */
function allowOnly({ server }: Started, key: string, value: string): void {
  server.context.access.scps = [
    {
      Statement: [
        { Effect: 'Allow', Action: '*', Resource: '*' },
        {
          Effect: 'Deny',
          Action: 'ec2:RunInstances',
          Resource: 'arn:aws:ec2:*:*:instance/*',
          Condition: { StringNotLike: { [key]: value } },
        },
      ],
    },
  ];
}

const aPool = (key: string, value: string): ClassPool => ({
  name: 'a',
  requirements: [{ key, operator: 'In', values: [value] }],
});

test('they are accepted as dry runs, and create nothing but the template', async () => {
  const fixture = await start();
  const { ec2 } = fixture;
  const requests = await fixture.cloud.dryRunRequests(fixture.nodeClass(), [], neverAborted());
  const options = { signal: neverAborted() };
  const refusals: unknown[] = [];
  const collect = (call: Promise<unknown>) => call.catch((error: unknown) => refusals.push(error));
  await requests.ensureTemplate(neverAborted());
  expect(fixture.templates()).toEqual([
    requests.createFleet.LaunchTemplateConfigs![0]!.LaunchTemplateSpecification!.LaunchTemplateName,
  ]);
  await collect(ec2.createFleet({ ...requests.createFleet, DryRun: true }, options));
  for (const each of requests.runInstances)
    await collect(ec2.runInstances({ ...each, DryRun: true }, options));
  expect(refusals.map((error) => isDryRunSuccess(error) || String(error))).toEqual(Array(4).fill(true));
  expect(fixture.running()).toEqual([]);
});

test('the size of the user data is shown by class, until the class is gone', async () => {
  const fixture = await start();
  const series = () =>
    [...fixture.world.values].filter(([name]) => name.startsWith('karpenter_ec2nodeclasses_userdata_bytes'));
  await outcome(fixture);
  const [record] = [...fixture.server.account.launchTemplates.values()];
  const bytes = Buffer.from(record!.data.UserData ?? '', 'base64').length;
  expect(bytes).toBeGreaterThan(100);
  expect(series()).toEqual([[expect.stringContaining('default'), bytes]]);
  await fixture.cloud.templates.deleteOfClass('default', neverAborted());
  expect(series()).toEqual([]);
});

test('a class that may not be launched from is refused by what EC2 says', async () => {
  const fixture = await start({ faults: ['forbidden@operation=ec2:CreateLaunchTemplate'] });
  const requests = await fixture.cloud.dryRunRequests(fixture.nodeClass(), [], neverAborted());
  await expect(requests.ensureTemplate(neverAborted())).rejects.toMatchObject({
    code: 'UnauthorizedOperation',
  });
});

test('the policy of Karpenter allows them: everything that an instance creates has the tags of the cluster', async () => {
  const fixture = await start();
  const { settings, account, context, queue } = fixture.server;
  const nodeRoleArn = account.roles.get(settings.nodeRoleName)!.arn;
  const policy = controllerPolicy({ ...settings, nodeRoleArn, queueArn: queue.settings.arn });
  context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [policy] });
  expect(await outcome(fixture)).toBe('allowed');
});

test('an account that requires IMDSv2 allows them', async () => {
  const fixture = await start();
  allowOnly(fixture, 'ec2:MetadataHttpTokens', 'required');
  expect(await outcome(fixture)).toBe('allowed');
});

test.each([
  ['instance types', 'ec2:InstanceType', 'm5.xlarge', 'node.kubernetes.io/instance-type'],
  ['tenancies', 'ec2:Tenancy', 'dedicated', 'karpenter.k8s.aws/instance-tenancy'],
])('an account that limits %s allows them for a NodePool that keeps to it', async (_, key, value, label) => {
  const fixture = await start();
  allowOnly(fixture, key, value);
  expect(await outcome(fixture)).toMatchObject({ failure: { reason: 'RunInstancesAuthCheckFailed' } });
  expect(await outcome(fixture, [aPool(label, value)])).toBe('allowed');
});

test('a launch template that vanished from EC2 is created again', async () => {
  const fixture = await start();
  expect(await outcome(fixture)).toBe('allowed');
  const before = fixture.templates();
  fixture.server.account.launchTemplates.clear();
  fixture.dryRuns.forget('default');
  expect(await outcome(fixture)).toBe('allowed');
  expect(fixture.templates()).toEqual(before);
});

test('a launch template that vanishes each time is created twice, not for ever', async () => {
  const fixture = await start();
  const { clock, ec2, cloud } = fixture;
  const code = 'InvalidLaunchTemplateName.NotFoundException';
  const createFleet: typeof ec2.createFleet = async () => {
    throw new AwsError({ code, message: 'it is gone', status: 400 });
  };
  const dryRuns = new DryRuns({ clock, ec2: { ...ec2, createFleet }, requests: cloud.dryRunRequests });
  await expect(dryRuns.about(fixture.nodeClass(), [], neverAborted())).rejects.toMatchObject({ code });
  const created = fixture.callsOf('CreateLaunchTemplate').filter((call) => call.code !== 'DryRunOperation');
  expect(created).toHaveLength(2);
});
