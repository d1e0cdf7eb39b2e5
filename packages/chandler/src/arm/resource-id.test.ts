import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  formatResourceId,
  parentResource,
  parseResourceId,
  resourceId,
  resourceName,
  resourceType,
  sameResource,
} from './resource-id.ts';

const SUBNET =
  '/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v/subnets/default';

describe('a resource id', () => {
  test('is taken apart and put together again', () => {
    const part = fc.stringMatching(/^[A-Za-z0-9_.()-]{1,20}$/);
    const pairs = fc.array(fc.tuple(part, part), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(part, part, part, pairs, (subscriptionId, resourceGroup, provider, segments) => {
        const id = { subscriptionId, resourceGroup, provider, segments };
        expect(parseResourceId(formatResourceId(id))).toEqual({ id });
      }),
    );
  });

  test('knows its type, its own name and what it is part of', () => {
    const id = resourceId(SUBNET);
    expect(resourceType(id)).toBe('Microsoft.Network/virtualNetworks/subnets');
    expect(resourceName(id)).toBe('default');
    expect(resourceName(parentResource(id)!)).toBe('v');
    expect(parentResource(parentResource(id)!)).toBeUndefined();
  });

  test('is the same in any case', () => {
    expect(sameResource(SUBNET, `${SUBNET.toUpperCase()}/`)).toBe(true);
    expect(sameResource(SUBNET, `${SUBNET}2`)).toBe(false);
    expect(parseResourceId(SUBNET.toLowerCase(), 'Microsoft.Network/virtualNetworks/subnets')).toHaveProperty(
      'id',
    );
  });

  test.each([
    ['subscriptions/s', 'does not start with /'],
    ['/subscriptions//resourceGroups/g', 'has an empty part'],
    ['/resourceGroups/g', 'does not start with /subscriptions/{id}'],
    ['/subscriptions/s/providers/p/t/n', 'has no /resourceGroups/{name}'],
    ['/subscriptions/s/resourceGroups/g/virtualNetworks/v', 'has no /providers/{namespace}'],
    ['/subscriptions/s/resourceGroups/g/providers/p/virtualNetworks', 'does not end in pairs'],
  ])('%s is refused: it %s', (text, problem) => {
    expect(parseResourceId(text)).toEqual({ problem: expect.stringContaining(problem) });
    expect(() => resourceId(text)).toThrow(problem);
  });

  test('of another type is refused with both types', () => {
    expect(parseResourceId(SUBNET, 'Microsoft.Compute/diskEncryptionSets')).toEqual({
      problem: expect.stringMatching(/virtualNetworks\/subnets, not Microsoft.Compute\/diskEncryptionSets/),
    });
  });
});
