/** The controllers that follow EC2, against a simulated AWS: what it sells, reservations that end, memory, tags. */
import { NODES } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import type { EC2NodeClass } from '../../packages/chandler/src/api/index.ts';
import { type ClaimsStage, claimsStage, inTime } from './claims.fixture.ts';

let stage: ClaimsStage;

afterEach(() => stage.end());

const HOUR_MS = 3_600_000;
const tagsOf = (id: string) =>
  Object.fromEntries(stage.aws.server.instances.get(id)!.tags.map(({ Key, Value }) => [Key, Value]));
const callsOf = (action: string) => stage.aws.server.calls().filter((call) => call.action === action);

/** A reservation, and a claim whose instance runs in it. */
async function launchReserved(type: 'default' | 'capacity-block', endsInMs: number): Promise<string> {
  const { server } = stage.aws;
  const id = 'cr-0123456789abcdef0';
  const end = stage.world.clock.now() + endsInMs;
  const instance = await stage.launch('a', {
    capacity: 'on-demand',
    labels: {
      'karpenter.sh/capacity-type': 'reserved',
      'karpenter.k8s.aws/capacity-reservation-id': id,
      'karpenter.k8s.aws/capacity-reservation-type': type,
      'karpenter.k8s.aws/capacity-reservation-interruptible': 'false',
    },
  });
  server.addCapacityReservation({
    CapacityReservationId: id,
    InstanceType: 'm5.large',
    AvailabilityZone: 'us-west-2a',
    ReservationType: type,
    State: 'active',
    TotalInstanceCount: 1,
    AvailableInstanceCount: 0,
    EndDate: new Date(end),
    EndDateType: 'limited',
  });
  const record = server.instances.get(instance)!;
  record.reservedBy = id;
  record.launched.CapacityReservationId = id;
  return instance;
}

test('types and prices are read from EC2 and Pricing, again after twelve hours, through throttling', async () => {
  stage = await claimsStage({
    aws: {
      catalogue: { types: ['m5.*', 'c5.*', 'r5.*', 'm6g.*'] },
      faults: [
        'throttle@operation=ec2:DescribeInstanceTypes,count=1',
        'lost-response@operation=ec2:DescribeInstanceTypeOfferings,count=1',
        'throttle@operation=pricing:GetProducts,count=1',
        'short-pages@operation=ec2:DescribeInstanceTypes,count=1',
      ],
    },
    nodeClassStatus: { subnets: [{ id: 'subnet-a', zone: 'us-west-2a', zoneID: 'usw2-az1' }] },
  });
  await stage.start({ only: ['providers.instancetype', 'providers.pricing'] });
  await stage.advance(15 * 60_000);
  expect(stage.market.loaded).toBe(true);
  const nodeClass = stage.context.stores.nodeClass({
    group: 'karpenter.k8s.aws',
    kind: 'EC2NodeClass',
    name: 'default',
  }) as EC2NodeClass;
  const m5 = stage.market.typesFor(nodeClass).find(({ name }) => name === 'm5.large')!;
  const { catalogue } = stage.aws.server.context;
  const offered = catalogue.all().find(({ name }) => name === 'm5.large')!;
  const available = m5.offerings.filter((offering) => offering.available);
  expect(available.map(({ zone, capacityType }) => `${zone} ${capacityType}`)).toEqual([
    'us-west-2a on-demand',
    'us-west-2a spot',
  ]);
  expect(available[0]!.price).toBeCloseTo(offered.usdPerHour, 6);
  expect(available[1]!.price).toBeGreaterThan(0);
  expect(available[1]!.price).toBeLessThan(offered.usdPerHour);
  const before = callsOf('DescribeInstanceTypes').length;
  await stage.advance(12 * HOUR_MS + 60_000);
  expect(callsOf('DescribeInstanceTypes').length).toBeGreaterThan(before);
  stage.world.scrape();
  const price = 'karpenter_cloudprovider_instance_type_offering_price_estimate';
  const labels = 'capacity_type="on-demand",instance_type="m5.large",zone="us-west-2a"';
  expect(stage.world.values.get(`${price}{${labels}}`)).toBeCloseTo(offered.usdPerHour, 6);
});

test('when a reservation ends, claim and node become on demand, and nothing before that', async () => {
  stage = await claimsStage();
  await launchReserved('default', 10 * 60_000);
  await stage.start({ only: ['capacityreservation'] });
  await stage.advance(9 * 60_000);
  expect((await stage.claim('a'))!.metadata.labels?.['karpenter.sh/capacity-type']).toBe('reserved');
  await stage.advance(4 * 60_000);
  for (const object of [await stage.claim('a'), await stage.node('a')]) {
    const labels = object!.metadata.labels ?? {};
    expect(labels['karpenter.sh/capacity-type']).toBe('on-demand');
    expect(Object.keys(labels).filter((label) => label.includes('capacity-reservation'))).toEqual([]);
  }
  expect((await stage.claim('a'))!.metadata.deletionTimestamp).toBeUndefined();
});

