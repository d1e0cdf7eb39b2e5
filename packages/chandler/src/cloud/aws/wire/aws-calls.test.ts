/** The calls to AWS through the official SDK, against a simulated AWS in this process. */
import { startAwsServer } from '@chandler/cloudsim/aws';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { awsCallsOf, refusalOf } from '../aws-calls.fixture.ts';
import { BAD_ANSWER, isNotFound, NO_ANSWER } from '../errors/index.ts';
import { createAwsCalls } from './aws-calls.ts';
import type { AwsCalls, CallOptions } from './calls.ts';
import { fixedCredentials } from './credential-source.ts';
import { allPages } from './pages.ts';

const options: CallOptions = { signal: new AbortController().signal };

let aws: TestAws;
let calls: AwsCalls;

beforeEach(async () => {
  aws = await testAws();
  calls = awsCallsOf(aws);
});

afterEach(() => aws.close());

function answering(text: string, status = 200): AwsCalls {
  return awsCallsOf(aws, { fetch: async () => new Response(text, { status }) });
}

test('a call of every service is answered', async () => {
  const { settings, queue, cluster: record } = aws.server;
  expect((await calls.ec2.describeSubnets({}, options)).Subnets).toHaveLength(3);
  const { cluster } = await calls.eks.describeCluster({ name: settings.clusterName }, options);
  expect(cluster?.name).toBe(settings.clusterName);
  expect((await calls.iam.listInstanceProfiles({}, options)).InstanceProfiles).toEqual([]);
  const products = await calls.pricing.getProducts({ ServiceCode: 'AmazonEC2', MaxResults: 1 }, options);
  expect(products.PriceList).toHaveLength(1);
  const { QueueUrl } = await calls.sqs.getQueueUrl({ QueueName: settings.clusterName }, options);
  queue.send('hello');
  const { Messages } = await calls.sqs.receiveMessage({ QueueUrl }, options);
  expect(Messages?.[0]?.Body).toBe('hello');
  const ReceiptHandle = Messages?.[0]?.ReceiptHandle;
  expect(await calls.sqs.deleteMessage({ QueueUrl, ReceiptHandle }, options)).toEqual({});
  const Name = `/aws/service/eks/optimized-ami/${settings.kubernetesMinor}/amazon-linux-2023/x86_64/standard/recommended/image_id`;
  expect((await calls.ssm.getParameter({ Name }, options)).Parameter?.Value).toMatch(/^ami-/);
  expect((await calls.sts.getCallerIdentity({}, options)).Account).toBe(settings.accountId);
  const resource = { resourceIdentifier: record.arn };
  expect((await calls['arc-zonal-shift'].getManagedResource(resource, options)).zonalShifts).toEqual([]);
});

test('a client signs at the time of the World, also when hours of it have passed since it was made', async () => {
  await calls.ec2.describeSubnets({}, options);
  await aws.world.clock.advance(9 * 3_600_000);
  await calls.ec2.describeSubnets({}, options);
  await aws.world.clock.advance(30 * 86_400_000);
  expect((await calls.ec2.describeSubnets({}, options)).Subnets).toHaveLength(3);
});

test('all pages of a list are read', async () => {
  const types = await allPages(
    calls.ec2.describeInstanceTypes,
    { MaxResults: 20 },
    (page) => page.InstanceTypes,
    options,
  );
  expect(types.length).toBeGreaterThan(40);
  expect(new Set(types.map(({ InstanceType }) => InstanceType)).size).toBe(types.length);
});

test('an error of AWS keeps its code, status and request id', async () => {
  const error = await refusalOf(calls.ec2.deleteLaunchTemplate({ LaunchTemplateName: 'not-there' }, options));
  expect(isNotFound(error)).toBe(true);
  expect(error).toMatchObject({ code: 'InvalidLaunchTemplateName.NotFoundException', status: 400 });
  expect(error.requestId).toBeDefined();
});

test('a failed call is sent once', async () => {
  aws.server.faults.add('500@operation=DescribeSubnets');
  await refusalOf(calls.ec2.describeSubnets({}, options));
  aws.server.faults.add('throttle@operation=ReceiveMessage');
  const { QueueUrl } = await calls.sqs.getQueueUrl({ QueueName: 'playground' }, options);
  await refusalOf(calls.sqs.receiveMessage({ QueueUrl }, options));
  const counts = aws.server.calls().map(({ action, status }) => `${action} ${status}`);
  expect(counts).toEqual(['DescribeSubnets 500', 'GetQueueUrl 200', 'ReceiveMessage 400']);
});

test('a connection that is reset is no answer', async () => {
  aws.server.faults.add('lost-response@operation=DescribeSubnets');
  const error = await refusalOf(calls.ec2.describeSubnets({}, options));
  expect(error.code).toBe(NO_ANSWER);
  expect(error.message).toContain('ec2:DescribeSubnets');
  expect(error.message).toContain('ECONNRESET');
});

