/** What is known about the cluster, and what is said when it is not. */
import { type ApiServer, startApiServer } from '@chandler/apiserver';
import { controllerPolicy, withoutAction } from '@chandler/cloudsim/aws';
import { DAEMON_SETS, fetchTransport, KubeClient, SERVICES } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type CloudError, StartError } from '../../index.ts';
import { aNodeClass } from '../aws.fixture.ts';
import { checkUserData } from '../node-class/user-data-check.ts';
import { CA_PEM, type TestCluster, type TestClusterOptions, testCluster } from './cluster.fixture.ts';
import { checkAccess, prepareCluster } from './start.ts';

const CA_BUNDLE = Buffer.from(CA_PEM).toString('base64');
const ENDPOINT = 'https://0123456789ABCDEF.gr7.us-west-2.eks.amazonaws.com';
const KUBE_DNS = { namespace: 'kube-system', name: 'kube-dns' };
const { signal } = new AbortController();

let apiServer: ApiServer;
let client: KubeClient;
let cluster: TestCluster;

beforeAll(async () => {
  apiServer = await startApiServer({ world: virtualWorld() });
  client = new KubeClient({ transport: fetchTransport(apiServer.adminFetch) });
  await client.create(SERVICES, {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: KUBE_DNS,
    spec: { clusterIP: '10.0.0.53', ports: [{ port: 53, protocol: 'UDP' }] },
  });
});

afterEach(() => cluster.aws.close());
afterAll(() => apiServer.close());

async function detected(options: Omit<TestClusterOptions, 'client'> & { client?: KubeClient } = {}) {
  cluster = await testCluster({ client, ...options });
  await cluster.detector.refresh(signal);
  return cluster.detector;
}

function actions(): readonly string[] {
  return cluster.aws.server.calls().map(({ service, action }) => `${service}:${action}`);
}

function unknown(): CloudError {
  try {
    cluster.detector.current();
  } catch (error) {
    return error as CloudError;
  }
  throw new Error('everything is known');
}

/** An API server that knows nothing of what it is asked for. */
function answering(status: number): KubeClient {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: status === 403 ? 'Forbidden' : 'InternalError',
    code: status,
    message: 'no',
  };
  return new KubeClient({ transport: fetchTransport(async () => Response.json(body, { status })) });
}

function withoutRight(action: string) {
  const policy = controllerPolicy({
    partition: 'aws',
    region: 'us-west-2',
    accountId: '111122223333',
    clusterName: 'my-cluster',
    nodeRoleArn: 'arn:aws:iam::111122223333:role/KarpenterNodeRole-my-cluster',
    queueArn: 'arn:aws:sqs:us-west-2:111122223333:my-cluster',
  });
  return { policies: [withoutAction(policy, action)] };
}

