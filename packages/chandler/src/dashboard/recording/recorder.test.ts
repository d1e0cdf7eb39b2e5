import { expect, test } from 'vitest';
import { ChangeLog } from '../change-log.ts';
import type { Change, Snapshot } from '../wire.ts';
import type { RecordedChanges } from '../wire-recording.ts';
import { RecordedState } from './recorded-state.ts';
import { Recorder } from './recorder.ts';
import { aPodRow, aSnapshot } from './recording.fixture.ts';

async function aRecorder(maxBytes?: number) {
  const log = new ChangeLog({ epoch: 'e' });
  const clock = { nowMs: 1_000, now: () => clock.nowMs };
  const recorder = await Recorder.start({
    log,
    clock,
    head: { program: '1', cluster: 'c' },
    snapshot: async () => aSnapshot(1_000),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const add = (...changes: readonly Change[]) => {
    clock.nowMs += 100;
    log.append(changes);
  };
  return { recorder, add, clock };
}

function parsed(recorder: Recorder) {
  const [head, snapshot, ...entries] = [...recorder.lines()].map((line) => JSON.parse(line) as unknown);
  return { head, snapshot: snapshot as Snapshot, entries: entries as RecordedChanges[] };
}

test('it has a head, the rows at the start, and every change with its time', async () => {
  const { recorder, add } = await aRecorder();
  add(['pod', aPodRow('a')]);
  add(['pod', aPodRow('b')], ['pod-gone', 'shop', 'a']);
  const { head, snapshot, entries } = parsed(recorder);
  expect(head).toEqual({ recording: 1, program: '1', cluster: 'c' });
  expect(snapshot).toEqual(aSnapshot(1_000));
  expect(entries).toEqual([
    { atMs: 1_100, changes: [['pod', aPodRow('a')]] },
    {
      atMs: 1_200,
      changes: [
        ['pod', aPodRow('b')],
        ['pod-gone', 'shop', 'a'],
      ],
    },
  ]);
});

test('a clock that is set back does not turn back the time of the recording', async () => {
  const { recorder, add, clock } = await aRecorder();
  clock.nowMs -= 60_000;
  add(['pod', aPodRow('a')]);
  clock.nowMs += 120_000;
  add(['pod', aPodRow('b')]);
  clock.nowMs -= 30_000;
  add(['pod', aPodRow('c')]);
  expect(parsed(recorder).entries.map(({ atMs }) => atMs)).toEqual([1_000, 61_200, 61_200]);
});

test('when it is full the oldest changes become part of the rows at the start, and the end stays the same', async () => {
  const { recorder, add } = await aRecorder(2_000);
  for (let at = 0; at < 500; at++) {
    add(['pod', aPodRow(`p${at}`)], ...(at < 5 ? [] : [['pod-gone', 'shop', `p${at - 5}`] as const]));
  }
  const { snapshot, entries } = parsed(recorder);
  expect(entries.map((entry) => JSON.stringify(entry.changes).length).reduce((a, b) => a + b)).toBeLessThan(
    2_200,
  );
  expect(entries.length).toBeGreaterThan(5);
  expect(snapshot.atMs).toBe(entries[0]!.atMs - 100);
  expect(snapshot.pods).toHaveLength(5);
  const state = new RecordedState(snapshot);
  for (const { changes, atMs } of entries) state.apply(changes, atMs);
  expect(state.snapshot().pods.map(([, name]) => name)).toEqual(['p495', 'p496', 'p497', 'p498', 'p499']);
});

test('what is recorded while it is read is not among the lines', async () => {
  const { recorder, add } = await aRecorder();
  add(['pod', aPodRow('a')]);
  const lines = recorder.lines();
  lines.next();
  add(['pod', aPodRow('b')]);
  expect([...lines]).toHaveLength(2);
});

test('after its stop nothing is recorded', async () => {
  const { recorder, add } = await aRecorder();
  recorder.stop();
  add(['pod', aPodRow('a')]);
  expect([...recorder.lines()]).toHaveLength(2);
});

test('a time at which only what is written about NodeClaims changed is none: nothing would be seen', async () => {
  const { recorder, add } = await aRecorder();
  add(['claims']);
  add(['pod', aPodRow('a')]);
  expect(parsed(recorder).entries).toEqual([{ atMs: 1_200, changes: [['pod', aPodRow('a')]] }]);
});
