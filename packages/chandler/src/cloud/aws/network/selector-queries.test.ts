import { describe, expect, test } from 'vitest';
import {
  placementGroupQuery,
  reservationQueries,
  securityGroupFilters,
  subnetFilters,
  unlimitedTerms,
} from './selector-queries.ts';

describe('subnets', () => {
  test('ids become one query, each term with tags its own', () => {
    const filters = subnetFilters([
      { id: 'subnet-2' },
      { tags: { Name: 'a', 'karpenter.sh/discovery': '*' } },
      { id: 'subnet-1' },
      { tags: { tier: 'private*' } },
    ]);
    expect(filters).toEqual([
      [
        { Name: 'tag:Name', Values: ['a'] },
        { Name: 'tag-key', Values: ['karpenter.sh/discovery'] },
      ],
      [{ Name: 'tag:tier', Values: ['private*'] }],
      [{ Name: 'subnet-id', Values: ['subnet-1', 'subnet-2'] }],
    ]);
  });

  test('tags beside an id have no effect', () => {
    expect(subnetFilters([{ id: 'subnet-1', tags: { a: 'b' } }])).toEqual([
      [{ Name: 'subnet-id', Values: ['subnet-1'] }],
    ]);
  });
});

test('of a security group, the id counts before the name, and the name before tags', () => {
  expect(
    securityGroupFilters([
      { id: 'sg-1', name: 'x', tags: { a: 'b' } },
      { name: 'web-*', tags: { a: 'b' } },
      { name: 'db' },
      { tags: { a: '*' } },
    ]),
  ).toEqual([
    [{ Name: 'tag-key', Values: ['a'] }],
    [{ Name: 'group-id', Values: ['sg-1'] }],
    [{ Name: 'group-name', Values: ['db', 'web-*'] }],
  ]);
});

test('capacity reservations are asked for by id, or by owner, tags and match criteria together', () => {
  expect(
    reservationQueries([
      { id: 'cr-2', ownerID: '123456789012' },
      { ownerID: '123456789012', tags: { team: 'ml' }, instanceMatchCriteria: 'targeted' },
      { id: 'cr-1' },
    ]),
  ).toEqual({
    ids: ['cr-1', 'cr-2'],
    filterSets: [
      [
        { Name: 'state', Values: ['active'] },
        { Name: 'owner-id', Values: ['123456789012'] },
        { Name: 'tag:team', Values: ['ml'] },
        { Name: 'instance-match-criteria', Values: ['targeted'] },
      ],
    ],
  });
});

test('a placement group is asked for by id or by name', () => {
  expect(placementGroupQuery({ id: 'pg-1' })).toEqual({ GroupIds: ['pg-1'] });
  expect(placementGroupQuery({ name: 'hpc' })).toEqual({ GroupNames: ['hpc'] });
});

test('a term without id, name and tags selects everything', () => {
  expect(unlimitedTerms([{ id: 'sg-1' }, { tags: {} }, { name: 'x' }, {}])).toEqual([1, 3]);
});
