import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FAST_TMPDIR } from '../../../../../test/flexnode/fast-tmpdir.ts';
import type { MachineHost } from '../host/machine-host.ts';
import { createRealHost } from '../host/real-host.ts';
import { fingerprint } from './fingerprint.ts';
import { compact, openJournal, readJournal, toLine } from './journal.ts';
import { JOURNAL_PATH } from './parts.ts';
import type { JournalRecord, JournalState } from './records.ts';

let root: string;
let host: MachineHost;
beforeEach(() => {
  root = mkdtempSync(join(FAST_TMPDIR, 'journal-'));
  host = createRealHost(virtualWorld(), { root, fsync: false });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const write = (text: string) => host.writeFile(JOURNAL_PATH, text, { mode: 0o600 });
const plain = (state: JournalState) => ({
  facts: [...state.facts],
  paths: [...state.paths],
  steps: [...state.steps].map(([id, record]) => [id, record.state, record.fingerprint]),
  config: state.config,
  kept: state.kept,
});

const RECORDS: readonly JournalRecord[] = [
  { kind: 'run', run: 'r1', verb: 'bootstrap', at: 't' },
  { kind: 'config', config: { a: 1 } },
  { kind: 'step-started', step: 'runc', fingerprint: 'f1', at: 't' },
  {
    kind: 'path',
    step: 'runc',
    path: '/usr/bin/runc',
    before: { kind: 'absent' },
    will: { kind: 'file', sha256: 'x', mode: 493 },
  },
  { kind: 'fact', key: 'swap', value: 'a' },
  { kind: 'path', step: 'runc', path: '/usr/bin/runc', will: { kind: 'file', sha256: 'y', mode: 493 } },
  { kind: 'step-completed', step: 'runc', fingerprint: 'f1', at: 't' },
  { kind: 'fact', key: 'swap', value: 'b' },
  { kind: 'path', step: 'cni', path: '/opt/cni', before: { kind: 'absent' }, claimed: true },
  { kind: 'kept', path: '/etc/a', copy: '/copy' },
  { kind: 'path', step: 'system', path: '/etc/fstab', before: { kind: 'symlink', target: 'x' } },
  { kind: 'path-restored', path: '/etc/fstab' },
  { kind: 'fact-gone', key: 'none' },
  { kind: 'run-ended', run: 'r1', success: true, at: 't' },
];

describe('the journal', () => {
  test('cut off at any byte says what its whole lines say', async () => {
    const text = RECORDS.map(toLine).join('');
    for (let length = 0; length <= text.length; length += 7) {
      await write(text.slice(0, length));
      const whole = text.slice(0, length).split('\n').length - 1;
      const journal = await openJournal(host);
      expect(journal.state.lines).toBe(whole);
      expect(journal.state.lost).toBe(0);
      await journal.append({ kind: 'fact', key: 'after', value: 'crash' });
      const again = await readJournal(host);
      expect(again.facts.get('after')).toBe('crash');
      expect([again.lines, again.lost]).toEqual([whole + 1, 0]);
    }
  });

  test('goes on after a disk that was full took a part of a record', async () => {
    let isFull = false;
    const full: MachineHost = Object.create(host, {
      append: {
        value: async (path: string, text: string, options: { mode: number }) => {
          if (!isFull) return host.append(path, text, options);
          await host.append(path, text.slice(0, 20), options);
          throw new Error('ENOSPC: no space left on device');
        },
      },
    });
    const journal = await openJournal(full);
    await journal.append(RECORDS[0]!);
    isFull = true;
    await expect(journal.append(RECORDS[2]!)).rejects.toThrow('ENOSPC');
    isFull = false;
    await journal.append({ kind: 'fact', key: 'after', value: 'full' });
    const again = await readJournal(host);
    expect([again.lines, again.lost, again.facts.get('after')]).toEqual([2, 0, 'full']);
  });

  test('with a line changed by somebody leaves that line out and counts it', async () => {
    const lines = RECORDS.map(toLine);
    lines[4] = lines[4]!.replace('"a"', '"evil"');
    await write(lines.join(''));
    const state = await readJournal(host);
    expect(state.lost).toBe(1);
    expect(state.facts.get('swap')).toBe('b');
  });

  test('keeps what was there before the first write, and all that was written since', async () => {
    await write(RECORDS.map(toLine).join(''));
    const owned = (await readJournal(host)).paths.get('/usr/bin/runc');
    expect(owned?.before).toEqual({ kind: 'absent' });
    expect(owned?.written).toHaveLength(2);
  });

  test('written anew in short says the same', async () => {
    const many = Array.from(
      { length: 2_500 },
      (_, at): JournalRecord => ({ kind: 'fact', key: 'swap', value: `${at}` }),
    );
    await write([...RECORDS, ...many].map(toLine).join(''));
    const journal = await openJournal(host);
    const before = plain(journal.state);
    await compact(host, journal);
    expect(readFileSync(root + JOURNAL_PATH, 'utf8').split('\n').length).toBeLessThan(20);
    expect(plain(await readJournal(host))).toEqual(before);
  });

  test('still knows after it was written anew how many of its lines were damaged', async () => {
    const many = Array.from(
      { length: 3000 },
      (_, at): JournalRecord => ({ kind: 'fact', key: 'k', value: `${at}` }),
    );
    await write(['damaged\n', 'damaged too\n', ...many.map(toLine)].join(''));
    const journal = await openJournal(host);
    expect(journal.state.lost).toBe(2);
    await compact(host, journal);
    expect((await readJournal(host)).lost).toBe(2);
    // And once more, with another.
    const rest = readFileSync(root + JOURNAL_PATH, 'utf8');
    await write(['damaged again\n', rest, ...many.map(toLine)].join(''));
    await compact(host, await openJournal(host));
    expect((await readJournal(host)).lost).toBe(3);
  });

  test('gets lines from several at once in one piece each', async () => {
    const journal = await openJournal(host);
    await Promise.all(Array.from({ length: 20 }, (_, at) => journal.facts.set(`k${at}`, 'v')));
    expect((await readJournal(host)).facts.size).toBe(20);
  });

  test('a fact that is known already is not written again', async () => {
    const journal = await openJournal(host);
    await journal.facts.set('a', '1');
    await journal.facts.set('a', '1');
    await journal.facts.delete('b');
    expect((await readJournal(host)).lines).toBe(1);
  });
});

describe('a fingerprint', () => {
  test('does not depend on the order of keys, and does on every value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const turned = Object.fromEntries(Object.entries(value).reverse());
        return (
          fingerprint(value) === fingerprint(turned) &&
          fingerprint(value) !== fingerprint({ ...value, more: 1 })
        );
      }),
      { numRuns: 100 },
    );
  });
});
