import type { KubeObject } from '@chandler/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Store, type StoreEvent } from './store.ts';

const note = (name: string, namespace = 'default', text = ''): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Note',
  metadata: { name, namespace, uid: `uid-${name}` },
  text,
});

const names = (items: Iterable<{ name: string; namespace: string }>) =>
  [...items].map(({ namespace, name }) => `${namespace}/${name}`);

describe('the store', () => {
  test('takes no object without a name or a UID', () => {
    const store = new Store();
    for (const metadata of [{ name: 'a' }, { uid: 'u' }, {}])
      expect(() => store.create('notes', { metadata })).toThrow('without a name or a UID');
    expect(store.revision).toBe(1);
  });

  test('gives every write the next revision and puts it on the object', () => {
    const store = new Store();
    const first = store.create('notes', note('a'));
    const second = store.update('notes', note('a', 'default', 'changed'));
    expect(second.revision).toBe(first.revision + 1);
    expect(second.object.metadata.resourceVersion).toBe(String(second.revision));
    expect(store.revision).toBe(second.revision);
  });

  test('limits its history by memory, however few events that is', () => {
    const store = new Store();
    const first = store.create('notes', note('a'));
    const large = 'x'.repeat(1_400_000);
    for (let index = 0; index < 120; index++) store.update('notes', note('a', 'default', `${index}${large}`));
    const kept = [...store.eventsAfter(store.forgotten, 'notes')];
    expect(kept.length).toBeGreaterThan(50);
    expect(kept.length).toBeLessThan(120);
    expect(store.forgotten).toBeGreaterThan(first.revision);
    store.update('notes', note('a'));
    expect([...store.eventsAfter(store.revision - 1, 'notes')]).toHaveLength(1);
  });

  test('rejects an object that is too large, without a new revision', () => {
    const store = new Store();
    const { revision } = store;
    expect(() => store.create('notes', note('a', 'default', 'x'.repeat(1_600_000)))).toThrow('too large');
    expect([store.revision, store.get('notes', 'default', 'a')]).toEqual([revision, undefined]);
  });

  test('never lets a stored object be changed', () => {
    const stored = new Store().create('notes', note('a'));
    expect(() => {
      stored.object.metadata.name = 'b';
    }).toThrow(TypeError);
  });

  test('lists in the order of namespace/name, whatever the order of creation', () => {
    const store = new Store();
    for (const [namespace, name] of [
      ['b', 'z'],
      ['a', 'y'],
      ['a-b', 'x'],
      ['b', 'a'],
      ['a', 'b'],
    ] as const) {
      store.create('notes', note(name, namespace));
    }
    // '-' sorts before '/': the order of etcd's keys, not of names.
    expect(names(store.list('notes'))).toEqual(['a-b/x', 'a/b', 'a/y', 'b/a', 'b/z']);
    expect(names(store.list('notes', 'b'))).toEqual(['b/a', 'b/z']);
    expect(store.count('notes')).toBe(5);
    expect(store.count('notes', 'a')).toBe(2);
  });

  test('keeps the order through any mix of creations and deletions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 30 }), fc.boolean())),
        (steps) => {
          const store = new Store();
          const expected = new Set<string>();
          for (const [remove, number, read] of steps) {
            const name = `n${number}`;
            const present = store.get('notes', 'default', name);
            if (remove && present !== undefined) {
              store.delete('notes', present);
              expected.delete(name);
            } else if (!remove && present === undefined) {
              store.create('notes', note(name));
              expected.add(name);
            }
            if (read) expect([...store.list('notes')].map((item) => item.name)).toEqual([...expected].sort());
          }
          expect([...store.list('notes')].map((item) => item.name)).toEqual([...expected].sort());
        },
      ),
    );
  });

  test('reports a deletion with the last state under the revision of the deletion', () => {
    const store = new Store();
    const events: StoreEvent[] = [];
    store.subscribe('notes', (event) => events.push(event));
    const item = store.create('notes', note('a', 'default', 'last words'));
    const gone = store.delete('notes', item);
    expect(store.get('notes', 'default', 'a')).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED']);
    expect(gone.object).toMatchObject({
      text: 'last words',
      metadata: { resourceVersion: String(store.revision) },
    });
  });

  test('notifies all listeners in the same order, even when a listener writes', () => {
    const store = new Store();
    const seen: string[] = [];
    store.subscribe('notes', ({ item }) => {
      if (item.name === 'first') store.create('notes', note('second'));
    });
    store.subscribe('notes', ({ item }) => seen.push(item.name));
    store.create('notes', note('first'));
    expect(seen).toEqual(['first', 'second']);
  });

  test('keeps a write, and notifies the others, when a listener fails', () => {
    const failures: unknown[] = [];
    const store = new Store({ onListenerError: (error) => failures.push(error) });
    const seen: string[] = [];
    store.subscribe('notes', () => {
      throw new Error('broken');
    });
    store.subscribe('notes', ({ item }) => seen.push(item.name));
    expect(store.create('notes', note('a')).name).toBe('a');
    expect(seen).toEqual(['a']);
    expect(failures).toHaveLength(1);
  });

  test('returns a list as of any retained revision', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat({ max: 2 }), fc.nat({ max: 6 })), { maxLength: 40 }), (steps) => {
        const store = new Store();
        const states = new Map([[store.revision, names(store.list('notes'))]]);
        for (const [action, number] of steps) {
          const present = store.get('notes', 'default', `n${number}`);
          if (present === undefined) store.create('notes', note(`n${number}`));
          else if (action === 0) store.delete('notes', present);
          else store.update('notes', note(`n${number}`, 'default', `${store.revision}`));
          states.set(store.revision, names(store.list('notes')));
        }
        for (const [revision, expected] of states)
          expect(names(store.listAt(revision, 'notes'))).toEqual(expected);
      }),
    );
  });

  test('drops history beyond its limit and on demand, and reports how far', () => {
    const store = new Store({ historyLimit: 3 });
    for (let index = 0; index < 10; index++) store.create('notes', note(`n${index}`));
    expect(store.forgotten).toBe(store.revision - 3);
    expect([...store.eventsAfter(store.forgotten, 'notes')].map(({ item }) => item.name)).toEqual([
      'n7',
      'n8',
      'n9',
    ]);
    store.compact();
    expect(store.forgotten).toBe(store.revision);
    expect([...store.eventsAfter(store.forgotten, 'notes')]).toEqual([]);
  });

  test('keeps its history consistent through many more events than it retains', () => {
    const store = new Store({ historyLimit: 100 });
    for (let index = 0; index < 5_000; index++) store.create('notes', note(`n${index}`));
    const kept = [...store.eventsAfter(store.forgotten, 'notes')];
    expect(kept).toHaveLength(100);
    expect(kept[0]?.item.name).toBe('n4900');
  });
});
