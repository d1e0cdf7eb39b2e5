import { beforeEach, describe, expect, test } from 'vitest';
import { CONFIG_MAPS } from '../client/resources.table.ts';
import type { ConfigMap } from '../kinds/index.ts';
import type { Stored } from '../object.ts';
import { Store, type StoreChange } from './store.ts';

let store: Store<ConfigMap>;
let changes: string[];

const aMap = (
  name: string,
  version: number | string,
  extra: { uid?: string; team?: string } = {},
): Stored<ConfigMap> => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    namespace: 'a',
    uid: extra.uid ?? `uid-${name}`,
    resourceVersion: String(version),
    ...(extra.team ? { labels: { team: extra.team } } : {}),
  },
});

const describeChange = ({ type, object, initial }: StoreChange) =>
  `${type} ${object.metadata.name}@${object.metadata.resourceVersion}${initial ? ' initial' : ''}`;

beforeEach(() => {
  changes = [];
  store = new Store({
    resource: CONFIG_MAPS,
    indexes: { team: ({ metadata }) => Object.values(metadata.labels ?? {}) },
  });
  store.subscribe((change) => changes.push(describeChange(change)));
});

describe('a store fed by a list and a watch', () => {
  test('contains the objects, and reports what changed', () => {
    store.replace([aMap('x', 1), aMap('y', 2)], '5');
    store.apply('ADDED', aMap('z', 6));
    store.apply('MODIFIED', aMap('x', 7));
    store.apply('DELETED', aMap('y', 8));
    expect(changes).toEqual([
      'added x@1 initial',
      'added y@2 initial',
      'added z@6',
      'updated x@7',
      'deleted y@8',
    ]);
    expect(store.size).toBe(2);
    expect(store.seenVersion).toBe('8');
    expect(store.get({ namespace: 'a', name: 'x' })?.metadata.resourceVersion).toBe('7');
    expect([...store.values()].map(({ metadata }) => metadata.name)).toEqual(['x', 'z']);
    expect([...store.values('nowhere')]).toEqual([]);
    expect([...store.values('a')]).toHaveLength(2);
  });

  test('takes a large list in pieces, and writes of ours between them stay', () => {
    const many = Array.from({ length: 2500 }, (_, at) => aMap(`m${at}`, at + 1));
    const first = store.replacing(many, '2500');
    let pieces = 1;
    let piece = first.next();
    for (; !piece.done; piece = first.next()) {
      pieces += 1;
      expect(store.synced).toBe(false);
    }
    expect([pieces, piece.value, store.size, store.synced]).toEqual([3, 2500, 2500, true]);
    // A list without the last 100. Meanwhile one of those and one of the others are deleted, and one is created.
    changes = [];
    const second = store.replacing(many.slice(0, 2400), '2600');
    second.next();
    store.overlayDeleted({ namespace: 'a', name: 'm1500' }, 'uid-m1500');
    store.overlay(aMap('new', 2700));
    second.next();
    second.next();
    store.overlayDeleted({ namespace: 'a', name: 'm2450' }, 'uid-m2450');
    for (piece = second.next(); !piece.done; piece = second.next());
    expect(piece.value).toBe(99);
    expect(changes).toHaveLength(99 + 3);
    expect(store.size).toBe(2400);
    expect([...store.values()]).toHaveLength(2400);
    expect(store.get({ namespace: 'a', name: 'm1500' })).toBeUndefined();
    expect(store.get({ namespace: 'a', name: 'new' })).toBeDefined();
  });

  test('an object of our own that is created and deleted during a relist does not come back', () => {
    store.replace([aMap('x', 1)], '1');
    const many = Array.from({ length: 2500 }, (_, at) => aMap(`m${at}`, at + 2));
    const list = store.replacing(many, '2600');
    list.next();
    store.overlay(aMap('new', 2700));
    store.overlayDeleted({ namespace: 'a', name: 'new' }, 'uid-new');
    for (let piece = list.next(); !piece.done; piece = list.next());
    store.apply('ADDED', aMap('new', 2700));
    expect(store.get({ namespace: 'a', name: 'new' })).toBeUndefined();
    store.apply('DELETED', aMap('new', 2800));
    expect(store.size).toBe(2500);
  });

  test.each(['deletes', 'makes again'] as const)(
    'finds what a write of ours %s while the search for deleted objects is between two pieces',
    (what) => {
      const many = Array.from({ length: 1000 }, (_, at) => aMap(`m${at}`, at + 1));
      store.replace(many, '1000');
      const list = store.replacing(many.slice(1), '1100');
      // The next piece begins with m0.
      list.next();
      changes = [];
      store.overlayDeleted({ namespace: 'a', name: 'm0' }, 'uid-m0');
      if (what === 'makes again') store.overlay(aMap('m0', 1200, { uid: 'uid-again' }));
      for (let piece = list.next(); !piece.done; piece = list.next());
      expect(changes.filter((change) => change.startsWith('deleted'))).toEqual(['deleted m0@1']);
      expect(store.get({ namespace: 'a', name: 'm0' })?.metadata.uid).toBe(
        what === 'deletes' ? undefined : 'uid-again',
      );
      expect(store.size).toBe(what === 'deletes' ? 999 : 1000);
      expect([...store.values()]).toHaveLength(store.size);
    },
  );

  test('a late answer to a write of ours does not bring back what the list no longer has', () => {
    const many = Array.from({ length: 2500 }, (_, at) => aMap(`m${at}`, at + 1));
    store.replace([...many, aMap('x', 2600)], '2600');
    const list = store.replacing(many, '2900');
    for (let piece = list.next(); !piece.done; piece = list.next())
      // Written at 2800, deleted at 2850; the answer comes last.
      store.overlay(aMap('x', 2800));
    expect(store.get({ namespace: 'a', name: 'x' })).toBeUndefined();
    store.overlay(aMap('y', 2950));
    expect(store.get({ namespace: 'a', name: 'y' })).toBeDefined();
  });

  test('does not report known and older versions', () => {
    store.replace([aMap('x', 5)], '5');
    changes = [];
    store.apply('MODIFIED', aMap('x', 5));
    store.apply('MODIFIED', aMap('x', 3));
    store.replace([aMap('x', 5)], '9');
    expect(changes).toEqual([]);
  });

  test('finds by index, and follows when an object moves', () => {
    store.replace([aMap('x', 1, { team: 'red' }), aMap('y', 2, { team: 'red' })], '5');
    store.apply('MODIFIED', aMap('x', 6, { team: 'blue' }));
    expect(store.by('team', 'red').map(({ metadata }) => metadata.name)).toEqual(['y']);
    expect(store.by('team', 'blue').map(({ metadata }) => metadata.name)).toEqual(['x']);
    store.apply('DELETED', aMap('x', 7, { team: 'blue' }));
    expect(store.by('team', 'blue')).toEqual([]);
    // The same list until one of its objects changes.
    expect(store.by('team', 'red')).toBe(store.by('team', 'red'));
    expect(() => store.by('colour', 'red')).toThrow('no index colour');
  });

  test('detects from a list what was deleted, changed and created meanwhile', () => {
    store.replace([aMap('x', 1), aMap('y', 2), aMap('same', 3)], '5');
    changes = [];
    store.replace([aMap('x', 7), aMap('new', 8), aMap('same', 3)], '9');
    expect(changes).toEqual(['updated x@7', 'added new@8', 'deleted y@2']);
  });

  test('reports an object that was recreated under its name as a deletion and an addition', () => {
    store.replace([aMap('x', 1)], '5');
    changes = [];
    store.replace([aMap('x', 7, { uid: 'other' })], '9');
    expect(changes).toEqual(['deleted x@1', 'added x@7']);
    expect(store.size).toBe(1);
  });

  test('accepts the state of a server that was restored to an earlier version', () => {
    store.replace([aMap('x', 50), aMap('y', 60)], '70');
    changes = [];
    store.replace([aMap('x', 20)], '30');
    expect(changes).toEqual(['updated x@20', 'deleted y@60']);
    expect(store.seenVersion).toBe('30');
  });

  test('uses the order of events where versions cannot be compared', () => {
    store.replace([aMap('x', 'b')], 'list');
    store.apply('MODIFIED', aMap('x', 'a'));
    store.apply('MODIFIED', aMap('x', 'a'));
    expect(changes).toEqual(['added x@b initial', 'updated x@a']);
  });

  test('stops notifying after unsubscribe', () => {
    const changes: string[] = [];
    const stop = store.subscribe((change) => changes.push(describeChange(change)));
    store.replace([aMap('x', 1)], '5');
    stop();
    store.apply('DELETED', aMap('x', 6));
    expect(changes).toEqual(['added x@1 initial']);
  });
});

