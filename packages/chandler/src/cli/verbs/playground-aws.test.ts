/** `chandler playground --cloud aws`, over HTTP: what it prints and writes, and instances that the official SDK launches. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DescribeSubnetsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { realTimeWorld } from '../../../../../test/playground/cluster.ts';
import { run } from '../run.ts';
import { VERBS } from './index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-aws-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Ready {
  readonly cloud: string;
  readonly aws: Readonly<
    Record<'endpoint' | 'region' | 'envFile' | 'credentialsFile' | 'faultHeaderFile', string>
  >;
  readonly azure?: object;
}

describe('chandler playground --cloud aws', () => {
  test('names the cloud and its addresses, keeps secrets in separate files, and removes all files at the end', async () => {
    let ready: Ready | undefined;
    let secret = '';
    const { code, out } = await playground(['-o', 'json', '--no-controller'], (line) => {
      ready = JSON.parse(line) as Ready;
      const { envFile, credentialsFile, faultHeaderFile } = ready.aws;
      for (const file of [envFile, credentialsFile, faultHeaderFile])
        expect(statSync(file).mode & 0o777).toBe(0o600);
      secret = /aws_secret_access_key = (\S+)/.exec(readFileSync(credentialsFile, 'utf8'))![1]!;
      expect(readFileSync(envFile, 'utf8')).not.toContain(secret);
    });
    expect(code).toBe(0);
    expect(ready).toMatchObject({ cloud: 'aws', aws: { region: 'us-west-2' } });
    expect(ready?.azure).toBeUndefined();
    expect(out).not.toContain(secret);
    expect(existsSync(ready!.aws.envFile)).toBe(false);
  });

  test('the official SDK reaches it with what aws.env and the credentials file contain', async () => {
    let subnets = 0;
    await playground(['-o', 'json', '--no-controller'], async (line) => {
      const { aws } = JSON.parse(line) as Ready;
      const env = readFileSync(aws.envFile, 'utf8');
      const value = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(env)![1]!;
      const keys = readFileSync(value('AWS_SHARED_CREDENTIALS_FILE'), 'utf8');
      const client = new EC2Client({
        region: value('AWS_REGION'),
        endpoint: value('AWS_ENDPOINT_URL'),
        credentials: {
          accessKeyId: /aws_access_key_id = (\S+)/.exec(keys)![1]!,
          secretAccessKey: /aws_secret_access_key = (\S+)/.exec(keys)![1]!,
        },
      });
      const Filters = [{ Name: 'tag:karpenter.sh/discovery', Values: [value('CLUSTER_NAME')] }];
      subnets = (await client.send(new DescribeSubnetsCommand({ Filters }))).Subnets!.length;
      client.destroy();
    });
    expect(subnets).toBe(3);
  });

  test('prints its endpoint, account and region for people', async () => {
    const { out } = await playground(['--no-controller'], () => undefined);
    expect(out).toMatch(/AWS {9}http:\/\/127\.0\.0\.1:\d+, account 111122223333, region us-west-2/);
    expect(out).toContain(join(folder, 'kubeconfig-aws', 'aws.env'));
  });

  test('an unknown fault is a usage error that lists those of AWS', async () => {
    const { code, err } = await playground(['--no-controller', '--fault', 'cse=50'], () => undefined);
    expect(code).toBe(2);
    expect(err).toMatch(/--fault: unknown fault 'cse'; available: .*capacity/);
  });

  test('--scenario list prints the scenarios that run on AWS', async () => {
    const { out } = await playground(['--no-controller', '--scenario', 'list'], () => undefined);
    const names = out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]);
    expect(names).toContain('burst');
    expect(names).toContain('spot-interruption');
    expect(names).not.toContain('cse-failure');
  });
});

describe('chandler playground --cloud both', () => {
  test('names both clouds, keeps a folder for each, and removes all files at the end', async () => {
    let ready: { cloud: string; azure: { envFile: string }; aws: { envFile: string } } | undefined;
    const { code } = await playground(
      ['-o', 'json', '--no-controller'],
      (line) => {
        ready = JSON.parse(line);
        const [azure, aws] = [ready!.azure, ready!.aws].map(({ envFile }) => readFileSync(envFile, 'utf8'));
        expect(azure).toContain('SYSTEM_NAMESPACE=chandler-azure');
        expect(aws).toContain('SYSTEM_NAMESPACE=chandler-aws');
      },
      'both',
    );
    expect(code).toBe(0);
    expect(ready?.cloud).toBe('both');
    for (const { envFile } of [ready!.azure, ready!.aws]) expect(existsSync(envFile)).toBe(false);
  });

  test('runs two controllers, and each leads', async () => {
    const leads = (output: string) =>
      ['Azure', 'AWS'].every((title) => output.includes(`${title}: is the leader`));
    const { code, out } = await playground(
      [],
      async (_, output) => {
        const { clock } = realTimeWorld().world;
        for (let waited = 0; !leads(output()) && waited < 60_000; waited += 100) await clock.sleep(100);
      },
      'both',
    );
    expect(code).toBe(0);
    expect(out).toContain('and 2 controllers, one for each cloud, that provision nodes');
    expect(out).toContain('Pods get nodes on Azure. For a node on AWS, a pod needs the nodeSelector');
    expect(leads(out), out).toBe(true);
  }, 90_000);

  test.each([
    [['--scenario', 'burst'], '--scenario: runs on one cloud'],
    [['--fault', 'capacity'], '--fault: requires one cloud'],
  ])('%j is a usage error', async (args, message) => {
    const { code, err } = await playground(args, () => undefined, 'both');
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});

// ---------------------------------------------------------------------------------------------------

/** Interrupts the playground once `whenReady` is done with its first output, and passes on what that threw. */
async function playground(
  args: readonly string[],
  whenReady: (first: string, output: () => string) => void | Promise<void>,
  cloud = 'aws',
) {
  const interrupt = new AbortController();
  let out = '';
  let err = '';
  let thrown: unknown;
  const code = await run(VERBS, {
    args: [
      'playground',
      '--cloud',
      cloud,
      '--write-kubeconfig',
      join(folder, 'kubeconfig'),
      '--nodes',
      '1',
      ...args,
    ],
    env: {},
    terminal: {
      out(text) {
        const isFirst = out === '';
        out += text;
        if (!isFirst) return;
        void Promise.resolve()
          .then(() => whenReady(text, () => out))
          .catch((error: unknown) => {
            thrown = error;
          })
          .finally(() => interrupt.abort());
      },
      err: (text) => (err += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld().world,
  });
  if (thrown !== undefined) throw thrown;
  return { code, out, err };
}
