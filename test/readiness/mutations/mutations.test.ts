/** From an installation without faults, hundreds of single mistakes: each is found by the check that owns it, and no other. */
import { expect, test } from 'vitest';
import { everyNth } from '../../part.ts';
import { healthy, MISTAKES, outcomes } from './run.ts';

test('the installation has no fault, and all inputs', () => {
  expect(healthy().filter(({ status }) => status !== 'pass' && status !== 'skip')).toEqual([]);
});

test('there are at least 300 mistakes', () => {
  expect(MISTAKES.length).toBeGreaterThanOrEqual(300);
});

test('each mistake is found by the check that owns it, and no other check fails critically without reason', () => {
  const all = outcomes(everyNth('mistakes', MISTAKES, 4));
  const owners = new Set(all.map(({ owner }) => owner));
  console.log(
    `${all.length} mistakes, ${all.filter(({ found }) => found).length} found, ${owners.size} checks own one or more, ` +
      `${all.filter(({ falseCriticals }) => falseCriticals.length > 0).length} raise a false critical failure`,
  );
  expect(all.filter(({ found }) => !found).map(({ name, owner }) => `${owner} misses ${name}`)).toEqual([]);
  expect(
    all
      .filter(({ falseCriticals }) => falseCriticals.length > 0)
      .map(({ name, owner, falseCriticals }) => `${owner} ${name}: ${falseCriticals.join(', ')}`),
  ).toEqual([]);
});
