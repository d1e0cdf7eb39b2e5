import { expect, test } from 'vitest';
import type { Change } from '../../wire.ts';
import { parseRecording, timelineOf } from './recording.ts';
import { Replay } from './replay.ts';
import { aNode, aPod, aSnapshot } from './store.fixture.ts';

/** One entry a second, from second 1 on. */
function recorded(entries: readonly (readonly Change[])[]) {
  const lines = [
    { recording: 1, program: '1', cluster: 'c' },
    { ...aSnapshot([], []), atMs: 0 },
    ...entries.map((changes, at) => ({ atMs: (at + 1) * 1000, changes })),
  ];
  return parseRecording(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

const namesOf = (replay: Replay) => [...replay.store.nodes.keys()].sort();

const THREE = recorded([[['node', aNode('a')]], [['node', aNode('b')]], [['node-gone', 'a']]]);

test('a time shows what was there then, forward and back', () => {
  const replay = new Replay(THREE);
  expect(namesOf(replay)).toEqual([]);
  replay.seek(2_500);
  expect([replay.atMs, namesOf(replay)]).toEqual([2_500, ['a', 'b']]);
  replay.seek(1_000);
  expect(namesOf(replay)).toEqual(['a']);
  replay.seek(Number.POSITIVE_INFINITY);
  expect([replay.atMs, namesOf(replay), replay.isAtEnd]).toEqual([3_000, ['b'], true]);
  replay.seek(-5);
  expect([replay.atMs, namesOf(replay)]).toEqual([0, []]);
});

test('a step goes to the next change and to the one before', () => {
  const replay = new Replay(THREE);
  const times: number[] = [];
  for (const direction of [1, 1, 1, 1, -1, -1, -1, -1] as const) {
    replay.step(direction);
    times.push(replay.atMs);
  }
  expect(times).toEqual([1_000, 2_000, 3_000, 3_000, 2_000, 1_000, 0, 0]);
  replay.seek(1_500);
  replay.step(-1);
  expect([replay.atMs, namesOf(replay)]).toEqual([1_000, ['a']]);
});

test('a recording without changes can be looked at', () => {
  const replay = new Replay(recorded([]));
  replay.step(1);
  replay.step(-1);
  replay.seek(5);
  expect([replay.atMs, replay.isAtEnd]).toEqual([0, true]);
});

test('wherever one jumps, the rows are those of going there step by step', () => {
  let seed = 7;
  const random = {
    next: () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed / 2_147_483_647;
    },
  };
  const one = <T>(list: readonly T[]) => list[Math.floor(random.next() * list.length)]!;
  const names = Array.from({ length: 40 }, (_, at) => `x${at}`);
  const change = (): Change =>
    one<() => Change>([
      () => ['pod', aPod(one(names), one(['', 'n', 'm']), one(['p', 'r']))],
      () => ['pod-gone', 'shop', one(names)],
      () => ['node', aNode(one(names))],
      () => ['node-gone', one(names)],
    ])();
  const recording = recorded(Array.from({ length: 3_000 }, () => [change(), change(), change()]));
  const state = ({ store }: Replay) =>
    JSON.stringify([[...store.nodes].sort(), [...store.pods].sort(), [...store.pending.keys()].sort()]);
  const jumping = new Replay(recording);
  for (let jumps = 0; jumps < 30; jumps++) {
    const atMs = Math.floor(random.next() * 3_000_000);
    jumping.seek(atMs);
    const straight = new Replay(recording);
    straight.seek(atMs);
    expect(state(jumping)).toBe(state(straight));
  }
});

test('the timeline of a recording has what happened in it, and its prices', () => {
  const happened = {
    atMs: 900,
    what: 'launch',
    subject: 'NodeClaim/a',
    reason: 'R',
    text: 't',
    warning: false,
  } as const;
  const { totals } = aSnapshot([], []);
  const recording = recorded([
    [
      ['totals', { ...totals, pricePerHour: 3 }],
      ['price', { atMs: 950, pricePerHour: 3 }],
    ],
    [['happened', happened], ['happened-cut']],
    [['totals', { ...totals, pricePerHour: 3, pods: 1 }]],
    [
      ['totals', { ...totals, pricePerHour: null }],
      ['price', { atMs: 3_950, pricePerHour: 0 }],
    ],
  ]);
  expect(timelineOf(recording)).toEqual({
    fromMs: 0,
    toMs: 4_000,
    happened: [happened],
    prices: [
      { atMs: 0, pricePerHour: 1 },
      { atMs: 950, pricePerHour: 3 },
      { atMs: 3_950, pricePerHour: 0 },
    ],
  });
});