describe('what is known', () => {
  test('comes from EKS, STS and the API server, each with its source', async () => {
    const minor = JSON.parse(await client.raw('/version')) as { major: string; minor: string };
    expect((await detected()).current()).toEqual({
      name: { value: 'my-cluster', source: 'env', path: 'CLUSTER_NAME' },
      endpoint: { value: ENDPOINT, source: 'cluster', path: 'eks cluster endpoint' },
      caBundle: { value: CA_BUNDLE, source: 'cluster', path: 'eks cluster certificateAuthority' },
      serviceCidr: { value: '172.20.0.0/16', source: 'cluster', path: 'eks cluster kubernetesNetworkConfig' },
      dnsIp: { value: '10.0.0.53', source: 'cluster', path: 'Service kube-system/kube-dns' },
      ipFamily: 'ipv4',
      kubernetesVersion: {
        value: `${minor.major}.${minor.minor}`,
        source: 'cluster',
        path: 'API server /version',
      },
      region: { value: 'us-west-2', source: 'env', path: 'AWS_REGION' },
      partition: 'aws',
      accountId: { value: '111122223333', source: 'cluster', path: 'sts:GetCallerIdentity' },
    });
    expect(cluster.detector.problems()).toEqual([]);
    expect(actions().filter((action) => action === 'eks:DescribeCluster')).toHaveLength(1);
  });

  test('is what options say, and then nobody is asked', async () => {
    const env = {
      CLUSTER_ENDPOINT: 'https://mine.example',
      SERVICE_CIDR: 'fd00::/108',
      DNS_SERVICE_IP: 'fd00::a',
      KUBERNETES_VERSION: '1.33.4',
    };
    const detector = await detected({ env, clusterCaPem: CA_PEM });
    expect(detector.current()).toMatchObject({
      endpoint: { value: 'https://mine.example', path: 'CLUSTER_ENDPOINT' },
      caBundle: { value: CA_BUNDLE, path: 'kubeconfig certificate-authority-data' },
      kubernetesVersion: { value: '1.33', source: 'env' },
      ipFamily: 'ipv6',
    });
    expect(actions()).toEqual(['sts:GetCallerIdentity']);
  });

  test('a CA bundle of the options that has line breaks becomes user data', async () => {
    const env = { CLUSTER_CA_BUNDLE: `${CA_BUNDLE.slice(0, 76)}\n${CA_BUNDLE.slice(76)}\n` };
    const facts = (await detected({ env })).current();
    expect(facts.caBundle).toEqual({ value: CA_BUNDLE, source: 'env', path: 'CLUSTER_CA_BUNDLE' });
    expect(checkUserData(aNodeClass(), 'AL2023', facts)).toEqual({ warnings: [] });
  });

  test('the version of EKS, where the API server is not to be asked', async () => {
    const detector = await detected({
      env: { EKS_CONTROL_PLANE: 'true' },
      server: { kubernetesMinor: '1.31' },
    });
    expect(detector.current().kubernetesVersion).toEqual({
      value: '1.31',
      source: 'cluster',
      path: 'eks cluster version',
    });
  });

  test('is read again: an upgrade of the cluster is seen within five minutes', async () => {
    const detector = await detected({
      env: { EKS_CONTROL_PLANE: 'true' },
      server: { kubernetesMinor: '1.31' },
    });
    const stop = new AbortController();
    const running = detector.run(stop.signal);
    cluster.aws.server.cluster.version = '1.32';
    await cluster.aws.world.clock.advance(5 * 60_000);
    expect(detector.current().kubernetesVersion.value).toBe('1.32');
    stop.abort();
    await running;
  });

  test('a version that was not tested is used, and said', async () => {
    const detector = await detected({
      env: { EKS_CONTROL_PLANE: 'true' },
      server: { kubernetesMinor: '1.36' },
    });
    cluster.aws.server.cluster.version = '1.99';
    await cluster.aws.world.clock.advance(5 * 60_000);
    await detector.refresh(signal);
    expect(detector.current().kubernetesVersion.value).toBe('1.99');
    expect(detector.problems()).toMatchObject([
      { fact: 'kubernetesVersion', code: 'Unsupported', blocks: false },
    ]);
  });

  test('prefix delegation of the VPC CNI, if it is to be detected', async () => {
    const labels = { app: 'aws-node' };
    const env = [{ name: 'ENABLE_PREFIX_DELEGATION', value: 'true' }];
    await client.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { namespace: 'kube-system', name: 'aws-node' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'aws-node', image: 'cni', env }] } },
      },
    });
    expect((await detected()).prefixDelegation().value).toBe(false);
    await cluster.aws.close();
    const detector = await detected({ env: { CNI_PREFIX_DELEGATION: 'detect' } });
    expect(detector.prefixDelegation()).toEqual({
      value: true,
      source: 'cluster',
      path: 'DaemonSet kube-system/aws-node',
    });
  });
});

