import { describe, expect, test } from 'vitest';
import {
  KEPT_COMMANDS_LIMIT_BYTES,
  type KeptCommand,
  keptCommandsPatch,
  keptCommandText,
  MAX_KEPT_COMMANDS,
  readKeptCommands,
} from './kept-commands.ts';

const START = Date.parse('2026-06-01T00:00:00Z');

function text(at: number, more: Partial<KeptCommand> = {}): string {
  const time = new Date(START + at * 1000).toISOString();
  return keptCommandText({
    id: `c${at}`,
    startedAt: time,
    endedAt: time,
    reason: 'Empty',
    method: 'emptiness',
    decision: 'delete',
    nodes: ['a'],
    nodePools: ['general'],
    replacements: [],
    priceBefore: 0.2,
    priceAfter: 0,
    podsMoved: 0,
    outcome: 'succeeded',
    ...more,
  });
}

const many = (count: number, more?: Partial<KeptCommand>) =>
  new Map(Array.from({ length: count }, (_, at) => [`c${at}`, text(at, more)] as const));

describe('kept commands', () => {
  test('are read the newest first; a text that is not ours is left out', () => {
    const data = { ...Object.fromEntries(many(3)), odd: '{', other: '{"id":1}' };
    expect(readKeptCommands(data).map(({ id }) => id)).toEqual(['c2', 'c1', 'c0']);
  });

  test.each([
    ['no replacements', { replacements: undefined }],
    ['no reason', { reason: undefined }],
    ['a time that is a number', { endedAt: 2026 }],
    ['a node that is no text', { nodes: [null] }],
    ['a price that is a text', { priceAfter: '0.1' }],
    ['a message that is no text', { message: {} }],
  ])('one with %s is not ours, and is left out', (_, changes) => {
    const odd = JSON.stringify({ ...JSON.parse(text(1)), ...changes });
    expect(readKeptCommands({ odd, null: 'null', c2: text(2) }).map(({ id }) => id)).toEqual(['c2']);
  });

  test('are at most 200: the oldest is removed, and what cannot be read first', () => {
    const data = { ...Object.fromEntries(many(MAX_KEPT_COMMANDS)), odd: '{' };
    const patch = keptCommandsPatch(data, new Map([['c900', text(900)]]));
    expect(patch).toEqual({ c900: text(900), c0: null, odd: null });
  });

  test('are bounded in size: nodes and messages are cut, and the oldest are removed', () => {
    const nodes = Array.from({ length: 5_000 }, (_, at) => `aks-general-${at}`);
    const large = text(1, { nodes, message: 'x'.repeat(10_000) });
    expect(large.length).toBeLessThan(4_000);
    expect(readKeptCommands({ large })[0]).toMatchObject({ nodeCount: 5_000 });
    const data = Object.fromEntries(
      many(190, {
        message: 'y'.repeat(500),
        nodes: nodes.map((name) => `${name}-in-a-long-name-of-a-nodepool`),
      }),
    );
    const patch = keptCommandsPatch(data, new Map([['c900', text(900)]]));
    const kept = Object.entries({ ...data, ...patch }).filter(([, value]) => value !== null);
    const bytes = kept.reduce((sum, [id, value]) => sum + id.length + String(value).length, 0);
    expect(bytes).toBeLessThanOrEqual(KEPT_COMMANDS_LIMIT_BYTES);
    expect(Object.values(patch ?? {})).toContain(null);
  });

  test('an entry that is there is not written again', () => {
    expect(keptCommandsPatch({ c1: text(1) }, new Map([['c1', text(2)]]))).toBeUndefined();
  });
});
