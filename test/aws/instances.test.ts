/** Instances after their launch was accepted: how they are shown, tagged, and found missing. */
import { CONTROLLER_ROLE, controllerPolicy } from '@chandler/cloudsim/aws';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { AWS_REPAIR_POLICIES } from '../../packages/chandler/src/cloud/aws/index.ts';
import {
  type AwsCloudFixture,
  type AwsCloudFixtureOptions,
  aClaim,
  awsCloud,
  removeClaim,
  settleAll,
  settleOne,
} from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(options: AwsCloudFixtureOptions['server'] = {}): Promise<AwsCloudFixture> {
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] }, ...options } });
  return open;
}

/** Steps until the instance is accepted, and no further. */
async function accepted(fixture: AwsCloudFixture, name = 'a') {
  const claim = aClaim(name);
  for (let steps = 0; steps < 20; steps += 1) {
    const step = await fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted());
    if (step.state === 'launched') return { claim, step };
    await fixture.clock.advance(step.retryAfterMs);
  }
  throw new Error(`${name} was not accepted`);
}

describe('a new instance', () => {
  test('has its labels, its annotations, and after a moment its node name and its tags', async () => {
    const fixture = await start();
    const { instance } = await settleOne(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    const [record] = fixture.running();
    expect(instance.labels).toMatchObject({
      'kubernetes.io/arch': 'amd64',
      'kubernetes.io/os': 'linux',
      'karpenter.k8s.aws/instance-family': 'm5',
      'karpenter.k8s.aws/instance-size': 'large',
      'karpenter.k8s.aws/instance-tenancy': 'default',
      'topology.kubernetes.io/region': 'us-west-2',
      'topology.k8s.aws/zone-id': fixture.server.settings.zones.find(({ name }) => name === record!.zone)!.id,
      'karpenter.sh/nodepool': 'general',
    });
    expect(instance.annotations).toMatchObject({
      'karpenter.k8s.aws/ec2nodeclass-hash': expect.stringMatching(/^\d+$/),
      'karpenter.k8s.aws/ec2nodeclass-hash-version': 'v6',
      'karpenter.k8s.aws/tagged': 'true',
      'karpenter.k8s.aws/instance-profile-name': 'playground-nodes',
      'chandler.sh/node-name': record!.nodeName,
    });
    const tags = Object.fromEntries(record!.tags.map(({ Key, Value }) => [Key, Value]));
    expect(tags).toMatchObject({
      Name: record!.nodeName,
      'karpenter.sh/nodeclaim': 'a',
      'karpenter.sh/nodepool': 'general',
      'eks:eks-cluster-name': 'playground',
      'kubernetes.io/cluster/playground': 'owned',
    });
    const claim = {
      ...aClaim('a'),
      metadata: { ...aClaim('a').metadata, annotations: { ...instance.annotations } },
    };
    expect(fixture.cloud.nodeName(claim)).toBe(record!.nodeName);
  });

  test('that EC2 does not show yet is in the list, is found, has not drifted, and is not taken for gone', async () => {
    const fixture = await start({ latencies: { consistencyMs: 20_000, pendingMs: 1_000 } });
    const { claim, step } = await accepted(fixture);
    const { providerID } = step.instance;
    const named = { ...claim, status: { providerID, imageID: step.instance.imageID! } };
    expect((await fixture.cloud.list(neverAborted())).map((each) => each.providerID)).toEqual([providerID]);
    expect((await fixture.cloud.get(providerID, neverAborted())).claimUid).toBe('uid-a');
    expect(
      await fixture.cloud.drift({ claim: named, nodeClass: fixture.nodeClass() }, neverAborted()),
    ).toBeUndefined();
    const { state } = await fixture.cloud.delete(named, neverAborted());
    expect(state).toBe('deleting');
    await removeClaim(fixture, fixture.cloud, named);
    expect(fixture.running()).toEqual([]);
  });

  test('is terminated by a process that has never seen it, as soon as EC2 shows it', async () => {
    const fixture = await start({ latencies: { consistencyMs: 20_000 } });
    const { claim, step } = await accepted(fixture);
    const named = { ...claim, status: { providerID: step.instance.providerID } };
    await removeClaim(fixture, fixture.startProcess().cloud, named);
    expect(fixture.running()).toEqual([]);
  });

  test('that ends while it starts is a failed launch, with the reason that EC2 gives', async () => {
    const fixture = await start({ latencies: { pendingMs: 60_000 } });
    const { claim } = await accepted(fixture);
    const [record] = fixture.running();
    fixture.server.instances.terminate(record!.id);
    record!.stateReason = {
      Code: 'Client.InternalError',
      Message: 'Client.InternalError: Client error on launch',
    };
    await fixture.clock.advance(5_000);
    await expect(
      fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted()),
    ).rejects.toMatchObject({
      kind: 'CreateFailed',
      instanceFailed: true,
      message: expect.stringContaining('Client error on launch'),
    });
    await removeClaim(fixture, fixture.cloud, claim);
    expect(await fixture.cloud.list(neverAborted())).toEqual([]);
  });

  test('that was stopped before its claim named it is a failed launch, and is terminated', async () => {
    const fixture = await start();
    const { claim } = await accepted(fixture);
    const [record] = fixture.running();
    await fixture.clock.advance(60_000);
    fixture.server.instances.stop(record!.id);
    await expect(
      fixture.cloud.create({ claim, nodeClass: fixture.nodeClass() }, neverAborted()),
    ).rejects.toMatchObject({
      kind: 'CreateFailed',
      reason: 'InstanceStopped',
      instanceFailed: true,
      message: expect.stringContaining('was stopped while it started'),
    });
    await removeClaim(fixture, fixture.cloud, claim);
    expect(record!.state).toBe('terminated');
  });

  test('of a template that was deleted in between is launched with the next attempt', async () => {
    const fixture = await start();
    await settleOne(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    fixture.server.account.launchTemplates.clear();
    const claim = aClaim('b');
    await expect(settleOne(fixture, fixture.cloud, claim, fixture.nodeClass())).rejects.toMatchObject({
      kind: 'CreateFailed',
      reason: 'LaunchTemplateNotFound',
    });
    await settleOne(fixture, fixture.cloud, claim, fixture.nodeClass());
    expect(fixture.running()).toHaveLength(2);
  });
});

test('an instance that has ended has not drifted, although EC2 shows it without its security groups', async () => {
  const fixture = await start();
  const nodeClass = fixture.nodeClass();
  const { instance } = await settleOne(fixture, fixture.cloud, aClaim('a'), nodeClass);
  const { providerID, imageID = '' } = instance;
  const claim = { ...aClaim('a'), status: { providerID, imageID } };
  const { instances, account } = fixture.server;
  instances.terminate(instance.name!);
  expect(await fixture.cloud.drift({ claim, nodeClass }, neverAborted())).toBeUndefined();
  await fixture.clock.advance(120_000);
  expect(account.instances.get(instance.name!)!.state).toBe('terminated');
  expect(await fixture.cloud.drift({ claim, nodeClass }, neverAborted())).toBeUndefined();
});

test('an instance that may not be tagged becomes a node all the same, and its claim does not say that it is tagged', async () => {
  const fixture = await start({ faults: ['forbidden@operation=ec2:CreateTags'] });
  const { instance } = await settleOne(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
  expect(Object.keys(instance.annotations)).not.toContain('karpenter.k8s.aws/tagged');
  expect(fixture.world.lines.map(({ message }) => message)).toContain('failed to tag instance');
});

test('a whole life needs no more than the policy of Karpenter allows', async () => {
  const own = await start();
  const { settings, account, context } = own.server;
  const nodeRoleArn = account.roles.get(settings.nodeRoleName)!.arn;
  const policy = controllerPolicy({ ...settings, nodeRoleArn, queueArn: own.server.queue.settings.arn });
  context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [policy] });
  const claim = aClaim('a');
  await settleOne(own, own.cloud, claim, own.nodeClass());
  await removeClaim(own, own.cloud, claim);
  await own.clock.advance(61_000);
  expect(own.templates()).toHaveLength(2);
  await own.cloud.collectTemplates(neverAborted());
  expect(own.templates()).toEqual([]);
  // The policy holds: what it does not list is refused.
  const { instance } = await settleOne(own, own.cloud, aClaim('b'), own.nodeClass());
  const named = { ...aClaim('b'), status: { providerID: instance.providerID } };
  await expect(own.cloud.reboot(named, 'one', neverAborted())).rejects.toMatchObject({
    kind: 'Unauthorized',
  });
});

