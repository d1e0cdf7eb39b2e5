/** The client of our own for zonal shift, against a simulated AWS that checks the signature. */
import { CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeniedCalls } from '../../index.ts';
import { awsCallsOf, refusalOf } from '../aws-calls.fixture.ts';
import { BAD_ANSWER, classify, NO_ANSWER, readDenial } from '../errors/index.ts';
import type { AwsCallsOptions } from './aws-calls.ts';
import { fixedCredentials } from './credential-source.ts';

const options = { signal: new AbortController().signal };
let aws: TestAws;

beforeEach(async () => {
  aws = await testAws();
});

afterEach(() => aws.close());

const arn = () => aws.server.cluster.arn;

function ask(change: Partial<AwsCallsOptions> = {}, resourceIdentifier = arn()) {
  const calls = awsCallsOf(aws, change);
  return calls['arc-zonal-shift'].getManagedResource({ resourceIdentifier }, options);
}

test('an answer is read, signed at the time of the World, with the parts of the ARN encoded', async () => {
  const nowMs = aws.world.clock.now();
  aws.server.cluster.shiftedZones.set('usw2-az1', { startMs: nowMs, endMs: nowMs + 3_600_000 });
  const urls: string[] = [];
  const fetch: Fetch = (input, init) => {
    urls.push(String(input));
    return aws.server.fetch(input, init);
  };
  const answer = await ask({ fetch });
  expect(answer.zonalShifts).toMatchObject([
    { awayFrom: 'usw2-az1', appliedStatus: 'APPLIED', expiryTime: nowMs / 1000 + 3600 },
  ]);
  expect(urls).toEqual([
    `https://arc-zonal-shift.us-west-2.amazonaws.com/managedresources/${encodeURIComponent(arn())}`,
  ]);
  await aws.world.clock.advance(24 * 3_600_000);
  expect((await ask()).zonalShifts).toEqual([]);
});

test('a wrong secret is refused by AWS, and is no missing permission', async () => {
  const { accessKeyId } = aws.server.credentials;
  const error = await refusalOf(
    ask({ credentials: fixedCredentials({ accessKeyId, secretAccessKey: 'wrong' }) }),
  );
  expect(error.status).toBe(403);
  const { row, denial } = classify(error);
  expect(row.kind).toBe('Unauthorized');
  expect(denial).toBeUndefined();
});

test('a missing permission is denied, with the action and the cluster', async () => {
  const { account, context } = aws.server;
  context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [] });
  const denied = new DeniedCalls(aws.world.clock);
  const error = await refusalOf(ask({ denied }));
  expect(error).toMatchObject({ status: 403, code: 'AccessDeniedException' });
  expect(readDenial(error.message)).toMatchObject({
    action: 'arc-zonal-shift:GetManagedResource',
    resource: arn(),
  });
  expect(denied.list().map(({ call }) => call)).toEqual(['arc-zonal-shift:GetManagedResource']);
});

test('a cluster that is not registered is not found', async () => {
  aws.server.cluster.zonalShift = false;
  expect(await refusalOf(ask())).toMatchObject({ status: 404, code: 'ResourceNotFoundException' });
});

test.each([
  ['500', 500, 'Unreachable'],
  ['503', 503, 'Unreachable'],
  ['throttle', 400, 'Throttled'],
  ['expired-token', 403, 'Unauthorized'],
])('the fault %s is classified', async (fault, status, kind) => {
  aws.server.faults.add(`${fault}@operation=arc-zonal-shift:GetManagedResource`);
  const error = await refusalOf(ask());
  expect(error.status).toBe(status);
  expect(classify(error).row.kind).toBe(kind);
});

test.each([
  ['', 200],
  ['<html>sign in</html>', 200],
  ['{"zonalShifts":[', 200],
  ['[]', 200],
])('%s is no answer', async (text, status) => {
  const error = await refusalOf(ask({ fetch: async () => new Response(text, { status }) }));
  expect(error.code).toBe(BAD_ANSWER);
});

test('an error without a name is known by its status, and what a proxy says is shown', async () => {
  const error = await refusalOf(
    ask({ fetch: async () => new Response('<html>Bad Gateway</html>', { status: 502 }) }),
  );
  expect(error).toMatchObject({ code: BAD_ANSWER, status: 502 });
  expect(error.message).toContain('HTTP 502: <html>Bad Gateway');
});

test('the name of an error may be in the body, after a namespace', async () => {
  const body = JSON.stringify({ __type: 'com.amazonaws.arc#AccessDeniedException', message: 'no' });
  const headers = { 'retry-after': '7' };
  const error = await refusalOf(ask({ fetch: async () => new Response(body, { status: 403, headers }) }));
  expect(error).toMatchObject({ code: 'AccessDeniedException', message: 'no', retryAfterMs: 7000 });
});

test('a service that does not answer has a deadline', async () => {
  const silent: Fetch = (_, init) =>
    new Promise((_resolve, reject) =>
      init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason)),
    );
  const asked = refusalOf(ask({ fetch: silent, timeoutMs: 1_000 }));
  await aws.world.clock.advance(1_000);
  expect((await asked).code).toBe(NO_ANSWER);
});

test.each([
  ['us-west-2', {}, 'arc-zonal-shift.us-west-2.amazonaws.com'],
  ['us-west-2', { useFips: true }, 'arc-zonal-shift-fips.us-west-2.amazonaws.com'],
  ['us-west-2', { useDualstack: true }, 'arc-zonal-shift.us-west-2.api.aws'],
  ['us-east-1', { useFips: true, useDualstack: true }, 'arc-zonal-shift-fips.us-east-1.api.aws'],
  ['cn-north-1', {}, 'arc-zonal-shift.cn-north-1.amazonaws.com.cn'],
  ['us-gov-west-1', {}, 'arc-zonal-shift.us-gov-west-1.amazonaws.com'],
  ['us-iso-east-1', {}, 'arc-zonal-shift.us-iso-east-1.c2s.ic.gov'],
])('the endpoint of %s with %o is %s', async (region, change, host) => {
  const hosts: string[] = [];
  const fetch: Fetch = async (input) => {
    hosts.push(new URL(String(input)).host);
    return new Response('{"zonalShifts":[]}');
  };
  await ask({ fetch, region, ...change });
  expect(hosts).toEqual([host]);
});

test('an endpoint of its own may have a port and a path', async () => {
  const urls: string[] = [];
  const fetch: Fetch = async (input) => {
    urls.push(String(input));
    return new Response('{"zonalShifts":[]}');
  };
  await ask({ fetch, endpoint: 'http://127.0.0.1:4566/aws/' });
  expect(urls).toEqual([`http://127.0.0.1:4566/aws/managedresources/${encodeURIComponent(arn())}`]);
});