test('a node that kept its labels when the controller died is relabelled after the restart', async () => {
  stage = await claimsStage();
  await launchReserved('default', 60_000);
  stage.refuse = ({ method, path }) =>
    method === 'PATCH' && path.includes('/nodes/') ? new Error('connection reset') : undefined;
  await stage.start({ only: ['capacityreservation'] });
  await stage.advance(5 * 60_000);
  expect((await stage.claim('a'))!.metadata.labels?.['karpenter.sh/capacity-type']).toBe('on-demand');
  expect((await stage.node('a'))!.metadata.labels?.['karpenter.sh/capacity-type']).toBe('reserved');
  stage.refuse = () => undefined;
  await stage.start({ only: ['capacityreservation'] });
  await stage.advance(5 * 60_000);
  expect((await stage.node('a'))!.metadata.labels?.['karpenter.sh/capacity-type']).toBe('on-demand');
});

test('claims of a capacity block are deleted forty minutes before its end', async () => {
  stage = await claimsStage();
  await launchReserved('capacity-block', 2 * HOUR_MS);
  await stage.start({ only: ['capacityreservation'] });
  await stage.advance(78 * 60_000);
  expect((await stage.claim('a'))!.metadata.deletionTimestamp).toBeUndefined();
  await stage.advance(3 * 60_000);
  expect((await stage.claim('a'))!.metadata.deletionTimestamp).toBeDefined();
  expect(stage.disrupted).toEqual(['a capacity_block_ending']);
  expect(await stage.eventsOf('a')).toContain('CapacityBlockEnding');
});

test('instances get the names of node and claim as tags, one a second; those that are set stay', async () => {
  stage = await claimsStage();
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push(await stage.launch(name));
  await stage.aws.ec2('CreateTags', { Resources: [ids[1]], Tags: [{ Key: 'Name', Value: 'mine' }] });
  stage.aws.server.faults.add('throttle@operation=ec2:CreateTags,count=1');
  const before = callsOf('CreateTags').length;
  await stage.start({ only: ['nodeclaim.tagging'] });
  await stage.advance(10_000);
  expect(tagsOf(ids[0]!)).toMatchObject({
    Name: 'a',
    'karpenter.sh/nodeclaim': 'a',
    'eks:eks-cluster-name': 'playground',
  });
  expect(tagsOf(ids[1]!)).toMatchObject({ Name: 'mine', 'karpenter.sh/nodeclaim': 'b' });
  for (const name of ['a', 'b', 'c'])
    expect((await stage.claim(name))!.metadata.annotations).toMatchObject({
      'karpenter.k8s.aws/tagged': 'true',
      'compatibility.karpenter.k8s.aws/cluster-name-tagged': 'true',
    });
  const times = callsOf('CreateTags')
    .slice(before)
    .map(({ atMs }) => atMs);
  expect(times).toHaveLength(4);
  for (const [index, atMs] of times.slice(1).entries())
    expect(atMs - times[index]!).toBeGreaterThanOrEqual(990);
  await stage.advance(60_000);
  expect(callsOf('CreateTags')).toHaveLength(before + 4);
});

test('an instance in a zone that is shifted away gets its tags when the shift is over', async () => {
  stage = await claimsStage();
  const id = await stage.launch('a', { labels: { 'topology.k8s.aws/zone-id': 'usw2-az2' } });
  stage.shifted.add('usw2-az2');
  await stage.start({ only: ['nodeclaim.tagging'] });
  await stage.advance(5 * 60_000);
  expect(tagsOf(id)['Name']).toBeUndefined();
  expect(callsOf('DescribeInstances')).toEqual([]);
  stage.shifted.clear();
  await stage.advance(60_000);
  expect(tagsOf(id)).toMatchObject({ Name: 'a', 'karpenter.sh/nodeclaim': 'a' });
});

test('the memory that a registered node reports is known for its type and images, of other images not', async () => {
  stage = await claimsStage();
  await stage.launch('a');
  const status = { capacity: { memory: '7934440Ki', cpu: '2' } };
  const patch = { type: 'merge', patch: { status } } as const;
  await inTime(stage.world, stage.admin.patchStatus(NODES, { name: 'a' }, patch));
  await stage.start({ only: ['providers.instancetype.capacity'] });
  await stage.advance(15_000);
  expect(stage.observedMemory.bytes('m5.large', ['ami-1'])).toBe(7934440 * 1024);
  expect(stage.observedMemory.size).toBe(1);
});

test('garbage is collected often after a start, then every two minutes; a failure stops nothing else', async () => {
  stage = await claimsStage();
  let instances = 0;
  let templates = 0;
  await stage.start({
    only: ['instance.', 'launchtemplate.'],
    garbage: {
      instances: async () => {
        instances += 1;
        if (instances === 2) throw new Error('EC2 did not answer');
      },
      launchTemplates: async () => {
        templates += 1;
      },
    },
  });
  await stage.advance(4 * 60_000);
  expect(instances).toBeGreaterThanOrEqual(20);
  const eager = instances;
  await stage.advance(10 * 60_000);
  expect(instances - eager).toBeLessThanOrEqual(6);
  expect(templates).toBeGreaterThanOrEqual(13);
});
