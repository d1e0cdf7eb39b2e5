import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readRecording } from './read-recording.ts';
import { aNodeRow, aPodRow, aSnapshot } from './recording.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-recording-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const HEAD = { recording: 1, program: '1', cluster: 'c' };
const SNAPSHOT = aSnapshot(1_000, [aNodeRow('n')], [aPodRow('p', 'n')]);
const CHANGES = {
  atMs: 2_000,
  changes: [
    ['node', aNodeRow('m')],
    ['pod', aPodRow('q', 'm')],
    ['totals', SNAPSHOT.totals],
    ['happened', { atMs: 2_000, what: 'event', subject: 'Node/m', reason: 'R', text: 't', warning: false }],
    ['happened-cut'],
    ['price', { atMs: 2_000, pricePerHour: 0.5 }],
    ['pod-gone', 'shop', 'p'],
    ['node-gone', 'n'],
  ],
};

function aFile(...lines: readonly unknown[]): string {
  const file = join(folder, 'run.jsonl');
  writeFileSync(
    file,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  return file;
}

test('a recording is read with its times, and its lines are as they were', async () => {
  const file = aFile(HEAD, SNAPSHOT, CHANGES, { atMs: 2_000, changes: [] });
  const recording = await readRecording(file);
  expect(recording).toMatchObject({ head: HEAD, startMs: 1_000, endMs: 2_000 });
  expect([...recording.lines()].map((line) => JSON.parse(line) as unknown)).toEqual([
    HEAD,
    SNAPSHOT,
    CHANGES,
    { atMs: 2_000, changes: [] },
  ]);
});

const changed = (change: unknown) => [HEAD, SNAPSHOT, { atMs: 2_000, changes: [change] }];

test.each<[string, readonly unknown[], string]>([
  ['an empty file', [], ':1: the recording ends before its snapshot'],
  ['no snapshot', [HEAD], ':2: the recording ends before its snapshot'],
  ['some other JSON', [{ hello: 1 }], ':1: this is not the first line of a recording'],
  ['a list', [[]], ':1: this is not the first line of a recording'],
  [
    'another version',
    [{ ...HEAD, recording: 2 }],
    ':1: the recording has version 2; this program reads version 1',
  ],
  ['a head without a cluster', [{ recording: 1, program: '1' }], ':1: cluster is missing, not a text'],
  ['a snapshot of another version', [HEAD, { ...SNAPSHOT, version: 3 }], ':2: the snapshot has version 3'],
  ['a snapshot without nodes', [HEAD, { ...SNAPSHOT, nodes: undefined }], ':2: nodes is not a list'],
  [
    'a pod of too few values',
    [HEAD, { ...SNAPSHOT, pods: [['a']] }],
    ':2: pods[0] is not a list of 7 values',
  ],
  ['a line cut off', [HEAD, SNAPSHOT, '{"atMs":2000,"chan'], ':3: the line is not JSON'],
  ['text', ['<html>'], ':1: the line is not JSON'],
  ['an empty line', [HEAD, SNAPSHOT, ''], ':3: the line is not JSON'],
  ['null', [HEAD, SNAPSHOT, 'null'], ':3: atMs is not a number'],
  ['no time', [HEAD, SNAPSHOT, { changes: [] }], ':3: atMs is not a number'],
  ['an infinite time', [HEAD, SNAPSHOT, '{"atMs":1e999,"changes":[]}'], ':3: atMs is not a number'],
  [
    'time that goes back',
    [HEAD, SNAPSHOT, CHANGES, { ...CHANGES, atMs: 1_999 }],
    ':4: its time 1999 is before',
  ],
  ['a change before the snapshot', [HEAD, SNAPSHOT, { atMs: 1, changes: [] }], ':3: its time 1 is before'],
  ['an unknown change', changed(['rocket', 1]), ':3: changes[0] is a change of an unknown kind, "rocket"'],
  ['a change of prototypes', changed(['__proto__', 1]), ':3: changes[0] is a change of an unknown kind'],
  ['a change that is no list', changed({ node: 1 }), ':3: changes[0] is not a list'],
  [
    'a change with too much',
    changed(['node-gone', 'a', 'b']),
    ':3: changes[0] (node-gone) has 2 values, not 1',
  ],
  [
    'a name that is a number',
    changed(['node-gone', 7]),
    ':3: changes[0] (node-gone) has 7 where a name belongs',
  ],
  ['a node without a name', changed(['node', { ...aNodeRow('m'), name: null }]), '.name is null, not a text'],
  [
    'a price that is text',
    changed(['node', { ...aNodeRow('m'), pricePerHour: '1' }]),
    '.pricePerHour is "1", not a number or null',
  ],
  [
    'a reason that is none',
    changed(['node', { ...aNodeRow('m'), staying: [1] }]),
    '.staying[0].code is missing',
  ],
  [
    'a pod with text for a number',
    changed(['pod', ['a', 'b', 'c', 'r', '1', 1, 'd']]),
    '[4] is "1", not a number',
  ],
  ['a price without a number', changed(['price', { atMs: 1 }]), '(price).pricePerHour is missing'],
  ['a gap with too much', changed(['happened-cut', 1]), '(happened-cut) has 1 values, not 0'],
  ['totals that are none', changed(['totals', null]), '(totals).pricePerHour is missing'],
])('%s is an error with the file, the line and what to do', async (_, lines, message) => {
  const file = aFile(...lines);
  const error = await readRecording(file).catch((thrown: unknown) => thrown as Error);
  expect(error).toMatchObject({ name: 'RecordingError', message: expect.stringContaining(message) });
  expect((error as Error).message).toMatch(new RegExp(`^${file}:\\d+: .*; record it again`));
});

test('a file that is not there, and a folder, are named', async () => {
  await expect(readRecording(join(folder, 'none'))).rejects.toThrow(
    /none cannot be read \(ENOENT\); check the path/,
  );
  await expect(readRecording(folder)).rejects.toThrow(/cannot be read \(EISDIR\)/);
});
