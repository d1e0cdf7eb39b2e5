import { expect, test } from 'vitest';
import { formatRoute, HOME, parseRoute, type Route, toObject, toView } from './route.ts';

test.each<Partial<Route>>([
  {},
  { view: 'pending', q: 'a b&c=d' },
  { group: 'zone', size: 'large', shape: 'table', only: 'failed', sort: '-price', page: 3 },
  { view: 'timeline', from: 1000, to: 2000 },
  { view: 'object', subject: 'Pod/ns/<script>#token=x' },
])('the address of %j means the same again', (part) => {
  const route = { ...HOME, ...part };
  expect(parseRoute(formatRoute(route))).toEqual(route);
});

test('the first page has an empty query, and only what differs is in the others', () => {
  expect(formatRoute(HOME)).toBe('?');
  expect(formatRoute(toView('pending', 'web'))).toBe('?view=pending&q=web');
  expect(formatRoute(toObject('Node/x'))).toBe('?view=object&subject=Node%2Fx');
});

test.each([
  '?view=nonsense&group=__proto__&size=9&shape=x&page=-1&from=a&to=b',
  '?page=1e99&from=5&to=4',
  '?%E0%A4%A',
])('what is not understood in %s is as if it were not there', (search) => {
  expect(parseRoute(search)).toEqual(HOME);
});
