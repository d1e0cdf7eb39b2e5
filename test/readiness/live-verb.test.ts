/** `chandler check --live-aws` and `--iam-policy` as a user runs them, against a simulated AWS in this process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type AwsServer, startAwsServer } from '@chandler/cloudsim/aws';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
// Loaded here, because loading takes real time, and the clock of the test is virtual.
import '../../packages/chandler/src/cloud/aws/testing.ts';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { FILES, furnish } from './live-estate.ts';

const folder = mkdtempSync(join(tmpdir(), 'check-live-'));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
const empty = mkdtempSync(join(tmpdir(), 'check-live-'));
const profiles = mkdtempSync(join(tmpdir(), 'check-live-'));
const servers: AwsServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});
afterAll(() => {
  for (const each of [folder, empty, profiles]) rmSync(each, { recursive: true });
});

/** For 10 ms of virtual time: a file that is read on a busy machine is not late then. */
const REAL_MS_A_TURN = 2;

async function check(
  args: readonly string[],
  given: Readonly<Record<string, string>> = {},
  more: (server: AwsServer) => Readonly<Record<string, string>> = () => ({}),
  interrupt?: AbortController,
) {
  const world = virtualWorld({
    fetch: (...request) => {
      // After the first call, which tells whose account it is.
      if (server.calls().length > 0) interrupt?.abort(new Error('stopped by SIGINT'));
      return server.fetch(...request);
    },
  });
  const server = await startAwsServer({
    world,
    listen: false,
    clusterName: 'shop',
    accountId: '418295670013',
    region: 'eu-west-1',
  });
  servers.push(server);
  furnish(server);
  server.context.access.attach([...server.account.roles.values()].at(-1)!.arn, {
    policies: [{ Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] }],
  });
  let out = '';
  let err = '';
  const verb = run(VERBS, {
    args: ['check', ...args],
    env: {
      HOME: empty,
      AWS_ENDPOINT_URL: server.url,
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_ACCESS_KEY_ID: server.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: server.credentials.secretAccessKey,
      ...given,
      ...more(server),
    },
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: (interrupt ?? new AbortController()).signal,
    world: async () => world,
  });
  let ended = false;
  const end = verb.finally(() => {
    ended = true;
  });
  // Files of profiles are read in real time, which is limited in virtual time; turns of call rates come in virtual time.
  while (!ended) {
    await setTimeout(REAL_MS_A_TURN);
    await world.clock.advance(10);
  }
  return { code: await end, out, err, calls: server.calls() };
}

describe('chandler check --live-aws', () => {
  test('judges the files together with the account, and shows the calls as places', async () => {
    const { out, err, calls } = await check([folder, '--live-aws', '--region', 'eu-west-1', '-o', 'json']);
    expect(err).toBe('');
    expect(calls.length).toBeGreaterThan(30);
    const { findings } = JSON.parse(out);
    expect(findings.find(({ id }: { id: string }) => id === 'S-51')).toMatchObject({
      status: 'pass',
      object: 'KarpenterNodeRole-shop',
      evidence: [
        { source: 'live', at: 'eks:DescribeCluster' },
        { source: 'live', at: 'eks:DescribeAccessEntry' },
      ],
    });
  });

  test('an interrupt while it reads ends it with 130, and nothing is reported as not read', async () => {
    const args = [folder, '--live-aws', '--region', 'eu-west-1'];
    const { code, out } = await check(args, {}, () => ({}), new AbortController());
    expect({ code, out }).toEqual({ code: 130, out: '' });
  });

  test('asks nothing of AWS without the flag', async () => {
    const { calls, out } = await check([folder, '--region', 'eu-west-1']);
    expect(calls).toEqual([]);
    expect(out).toMatch(/\d+ need the live account \(AWS: --live-aws\)\n/);
  });

  test.each([[[]], [['--require-inputs']], [['--exit-zero']]])(
    'without credentials the checks of the account are skipped, say what to do, and the exit code is 3: %j',
    async (args) => {
      const { code, out, err, calls } = await check(
        [folder, '--live-aws', '--region', 'eu-west-1', ...args],
        {
          AWS_ACCESS_KEY_ID: '',
          AWS_SECRET_ACCESS_KEY: '',
        },
      );
      expect(code).toBe(3);
      expect(err).toMatch(/^chandler check: --live-aws: .*AWS_PROFILE/);
      expect(calls).toEqual([]);
      expect(out).toMatch(/\d+ have no answer of the account: .*AWS_PROFILE/);
    },
  );

  test('--profile names a profile of the AWS command line, and beats keys of the environment', async () => {
    const args = [folder, '--live-aws', '--region', 'eu-west-1', '--profile', 'shop', '-o', 'json'];
    const { out, calls } = await check(args, { AWS_ACCESS_KEY_ID: 'AKIAOTHER' }, (server) => {
      const { accessKeyId, secretAccessKey } = server.credentials;
      const file = join(profiles, 'credentials');
      writeFileSync(
        file,
        `[shop]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
      );
      return { AWS_SHARED_CREDENTIALS_FILE: file };
    });
    expect(calls.length).toBeGreaterThan(30);
    expect(out).not.toContain('was not answered');
    expect(out).not.toContain('AccessDenied');
  });

  test('the name of the cluster has to be known', async () => {
    const { code, err } = await check([empty, '--live-aws']);
    expect(code).toBe(2);
    expect(err).toContain('give --cluster-name');
    const named = await check([empty, '--live-aws', '--cluster-name', 'shop', '--region', 'eu-west-1']);
    expect(named.out).toContain('K-87');
    expect(named.calls.length).toBeGreaterThan(10);
  });

  test('--iam-policy prints the policy for one cluster, and checks nothing', async () => {
    const { code, out, calls } = await check([
      '--iam-policy',
      '--cluster-name',
      'shop',
      '--region',
      'cn-north-1',
    ]);
    expect(code).toBe(0);
    expect(calls).toEqual([]);
    const policy = JSON.parse(out);
    expect(policy.Statement).toContainEqual({
      Sid: 'AllowReadingCluster',
      Effect: 'Allow',
      Action: ['eks:DescribeCluster', 'eks:ListAddons', 'eks:ListPodIdentityAssociations'],
      Resource: 'arn:aws-cn:eks:cn-north-1:*:cluster/shop',
    });
    expect(out).not.toMatch(/Create|Put|Delete|Update|Attach(?!edRole)|Tag/);
  });
});
