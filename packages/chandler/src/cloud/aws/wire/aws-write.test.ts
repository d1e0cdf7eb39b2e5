/** Which requests are writes: as the official SDK sends them, and as somebody else might. */
import { readFileSync } from 'node:fs';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withCloudFence, withoutCloudWrites } from '../../index.ts';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { ACTIONS, type ActionRow, type AwsService, actionOf } from './actions.table.ts';
import { awsWriteOf } from './aws-write.ts';
import type { AwsCalls } from './calls.ts';

const options = { signal: new AbortController().signal };
const TABLE = (Object.keys(ACTIONS) as AwsService[]).flatMap((service) =>
  Object.entries(ACTIONS[service]).map(([method, row]) => ({ service, method, row: row as ActionRow })),
);

let aws: TestAws;

beforeEach(async () => {
  aws = await testAws();
});

afterEach(() => aws.close());

function call(calls: AwsCalls, service: AwsService, method: string, input: object): Promise<unknown> {
  const all = calls as unknown as Record<
    string,
    Record<string, (input: object, given: object) => Promise<unknown>>
  >;
  return all[service]![method]!(input, options);
}

/** What `awsWriteOf` says about the request that the SDK makes of it. */
async function writeOf(
  service: AwsService,
  method: string,
  input: object,
): Promise<string | undefined | null> {
  let write: string | undefined | null = null;
  const record: Fetch = async (...request) => {
    write = awsWriteOf(...request);
    throw new TypeError('fetch failed', { cause: new Error('recorded') });
  };
  await call(awsCallsOf(aws, { fetch: record }), service, method, input).catch(() => undefined);
  return write;
}

test('the table has every call of the interface, and no other', () => {
  const source = readFileSync(new URL('calls.ts', import.meta.url), 'utf8');
  const declared = [...source.matchAll(/export interface (\w+)Calls \{([^}]*)\}/g)].flatMap(
    ([, name, body]) =>
      name === 'Aws'
        ? []
        : [...body!.matchAll(/readonly (\w+): Call</g)].map((match) => `${name!.toLowerCase()}.${match[1]}`),
  );
  expect(declared.length).toBeGreaterThan(30);
  const named = TABLE.map(({ service, method }) => `${service.replaceAll('-', '')}.${method}`);
  expect(named.sort()).toEqual(declared.sort());
});

test.each(TABLE)('$service.$method is recognized on the wire', async ({ service, method, row }) => {
  const expected = row.writes ? `${service}:${actionOf(method)}` : undefined;
  const inPath = {
    name: 'a',
    clusterName: 'a',
    principalArn: 'arn:aws:iam::1:role/a',
    associationId: 'a-1',
  };
  const input = { ...inPath, QueueUrl: 'https://sqs.us-west-2.amazonaws.com/1/a' };
  expect(await writeOf(service, method, input)).toBe(expected);
});

describe('a dry run', () => {
  test('is no write', async () => {
    expect(await writeOf('ec2', 'runInstances', { DryRun: true, MinCount: 1, MaxCount: 1 })).toBeUndefined();
    expect(await writeOf('ec2', 'createFleet', { DryRun: true })).toBeUndefined();
  });

  test('that is none is a write', async () => {
    expect(await writeOf('ec2', 'createFleet', { DryRun: false })).toBe('ec2:CreateFleet');
  });
});

const SIGNED = {
  authorization:
    'AWS4-HMAC-SHA256 Credential=AKIA/20260101/us-west-2/ec2/aws4_request, SignedHeaders=host, Signature=0',
};