describe('a store that is ahead of the watch by our own writes', () => {
  beforeEach(() => {
    store.replace([aMap('x', 1), aMap('y', 2)], '5');
    changes = [];
  });

  test('shows a write at once, and its watch event changes nothing', () => {
    store.overlay(aMap('x', 8));
    expect(store.get({ namespace: 'a', name: 'x' })?.metadata.resourceVersion).toBe('8');
    store.apply('MODIFIED', aMap('x', 7));
    store.apply('MODIFIED', aMap('x', 8));
    store.apply('MODIFIED', aMap('x', 9));
    expect(changes).toEqual(['updated x@8', 'updated x@9']);
  });

  test('does not restore what the watch has already reported as deleted', () => {
    store.apply('DELETED', aMap('x', 9));
    store.overlay(aMap('x', 8));
    expect(changes).toEqual(['deleted x@9']);
  });

  test('keeps a new object that an older list does not contain', () => {
    store.overlay(aMap('new', 12));
    store.replace([aMap('x', 1), aMap('y', 2)], '10');
    expect(changes).toEqual(['added new@12']);
    store.replace([aMap('x', 1), aMap('y', 2)], '13');
    expect(changes).toEqual(['added new@12', 'deleted new@12']);
  });

  test('hides a deleted object until the watch confirms it', () => {
    store.overlayDeleted({ namespace: 'a', name: 'x' }, 'uid-x');
    store.apply('MODIFIED', aMap('x', 7));
    store.replace([aMap('x', 7), aMap('y', 2)], '8');
    store.apply('MODIFIED', aMap('x', 9));
    expect(store.get({ namespace: 'a', name: 'x' })).toBeUndefined();
    store.apply('DELETED', aMap('x', 10));
    store.apply('ADDED', aMap('x', 11, { uid: 'second' }));
    expect(changes).toEqual(['deleted x@1', 'added x@11']);
  });

  test('is not affected by the deletion of a predecessor of the same name', () => {
    store.overlayDeleted({ namespace: 'a', name: 'x' }, 'uid-x');
    store.overlay(aMap('x', 12, { uid: 'second' }));
    store.apply('DELETED', aMap('x', 11));
    store.apply('ADDED', aMap('x', 12, { uid: 'second' }));
    expect(changes).toEqual(['deleted x@1', 'added x@12']);
  });

  test('ignores what is not its own and another object’s deletion', () => {
    const red = new Store({
      resource: CONFIG_MAPS,
      accepts: ({ metadata }) => metadata.labels?.['team'] === 'red',
    });
    red.overlay(aMap('early', 1, { team: 'red' }));
    red.replace([], '5');
    red.overlay(aMap('b', 6, { team: 'blue' }));
    red.overlay(aMap('r', 7, { team: 'red' }));
    expect([...red.values()].map(({ metadata }) => metadata.name)).toEqual(['r']);
    store.overlayDeleted({ namespace: 'a', name: 'x' }, 'another');
    store.overlayDeleted({ namespace: 'a', name: 'unknown' }, 'u');
    expect(changes).toEqual([]);
  });

  test('is complete up to the version of a bookmark', () => {
    store.advance('20');
    store.overlay(aMap('x', 15));
    expect(changes).toEqual([]);
    store.advance('10');
    expect(store.seenVersion).toBe('20');
  });
});

describe('listeners of a store', () => {
  test('are all notified, also after one of them threw', () => {
    store.replace([], '1');
    const reported: string[] = [];
    store.subscribe(() => {
      throw new Error('a mistake');
    });
    store.subscribe((change) => reported.push(describeChange(change)));
    expect(() => store.apply('ADDED', aMap('x', 5))).toThrow('a mistake');
    expect(reported).toEqual(['added x@5']);
  });
});

describe('a server that was restored and reuses the same versions', () => {
  test('replaces an object that has the same version as the cached one', () => {
    store.replace([aMap('x', 7, { team: 'old' })], '9');
    store.replace([aMap('x', 7, { team: 'new' })], '8');
    expect(store.by('team', 'new')).toHaveLength(1);
    expect(store.by('team', 'old')).toHaveLength(0);
  });
});
