import { afterEach, beforeEach, expect, test } from 'vitest';
import { fleetParams, type TestAws, templateParams, testAws } from '../aws.fixture.ts';
import type { InstanceRecord } from '../store/records.ts';
import { NoAnswer } from './imds.ts';

let aws: TestAws;
let instance: InstanceRecord;

beforeEach(async () => {
  aws = await testAws({ latencies: { consistencyMs: 0 } });
  const { nodeRoleName } = aws.server.settings;
  await aws.query('iam', 'CreateInstanceProfile', { InstanceProfileName: 'nodes' });
  await aws.query('iam', 'AddRoleToInstanceProfile', {
    InstanceProfileName: 'nodes',
    RoleName: nodeRoleName,
  });
  const UserData = Buffer.from('hello').toString('base64');
  await aws.ec2(
    'CreateLaunchTemplate',
    templateParams(aws.server, { UserData, IamInstanceProfile: { Name: 'nodes' } }),
  );
  await aws.ec2('CreateFleet', fleetParams(aws.server));
  instance = aws.server.instances.list()[0]!;
});

afterEach(() => aws.close());

function ask(method: string, path: string, headers: Record<string, string> = {}, hops = 1) {
  return aws.server.metadata.handle(instance, { method, path, headers }, hops);
}

const TTL = { 'x-aws-ec2-metadata-token-ttl-seconds': '60' };

test('every item needs a token, and the token ends', async () => {
  expect(ask('GET', '/latest/meta-data/instance-id').status).toBe(401);
  const { body: token } = ask('PUT', '/latest/api/token', TTL);
  const get = (path: string) => ask('GET', path, { 'x-aws-ec2-metadata-token': token });
  expect(get('/latest/meta-data/instance-id').body).toBe(instance.id);
  expect(get('/latest/meta-data/placement/availability-zone-id').body).toBe('usw2-az2');
  expect(get('/latest/user-data').body).toBe('hello');
  expect(JSON.parse(get('/latest/dynamic/instance-identity/document').body)).toMatchObject({
    region: 'us-west-2',
  });
  expect(get('/latest/meta-data/no-such').status).toBe(404);
  await aws.world.clock.advance(60_000);
  expect(get('/latest/meta-data/instance-id').status).toBe(401);
});

test('a pod behind a bridge gets no token when the hop limit is 1', () => {
  expect(() => ask('PUT', '/latest/api/token', TTL, 2)).toThrow(NoAnswer);
  expect(ask('PUT', '/latest/api/token', {}).status).toBe(400);
  expect(ask('PUT', '/latest/api/token', { ...TTL, 'x-forwarded-for': '10.0.0.1' }).status).toBe(403);
});

test('the credentials of the role can be used', async () => {
  const { body: token } = ask('PUT', '/latest/api/token', TTL);
  const get = (path: string) => ask('GET', path, { 'x-aws-ec2-metadata-token': token }).body;
  const role = get('/latest/meta-data/iam/security-credentials/');
  expect(role).toBe('KarpenterNodeRole-playground');
  const key = JSON.parse(get(`/latest/meta-data/iam/security-credentials/${role}`));
  const answer = await aws.query(
    'sts',
    'GetCallerIdentity',
    {},
    {
      accessKeyId: key.AccessKeyId,
      secretAccessKey: key.SecretAccessKey,
      sessionToken: key.Token,
      principal: aws.server.credentials.principal,
    },
  );
  expect(answer.text).toContain(`assumed-role/KarpenterNodeRole-playground/${instance.id}`);
});

test('over HTTP it is served to who stands for a process on the instance', async () => {
  const { server } = aws;
  const put = () => server.fetch(`${server.url}/latest/api/token`, { method: 'PUT', headers: TTL });
  server.serveMetadata(instance.id, 2);
  await expect(put()).rejects.toThrow('fetch failed');
  await aws.close();
  aws = await testAws({ latencies: { consistencyMs: 0 } });
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  await aws.ec2('CreateFleet', fleetParams(aws.server));
  const [other] = aws.server.instances.list();
  aws.server.serveMetadata(other!.id);
  const { url, fetch } = aws.server;
  const token = await (await fetch(`${url}/latest/api/token`, { method: 'PUT', headers: TTL })).text();
  const headers = { 'x-aws-ec2-metadata-token': token };
  expect(await (await fetch(`${url}/latest/meta-data/placement/region`, { headers })).text()).toBe(
    'us-west-2',
  );
});
