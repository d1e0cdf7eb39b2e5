import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processLog } from './process-log.ts';

function aLog(paths: readonly string[] = ['stdout'], errorPaths: readonly string[] = ['stderr']) {
  const seen = { out: '', err: '', level: '' };
  const log = processLog({
    now: () => 0,
    paths,
    errorPaths,
    level: () => seen.level,
    terminal: {
      out: (text) => {
        seen.out += text;
      },
      err: (text) => {
        seen.err += text;
      },
      color: false,
    },
  });
  return { log, seen };
}

const messages = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { message: string }).message);

test('the log level can change at run time, also for loggers with bound fields', () => {
  const { log, seen } = aLog();
  const part = log.with({ controller: 'a' });
  part.debug('one');
  part.info('two');
  seen.level = 'debug';
  part.debug('three');
  seen.level = 'error';
  part.warn('four');
  log.error('five');
  expect(messages(seen.out)).toEqual(['two', 'three', 'five']);
  expect(seen.out).toContain('"controller":"a"');
});

test('the log goes to all configured outputs, and to standard output by default', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-log-'));
  const file = join(folder, 'log');
  const many = aLog(['stderr', file]);
  many.log.info('hello');
  expect([many.seen.out, messages(many.seen.err), messages(readFileSync(file, 'utf8'))]).toEqual([
    '',
    ['hello'],
    ['hello'],
  ]);
  const none = aLog([]);
  none.log.info('hello');
  expect(messages(none.seen.out)).toEqual(['hello']);
  rmSync(folder, { recursive: true });
});

test('secrets are masked', () => {
  const { log, seen } = aLog();
  log.info('signed in', { clientSecret: 'hunter2' });
  expect(seen.out).not.toContain('hunter2');
});

test('a file that cannot be written is reported once to the error outputs, and the other outputs keep working', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-log-'));
  const missing = join(folder, 'no', 'such', 'log');
  const errorOutputs = join(folder, 'errorOutputs');
  const { log, seen } = aLog(['stdout', missing], [errorOutputs]);
  log.info('one');
  log.info('two');
  expect(messages(seen.out)).toEqual(['one', 'two']);
  expect(messages(readFileSync(errorOutputs, 'utf8'))).toEqual([
    expect.stringMatching(/^cannot write the log to .*log, lines are lost: ENOENT/),
  ]);
  mkdirSync(join(folder, 'no', 'such'), { recursive: true });
  log.info('three');
  expect(messages(readFileSync(missing, 'utf8'))).toEqual(['three']);
  rmSync(folder, { recursive: true });
});

test('after a failed write the file is opened again: what has its name by then may be another one', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-log-'));
  const file = join(folder, 'log');
  // Every write to it fails: no space is left.
  symlinkSync('/dev/full', file);
  const { log, seen } = aLog([file]);
  log.info('lost');
  expect(seen.err).toContain('lines are lost');
  rmSync(file);
  log.info('kept');
  expect(messages(readFileSync(file, 'utf8'))).toEqual(['kept']);
  rmSync(folder, { recursive: true });
});
