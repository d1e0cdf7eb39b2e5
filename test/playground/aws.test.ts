/** The playground on the simulated AWS, without a controller: what it starts with, and what happens to instances. */
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FAULTS } from '@chandler/cloudsim/aws/testing';
import { NODES, PODS, STORAGE_CLASSES } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ClusterWatch, CostMeter, readClusterView } from '../../packages/chandler/src/playground/index.ts';
import { applyObject, deployment } from '../../packages/chandler/src/playground/testing.ts';
import { type AwsCluster, launchFleet, startAwsCluster } from './aws-cluster.ts';

let cluster: AwsCluster;
beforeEach(async () => {
  cluster = await startAwsCluster();
});
afterEach(() => cluster.stop());

const noNodes = async () => [];

test('it starts with the system nodes and StorageClasses of EKS, and without Azure', async () => {
  const { playground, admin, inTime } = cluster;
  expect(playground.azure).toBeUndefined();
  const nodes = (await inTime(admin.list(NODES))).items;
  expect(
    nodes.map(({ metadata, spec }) => [metadata.labels?.['topology.kubernetes.io/zone'], spec?.providerID]),
  ).toEqual([
    ['us-west-2a', 'aws:///us-west-2a/i-00000000000000001'],
    ['us-west-2b', 'aws:///us-west-2b/i-00000000000000002'],
    ['us-west-2c', 'aws:///us-west-2c/i-00000000000000003'],
  ]);
  const classes = (await inTime(admin.list(STORAGE_CLASSES))).items;
  expect(classes.map(({ metadata }) => metadata.name).sort()).toEqual(['efs', 'gp2', 'gp3']);
});

test('an instance of EC2 becomes a node that runs pods, costs its list price, and is gone when it is terminated', async () => {
  const { cloud, admin, aws, until, inTime, isNode } = cluster;
  const cost = () => new CostMeter(cloud).read();
  expect(cost()).toMatchObject({ instances: 0, noun: 'instance', perHour: 0 });
  const { launched } = await launchFleet(cluster, { types: ['m5.large'] });
  const [{ id, nodeName }] = launched as [(typeof launched)[number]];
  await inTime(applyObject(admin, deployment('web', 2, { cpu: '100m', memory: '64Mi' })));
  await until('the pods run on it', async () => {
    const { items } = await inTime(admin.list(PODS, { namespace: 'default' }));
    return (
      items.length === 2 &&
      items.every(({ spec, status }) => spec.nodeName === nodeName && status?.phase === 'Running')
    );
  });
  expect(cost()).toMatchObject({ instances: 1, perHour: 0.096 });
  expect(cost().perHourOf(id)).toBe(0.096);
  expect(cloud.leftovers()).toEqual({ instances: 1 });
  expect(cloud.instanceOf({ name: 'any', providerID: `aws:///us-west-2a/${id}` })).toBe(id);
  expect(cloud.instanceOf({ name: 'any', providerID: undefined })).toBeUndefined();

  await inTime(aws.ec2('TerminateInstances', { InstanceIds: [id] }));
  await until('the node is gone', async () => !(await isNode(nodeName)));
  expect(cloud.leftovers()).toEqual({ instances: 0 });
  expect(cost().perHour).toBe(0);
});

test('a spot instance costs the spot price of its zone', async () => {
  const { launched } = await launchFleet(cluster, { types: ['m5.large'], zones: [1], capacity: 'spot' });
  const { context } = cluster.aws.server;
  const price = context.catalogue.spotPrice(context.catalogue.find('m5.large')!, 'us-west-2b');
  expect(new CostMeter(cluster.cloud).read().perHourOf(launched[0]!.id)).toBe(price);
  expect(price).toBeLessThan(0.05);
});

test('the cluster view does not count an instance of EC2 as a system node', async () => {
  const { world, playground, cloud, until, isNode, inTime } = cluster;
  const watch = new ClusterWatch(world, playground);
  watch.start();
  const { launched } = await launchFleet(cluster);
  await until('it is a node', () => isNode(launched[0]!.nodeName));
  const view = readClusterView({
    nowMs: world.clock.now(),
    speed: 1,
    controller: 'off',
    scenario: undefined,
    activities: [],
    kubeconfig: '',
    watch,
    cost: new CostMeter(cloud).read(),
    cloud,
  });
  expect(view).toMatchObject({ systemNodes: 3, cost: { instances: 1, noun: 'instance' } });
  await inTime(watch.stop());
});

describe('the files for a controller', () => {
  let folder: string;
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'chandler-aws-')), 'kubeconfig-aws');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  test('only their owner can read them, the secret is in one of them alone, and all are removed', async () => {
    const { cloud, aws } = cluster;
    const place = { serverUrl: 'https://127.0.0.1:6443', kubeconfig: '/tmp/kubeconfig' };
    const files = await cloud.writeFiles(folder, place);
    const { secretAccessKey } = aws.server.credentials;
    const facts = cloud.facts(files);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const written = Object.entries(facts).filter(([name]) => name.endsWith('File'));
    expect(written.map(([name]) => name)).toEqual(['envFile', 'credentialsFile', 'faultHeaderFile']);
    for (const [name, file] of written) {
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readFileSync(file, 'utf8').includes(secretAccessKey), name).toBe(name === 'credentialsFile');
    }
    expect(JSON.stringify(facts)).not.toContain(secretAccessKey);
    expect(cloud.controllerEnvironment(files, place)).toMatchObject({
      CLUSTER_NAME: 'playground',
      CLUSTER_ENDPOINT: place.serverUrl,
      INTERRUPTION_QUEUE: facts['interruptionQueue'],
    });
    await files.remove();
    expect(existsSync(folder)).toBe(false);
  });
});

