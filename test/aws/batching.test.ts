/** Launches that are equal become one CreateFleet, and questions about instances few calls. */

import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import type { AwsCloud } from '../../packages/chandler/src/cloud/aws/index.ts';
import { CloudError, type LaunchStep } from '../../packages/chandler/src/cloud/index.ts';
import {
  type AwsCloudFixture,
  type AwsCloudFixtureOptions,
  aClaim,
  awsCloud,
  launchDespiteErrors,
  removeClaim,
  settleAll,
  stepOnce,
} from './aws-cloud.fixture.ts';

const ONE_OFFERING = [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['m5.large'] },
  { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-west-2a'] },
  { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
];
let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(options: AwsCloudFixtureOptions = {}): Promise<AwsCloudFixture> {
  open = await awsCloud({ server: { catalogue: { types: ['m5.*', 'c5.*'] } }, ...options });
  return open;
}

/** Created just now, so that they wait for each other. */
function claims(fixture: AwsCloudFixture, count: number, spec?: object): readonly Stored<NodeClaim>[] {
  const creationTimestamp = new Date(fixture.clock.now()).toISOString();
  return Array.from({ length: count }, (_, index) =>
    aClaim(`n${index}`, { creationTimestamp, ...(spec === undefined ? {} : { spec }) }),
  );
}

function idOf(result: LaunchStep | Error | undefined): string {
  if (result instanceof Error) throw result;
  if (result?.state !== 'launched') throw new Error('not launched');
  return result.instance.providerID;
}

test('tags that our own rate limit holds back are no failure: the tagging controller adds them later', async () => {
  const fixture = await start();
  const results = await settleAll(fixture, fixture.cloud, claims(fixture, 130), fixture.nodeClass());
  const tagged = [...results.values()].filter(
    (step) =>
      !(step instanceof Error) &&
      step.state === 'launched' &&
      step.instance.annotations?.['karpenter.k8s.aws/tagged'] === 'true',
  );
  expect(results.size).toBe(130);
  expect(tagged.length, 'EC2 takes a hundred at once').toBeLessThan(130);
  expect(fixture.world.lines.filter(({ level }) => level === 'warn')).toEqual([]);
});

describe('metrics by the names of Karpenter', () => {
  const values = (fixture: AwsCloudFixture, name: string) =>
    Object.fromEntries(
      [...fixture.world.values].filter(([key]) => key.startsWith(`karpenter_cloudprovider_${name}`)),
    );

  test('how many requests become one call, and how long they wait for each other', async () => {
    const fixture = await start();
    const all = claims(fixture, 30);
    await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
    const sizes = values(fixture, 'batcher_batch_size');
    expect(sizes['karpenter_cloudprovider_batcher_batch_size{batcher="create_fleet"}']).toBe(30);
    expect(Object.keys(sizes)).toContain(
      'karpenter_cloudprovider_batcher_batch_size{batcher="describe_instances"}',
    );
    const waited = values(fixture, 'batcher_batch_time_seconds');
    const seconds = waited['karpenter_cloudprovider_batcher_batch_time_seconds{batcher="create_fleet"}'];
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(1);
  });

  test('offerings that could not be launched, and instances that could not be terminated, by zone', async () => {
    const fixture = await start();
    const all = claims(fixture, 3, { requirements: ONE_OFFERING });
    fixture.cloud.subnetsRead([{ id: 'subnet-1', zone: 'us-west-2a', zoneId: 'usw2-az2', freeAddresses: 9 }]);
    fixture.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 1);
    const results = [...(await settleAll(fixture, fixture.cloud, all, fixture.nodeClass())).entries()];
    const zone = 'zone="us-west-2a",zone_id="usw2-az2"';
    expect(values(fixture, 'instance_launch_failures_total')).toEqual({
      [`karpenter_cloudprovider_instance_launch_failures_total{capacity_type="on-demand",reason="InsufficientInstanceCapacity",${zone}}`]: 1,
    });
    const launched = results.map(([, result]) => result).find((result) => !(result instanceof Error));
    const claim = { ...all[0]!, status: { providerID: idOf(launched) } } as Stored<NodeClaim>;
    fixture.server.faults.add('500@operation=TerminateInstances,count=1');
    await expect(fixture.cloud.delete(claim, neverAborted())).rejects.toThrow(CloudError);
    expect(values(fixture, 'instance_termination_failures_total')).toEqual({
      [`karpenter_cloudprovider_instance_termination_failures_total{${zone}}`]: 1,
    });
  });
});

