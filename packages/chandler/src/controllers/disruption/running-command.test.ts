import { expect, test } from 'vitest';
import type { Stores } from '../../state/index.ts';
import { type CommandRecord, recordText } from './command-record.ts';
import { findCommands, stayingClaims } from './running-command.ts';

const candidate = (name: string) => ({ node: name, claim: name, uid: name, nodePool: 'default' });

function record(id: string, ...names: readonly string[]): CommandRecord {
  return {
    id,
    method: 'emptiness',
    reason: 'Empty',
    decision: 'delete',
    startedAtMs: 0,
    candidates: names.map(candidate),
    replacements: [],
    priceBefore: 0,
    priceAfter: 0,
    podsMoved: 0,
  } as unknown as CommandRecord;
}

function storesOf(...claims: readonly { name: string; of: CommandRecord; deleting?: boolean }[]): Stores {
  const list = claims.map(({ name, of, deleting = false }) => ({
    metadata: {
      name,
      uid: name,
      annotations: { 'chandler.sh/disruption-command': recordText(of) },
      ...(deleting ? { deletionTimestamp: '2026-06-02T12:00:00Z' } : {}),
    },
  }));
  const store = {
    values: () => list.values(),
    get: ({ name }: { name: string }) => list.find(({ metadata }) => metadata.name === name),
  };
  return { claims: { store } } as unknown as Stores;
}

test('a candidate whose record cannot be read stays with its command', () => {
  const own = record('empty-x', 'c1');
  const stores = storesOf({ name: 'c1', of: { ...record('other-y', 'c1'), method: 'unknown' as never } });
  expect(stayingClaims(stores, own)).toHaveLength(1);
});

test('a candidate that was released and is in another command now stays with that one after a restart', () => {
  const first = record('empty-x', 'c1', 'c2');
  const second = record('drifted-y', 'c1');
  const stores = storesOf({ name: 'c1', of: second }, { name: 'c2', of: first, deleting: true });
  const { unfinished, halfMarked, done } = findCommands(stores, () => true);
  expect(unfinished.map(({ id }) => id)).toEqual(['drifted-y']);
  expect(halfMarked).toEqual([]);
  expect(done.map(({ id }) => id)).toEqual(['empty-x']);
  expect(stayingClaims(stores, first)).toEqual([]);
});
