import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { establish } from './establish.ts';
import type { CrdNames, CrdStatus } from './types.ts';

const TIME = '2026-01-01T00:00:00Z';

describe('the names of a definition', () => {
  test('are accepted when they are free', () => {
    const { acceptedNames, conditions, storedVersions } = establish(aDefinition('boats', 'Boat'), []);
    expect(acceptedNames).toEqual({ plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' });
    expect(conditions).toEqual([
      { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
      {
        type: 'Established',
        status: 'True',
        reason: 'InitialNamesAccepted',
        message: 'the initial names have been accepted',
      },
    ]);
    expect(storedVersions).toEqual(['v1']);
  });

  test('are rejected where another definition of the group has them', () => {
    const other = aDefinition('ships', 'Ship', { shortNames: ['boat'] });
    const { acceptedNames, conditions } = establish(aDefinition('boats', 'Boat'), [accepted(other)]);
    expect(acceptedNames).not.toHaveProperty('singular');
    expect(conditions).toMatchObject([
      {
        type: 'NamesAccepted',
        status: 'False',
        reason: 'SingularConflict',
        message: '"boat" is already in use',
      },
      { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' },
    ]);
  });

  test('lists every short name that is taken', () => {
    const other = accepted(aDefinition('ships', 'Ship', { shortNames: ['a', 'b'] }));
    const { conditions } = establish(aDefinition('boats', 'Boat', { shortNames: ['a', 'b', 'c'] }), [other]);
    expect(conditions[0]).toMatchObject({
      reason: 'ShortNamesConflict',
      message: '["a" is already in use, "b" is already in use]',
    });
  });

  test('may be the same in another group', () => {
    const other = accepted(aDefinition('boats', 'Boat', {}, 'other.example.com'));
    expect(establish(aDefinition('boats', 'Boat'), [other]).conditions[0]?.status).toBe('True');
  });

  test('stay accepted, and the definition established, when a new one is rejected later', () => {
    const mine = accepted(aDefinition('boats', 'Boat'));
    (mine['spec'] as { names: CrdNames }).names.shortNames = ['s'];
    const other = accepted(aDefinition('ships', 'Ship', { shortNames: ['s'] }));
    const { acceptedNames, conditions } = establish(mine, [other]);
    expect(acceptedNames.shortNames).toBeUndefined();
    expect(conditions.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'NamesAccepted=False',
      'Established=True',
    ]);
  });

  test('keep the time of an unchanged condition', () => {
    const mine = accepted(aDefinition('boats', 'Boat'));
    expect(establish(mine, []).conditions.map((condition) => condition.lastTransitionTime)).toEqual([
      TIME,
      TIME,
    ]);
  });
});

function aDefinition(
  plural: string,
  kind: string,
  more: Partial<CrdNames> = {},
  group = 'example.com',
): KubeObject {
  const names = { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List`, ...more };
  return {
    metadata: { name: `${plural}.${group}` },
    spec: { group, scope: 'Cluster', names, versions: [{ name: 'v1', served: true, storage: true }] },
  };
}

function accepted(crd: KubeObject): KubeObject {
  const { acceptedNames, conditions, storedVersions } = establish(crd, []);
  const status: CrdStatus = {
    acceptedNames,
    storedVersions,
    conditions: conditions.map((condition) => ({ ...condition, lastTransitionTime: TIME })),
  };
  return { ...crd, status };
}
