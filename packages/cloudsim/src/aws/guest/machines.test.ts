/** Instances that boot from their user data and join, or fail as real ones do. */
import { fetchTransport, KubeClient, NODES } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fleetParams, imageNamed, TestAws, templateParams } from '../aws.fixture.ts';
import { type AwsOptions, type RunningAws, startAws } from '../simulated-aws.ts';
import { NODE_GROUP_ID, subnetIdOf } from '../store/furnish.ts';
import { RecordingHost } from './recording-host.fixture.ts';

let running: RunningAws;
let aws: TestAws;
let host: RecordingHost;
let client: KubeClient;

async function start(options: AwsOptions = {}): Promise<void> {
  const world = virtualWorld();
  host = new RecordingHost();
  const transport = fetchTransport(host.cluster.fetch);
  client = new KubeClient({ transport });
  const environment = { world, nodeHost: host, kubernetesVersion: '1.36.3', transport, apiServer: undefined };
  running = await startAws(environment, options);
  aws = new TestAws(running.server, world);
  await profile();
}

beforeEach(() => start());

afterEach(() => running.stop());

async function profile(): Promise<void> {
  const InstanceProfileName = 'nodes';
  await aws.query('iam', 'CreateInstanceProfile', { InstanceProfileName });
  await aws.query('iam', 'AddRoleToInstanceProfile', {
    InstanceProfileName,
    RoleName: aws.server.settings.nodeRoleName,
  });
  await aws.world.clock.advance(1000);
}

function nodeConfig(change: (text: string) => string = (text) => text): string {
  const { cluster } = running.server;
  return change(`apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  cluster: {name: ${cluster.name}, apiServerEndpoint: "${cluster.endpoint}", certificateAuthority: Q0E=, cidr: 172.20.0.0/16}
  kubelet:
    config: {maxPods: 58, registerWithTaints: [{key: karpenter.sh/unregistered, effect: NoExecute}]}
    flags: ["--node-labels=karpenter.sh/nodepool=default"]
`);
}

/** Launches one instance with this user data, and lets a minute pass. */
async function launch(
  text = nodeConfig(),
  data: Readonly<Record<string, unknown>> = {},
  fleet: Parameters<typeof fleetParams>[1] = {},
) {
  const UserData = Buffer.from(text).toString('base64');
  const template = templateParams(aws.server, { UserData, IamInstanceProfile: { Name: 'nodes' }, ...data });
  expect((await aws.ec2('CreateLaunchTemplate', template)).code).toBeUndefined();
  await aws.ec2('CreateFleet', fleetParams(aws.server, fleet));
  await aws.world.clock.advance(60_000);
  return aws.server.instances.list()[0]!;
}

async function serialOutput(InstanceId: string): Promise<string> {
  const { text } = await aws.ec2('GetConsoleOutput', { InstanceId, Latest: true });
  return Buffer.from(TestAws.values(text, 'output')[0] ?? '', 'base64').toString();
}

test('an instance joins with name, labels, taints and provider ID', async () => {
  const { id, nodeName } = await launch();
  const [node] = host.registered;
  expect(node).toMatchObject({
    name: nodeName,
    labels: { 'karpenter.sh/nodepool': 'default' },
    architecture: 'amd64',
    kubeletVersion: 'v1.36.3-eks-113cf36',
    capacity: { cpu: '2', pods: '58' },
  });
  expect(node!.taints.map(({ key }) => key)).toContain('karpenter.sh/unregistered');
  const stored = await client.find(NODES, { name: nodeName });
  expect(stored!.spec!.providerID).toBe(`aws:///us-west-2a/${id}`);
  expect(stored!.metadata.labels).toMatchObject({
    'topology.kubernetes.io/zone': 'us-west-2a',
    'topology.k8s.aws/zone-id': 'usw2-az2',
    'node.kubernetes.io/instance-type': 'm5.large',
  });
  expect(stored!.spec!.taints!.map(({ key }) => key)).not.toContain(
    'node.cloudprovider.kubernetes.io/uninitialized',
  );
});

test('a terminated instance loses its kubelet, and then its Node', async () => {
  const { id } = await launch();
  await aws.ec2('TerminateInstances', { InstanceIds: [id] });
  await aws.world.clock.advance(20_000);
  expect(host.calls).toEqual(['start', 'stop', 'remove']);
  expect(running.machines.size).toBe(0);
});

test('a rebooted instance is the same node again', async () => {
  const { id } = await launch();
  expect((await aws.ec2('RebootInstances', { InstanceIds: [id] })).code).toBeUndefined();
  await aws.world.clock.advance(20_000);
  expect(host.calls).toEqual(['start', 'stop', 'resume']);
});

