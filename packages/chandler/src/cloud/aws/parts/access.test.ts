/** From options to calls, against a simulated AWS. */
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import '../aws-calls.fixture.ts';
import { GOOD_ENV, resolveAws } from '../options/options.fixture.ts';
import { awsAccess } from './access.ts';

const options = { signal: new AbortController().signal };
let aws: TestAws;
let hosts: Set<string>;

beforeEach(async () => {
  aws = await testAws();
  hosts = new Set();
});

afterEach(() => aws.close());

function accessWith(env: Readonly<Record<string, string>>) {
  const { accessKeyId, secretAccessKey } = aws.server.credentials;
  const fetch: Fetch = (input, init) => {
    hosts.add(new URL(String(input)).host);
    return aws.server.fetch(input, init);
  };
  const { values, problems } = resolveAws({
    env: { ...GOOD_ENV, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, ...env },
  });
  expect(problems).toEqual([]);
  const readFile = () => {
    throw new Error('no file');
  };
  return awsAccess({ world: aws.world, values, fetch, readFile, version: '0.0.0-test' });
}

test('options lead to calls', async () => {
  const { calls, region } = accessWith({});
  expect((await calls.ec2.describeSubnets({}, options)).Subnets).toHaveLength(3);
  await calls.pricing.getProducts({ ServiceCode: 'AmazonEC2', MaxResults: 1 }, options);
  expect([...hosts]).toEqual(['ec2.us-west-2.amazonaws.com', 'api.pricing.us-east-1.amazonaws.com']);
  expect(await region.get(options.signal)).toEqual({ value: 'us-west-2', source: 'env', path: 'AWS_REGION' });
});

test('endpoints: that of a service before the common one', async () => {
  const { calls } = accessWith({
    AWS_ENDPOINT_URL: 'http://all.example',
    AWS_ENDPOINT_URL_EC2: 'https://vpce-1.ec2.us-west-2.vpce.amazonaws.com',
  });
  await calls.ec2.describeSubnets({}, options);
  await calls.sts.getCallerIdentity({}, options);
  expect([...hosts]).toEqual(['vpce-1.ec2.us-west-2.vpce.amazonaws.com', 'all.example']);
});

test('FIPS and dual-stack endpoints', async () => {
  await accessWith({ AWS_USE_FIPS_ENDPOINT: 'true' }).calls.ec2.describeSubnets({}, options);
  await accessWith({ AWS_USE_DUALSTACK_ENDPOINT: 'true' }).calls.ec2.describeSubnets({}, options);
  expect([...hosts]).toEqual(['ec2-fips.us-west-2.amazonaws.com', 'ec2.us-west-2.api.aws']);
});

test('rates and waits are those of the options', async () => {
  const { calls } = accessWith({ AWS_CALL_RATES: 'ec2:DescribeSubnets=1/2', AWS_LONGEST_WAIT: '0s' });
  await calls.ec2.describeSubnets({}, options);
  await calls.ec2.describeSubnets({}, options);
  await expect(calls.ec2.describeSubnets({}, options)).rejects.toMatchObject({ code: 'HeldBack' });
});

test('without a region, the first call says what to set', async () => {
  const { calls } = accessWith({
    AWS_REGION: '',
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/nowhere/config',
    AWS_SHARED_CREDENTIALS_FILE: '/nowhere/credentials',
  });
  await expect(calls.ec2.describeSubnets({}, options)).rejects.toThrow(
    /the profile default in \/nowhere\/config has no region.*set AWS_REGION/,
  );
});