test('a call that is not answered ends at its deadline, on the clock of the World', async () => {
  let aborted = false;
  const silent: Fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      init?.signal?.addEventListener('abort', () => {
        aborted = true;
        reject(init.signal?.reason);
      });
    });
  const slow = awsCallsOf(aws, { fetch: silent, timeoutMs: 30_000 });
  const refusal = refusalOf(slow.sts.getCallerIdentity({}, options));
  await aws.world.clock.advance(29_999);
  expect(aborted).toBe(false);
  await aws.world.clock.advance(1);
  expect(await refusal).toMatchObject({ code: NO_ANSWER });
  expect((await refusal).message).toMatch(/within 30 s/);
});

test('an aborted call is rejected with the reason of the signal, before and after it was sent', async () => {
  const stop = new AbortController();
  aws.server.faults.add('slow=60000@operation=DescribeSubnets');
  const call = calls.ec2.describeSubnets({}, { signal: stop.signal });
  await aws.world.clock.advance(1_000);
  const reason = new Error('the controller stops');
  stop.abort(reason);
  await expect(call).rejects.toBe(reason);
  await expect(calls.ec2.describeSubnets({}, { signal: stop.signal })).rejects.toBe(reason);
});

test.each([
  ['an empty answer', ''],
  ['a page of a proxy', '<html><body>Please log in</body></html>'],
  ['a page of a proxy in XHTML', '<?xml version="1.0"?><html><body/></html>'],
  ['half of an answer', '<DescribeSubnetsResponse><subnetSet><item>'],
  ['JSON', '{}'],
])('%s of EC2 is no empty list', async (_, text) => {
  const error = await refusalOf(answering(text).ec2.describeSubnets({}, options));
  expect(error.code).toBe(BAD_ANSWER);
});

test.each([
  ['an empty answer', ''],
  ['a page of a proxy', '<html><body>Please log in</body></html>'],
  ['half of an answer', '{"cluster": {"name"'],
  ['half of an answer that ends in a brace', '{"cluster": {"name": "a"}'],
])('%s of EKS is no cluster', async (_, text) => {
  const error = await refusalOf(answering(text).eks.describeCluster({ name: 'a' }, options));
  expect(error.code).toBe(BAD_ANSWER);
});

test.each([301, 403, 502])('a page of a proxy with status %i is no error of AWS', async (status) => {
  const page = '<html><body>Blocked by the gateway</body></html>';
  for (const name of ['ec2', 'sts'] as const) {
    const bad = answering(page, status);
    const call =
      name === 'ec2' ? bad.ec2.describeSubnets({}, options) : bad.sts.getCallerIdentity({}, options);
    expect(await refusalOf(call)).toMatchObject({ code: BAD_ANSWER, status });
  }
});

test('a write without a client token gets one of the World, so that a seed repeats it', async () => {
  const bodies: string[] = [];
  const record: Fetch = async (_, init) => {
    bodies.push(String(init?.body));
    throw new TypeError('fetch failed', { cause: new Error('no network') });
  };
  const tokens = async () => {
    const fresh = await testAws();
    await refusalOf(
      awsCallsOf(fresh, { fetch: record }).ec2.createFleet(
        { LaunchTemplateConfigs: [], TargetCapacitySpecification: { TotalTargetCapacity: 1 } },
        options,
      ),
    );
    await fresh.close();
    return new URLSearchParams(bodies.at(-1)).get('ClientToken');
  };
  const first = await tokens();
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(await tokens()).toBe(first);
});

test('requests name the product and are counted by service, action and status', async () => {
  let agent = '';
  const fetch: Fetch = (input, init) => {
    agent = new Headers(init?.headers).get('user-agent') ?? '';
    return aws.server.fetch(input, init);
  };
  await awsCallsOf(aws, { fetch, version: '1.2.3' }).ec2.describeSubnets({}, options);
  expect(agent).toContain('chandler/1.2.3');
  aws.server.faults.add('lost-response@operation=GetCallerIdentity');
  await refusalOf(calls.sts.getCallerIdentity({}, options));
  const count = (labels: string) => aws.world.values.get(`chandler_aws_requests_total{${labels}}`);
  expect(count('action="DescribeSubnets",service="ec2",status="200"')).toBe(1);
  expect(count('action="GetCallerIdentity",service="sts",status="0"')).toBe(1);
  const upstream = 'aws_sdk_go_request_total{action="DescribeSubnets",code="200",service="EC2"}';
  expect(aws.world.values.get(upstream), 'the name that dashboards of Karpenter read').toBe(1);
});

test('over HTTP, requests arrive as they were signed', async () => {
  const world = realTimeWorld();
  const server = await startAwsServer({ world });
  const overHttp = createAwsCalls({
    world,
    fetch,
    endpoint: server.url,
    region: server.settings.region,
    credentials: fixedCredentials(server.credentials),
    version: '0.0.0-test',
  });
  try {
    expect((await overHttp.ec2.describeSubnets({}, options)).Subnets).toHaveLength(3);
    const { cluster } = await overHttp.eks.describeCluster({ name: 'playground' }, options);
    expect(cluster?.name).toBe('playground');
    const { QueueUrl } = await overHttp.sqs.getQueueUrl({ QueueName: 'playground' }, options);
    server.queue.send('hello');
    const { Messages } = await overHttp.sqs.receiveMessage({ QueueUrl }, options);
    expect(Messages?.[0]?.Body).toBe('hello');
  } finally {
    await server.close();
  }
});
