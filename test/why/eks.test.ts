/**
 * `chandler why`, `dump` and `plan` on a cluster of EKS as people call them: the API server and AWS over real sockets, with the
 * credentials that the environment has.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import { CONTROLLER_ROLE, type PolicyDocument, startAwsServer, withoutAction } from '@chandler/cloudsim/aws';
import { TestAws } from '@chandler/cloudsim/aws/testing';
import { DEPLOYMENTS, fetchTransport, KubeClient, type KubeObject, LEASES, NODES } from '@chandler/kube';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { EC2_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { whyPolicy } from '../../packages/chandler/src/cloud/aws/testing.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { type AwsCluster, launchFleet } from '../playground/aws-cluster.ts';
import { realTimeWorld } from '../playground/cluster.ts';
import { awsController } from './aws-objects.ts';
import { chandler, configOf } from './verb.fixture.ts';

const CLAIM = 'nodeclaim/default-x7k2p';
const PLACE = {
  partition: 'aws',
  region: 'us-west-2',
  accountId: '111122223333',
  clusterName: 'playground',
};

let folder = '';
let kubeconfig = '';
let playground: Playground;
let admin: KubeClient;
let instance = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-eks-'));
  const { world } = realTimeWorld();
  playground = await startPlayground({ world, aws: { faults: ['never-register'] }, systemNodes: 1 });
  admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const { server } = playground.aws!;
  server.cluster.authenticationMode = 'API';
  server.cluster.accessEntries.clear();
  const aws: TestAws = new TestAws(server, world as never);
  const launched = await launchFleet({ aws, inTime: (promise) => promise } as AwsCluster);
  instance = launched.launched[0]!.id;
  // From here on, the credentials are those of a person who has the policy of docs/iam.md.
  allow(whyPolicy(PLACE));
  await createObjects();
  kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(configOf(playground)));
});
afterAll(async () => {
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function createObjects(): Promise<void> {
  const { cloud, aws } = playground;
  await admin.create(EC2_NODE_CLASSES, cloud!.defaultNodeClass);
  await admin.create(NODE_POOLS, cloud!.defaultPool());
  const env = { CLUSTER_NAME: aws!.server.cluster.name, CLUSTER_ENDPOINT: aws!.server.cluster.endpoint };
  const [deployment] = awsController({ env }).filter(({ kind }) => kind === 'Deployment');
  await admin.create(DEPLOYMENTS, deployment as KubeObject);
  await admin.create(LEASES, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: 'kube-system', name: 'karpenter-leader-election' },
    spec: {
      holderIdentity: 'karpenter-1',
      renewTime: new Date().toISOString().replace('Z', '000Z'),
      leaseDurationSeconds: 3600,
    },
  } as KubeObject);
  await admin.create(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'default-x7k2p', labels: { 'karpenter.sh/nodepool': 'default' } },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [],
    },
  } as never);
  const lastTransitionTime = new Date(Date.now() - 8 * 60_000).toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = [
    { type: 'Launched', status: 'True', reason: 'Launched', message: '', lastTransitionTime },
  ];
  const status = { providerID: `aws:///us-west-2a/${instance}`, conditions };
  await admin.patchStatus(NODE_CLAIMS, { name: 'default-x7k2p' }, { type: 'merge', patch: { status } });
  // Before its pod runs, why names the controller first.
  const key = { namespace: 'kube-system', name: deployment!.metadata.name! };
  await vi.waitFor(
    async () => expect((await admin.get(DEPLOYMENTS, key)).status).toMatchObject({ readyReplicas: 1 }),
    { timeout: 30_000 },
  );
}

function allow(policy: PolicyDocument): void {
  const { account, context } = playground.aws!.server;
  context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [policy] });
}

const why = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  chandler(['why', ...args, '--kubeconfig', kubeconfig], env);

/** What a shell has that may read AWS; no region. */
function credentials(): Record<string, string> {
  const { accessKeyId, secretAccessKey } = playground.aws!.server.credentials;
  return {
    AWS_ENDPOINT_URL: playground.aws!.server.url,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** Nothing is concluded from what AWS did not show. */
function expectClusterAlone(out: string): void {
  expect(out).toContain(`${CLAIM}: in progress`);
  expect(out).toMatch(/5 Bootstrap and kubelet {2}unknown/);
  expect(out).not.toContain('[aws-');
}

function callsDuring(): () => number {
  const before = playground.aws!.server.totalCalls;
  return () => playground.aws!.server.totalCalls - before;
}

describe('with credentials', () => {
  test('why finds the cloud in the node class of the object, and asks AWS in the region of the nodes', async () => {
    const { code, out, err } = await why([CLAIM, '--verbose'], credentials());
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('[aws-join.role-not-mapped, layer 5');
    expect(out).toContain(`instance ${instance} (aws,`);
    expect(out).not.toContain('Not read:');
    expect(out).toContain('aws eks create-access-entry --region us-west-2 --cluster-name playground');
  });

  test.each([
    'ec2:DescribeInstances',
    'ec2:DescribeInstanceStatus',
    'ec2:DescribeRouteTables',
    'ec2:DescribeSecurityGroups',
    'ec2:DescribeSubnets',
    'ec2:GetConsoleOutput',
    'eks:DescribeAccessEntry',
    'eks:DescribeCluster',
    'iam:GetInstanceProfile',
  ])('without %s, why says what it did not read, and blames nothing on it', async (action) => {
    allow(withoutAction(whyPolicy(PLACE), action));
    const { code, out } = await why([CLAIM], credentials());
    allow(whyPolicy(PLACE));
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^ {2}.*: forbidden; missing permission: ${action} \\(`, 'm'));
    const causes = [...out.matchAll(/\[(aws-[a-z-]+\.[a-z-]+)/g)].map(([, id]) => id);
    expect(causes.filter((id) => id !== 'aws-join.role-not-mapped')).toEqual([]);
  });

  test('the region of the environment does not count where the nodes show another', async () => {
    const { out } = await why([CLAIM], { ...credentials(), AWS_REGION: 'eu-west-1' });
    expect(out).toContain('aws-join.role-not-mapped');
  });

  test('the credentials file of a profile is enough', async () => {
    const { accessKeyId, secretAccessKey } = playground.aws!.server.credentials;
    const file = join(folder, 'credentials');
    writeFileSync(
      file,
      `[default]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`,
    );
    const { AWS_ENDPOINT_URL } = credentials();
    const env = { AWS_ENDPOINT_URL: AWS_ENDPOINT_URL!, AWS_SHARED_CREDENTIALS_FILE: file };
    expect((await why([CLAIM], env)).out).toContain('aws-join.role-not-mapped');
  });

  test('a dump has what AWS showed, and is answered as one of EKS without AWS', async () => {
    const file = join(folder, 'eks.json');
    const dumped = await chandler(['dump', '--kubeconfig', kubeconfig, '-f', file], credentials());
    expect(dumped.code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('ec2nodeclasses.karpenter.k8s.aws');
    expect(readFileSync(file, 'utf8')).not.toContain(credentials()['AWS_SECRET_ACCESS_KEY']);
    const calls = callsDuring();
    const { out } = await chandler(['why', CLAIM, '--dump', file]);
    expect(out).toContain('aws-join.role-not-mapped');
    expect(calls()).toBe(0);
  });

  test('--cloud chooses another cloud, whatever is in the cluster', async () => {
    const calls = callsDuring();
    const { code, out } = await why([CLAIM, '--cloud', 'azure'], credentials());
    expect(code).toBe(0);
    expect(out).not.toContain('aws-');
    expect(calls()).toBe(0);
  });

  test('plan reads the EC2NodeClass, and has prices of AWS', async () => {
    const { code, out } = await chandler(['plan', '--repair', '--kubeconfig', kubeconfig]);
    expect(code).toBe(0);
    expect(out).toContain('those of AWS for us-west-2');
    expect(out).not.toContain('EC2NodeClass default of NodePool default is not in the input');
  });
});

describe('without what AWS needs, the answer is from the cluster, and says what is missing', () => {
  const other: { close?: () => Promise<void> } = {};
  afterEach(() => other.close?.());

  test('no credentials', async () => {
    const calls = callsDuring();
    const { code, out, err } = await why([CLAIM]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain(
      `instance ${instance}, cluster playground: no credentials (set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`,
    );
    expectClusterAlone(out);
    expect(calls()).toBe(0);
  });

  test('credentials that are required and are nowhere', async () => {
    const env = { AWS_EC2_METADATA_DISABLED: 'true', AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') };
    const { code, out } = await why([CLAIM, '--aws', 'on'], {
      ...env,
      AWS_CONFIG_FILE: join(folder, 'none'),
    });
    expect(code).toBe(0);
    expect(out).toMatch(/no credentials \(no credentials of AWS were found: set AWS_PROFILE/);
    expectClusterAlone(out);
  });

  test('a profile that does not exist', async () => {
    const env = { ...credentials(), AWS_PROFILE: 'nobody', AWS_CONFIG_FILE: join(folder, 'none') };
    const { code, out } = await why([CLAIM], { ...env, AWS_SHARED_CREDENTIALS_FILE: join(folder, 'none') });
    expect(code).toBe(0);
    expect(out).toContain('no credentials from the profile of AWS_PROFILE');
  });

  test('credentials that AWS does not accept', async () => {
    const { code, out } = await why([CLAIM], { ...credentials(), AWS_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE' });
    expect(code).toBe(0);
    expect(out).toContain('no credentials (AWS does not accept the credentials: ');
    expect(out).not.toContain('missing permission: ec2');
  });

  test('--aws off', async () => {
    const { out } = await why([CLAIM, '--aws', 'off'], credentials());
    expect(out).toContain('not asked (--aws off)');
  });

  test('an AWS that does not answer', async () => {
    const env = { ...credentials(), AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const { code, out } = await why([CLAIM], env);
    expect(code).toBe(0);
    expect(out).toContain(`instance ${instance}: no answer`);
    expectClusterAlone(out);
  });

  test('credentials of another account, which has neither the instance nor the cluster', async () => {
    const { world } = realTimeWorld();
    const server = await startAwsServer({ world, accountId: '444455556666', clusterName: 'other' });
    other.close = () => server.close();
    const { accessKeyId, secretAccessKey } = server.credentials;
    const { code, out } = await why([CLAIM], {
      ...credentials(),
      AWS_ENDPOINT_URL: server.url,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    });
    expect(code).toBe(0);
    expect(out).toContain(
      `instance ${instance}: not found (EKS does not know the cluster playground either: the credentials may be of another account)`,
    );
    expectClusterAlone(out);
  });

  test('a cluster whose region nothing shows', async () => {
    const { items } = await admin.list(NODES);
    const [node] = items;
    const patch = {
      metadata: { labels: { 'topology.kubernetes.io/region': null, 'topology.kubernetes.io/zone': null } },
    };
    await admin.patch(NODES, { name: node!.metadata.name! }, { type: 'merge', patch });
    const none = join(folder, 'none');
    const noProfile = { ...credentials(), AWS_CONFIG_FILE: none, AWS_SHARED_CREDENTIALS_FILE: none };
    const { code, out } = await why([CLAIM], noProfile);
    expect(code).toBe(0);
    expect(out).toMatch(
      /not asked \(the region is not known, set AWS_REGION: neither objects of the cluster nor the options of its controller show it, .*/,
    );
    expectClusterAlone(out);
    const config = join(folder, 'config');
    writeFileSync(config, '[default]\nregion = us-west-2\n');
    const ofProfile = await why([CLAIM], { ...noProfile, AWS_CONFIG_FILE: config });
    expect(ofProfile.out).toContain('aws-join.role-not-mapped');
    const known = await why([CLAIM], { ...credentials(), AWS_DEFAULT_REGION: 'us-west-2' });
    expect(known.out).toContain('aws-join.role-not-mapped');
    const elsewhere = await why([CLAIM], { ...credentials(), AWS_REGION: 'eu-west-1' });
    expect(elsewhere.out).toContain('not asked (it is in us-west-2, and AWS was asked in eu-west-1)');
    expectClusterAlone(elsewhere.out);
  });
});

describe('flags that cannot be', () => {
  test.each<[string, readonly string[], number, string]>([
    ['two clouds', [CLAIM, '--azure', 'on', '--aws', 'on'], 2, '--aws: a cluster has one cloud'],
    [
      'a cloud and another',
      [CLAIM, '--cloud', 'azure', '--aws', 'on'],
      2,
      'cannot be used with --cloud azure',
    ],
    ['an unknown cloud', [CLAIM, '--cloud', 'gcp'], 2, 'azure'],
    ['a checklist of another cloud', ['--checklist', 'byok'], 1, 'AWS has no checklist byok'],
    [
      'a value of another cloud',
      ['value', 'diskEncryptionSetID', '--nodeclaim', 'default-x7k2p'],
      1,
      'AWS has no value diskEncryptionSetID',
    ],
  ])('%s', async (_, args, code, words) => {
    const answer = await why(args);
    expect([answer.code, answer.err]).toEqual([code, expect.stringContaining(words)]);
  });
});
