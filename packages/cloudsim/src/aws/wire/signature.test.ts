import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TestAws, testAws } from '../aws.fixture.ts';
import { readAuthorization, signatureOf } from './sigv4.ts';

let aws: TestAws;

beforeEach(async () => {
  aws = await testAws();
});

afterEach(() => aws.close());

test('the signature of the documentation is computed', () => {
  // The example of "Create a signed AWS API request" in the IAM user guide, with its published keys.
  const headers = {
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    host: 'iam.amazonaws.com',
    'x-amz-date': '20150830T123600Z',
  };
  const request = { method: 'GET', target: '/?Action=ListUsers&Version=2010-05-08', headers, body: '' };
  const scope = { day: '20150830', region: 'us-east-1', service: 'iam', signedHeaders: Object.keys(headers) };
  const signature = signatureOf('wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', request, scope);
  expect(signature).toBe('5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7');
  expect(readAuthorization('Bearer abc')).toBeUndefined();
});

test('a call with a wrong secret is refused in the words of each service', async () => {
  const wrong = { ...aws.server.credentials, secretAccessKey: 'wrong' };
  expect(await aws.ec2('DescribeVpcs', {}, wrong)).toMatchObject({ status: 401, code: 'AuthFailure' });
  expect(await aws.query('sts', 'GetCallerIdentity', {}, wrong)).toMatchObject({
    status: 403,
    code: 'SignatureDoesNotMatch',
  });
  expect(await aws.json('ssm', 'GetParameter', { Name: '/a' }, wrong)).toMatchObject({
    code: 'InvalidSignatureException',
  });
  const unknown = { ...aws.server.credentials, accessKeyId: 'AKIAUNKNOWN' };
  expect(await aws.query('iam', 'GetRole', { RoleName: 'a' }, unknown)).toMatchObject({
    code: 'InvalidClientTokenId',
  });
  expect(await aws.json('ssm', 'GetParameter', { Name: '/a' }, unknown)).toMatchObject({
    code: 'UnrecognizedClientException',
  });
});

test('a clock that is more than five minutes off is refused, less is not', async () => {
  aws.skewMs = -299_000;
  expect((await aws.ec2('DescribeVpcs')).status).toBe(200);
  aws.skewMs = -301_000;
  expect(await aws.ec2('DescribeVpcs')).toMatchObject({ code: 'AuthFailure' });
  expect(await aws.query('sts', 'GetCallerIdentity', {})).toMatchObject({
    code: 'SignatureDoesNotMatch',
    message:
      'Signature expired: 20251231T235459Z is now earlier than 20251231T235500Z (20260101T000000Z - 5 min.)',
  });
  aws.skewMs = 301_000;
  expect((await aws.json('ssm', 'GetParameter', { Name: '/a' })).message).toContain(
    'Signature not yet current',
  );
});

test('temporary credentials end', async () => {
  const key = aws.server.assume('KarpenterControllerRole', 900_000);
  expect((await aws.ec2('DescribeVpcs', {}, key)).status).toBe(200);
  const { sessionToken: _, ...withoutToken } = key;
  expect((await aws.ec2('DescribeVpcs', {}, withoutToken)).code).toBe('AuthFailure');
  await aws.world.clock.advance(900_000);
  expect(await aws.ec2('DescribeVpcs', {}, key)).toMatchObject({
    code: 'RequestExpired',
    message: 'Request has expired.',
  });
  expect((await aws.query('sts', 'GetCallerIdentity', {}, key)).code).toBe('ExpiredToken');
  expect((await aws.json('ssm', 'GetParameter', { Name: '/a' }, key)).code).toBe('ExpiredTokenException');
});

test('a body that is changed after it was signed is refused', async () => {
  const { server } = aws;
  const response = await server.fetch('http://ec2.us-west-2.amazonaws.com/', {
    method: 'POST',
    headers: { authorization: 'AWS4-HMAC-SHA256 Credential=nobody' },
    body: 'Action=DescribeVpcs',
  });
  expect(response.status).toBe(400);
  expect(await response.text()).toMatch(/<RequestID>[0-9a-f-]{36}<\/RequestID>/);
});

test('unknown actions and parameters are named', async () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const call = (body: string) => aws.call('ec2', { method: 'POST', path: '/', body, headers: form });
  expect(await call('Action=DescribeUnicorns&Version=2016-11-15')).toMatchObject({
    code: 'InvalidAction',
    message: 'The action DescribeUnicorns is not valid for this web service.',
  });
  expect(await call('Action=DescribeVpcs&Colour=red')).toMatchObject({
    code: 'UnknownParameter',
    message: 'The parameter Colour is not recognized',
  });
  expect(await call('Action=RunInstances&MaxCount=1')).toMatchObject({
    code: 'MissingParameter',
    message: 'The request must contain the parameter MinCount',
  });
});