describe('an instance that cannot join says why on its console', () => {
  const rows: readonly (readonly [what: string, prepare: () => string, words: string])[] = [
    [
      'no access entry',
      () => {
        running.server.cluster.accessEntries.clear();
        return nodeConfig();
      },
      'err="Unauthorized"',
    ],
    [
      'an access entry of another type',
      () => {
        const { accessEntries } = running.server.cluster;
        for (const arn of accessEntries.keys()) accessEntries.set(arn, 'STANDARD');
        return nodeConfig();
      },
      'err="Unauthorized"',
    ],
    [
      'a wrong cluster name',
      () => nodeConfig((text) => text.replace('{name: playground', '{name: other')),
      'err="Unauthorized"',
    ],
    [
      'a wrong endpoint',
      () => nodeConfig((text) => text.replace(/https:[^"]*/, 'https://gone.example.com')),
      'lookup gone.example.com on 10.0.0.2:53: no such host',
    ],
    [
      'no route',
      () => {
        running.server.account.subnets.get(subnetIdOf(0))!.routed = false;
        return nodeConfig();
      },
      'dial tcp: i/o timeout',
    ],
    [
      'a closed security group',
      () => {
        running.server.account.isolatedGroups.add(NODE_GROUP_ID);
        return nodeConfig();
      },
      'dial tcp: i/o timeout',
    ],
    [
      'a private endpoint that does not admit its security groups',
      () => {
        const { account, cluster } = running.server;
        cluster.publicAccess = false;
        const group = account.securityGroups.get(cluster.securityGroupId)!;
        account.securityGroups.set(cluster.securityGroupId, { ...group, IpPermissions: [] });
        return nodeConfig();
      },
      'dial tcp: i/o timeout',
    ],
    ['no NodeConfig', () => '#!/bin/bash\necho hello', 'could not find NodeConfig within UserData'],
    [
      'a label that kubelets may not set',
      () => nodeConfig((text) => text.replace('karpenter.sh/nodepool', 'node-role.kubernetes.io/a')),
      "unknown 'kubernetes.io' or 'k8s.io' labels",
    ],
  ];

  test.each(rows)('%s', async (_, prepare, words) => {
    const { id } = await launch(prepare());
    expect(host.registered).toEqual([]);
    expect(await serialOutput(id)).toContain(words);
  });

  test('a disabled metadata service', async () => {
    const { id } = await launch(nodeConfig(), { MetadataOptions: { HttpEndpoint: 'disabled' } });
    expect(host.registered).toEqual([]);
    expect(await serialOutput(id)).toContain('No instance datasource found');
  });

  test('no instance profile', async () => {
    const { id } = await launch(nodeConfig(), { IamInstanceProfile: undefined });
    expect(await serialOutput(id)).toContain('no valid providers in chain');
  });
});

test('a node that is refused joins as soon as its role is mapped in aws-auth', async () => {
  running.server.cluster.accessEntries.clear();
  await launch();
  expect(host.registered).toEqual([]);
  const mapRoles = `- rolearn: arn:aws:iam::111122223333:role/KarpenterNodeRole-playground
  username: system:node:{{EC2PrivateDNSName}}
  groups: [system:bootstrappers, system:nodes]
`;
  host.cluster.put('/api/v1/namespaces/kube-system/configmaps/aws-auth', {
    kind: 'ConfigMap',
    metadata: { namespace: 'kube-system', name: 'aws-auth' },
    data: { mapRoles },
  });
  await aws.world.clock.advance(20_000);
  expect(host.registered).toHaveLength(1);
});

test('a certificate of another authority is refused, the right one is not', async () => {
  await running.stop();
  const world = virtualWorld();
  const transport = fetchTransport(host.cluster.fetch);
  const apiServer = { url: 'https://127.0.0.1:6443', caPem: 'CA' };
  const environment = { world, nodeHost: host, kubernetesVersion: '1.36.3', transport, apiServer };
  running = await startAws(environment, { server: { listen: false } });
  aws = new TestAws(running.server, world);
  await profile();
  await launch();
  expect(host.registered).toHaveLength(1);
  await aws.ec2('DeleteLaunchTemplate', { LaunchTemplateName: 'karpenter.k8s.aws/1' });
  await launch(nodeConfig((text) => text.replace('Q0E=', 'T1RIRVI=')));
  expect(host.registered).toHaveLength(1);
  const second = aws.server.instances.list().at(-1)!;
  expect(await serialOutput(second.id)).toContain('x509: certificate signed by unknown authority');
});

test('Bottlerocket and arm64 join too', async () => {
  const { cluster } = running.server;
  const toml = `[settings.kubernetes]\ncluster-name='${cluster.name}'\napi-server='${cluster.endpoint}'\ncluster-certificate='Q0E='\n`;
  await launch(
    toml,
    { ImageId: imageNamed(aws.server, 'bottlerocket-aws-k8s-1.36-aarch64') },
    { types: ['m6g.large'] },
  );
  expect(host.registered[0]).toMatchObject({ architecture: 'arm64', capacity: { pods: '29' } });
});

describe('faults of machines', () => {
  const joins: readonly (readonly [fault: string, calls: readonly string[]])[] = [
    ['never-register', []],
    ['boot-hang', []],
    ['no-network', []],
    ['kernel-panic=1000', ['start', 'stop']],
    ['register-late=90000', []],
  ];

  test.each(joins)('%s', async (fault, calls) => {
    aws.server.faults.add(fault);
    await launch();
    expect(host.calls).toEqual(calls);
  });

  test('boot-failure fails the status check of the instance', async () => {
    aws.server.faults.add('boot-failure');
    await launch();
    const { text } = await aws.ec2('DescribeInstanceStatus', {
      Filters: [{ Name: 'instance-status.status', Values: ['impaired'] }],
    });
    expect(TestAws.values(text, 'instanceId')).toHaveLength(1);
    expect(text).toContain('<impairedSince>');
  });
});
