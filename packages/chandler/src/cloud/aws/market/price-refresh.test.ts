import { neverAborted, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { AwsError } from '../errors/index.ts';
import { PriceList } from '../prices/index.ts';
import { answers, pagedCall } from './market.fixture.ts';
import { PRICES_REFRESH_MS, PRICES_RETRY_MS, PriceRefresh } from './price-refresh.ts';

function product(instanceType: string, price: string, currency = 'USD'): string {
  return JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { t: { priceDimensions: { d: { pricePerUnit: { [currency]: price } } } } } },
  });
}

function spot(InstanceType: string, AvailabilityZone: string, SpotPrice: string, seconds = 1) {
  return { InstanceType, AvailabilityZone, SpotPrice, Timestamp: new Date(seconds * 1000) };
}

function setup({ region = 'us-east-1', isolatedVpc = false } = {}) {
  const world = virtualWorld();
  const currency = region.startsWith('cn-') ? 'CNY' : 'USD';
  const shared = answers(
    [product('m5.large', '0.11', currency), product('c5.large', '0.09', currency), 'no JSON'],
    1,
  );
  const metal = answers([product('m5.metal', '5', currency)], 1);
  const history = answers(
    [
      spot('m5.large', 'us-east-1a', '0.05', 2),
      spot('m5.large', 'us-east-1a', '0.04', 1),
      spot('m5.large', 'us-east-1b', '0'),
    ],
    2,
  );
  const prices = new PriceList(region);
  const products = { shared: pagedCall(shared, 'PriceList'), metal: pagedCall(metal, 'PriceList') };
  const refresh = new PriceRefresh({
    world,
    region,
    isolatedVpc: () => isolatedVpc,
    prices,
    pricing: {
      getProducts: (input, options) => {
        const isMetal = input.Filters?.some(({ Value }) => Value === 'Compute Instance (bare metal)');
        return (isMetal ? products.metal : products.shared)(input, options);
      },
    },
    ec2: { describeSpotPriceHistory: pagedCall(history, 'SpotPriceHistory') },
  });
  const warnings = () => world.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields);
  return { world, shared, metal, history, prices, refresh, warnings };
}

describe('prices', () => {
  test('are read in pages, on demand and spot, every twelve hours', async () => {
    const { refresh, prices, world, shared, history } = setup();
    expect(prices.onDemand('m5.large')).toBe(0.096);
    expect(prices.spot('m5.large', 'us-east-1b')).toBe(0.096);
    expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
    expect(['m5.large', 'c5.large', 'm5.metal'].map((name) => prices.onDemand(name))).toEqual([
      0.11, 0.09, 5,
    ]);
    // The newest one; a price of zero is none.
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.05);
    expect(prices.spot('m5.large', 'us-east-1b')).toBeUndefined();
    expect(history.requests[0]).toMatchObject({
      ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
      StartTime: new Date(world.clock.now()),
    });
    expect(await refresh.refreshIfDue(neverAborted())).toBe(false);
    expect(shared.requests).toHaveLength(3);
    await world.clock.advance(PRICES_REFRESH_MS);
    expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
    expect(shared.requests).toHaveLength(6);
  });

  test('a list that breaks off in the middle changes no price, and the other list is read all the same', async () => {
    const { refresh, prices, shared, world, warnings } = setup();
    shared.failures.set(2, new AwsError({ code: 'ThrottlingException', message: 'Rate exceeded' }));
    expect(await refresh.refreshIfDue(neverAborted())).toBe(false);
    expect(prices.onDemand('m5.large')).toBe(0.096);
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.05);
    expect(warnings()).toEqual([
      expect.objectContaining({
        list: 'on-demand',
        using: 'the built-in prices of us-east-1 of 2026-07-06',
      }),
    ]);
    expect(refresh.dueAtMs - world.clock.monotonic()).toBe(PRICES_RETRY_MS);
    await world.clock.advance(PRICES_RETRY_MS);
    expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
    expect(prices.onDemand('m5.large')).toBe(0.11);
  });

  test('a list without bare metal, and a history without a price, are not complete and are not used', async () => {
    const { refresh, prices, metal, history, warnings } = setup();
    metal.items = [];
    history.items = [spot('m5.large', 'us-east-1a', 'cheap')];
    expect(await refresh.refreshIfDue(neverAborted())).toBe(false);
    expect(prices.onDemand('m5.large')).toBe(0.096);
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.096);
    expect(warnings()).toHaveLength(2);
  });

  test('the log says which prices count while a list cannot be read', async () => {
    const { refresh, shared, history, world, warnings } = setup({ region: 'eu-west-1' });
    const busy = new AwsError({ code: 'ThrottlingException', message: 'Rate exceeded' });
    shared.failures.set(0, busy);
    history.failures.set(0, busy);
    await refresh.refreshIfDue(neverAborted());
    // Of eu-west-1 there are no built-in prices.
    expect(warnings().map((fields) => [fields!['list'], fields!['using']])).toEqual([
      ['on-demand', 'the built-in prices of us-east-1 of 2026-07-06'],
      ['spot', 'the prices on demand'],
    ]);
    await world.clock.advance(PRICES_RETRY_MS);
    const readAt = new Date(world.clock.now()).toISOString();
    expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
    shared.failures.set(shared.requests.length, busy);
    history.failures.set(history.requests.length, busy);
    await world.clock.advance(PRICES_REFRESH_MS);
    await refresh.refreshIfDue(neverAborted());
    expect(
      warnings()
        .slice(2)
        .map((fields) => fields!['using']),
    ).toEqual(Array(2).fill(`those that were read at ${readAt}`));
  });

  test.each([
    { region: 'us-east-1', isolatedVpc: true },
    { region: 'us-gov-west-1', isolatedVpc: false },
  ])(
    'on demand are the built-in ones where Pricing has no endpoint, spot comes from EC2: %o',
    async (where) => {
      const { refresh, prices, shared, metal, world } = setup(where);
      const builtIn = prices.onDemand('m5.large');
      expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
      expect(prices.onDemand('m5.large')).toBe(builtIn);
      expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.05);
      expect([shared, metal].flatMap(({ requests }) => requests)).toEqual([]);
      await world.clock.advance(PRICES_REFRESH_MS);
      await refresh.refreshIfDue(neverAborted());
      expect(world.lines.filter(({ message }) => message.includes('cannot be asked'))).toHaveLength(1);
    },
  );

  test('in China are in its currency', async () => {
    const { refresh, prices, shared } = setup({ region: 'cn-north-1' });
    shared.items = [product('m5.large', '0.7', 'CNY'), product('c5.large', '0.01', 'USD')];
    await refresh.refreshIfDue(neverAborted());
    expect(prices.onDemand('m5.large')).toBe(0.7);
    expect(prices.onDemand('c5.large')).not.toBe(0.01);
  });

  test('an error of the program is not taken for a price list that cannot be read', async () => {
    const { refresh, shared } = setup();
    const bug = new TypeError('undefined is not a function');
    shared.failures.set(0, bug);
    await expect(refresh.refreshIfDue(neverAborted())).rejects.toBe(bug);
  });

  test('a stop ends the read, and the next one starts at once', async () => {
    const { refresh, prices, world } = setup();
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    await expect(refresh.refreshIfDue(stop.signal)).rejects.toThrow('stopped');
    expect(refresh.dueAtMs).toBeLessThanOrEqual(world.clock.monotonic());
    expect(await refresh.refreshIfDue(neverAborted())).toBe(true);
    expect(prices.onDemand('m5.large')).toBe(0.11);
  });
});
