import { expect, test } from 'vitest';
import { type Asked, dueInMs, type Known, type Outcome } from './asking.ts';

const KNOWN: Known = { nowMs: 1_000, epoch: 'e', revision: 1, changedAt: 7, liveSinceMs: 0 };
const asked = (outcome: Outcome): Asked => ({ atMs: 1_000, epoch: 'e', revision: 1, outcome });
const answered = (sequence?: number) => asked({ state: 'answered', sequence });
const replica = (sequence: number) => asked({ state: 'answered', sequence, epoch: 'b' });
const failed = (status: number) => asked({ state: 'failed', status });

test.each<[string, Asked, Partial<Known>, number | undefined]>([
  ['an answer that knows of the last change is not asked for again', answered(7), {}, undefined],
  ['also if other things changed since', answered(7), { revision: 2 }, undefined],
  ['one of before the last change is, after four seconds', answered(6), {}, 4_000],
  ['at once, if four seconds are over', answered(6), { nowMs: 9_000 }, 0],
  ['one of another run of the server is', answered(9), { epoch: 'f' }, 4_000],
  [
    'one of another replica is if something changed, whatever its number',
    replica(5_000),
    { revision: 2 },
    4_000,
  ],
  ['and now and then until the replica of the stream answers', replica(3), {}, 15_000],
  ['one that says no number is if something changed', answered(), { revision: 2 }, 4_000],
  ['and is not at rest', answered(), {}, undefined],
  ['nothing is asked twice at a time', asked({ state: 'asking' }), { revision: 2, changedAt: 9 }, undefined],
  ['while the connection is lost nothing is asked', failed(0), { liveSinceMs: undefined }, undefined],
  ['what failed is asked when it is back', failed(0), { liveSinceMs: 1_500, nowMs: 1_500 }, 0],
  ['what failed with a live connection is asked later', failed(503), {}, 15_000],
  ['what is not permitted is not', failed(403), {}, undefined],
  ['unless something changed', failed(404), { revision: 2 }, 4_000],
])('%s', (_, last, more, expected) => {
  expect(dueInMs(last, { ...KNOWN, ...more })).toBe(expected);
});