test('an instance of several claims of one request is not an orphan before they are written', async () => {
  const fixture = await start();
  const creationTimestamp = new Date(fixture.clock.now()).toISOString();
  const all = ['a', 'b', 'c'].map((name) => aClaim(name, { creationTimestamp }));
  fixture.server.faults.add('forbidden@operation=ec2:CreateTags');
  await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
  const listed = await fixture.startProcess().cloud.list(neverAborted());
  expect(listed.map(({ claimUid }) => claimUid).sort()).toEqual(['uid-a', 'uid-b', 'uid-c']);
  for (const { metadata } of all) fixture.records.forget(metadata.uid);
  const later = await fixture.startProcess().cloud.list(neverAborted());
  expect(later.map(({ claimUid }) => claimUid)).toEqual([undefined, undefined, undefined]);
});

test('a deletion that is throttled waits, and goes on', async () => {
  const fixture = await start();
  const claim = aClaim('a');
  await settleOne(fixture, fixture.cloud, claim, fixture.nodeClass());
  fixture.server.faults.add('throttle@count=2,operation=ec2:TerminateInstances');
  expect(await fixture.cloud.delete(claim, neverAborted())).toMatchObject({ state: 'deleting' });
  await removeClaim(fixture, fixture.cloud, claim);
  expect(fixture.running()).toEqual([]);
  expect(fixture.server.faults.list()).toEqual([]);
});