test('the credentials of the controller allow what its IAM policy allows, and nothing else', async () => {
  const { aws, inTime } = cluster;
  expect((await inTime(aws.ec2('DescribeSubnets'))).code).toBeUndefined();
  const { launched } = await launchFleet(cluster);
  const others = launched[0]!.id;
  await cluster.world.clock.advance(5_000);
  const { account } = aws.server;
  account.instances.get(others)!.tags = [];
  expect((await inTime(aws.ec2('TerminateInstances', { InstanceIds: [others] }))).code).toBe(
    'UnauthorizedOperation',
  );
});

test('a zone without capacity refuses instances until it has capacity again', async () => {
  const { cloud } = cluster;
  cloud.setCapacity('us-west-2b', false);
  expect((await launchFleet(cluster, { zones: [1] })).codes).toEqual(['InsufficientInstanceCapacity']);
  expect((await launchFleet(cluster, { zones: [0] })).launched).toHaveLength(1);
  cloud.setCapacity('us-west-2b', true);
  expect((await launchFleet(cluster, { zones: [1] })).launched).toHaveLength(1);
});

test('a stopped zone loses its nodes and no others, and its instances stay', async () => {
  const { cloud, admin, inTime, until, isNode } = cluster;
  const [first] = (await launchFleet(cluster, { zones: [0] })).launched;
  const [second] = (await launchFleet(cluster, { zones: [1] })).launched;
  await until(
    'both are nodes',
    async () => (await isNode(first!.nodeName)) && (await isNode(second!.nodeName)),
  );
  cloud.stopZone('us-west-2b');
  const ready = async (name: string) =>
    (await inTime(admin.get(NODES, { name }))).status?.conditions?.find(({ type }) => type === 'Ready')
      ?.status;
  await until('the node of the zone is not ready', async () => (await ready(second!.nodeName)) === 'Unknown');
  expect(await ready(first!.nodeName)).toBe('True');
  expect(cloud.leftovers()).toEqual({ instances: 2 });
});

describe('what scenarios do to AWS', () => {
  test('an interrupted spot instance is named until no pod runs there, and is terminated after two minutes', async () => {
    const { cloud, world } = cluster;
    const { launched } = await launchFleet(cluster, { capacity: 'spot', count: 2 });
    await world.clock.advance(10_000);
    cloud.perform({ interruptSpot: { instances: 1 } });
    const running = launched.map(({ nodeName }) => nodeName);
    const onNodes = { noPodOnInterrupted: { app: 'web' } } as const;
    expect(await cloud.failureOf(onNodes, async () => running)).toMatch(/^pods of web still run on ip-/);
    expect(await cloud.failureOf({ interruptedGone: true }, noNodes)).toMatch(/^i-\w+ is running$/);
    await world.clock.advance(125_000);
    expect(await cloud.failureOf({ interruptedGone: true }, noNodes)).toBeUndefined();
    const left = cloud.instances().map(({ nodeName }) => nodeName);
    expect(left).toHaveLength(1);
    expect(await cloud.failureOf(onNodes, async () => left)).toBeUndefined();
  });

  test('without its access entry an instance does not join, and its console says Unauthorized', async () => {
    const { cloud, world, isNode, until } = cluster;
    cloud.perform({ accessEntry: 'delete' });
    const { launched } = await launchFleet(cluster);
    await world.clock.advance(30_000);
    expect(await isNode(launched[0]!.nodeName)).toBe(false);
    expect(await cloud.failureOf({ consoleSays: 'err="Unauthorized"' }, noNodes)).toBeUndefined();
    expect(await cloud.failureOf({ consoleSays: 'Kernel panic' }, noNodes)).toContain('none of 1 instances');
    cloud.perform({ accessEntry: 'create' });
    await until('it joins', () => isNode(launched[0]!.nodeName));
  });

  test('after a release of AMIs, older nodes are found by their AMI', async () => {
    const { cloud } = cluster;
    const node = async () => (await launchFleet(cluster)).launched[0]!.nodeName;
    const before = await node();
    await cluster.world.clock.advance(10_000);
    const latest = { latestImage: { app: 'web' } } as const;
    expect(await cloud.failureOf(latest, async () => [before])).toBeUndefined();
    cloud.perform({ releaseImages: true });
    expect(await cloud.failureOf(latest, async () => [before])).toMatch(
      /^1 nodes run an older AMI, such as ami-/,
    );
    const after = await node();
    expect(await cloud.failureOf(latest, async () => [after])).toBeUndefined();
  });

  test('a step of another cloud is refused by name', async () => {
    expect(() => cluster.cloud.perform({ quota: { name: 'cores', limit: 1 } })).toThrow('AWS does not know');
    const check = { disksEncryptedWith: { app: 'web', set: '' } };
    await expect(cluster.cloud.failureOf(check, noNodes)).rejects.toThrow('AWS does not know');
  });
});

test('docs/playground-aws.md lists every fault', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/playground-aws.md'), 'utf8');
  const listed = [...page.split('## Faults')[1]!.matchAll(/^\| `([\w-]+)(?:=[A-Z]+)?` \|/gm)].map(
    (match) => match[1],
  );
  expect(listed).toEqual(FAULTS.map(({ name }) => name));
});
