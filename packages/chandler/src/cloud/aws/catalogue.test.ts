import { describe, expect, test } from 'vitest';

import { aNodeClass } from './aws.fixture.ts';
import { awsCatalogue } from './catalogue.ts';
import { offlineCatalogueProvider } from './offline.ts';
import { pricedRegions } from './prices/index.ts';

const REQUEST = { world: {} as never, sizes: [] };

describe('the built-in catalogue of AWS', () => {
  test.each([
    ['us-east-1a', 'us-east-1'],
    ['us-gov-west-1b', 'us-gov-west-1'],
    ['ap-southeast-3c', 'ap-southeast-3'],
    ['eusc-de-east-1a', 'eusc-de-east-1'],
    ['westeurope-1', undefined],
    ['us-west-2-lax-1a', undefined],
    ['zone-a', undefined],
  ])('the zone %s is in the region %s', (zone, region) => {
    expect(awsCatalogue.regionOfZone(zone)).toBe(region);
  });

  test('says whose prices are used in regions without prices of their own', () => {
    for (const region of pricedRegions()) expect(awsCatalogue.priceNotes?.(region)).toHaveLength(1);
    expect(awsCatalogue.priceNotes?.('eu-west-1')).toHaveLength(2);
  });

  test('has the types of the region only, each in the zones that sell it', () => {
    const types = offlineCatalogueProvider({ ...REQUEST, region: 'sa-east-1', howMany: 'all' }).instanceTypes(
      undefined,
    );
    expect(types).toHaveLength(759);
    const available = types
      .find(({ name }) => name === 'p5.48xlarge')!
      .offerings.filter((offering) => offering.available);
    expect(available.map(({ requirements }) => requirements[1]?.values)).toEqual([
      ['sa-east-1c'],
      ['sa-east-1c'],
    ]);
  });

  test('some types are few, and the largest of a family is among them', () => {
    const names = offlineCatalogueProvider({
      ...REQUEST,
      region: 'us-east-1',
      howMany: { named: new Set(['m7i.xlarge', 'metal-24xl', 'none']) },
    })
      .instanceTypes(undefined)
      .map(({ name }) => name);
    expect(names.length).toBeLessThan(350);
    expect(names).toContain('m7i.48xlarge');
    // Named, alone and with all of its size.
    expect(names).toContain('m7i.xlarge');
    expect(names).toContain('r7i.metal-24xl');
    expect(names).not.toContain('c7i.xlarge');
  });

  test('subnets in the status of a class limit its zones', () => {
    const provider = offlineCatalogueProvider({
      ...REQUEST,
      region: 'us-east-1',
      howMany: { named: new Set() },
    });
    const zones = new Set(
      provider
        .instanceTypes(aNodeClass())
        .flatMap(({ offerings }) => offerings.filter((each) => each.available))
        .map(({ requirements }) => requirements[1]?.values?.[0]),
    );
    expect([...zones].sort()).toEqual(['us-east-1a', 'us-east-1b']);
  });
});
