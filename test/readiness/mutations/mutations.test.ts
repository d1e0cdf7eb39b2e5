/** From installations without faults, hundreds of single mistakes: each is found by the check that owns it, and no other. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { everyNth } from '../../part.ts';
import { AKS_MUTATIONS } from './aks.table.ts';
import { MUTATIONS } from './mutations.table.ts';
import { filesIn, healthy, mistakesOf, outcomes } from './run.ts';

/** All of them take minutes where other tests run beside them. */
const ALL_MS = 900_000;

describe.each([
  { on: 'EKS', folder: 'mutations/estate', mistakes: mistakesOf(MUTATIONS), atLeast: 300 },
  { on: 'AKS', folder: 'estates/aks-byok', mistakes: mistakesOf(AKS_MUTATIONS), atLeast: 60 },
])('an installation on $on', ({ on, folder, mistakes, atLeast }) => {
  const files = filesIn(join(import.meta.dirname, '..', folder));

  test('has no fault, and all inputs', () => {
    expect(healthy(files).filter(({ status }) => status !== 'pass' && status !== 'skip')).toEqual([]);
  });

  test('gets many mistakes', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(atLeast);
  });

  test(
    'each mistake is found by the check that owns it, and no other check fails critically without reason',
    () => {
      const all = outcomes(everyNth(`mistakes on ${on}`, mistakes, 16), files);
      const owners = new Set(all.map(({ owner }) => owner));
      console.log(
        `${all.length} mistakes, ${all.filter(({ found }) => found).length} found, ${owners.size} checks own one or more, ` +
          `${all.filter(({ falseCriticals }) => falseCriticals.length > 0).length} raise a false critical failure`,
      );
      expect(all.filter(({ found }) => !found).map(({ name, owner }) => `${owner} misses ${name}`)).toEqual(
        [],
      );
      expect(
        all
          .filter(({ falseCriticals }) => falseCriticals.length > 0)
          .map(({ name, owner, falseCriticals }) => `${owner} ${name}: ${falseCriticals.join(', ')}`),
      ).toEqual([]);
    },
    ALL_MS,
  );
});