test('a second instance of a claim can be terminated while the claim itself is deleted, and both end', async () => {
  const fixture = await start();
  const { cloud } = fixture;
  const own = await settleOne(fixture, cloud, aClaim('a'), fixture.nodeClass());
  const other = await settleOne(fixture, cloud, aClaim('b'), fixture.nodeClass());
  const claim = { ...aClaim('a'), status: { providerID: own.instance.providerID } };
  // As the garbage collection names it: by the claim for which it was launched.
  const second = { ...aClaim('a'), status: { providerID: other.instance.providerID } };
  await cloud.delete(second, neverAborted());
  expect(fixture.server.account.instances.get(own.instance.name!)!.state).toBe('running');
  await removeClaim(fixture, cloud, claim);
  await removeClaim(fixture, cloud, second);
  expect(fixture.running()).toEqual([]);
});

test('in a zone that is shifted away an instance is neither described nor terminated until the shift is over', async () => {
  const shifted = new Set<string>();
  const zonalShift = {
    sequence: 0,
    isShifted: (zoneId: string) => shifted.has(zoneId),
    zones: () => [...shifted],
  };
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] } }, zonalShift });
  const fixture = open;
  const nodeClass = fixture.nodeClass();
  const { instance } = await settleOne(fixture, fixture.cloud, aClaim('a'), nodeClass);
  const claim = {
    ...aClaim('a', { labels: { ...instance.labels }, annotations: { ...instance.annotations } }),
    status: { providerID: instance.providerID },
  };
  shifted.add(instance.labels['topology.k8s.aws/zone-id']!);
  const before = fixture.server.totalCalls;
  const held = { kind: 'Unreachable', reason: 'ZoneShifted', advice: { retry: 'after', ms: 30_000 } };
  await expect(fixture.cloud.delete(claim, neverAborted())).rejects.toMatchObject(held);
  await expect(fixture.cloud.reboot(claim, 'one', neverAborted())).rejects.toMatchObject(held);
  expect(await fixture.cloud.drift({ claim, nodeClass }, neverAborted())).toBeUndefined();
  expect(fixture.server.totalCalls).toBe(before);
  shifted.clear();
  await removeClaim(fixture, fixture.cloud, claim);
  expect(fixture.running()).toEqual([]);
});