test('thirty equal claims are one CreateFleet, and each has an instance of its own', async () => {
  const fixture = await start();
  const all = claims(fixture, 30);
  const results = await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
  expect(new Set([...results.values()].map(idOf)).size).toBe(30);
  expect(fixture.running()).toHaveLength(30);
  expect(fixture.callsOf('CreateFleet')).toHaveLength(1);
  // The two types differ in how many pods they run, and so in their user data.
  expect(fixture.callsOf('CreateLaunchTemplate')).toHaveLength(2);
  expect(fixture.callsOf('DescribeInstances').length).toBeLessThan(10);
  const names = fixture
    .running()
    .map(({ tags }) => tags.find(({ Key }) => Key === 'karpenter.sh/nodeclaim')?.Value);
  expect(names.sort()).toEqual(all.map(({ metadata }) => metadata.name).sort());
});

test('claims that differ in what they allow are separate requests', async () => {
  const fixture = await start();
  const [one] = claims(fixture, 1);
  const other = aClaim('other', {
    creationTimestamp: one!.metadata.creationTimestamp!,
    spec: {
      requirements: [
        { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['c5.large'] },
        { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      ],
    },
  });
  await settleAll(fixture, fixture.cloud, [one!, other], fixture.nodeClass());
  expect(fixture.callsOf('CreateFleet')).toHaveLength(2);
  expect(
    fixture
      .running()
      .map(({ type }) => type)
      .sort(),
  ).toEqual(['c5.large', 'm5.large']);
});

test('a batch that EC2 can serve only in part: the rest fails with its errors, and nothing is launched twice', async () => {
  const fixture = await start();
  const requirements = ONE_OFFERING;
  fixture.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 2);
  const results = [
    ...(
      await settleAll(fixture, fixture.cloud, claims(fixture, 5, { requirements }), fixture.nodeClass())
    ).values(),
  ];
  expect(results.filter((result) => !(result instanceof Error))).toHaveLength(2);
  const errors = results.filter((result) => result instanceof CloudError);
  expect(errors.map(({ kind }) => kind)).toEqual(Array(3).fill('InsufficientCapacity'));
  expect(fixture.running()).toHaveLength(2);
  expect(fixture.callsOf('CreateFleet')).toHaveLength(1);
});

test('a claim that is deleted while it waits for others is not launched, and the others are', async () => {
  const fixture = await start();
  const all = claims(fixture, 3);
  const nodeClass = fixture.nodeClass();
  for (const claim of all) await fixture.cloud.create({ claim, nodeClass }, neverAborted());
  expect(await fixture.cloud.delete(all[0]!, neverAborted())).toEqual({ state: 'gone' });
  const results = await settleAll(fixture, fixture.cloud, all.slice(1), nodeClass);
  expect(new Set([...results.values()].map(idOf)).size).toBe(2);
  expect(fixture.running()).toHaveLength(2);
});

test('a claim whose record cannot be kept is not launched, and does not keep the others', async () => {
  const fixture = await start();
  const all = claims(fixture, 3);
  fixture.records.refuse = ({ metadata }) =>
    metadata.name === 'n1' ? new Error('the API server refused it') : undefined;
  const results = await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
  expect(String(results.get('n1'))).toContain('the API server refused it');
  expect(new Set([idOf(results.get('n0')), idOf(results.get('n2'))]).size).toBe(2);
  expect(fixture.running()).toHaveLength(2);
});

