import { describe, expect, test } from 'vitest';

import { builtInPrices, currencyOf, PriceList, pricedRegions } from './index.ts';

const METAL = new Map([['m5.metal', 4.7]]);

describe('prices on demand', () => {
  test('are the built-in ones until Pricing has answered', () => {
    const prices = new PriceList('us-east-1');
    expect(prices.onDemand('m5.large')).toBe(0.096);
    expect(prices.updateOnDemand(new Map([['m5.large', 0.1]]), METAL)).toBe(true);
    expect(prices.onDemand('m5.large')).toBe(0.1);
    expect(prices.onDemand('m5.metal')).toBe(4.7);
  });

  test('that an answer does not have stay as they were', () => {
    const prices = new PriceList('us-east-1');
    prices.updateOnDemand(
      new Map([
        ['m5.large', 0.1],
        ['new.large', 2],
      ]),
      METAL,
    );
    prices.updateOnDemand(new Map([['m5.large', 0.11]]), METAL);
    expect([prices.onDemand('m5.large'), prices.onDemand('new.large'), prices.onDemand('c5.large')]).toEqual([
      0.11, 2, 0.085,
    ]);
  });

  test('an answer without bare metal, or without the rest, is not complete and changes nothing', () => {
    const prices = new PriceList('us-east-1');
    expect(prices.updateOnDemand(new Map([['m5.large', 0.1]]), new Map())).toBe(false);
    expect(prices.updateOnDemand(new Map(), METAL)).toBe(false);
    expect(prices.onDemand('m5.large')).toBe(0.096);
    expect(prices.sequence).toBe(0);
  });

  test('the sequence grows when a price has changed, and only then', () => {
    const prices = new PriceList('us-east-1');
    prices.updateOnDemand(new Map([['m5.large', 0.1]]), METAL);
    const { sequence } = prices;
    prices.updateOnDemand(new Map([['m5.large', 0.1]]), METAL);
    expect(prices.sequence).toBe(sequence);
    prices.updateOnDemand(new Map([['m5.large', 0.2]]), METAL);
    expect(prices.sequence).toBe(sequence + 1);
  });
});

describe('prices on spot', () => {
  test('are those on demand until the history was read once', () => {
    const prices = new PriceList('us-east-1');
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.096);
    prices.updateSpot([{ instanceType: 'm5.large', zone: 'us-east-1a', price: 0.03 }]);
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.03);
  });

  test('after it, a zone or type that it does not have is without a price', () => {
    const prices = new PriceList('us-east-1');
    prices.updateSpot([{ instanceType: 'm5.large', zone: 'us-east-1a', price: 0.03 }]);
    expect(prices.spot('m5.large', 'us-east-1b')).toBeUndefined();
    expect(prices.spot('c5.large', 'us-east-1a')).toBeUndefined();
    prices.updateSpot([{ instanceType: 'm5.large', zone: 'us-east-1b', price: 0.04 }]);
    expect([prices.spot('m5.large', 'us-east-1a'), prices.spot('m5.large', 'us-east-1b')]).toEqual([
      0.03, 0.04,
    ]);
  });

  test('an empty history is no success', () => {
    const prices = new PriceList('us-east-1');
    expect(prices.updateSpot([])).toBe(false);
    expect(prices.spot('m5.large', 'us-east-1a')).toBe(0.096);
  });
});

describe('built-in prices', () => {
  test('are there for us-east-1, both regions of GovCloud and cn-north-1', () => {
    expect([...pricedRegions()].sort()).toEqual([
      'cn-north-1',
      'us-east-1',
      'us-gov-east-1',
      'us-gov-west-1',
    ]);
    expect(builtInPrices('us-gov-west-1').prices.get('c5.large')).toBeGreaterThan(0.085);
    expect(builtInPrices('cn-north-1').prices.get('c5.large')).toBe(0.739);
    expect(currencyOf('cn-north-1')).toBe('CNY');
  });

  test('of another region of a partition are in its currency', () => {
    expect(builtInPrices('cn-northwest-1')).toEqual({ ...builtInPrices('cn-north-1'), ofRegion: false });
  });

  test('of another region are those of us-east-1', () => {
    const { prices, ofRegion } = builtInPrices('eu-central-1');
    expect(ofRegion).toBe(false);
    expect(prices.get('m5.large')).toBe(0.096);
    expect(prices.size).toBeGreaterThan(1_000);
    expect(currencyOf('eu-central-1')).toBe('USD');
  });
});
