import { describe, expect, test } from 'vitest';

import {
  asksPricing,
  PriceList,
  pricingRegion,
  productFilters,
  readProducts,
  readSpotHistory,
  SPOT_PRODUCTS,
} from './index.ts';

const product = (instanceType: string, ...prices: readonly object[]) =>
  JSON.stringify({
    product: { productFamily: 'Compute Instance', attributes: { instanceType, vcpu: '2' } },
    terms: {
      OnDemand: {
        'SKU.TERM': {
          priceDimensions: Object.fromEntries(
            prices.map((pricePerUnit, index) => [`SKU.TERM.${index}`, { unit: 'Hrs', pricePerUnit }]),
          ),
        },
      },
    },
  });

describe('prices on demand', () => {
  test.each([
    ['us-west-2', 'us-east-1'],
    ['sa-east-1', 'us-east-1'],
    ['ap-northeast-1', 'ap-south-1'],
    ['cn-north-1', 'cn-northwest-1'],
    ['eu-west-3', 'eu-central-1'],
  ])('of %s are asked for in %s', (region, served) => {
    expect(pricingRegion(region)).toBe(served);
  });

  test('are not asked for in partitions without Pricing, nor in an isolated VPC', () => {
    for (const region of [
      'us-gov-west-1',
      'us-iso-east-1',
      'us-isob-east-1',
      'eu-isoe-west-1',
      'eusc-de-east-1',
    ])
      expect(asksPricing(region, false), region).toBe(false);
    expect(asksPricing('cn-north-1', false)).toBe(true);
    expect(asksPricing('eu-west-1', true)).toBe(false);
    expect(asksPricing('eu-west-1', false)).toBe(true);
  });

  test('take two questions, one of them for bare metal', () => {
    const values = (kind: 'shared' | 'metal') =>
      Object.fromEntries(productFilters('eu-west-1', kind).map(({ Field, Value }) => [Field, Value]));
    expect(values('shared')).toEqual({
      regionCode: 'eu-west-1',
      serviceCode: 'AmazonEC2',
      preInstalledSw: 'NA',
      operatingSystem: 'Linux',
      capacitystatus: 'Used',
      marketoption: 'OnDemand',
      tenancy: 'Shared',
      productFamily: 'Compute Instance',
    });
    expect(values('metal')).toMatchObject({
      tenancy: 'Dedicated',
      productFamily: 'Compute Instance (bare metal)',
    });
  });

  test('are read in the currency of the partition; a price of zero is none', () => {
    const list = [
      product('m5.large', { USD: '0.0000000000' }, { USD: '0.1070000000' }),
      product('m5.xlarge', { USD: '1e999' }),
      product('m5.2xlarge', { USD: 'free' }),
      product('m5.4xlarge', { USD: '-1' }),
      product('c5.large', { CNY: '0.7390000000' }),
    ];
    expect([...readProducts(list, 'eu-west-1').prices]).toEqual([['m5.large', 0.107]]);
    expect([...readProducts(list, 'cn-north-1').prices]).toEqual([['c5.large', 0.739]]);
  });

  test('are read from the String objects of the SDK, and a product without terms has none', () => {
    const list = [
      Object(product('m5.large', { USD: '0.1' })),
      product('m5.xlarge').replace(/"priceDimensions":\{\}/, '"priceDimensions":null'),
      '{"product":{"attributes":{"instanceType":"m5.2xlarge"}},"terms":null}',
    ];
    expect(readProducts(list, 'us-east-1')).toEqual({ prices: new Map([['m5.large', 0.1]]), unreadable: 0 });
  });

  test('an entry that cannot be read is left out, and counted', () => {
    const list = ['{"product":', '[]', '"text"', null, 7, product('m5.large', { USD: '0.1' }), product('')];
    expect(readProducts(list, 'us-east-1')).toEqual({ prices: new Map([['m5.large', 0.1]]), unreadable: 6 });
  });
});

describe('the history of spot prices', () => {
  const entry = (SpotPrice: string, seconds: number, AvailabilityZone = 'us-east-1a') => ({
    InstanceType: 'm5.large',
    AvailabilityZone,
    SpotPrice,
    Timestamp: new Date(seconds * 1000),
  });

  test('is that of Linux, in both descriptions', () => {
    expect(SPOT_PRODUCTS).toEqual(['Linux/UNIX', 'Linux/UNIX (Amazon VPC)']);
  });

  test('gives the newest price of each zone, in whatever order it comes', () => {
    const history = [entry('0.03', 10), entry('0.05', 30), entry('0.04', 20), entry('0.01', 5, 'us-east-1b')];
    expect(readSpotHistory(history)).toEqual([
      { instanceType: 'm5.large', zone: 'us-east-1a', price: 0.05 },
      { instanceType: 'm5.large', zone: 'us-east-1b', price: 0.01 },
    ]);
  });

  test('entries without a price, a zone or a time are left out, and a list of them is no success', () => {
    const { Timestamp: _, ...timeless } = entry('0.03', 1);
    const history = readSpotHistory([
      timeless,
      entry('cheap', 2),
      entry('0', 3),
      entry('1e999', 4),
      { SpotPrice: '1' },
    ]);
    expect(history).toEqual([]);
    expect(new PriceList('us-east-1').updateSpot(history)).toBe(false);
  });
});