describe('what is not known', () => {
  test('before the first read blocks launches', async () => {
    cluster = await testCluster({ client });
    expect(unknown()).toMatchObject({ name: 'CloudError', kind: 'Unreachable', reason: 'ClusterUnknown' });
    expect(unknown().message).toContain('has not been read yet');
  });

  test('a cluster that is not there: the error names it, the region and what to check', async () => {
    await detected({ env: { CLUSTER_NAME: 'other' } });
    expect(unknown().message).toMatch(
      /endpoint: there is no cluster other in us-west-2; check CLUSTER_NAME, AWS_REGION/,
    );
    expect(cluster.detector.problems()[0]).toMatchObject({ code: 'NotFound' });
  });

  test('a right that is missing: what can be done without it goes on, the rest says what to allow or set', async () => {
    await detected({ server: withoutRight('eks:DescribeCluster') });
    expect(unknown()).toMatchObject({ kind: 'Unauthorized' });
    expect(unknown().message).toMatch(
      /allow the controller eks:DescribeCluster of this cluster, or set CLUSTER_ENDPOINT/,
    );
    await cluster.aws.close();
    const env = { CLUSTER_ENDPOINT: ENDPOINT };
    const detector = await detected({
      server: withoutRight('eks:DescribeCluster'),
      env,
      clusterCaPem: CA_PEM,
    });
    expect(detector.current().serviceCidr).toEqual({ value: '', source: 'cluster', path: 'unknown' });
    expect(detector.problems()).toMatchObject([{ fact: 'serviceCidr', code: 'Denied', blocks: false }]);
    expect(detector.problems()[0]!.message).toContain('SERVICE_CIDR');
  });

  test('no Service kube-dns, or no right to see it: nodes use their default, and it is said', async () => {
    const env = { EKS_CONTROL_PLANE: 'true' };
    const detector = await detected({ client: answering(403), env });
    expect(detector.current().dnsIp.value).toBe('');
    expect(detector.problems()).toMatchObject([{ fact: 'dnsIp', code: 'Denied', blocks: false }]);
  });

  test('while nobody answers, nothing is taken for unknown', async () => {
    const env = { EKS_CONTROL_PLANE: 'true' };
    await detected({ client: answering(500), env });
    expect(unknown().message).toMatch(/dnsIp: the API server/);
  });

  test('an API server in another region', async () => {
    await detected({ env: { CLUSTER_ENDPOINT: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com' } });
    expect(unknown().message).toMatch(
      /in eu-west-1 \(CLUSTER_ENDPOINT\), but the controller works in us-west-2 \(AWS_REGION\); set AWS_REGION to eu-west-1/,
    );
  });

  test('a failed read is tried again soon, and what was read before is kept', async () => {
    cluster = await testCluster({ client });
    const { detector, aws } = cluster;
    aws.server.faults.add('500@operation=DescribeCluster,count=1');
    await detector.refresh(signal);
    expect(unknown()).toMatchObject({ kind: 'Unreachable' });
    await aws.world.clock.advance(10_000);
    await detector.refresh(signal);
    expect(detector.current().endpoint.value).toBe(ENDPOINT);
    aws.server.faults.add('forbidden@operation=DescribeCluster');
    await aws.world.clock.advance(25 * 3_600_000);
    await detector.refresh(signal);
    expect(detector.current().endpoint.value).toBe(ENDPOINT);
    expect(detector.problems().filter(({ blocks }) => blocks)).toEqual([]);
    expect(detector.problems().map(({ fact }) => fact)).toContain('endpoint');
  });

  test('who leaves a round does not end it for the others', async () => {
    cluster = await testCluster({ client });
    const stop = new AbortController();
    const left = cluster.detector.refresh(stop.signal).catch((reason: unknown) => reason);
    const stayed = cluster.detector.refresh(signal);
    const reason = new Error('left');
    stop.abort(reason);
    expect(await left).toBe(reason);
    await stayed;
    expect(cluster.detector.current().endpoint.value).toBe(ENDPOINT);
  });
});

describe('the start', () => {
  test('asks EC2 first, then for the cluster', async () => {
    cluster = await testCluster({ client });
    await prepareCluster(cluster, signal);
    expect(actions()[0]).toBe('ec2:DescribeInstanceTypes');
    expect(cluster.detector.current().endpoint.value).toBe(ENDPOINT);
  });

  test('without the right to ask EC2 names the action', async () => {
    cluster = await testCluster({ client, server: withoutRight('ec2:DescribeInstanceTypes') });
    await expect(checkAccess(cluster.calls, signal)).rejects.toThrow(
      /allow the controller ec2:DescribeInstanceTypes/,
    );
  });

  test('with a clock that is wrong says by how much', async () => {
    cluster = await testCluster({ client, skewMs: -20 * 60_000 });
    const error = await prepareCluster(cluster, signal).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(StartError);
    expect(String(error)).toMatch(
      /the clock of the controller is 20 minutes behind that of AWS; synchronize/,
    );
  });

  test('without a region says what to set', async () => {
    cluster = await testCluster({ client, env: { AWS_REGION: '' } });
    await expect(prepareCluster(cluster, signal)).rejects.toThrow(/set AWS_REGION/);
  });

  test('of a cluster that is not there says so', async () => {
    cluster = await testCluster({ client, env: { CLUSTER_NAME: 'other' } });
    await expect(prepareCluster(cluster, signal)).rejects.toThrow(/there is no cluster other in us-west-2/);
  });

  test.each([
    ['STS', 'sts', ['accountId']],
    ['EKS', 'eks', ['serviceCidr']],
  ])('needs no answer of %s where the endpoint is set', async (_, service, unknown) => {
    cluster = await testCluster({ client, env: { CLUSTER_ENDPOINT: ENDPOINT }, clusterCaPem: CA_PEM });
    const { detector, aws } = cluster;
    aws.server.faults.add(`500@operation=${service}`);
    await prepareCluster(cluster, signal);
    const facts = detector.current();
    for (const name of unknown as readonly ('accountId' | 'serviceCidr')[]) {
      expect(facts[name]).toEqual({ value: '', source: 'cluster', path: 'unknown' });
    }
    expect(detector.problems()).toMatchObject(unknown.map((fact) => ({ fact, blocks: false })));
    expect(facts.serviceCidrProblem?.code).toBe(service === 'eks' ? 'Unreachable' : undefined);
    aws.server.faults.clear();
    await aws.world.clock.advance(10_000);
    await detector.refresh(signal);
    expect(detector.problems()).toEqual([]);
    expect(detector.current()).toMatchObject({
      accountId: { value: '111122223333' },
      serviceCidr: { value: '172.20.0.0/16' },
    });
    expect(detector.current()).not.toHaveProperty('serviceCidrProblem');
  });

  test('that is stopped ends with the reason', async () => {
    cluster = await testCluster({ client });
    cluster.aws.server.faults.add('slow=60000@operation=DescribeInstanceTypes');
    const stop = new AbortController();
    const started = prepareCluster(cluster, stop.signal);
    await cluster.aws.world.clock.advance(1000);
    const reason = new Error('stopped');
    stop.abort(reason);
    await expect(started).rejects.toBe(reason);
  });
});