test('an instance that EC2 does not show in a zone that is shifted away is not gone', async () => {
  const shifted = new Set<string>();
  const zonalShift = {
    sequence: 0,
    isShifted: (zoneId: string) => shifted.has(zoneId),
    zones: () => [...shifted],
  };
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] } }, zonalShift });
  const { cloud } = open;
  cloud.subnetsRead([
    { id: 'subnet-1', zone: 'us-west-2a', zoneId: 'usw2-az2', freeAddresses: 10 },
    { id: 'subnet-2', zone: 'us-west-2b', zoneId: 'usw2-az1', freeAddresses: 10 },
  ]);
  const gone = 'aws:///us-west-2a/i-0123456789abcdef0';
  await expect(cloud.get(gone, neverAborted())).rejects.toMatchObject({ kind: 'NotFound' });
  shifted.add('usw2-az2');
  await expect(cloud.get(gone, neverAborted())).rejects.toMatchObject({
    kind: 'Unreachable',
    reason: 'ZoneShifted',
  });
  const elsewhere = 'aws:///us-west-2b/i-0123456789abcdef0';
  await expect(cloud.get(elsewhere, neverAborted())).rejects.toMatchObject({ kind: 'NotFound' });
  // A new process does not know yet which zone has which ID.
  await expect(open.startProcess().cloud.get(gone, neverAborted())).rejects.toMatchObject({
    reason: 'ZoneShifted',
  });
});

test('a claim whose instance EC2 does not show waits for the end of a zonal shift', async () => {
  const shifted = new Set(['usw2-az2']);
  const zonalShift = {
    sequence: 0,
    isShifted: (zoneId: string) => shifted.has(zoneId),
    zones: () => [...shifted],
  };
  open = await awsCloud({ server: { catalogue: { types: ['m5.large', 'm5.xlarge'] } }, zonalShift });
  const { cloud, clock } = open;
  const claim = { ...aClaim('a'), status: { providerID: 'aws:///us-west-2a/i-0123456789abcdef0' } };
  const step = () => cloud.create({ claim, nodeClass: open!.nodeClass() }, neverAborted());
  for (let minutes = 0; minutes < 10; minutes++) {
    expect(await step()).toMatchObject({ state: 'waiting' });
    await clock.advance(60_000);
  }
  shifted.clear();
  await expect(step()).rejects.toMatchObject({ kind: 'NotFound', instanceFailed: true });
});

test('a reboot is requested once for an operation, and refused for an instance that is ending', async () => {
  const fixture = await start();
  const { instance } = await settleOne(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
  const claim = { ...aClaim('a'), status: { providerID: instance.providerID } };
  await fixture.cloud.reboot(claim, 'one', neverAborted());
  await fixture.cloud.reboot(claim, 'one', neverAborted());
  expect(fixture.callsOf('RebootInstances')).toHaveLength(1);
  await expect(fixture.cloud.reboot(aClaim('none'), 'two', neverAborted())).rejects.toMatchObject({
    kind: 'NotFound',
  });
});

test('the repair policies are those of Karpenter on AWS', () => {
  expect(
    AWS_REPAIR_POLICIES.map(
      (each) => `${each.conditionType}=${each.conditionStatus} ${each.tolerationMs / 60_000}m`,
    ),
  ).toEqual([
    'Ready=False 30m',
    'Ready=Unknown 30m',
    'AcceleratedHardwareReady=False 10m',
    'StorageReady=False 30m',
    'NetworkingReady=False 30m',
    'KernelReady=False 30m',
    'ContainerRuntimeReady=False 30m',
  ]);
});