test('a throttled batch with a lost answer is repeated as it was, and launches each claim once', async () => {
  const fixture = await start();
  fixture.server.faults.add('throttle@count=2,operation=ec2:CreateFleet');
  const all = claims(fixture, 4);
  const nodeClass = fixture.nodeClass();
  const launched = new Map<string, string>();
  let lost = false;
  for (let round = 0; round < 60 && launched.size < all.length; round += 1) {
    // After the throttling is over, the first answer gets lost.
    if (!lost && fixture.server.faults.list().length === 0) {
      fixture.server.faults.add('lost-response@count=1,operation=ec2:CreateFleet');
      lost = true;
    }
    const steps = await Promise.allSettled(
      all.map((claim) => fixture.cloud.create({ claim, nodeClass }, neverAborted())),
    );
    steps.forEach((step, index) => {
      if (step.status === 'fulfilled' && step.value.state === 'launched')
        launched.set(all[index]!.metadata.name, step.value.instance.providerID);
    });
    await fixture.clock.advance(30_000);
  }
  expect(lost).toBe(true);
  expect(new Set(launched.values()).size).toBe(4);
  expect(fixture.running()).toHaveLength(4);
});

describe.each(['500', 'lost-request', 'throttle'])('a batch that EC2 does not answer (%s)', (fault) => {
  /** How many requests each of some rounds sends, in which every claim is stepped. */
  async function roundsOf(fixture: AwsCloudFixture, cloud: AwsCloud, all: readonly Stored<NodeClaim>[]) {
    const requests: number[] = [];
    for (let round = 0; round < 8; round += 1) {
      const before = fixture.callsOf('CreateFleet').length;
      await stepOnce(cloud, all, fixture.nodeClass());
      requests.push(fixture.callsOf('CreateFleet').length - before);
      await fixture.clock.advance(1_100);
    }
    return requests;
  }

  test('is sent once and then after a pause, however many claims wait for it', async () => {
    const fixture = await start();
    const all = claims(fixture, 12);
    fixture.server.faults.add(`${fault}@operation=ec2:CreateFleet`);
    const requests = await roundsOf(fixture, fixture.cloud, all);
    expect(Math.max(...requests)).toBe(1);
    // The pause grows.
    expect(requests.reduce((sum, count) => sum + count)).toBeLessThan(5);
    fixture.server.faults.clear();
    const { ids } = await launchDespiteErrors(fixture, fixture.cloud, all, fixture.nodeClass());
    expect(new Set(ids.values()).size).toBe(12);
    expect(fixture.running()).toHaveLength(12);
  });

  test('is repeated by the next process in the same way', async () => {
    const fixture = await start();
    const all = claims(fixture, 12);
    fixture.server.faults.add(`${fault}@operation=ec2:CreateFleet`);
    await roundsOf(fixture, fixture.cloud, all);
    const { cloud } = fixture.startProcess();
    const requests = await roundsOf(fixture, cloud, all);
    expect(Math.max(...requests)).toBe(1);
    expect(requests.reduce((sum, count) => sum + count)).toBeLessThan(5);
    fixture.server.faults.clear();
    const { ids } = await launchDespiteErrors(fixture, cloud, all, fixture.nodeClass());
    expect(new Set(ids.values()).size).toBe(12);
    expect(fixture.running()).toHaveLength(12);
  });
});

test('many instances are terminated by few calls, and one that EC2 does not know does not keep the others', async () => {
  const fixture = await start();
  const all = claims(fixture, 20);
  const results = await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
  const named = all.map((claim) => ({
    ...claim,
    status: { providerID: idOf(results.get(claim.metadata.name)) },
  }));
  const stranger = { ...aClaim('stranger'), status: { providerID: 'aws:///us-west-2a/i-0123456789abcdef0' } };
  await Promise.all([...named, stranger].map((claim) => fixture.cloud.delete(claim, neverAborted())));
  expect(fixture.callsOf('TerminateInstances').length).toBeLessThan(30);
  for (const claim of [...named, stranger]) await removeClaim(fixture, fixture.cloud, claim);
  expect(fixture.running()).toEqual([]);
});
