import { neverAborted, settle } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { isCloudError } from '../../index.ts';
import { aNodeClass, aType } from '../aws.fixture.ts';
import { AwsError } from '../errors/index.ts';
import { testMarket } from './market.fixture.ts';
import { TYPES_REFRESH_MS, TYPES_RETRY_MS } from './market.ts';
import { marketMetrics } from './market-metrics.ts';

const TYPES = ['m5.large', 'm5.xlarge', 'c5.large'].map((name) => aType(name));
const CLASS = aNodeClass();

function loadedMarket() {
  const made = testMarket(TYPES);
  return made.market.refreshIfDue(neverAborted()).then(() => made);
}

describe('what EC2 sells', () => {
  test('is read page by page with the filters of Karpenter, and listed with its offerings', async () => {
    const { market, types, offered } = testMarket(TYPES);
    expect(market.loaded).toBe(false);
    expect(() => market.typesFor(CLASS)).toThrow(/have not been read/);
    expect(await market.refreshIfDue(neverAborted())).toBe(true);
    expect(market.loaded).toBe(true);
    expect(market.typesFor(CLASS).map(({ name, offerings }) => [name, offerings.length])).toEqual([
      ['c5.large', 4],
      ['m5.large', 4],
      ['m5.xlarge', 4],
    ]);
    expect(market.get('m5.large')?.VCpuInfo.DefaultVCpus).toBe(2);
    expect(market.get('m5.huge')).toBeUndefined();
    expect(types.requests).toEqual([
      {
        Filters: [
          { Name: 'supported-virtualization-type', Values: ['hvm'] },
          { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
        ],
        MaxResults: 100,
      },
      expect.objectContaining({ NextToken: '2' }),
    ]);
    expect(offered.requests[0]).toEqual({ LocationType: 'availability-zone', MaxResults: 1000 });
  });

  test('is read again after twelve hours, and the lists stay the same ones when nothing has changed', async () => {
    const { market, types, world } = await loadedMarket();
    const before = market.typesFor(CLASS);
    expect(await market.refreshIfDue(neverAborted())).toBe(false);
    await world.clock.advance(TYPES_REFRESH_MS - 1);
    expect(await market.refreshIfDue(neverAborted())).toBe(false);
    expect(types.requests).toHaveLength(2);
    await world.clock.advance(1);
    expect(await market.refreshIfDue(neverAborted())).toBe(true);
    expect(types.requests).toHaveLength(4);
    expect(market.typesFor(CLASS)).toBe(before);
  });

  test('is read once however many ask, and by the next one when the first gives up', async () => {
    const { market, types } = testMarket(TYPES);
    const gate = Promise.withResolvers<void>();
    types.gate = gate.promise;
    const first = new AbortController();
    const gaveUp = market.refreshIfDue(first.signal).catch((error: unknown) => error);
    const others = [market.refreshIfDue(neverAborted()), market.refreshIfDue(neverAborted())];
    await settle();
    expect(types.requests).toHaveLength(1);
    first.abort(new Error('stopped'));
    gate.resolve();
    expect(await gaveUp).toMatchObject({ message: 'stopped' });
    expect(await Promise.all(others)).toEqual([true, true]);
    // The one that was given up, and two pages.
    expect(types.requests).toHaveLength(3);
  });

  test('a read that fails on the second page keeps what was known, is reported, and is tried again after a minute', async () => {
    const { market, types, world } = await loadedMarket();
    const before = market.typesFor(CLASS);
    await world.clock.advance(TYPES_REFRESH_MS);
    types.items = TYPES.slice(0, 2);
    types.pageSize = 1;
    types.failures.set(3, new AwsError({ code: 'RequestLimitExceeded', message: 'slow down' }));
    const failure = await market.refreshIfDue(neverAborted()).catch((error: unknown) => error);
    expect(isCloudError(failure, 'Throttled')).toBe(true);
    expect(market.typesFor(CLASS)).toBe(before);
    expect(market.dueAtMs - world.clock.monotonic()).toBe(TYPES_RETRY_MS);
  });

  test('an answer without types, or without zones, is not used', async () => {
    for (const empty of ['types', 'offered'] as const) {
      const made = await loadedMarket();
      const before = made.market.typesFor(CLASS);
      await made.world.clock.advance(TYPES_REFRESH_MS);
      made[empty].items = [];
      await expect(made.market.refreshIfDue(neverAborted())).rejects.toThrow(/check the region/);
      expect(made.market.typesFor(CLASS)).toBe(before);
    }
  });

  test('a type that one answer lacks stays until the next answer lacks it too', async () => {
    const { market, types, offered, world } = await loadedMarket();
    const names = () => market.typesFor(CLASS).map(({ name }) => name);
    await world.clock.advance(TYPES_REFRESH_MS);
    types.items = TYPES.slice(0, 2);
    offered.items = offered.items.filter(({ InstanceType }) => InstanceType !== 'c5.large');
    await market.refreshIfDue(neverAborted());
    expect(names()).toEqual(['c5.large', 'm5.large', 'm5.xlarge']);
    expect(market.dueAtMs - world.clock.monotonic()).toBe(TYPES_RETRY_MS);
    await world.clock.advance(TYPES_RETRY_MS);
    await market.refreshIfDue(neverAborted());
    expect(names()).toEqual(['m5.large', 'm5.xlarge']);
    expect(market.dueAtMs - world.clock.monotonic()).toBe(TYPES_REFRESH_MS);
  });

  test('an error of the program is not taken for an answer of EC2', async () => {
    const { market, types } = testMarket(TYPES);
    const bug = new TypeError('undefined is not a function');
    types.failures.set(0, bug);
    await expect(market.refreshIfDue(neverAborted())).rejects.toBe(bug);
  });
});

describe('the types of a node class', () => {
  test('are not listed while the placement group that it selects is not known', async () => {
    const made = await loadedMarket();
    const grouped = aNodeClass({ placementGroupSelector: { name: 'close' } });
    expect(() => made.market.typesFor(grouped)).toThrow(/placement group of EC2NodeClass default/);
    made.group = { id: 'pg-1', strategy: 'partition', partitionCount: 2 };
    const [type] = made.market.typesFor(grouped);
    expect(type!.offerings).toHaveLength(8);
  });

  test('have the memory that nodes reported for sixty days, and then the computed one again', async () => {
    const { market, observedMemory, world } = await loadedMarket();
    const memory = () => market.typesFor(CLASS).find(({ name }) => name === 'm5.large')!.capacity['memory'];
    observedMemory.report({
      instanceType: 'm5.large',
      imageIds: [],
      bytes: 8_000_000_000,
      nowMs: world.clock.now(),
    });
    expect(memory()).toBe('8000000000');
    await world.clock.advance(61 * 24 * 60 * 60_000);
    await market.refreshIfDue(neverAborted());
    expect(memory()).toBe('7577Mi');
  });
});

test('metrics show what the classes can launch and what it costs, by the names of Karpenter', async () => {
  const { market, world, unavailable } = await loadedMarket();
  const end = marketMetrics(world.metrics, () => market.currentLists());
  const failed = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' };
  unavailable.mark(failed, 180_000, 'InsufficientInstanceCapacity');
  const full = {
    id: 'cr-1',
    instanceType: 'm5.large',
    availabilityZone: 'us-east-1a',
    instanceMatchCriteria: 'targeted' as const,
    ownerID: '123456789012',
    reservationType: 'default' as const,
    state: 'active' as const,
  };
  market.typesFor(aNodeClass({}, { capacityReservations: [full] }));
  world.scrape();
  const value = (name: string, labels: string) =>
    world.values.get(`karpenter_cloudprovider_instance_type_${name}{${labels}}`);
  const labels = (capacity: string) =>
    `capacity_type="${capacity}",instance_type="m5.large",zone="us-east-1a"`;
  expect(value('cpu_cores', 'instance_type="m5.large"')).toBe(2);
  expect(value('memory_bytes', 'instance_type="m5.large"')).toBe(8 * 2 ** 30);
  expect(value('offering_available', labels('spot'))).toBe(0);
  expect(value('offering_available', labels('on-demand'))).toBe(1);
  // It stays available for the planner, and cannot be launched.
  expect(value('offering_available', labels('reserved'))).toBe(0);
  expect(value('offering_price_estimate', labels('on-demand'))).toBe(0.096);
  end();
});