test.each<[string, Parameters<Fetch>, string | undefined]>([
  [
    'an unknown action',
    [
      'https://ec2.us-west-2.amazonaws.com/',
      { method: 'POST', body: 'Action=MoveAddressToVpc', headers: SIGNED },
    ],
    'ec2:MoveAddressToVpc',
  ],
  [
    'an action in the URL',
    ['https://ec2.us-west-2.amazonaws.com/?Action=TerminateInstances', { headers: SIGNED }],
    'ec2:TerminateInstances',
  ],
  [
    'two actions',
    [
      'https://ec2.us-west-2.amazonaws.com/?Action=CreateFleet',
      { method: 'POST', body: 'Action=DescribeSubnets', headers: SIGNED },
    ],
    'ec2:DescribeSubnets+CreateFleet',
  ],
  [
    'a read without a signature',
    ['https://ec2.us-west-2.amazonaws.com/', { method: 'POST', body: 'Action=DescribeSubnets' }],
    'ec2.us-west-2.amazonaws.com:DescribeSubnets',
  ],
  [
    'a body that cannot be read',
    [
      'https://ec2.us-west-2.amazonaws.com/',
      { method: 'POST', body: new Blob(['Action=DescribeSubnets']), headers: SIGNED },
    ],
    'POST /',
  ],
  [
    'a request object',
    [
      new Request('https://ec2.us-west-2.amazonaws.com/', {
        method: 'POST',
        body: 'Action=DescribeSubnets',
        headers: SIGNED,
      }),
    ],
    'POST /',
  ],
  [
    'an unknown target',
    ['https://x.amazonaws.com/', { method: 'POST', headers: { 'x-amz-target': 'DynamoDB.GetItem' } }],
    'x.amazonaws.com:GetItem',
  ],
  [
    'another path of EKS',
    [
      'https://eks.us-west-2.amazonaws.com/clusters/a',
      { method: 'DELETE', headers: { authorization: SIGNED.authorization.replace('/ec2/', '/eks/') } },
    ],
    'DELETE /clusters/a',
  ],
  [
    'the start of a zonal shift',
    [
      'https://arc-zonal-shift.us-west-2.amazonaws.com/zonalshifts',
      {
        method: 'POST',
        body: '{}',
        headers: { authorization: SIGNED.authorization.replace('/ec2/', '/arc-zonal-shift/') },
      },
    ],
    'POST /zonalshifts',
  ],
  [
    'credentials of a web identity',
    ['https://sts.us-west-2.amazonaws.com/', { method: 'POST', body: 'Action=AssumeRoleWithWebIdentity' }],
    undefined,
  ],
  [
    'the token of the metadata service',
    ['http://169.254.169.254/latest/api/token', { method: 'PUT' }],
    undefined,
  ],
  ['metadata', ['http://169.254.169.254/latest/meta-data/placement/region', {}], undefined],
  ['another PUT', ['http://169.254.169.254/latest/user-data', { method: 'PUT' }], 'PUT /latest/user-data'],
])('%s', (_, request, expected) => {
  expect(awsWriteOf(...request)).toBe(expected);
});

test('in observe mode, AWS is read and nothing else is sent', async () => {
  const fetch = withoutCloudWrites(aws.server.fetch, awsWriteOf, aws.world.metrics, 'aws');
  const calls = awsCallsOf(aws, { fetch });
  await calls.ec2.describeSubnets({}, options);
  await expect(calls.ec2.createTags({ Resources: ['i-1'], Tags: [] }, options)).rejects.toThrow(
    /observe mode/,
  );
  expect(aws.server.calls().map(({ action }) => action)).toEqual(['DescribeSubnets']);
  expect(aws.world.values.get('chandler_observe_refused_writes_total{target="aws"}')).toBe(1);
});

test('a replica without the lease changes nothing', async () => {
  const fence = { isOpen: true };
  const calls = awsCallsOf(aws, { fetch: withCloudFence(aws.server.fetch, awsWriteOf, fence) });
  const InstanceIds = ['i-0123456789abcdef0'];
  await expect(calls.ec2.terminateInstances({ InstanceIds }, options)).rejects.toMatchObject({
    code: 'InvalidInstanceID.NotFound',
  });
  fence.isOpen = false;
  await expect(calls.ec2.terminateInstances({ InstanceIds }, options)).rejects.toThrow(
    /does not hold the lease/,
  );
  await calls.ec2.describeSubnets({}, options);
  expect(aws.server.calls().map(({ action }) => action)).toEqual(['TerminateInstances', 'DescribeSubnets']);
});
