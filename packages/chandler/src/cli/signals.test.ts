/** What a command does on signals, with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { handleSignals } from './signals.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-signals-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process without signals of its own, and a clock that the test moves. */
function pretended(policy: 'stop' | 'finish' = 'stop') {
  const exits: number[] = [];
  const process = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
  const interrupt = new AbortController();
  const clock = { nowMs: 5_000 };
  const output = { finishesWithoutOutput: policy === 'finish' };
  const stderr = { write: () => true };
  handleSignals({ process, stderr, interrupt, output, atOnce: '', nowMs: () => clock.nowMs });
  return { process, exits, interrupt, clock };
}

/** Starts a command that works for a second, and sends it signals when it has begun. */
async function interrupted(policy: string, ...signals: readonly NodeJS.Signals[]) {
  const file = join(folder, 'result');
  const child: ChildProcess = spawn(
    process.execPath,
    ['packages/chandler/src/cli/printing-process.fixture.ts', policy, file, '7'],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  await once(child.stdout!, 'data');
  child.stdout!.resume();
  for (const signal of signals) child.kill(signal);
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, finished: existsSync(file) };
}

describe('a terminal that is closed', () => {
  test('does not stop a command that changes something', async () => {
    expect(await interrupted('finish', 'SIGHUP')).toEqual({ code: 7, finished: true });
  });

  test('stops one that only prints, in order', async () => {
    expect(await interrupted('stop', 'SIGHUP')).toEqual({ code: 130, finished: false });
  });

  test('does not keep SIGTERM from stopping a command that changes something, in order', async () => {
    expect(await interrupted('finish', 'SIGHUP', 'SIGTERM')).toEqual({ code: 130, finished: false });
  });

  test.each(['stop', 'finish'] as const)('is not the second signal, for the policy %s', (policy) => {
    const { process, exits, interrupt, clock } = pretended(policy);
    process.emit('SIGTERM');
    clock.nowMs += 2_000;
    process.emit('SIGHUP');
    process.emit('SIGHUP');
    expect([interrupt.signal.aborted, exits]).toEqual([true, []]);
    process.emit('SIGINT');
    expect(exits).toEqual([130]);
  });
});

describe('a second signal', () => {
  test('right after the first is the same Ctrl-C: from the terminal and forwarded by npm', async () => {
    expect(await interrupted('stop', 'SIGINT', 'SIGINT')).toEqual({ code: 130, finished: false });
    const { process, exits, interrupt, clock } = pretended();
    process.emit('SIGINT');
    clock.nowMs += 20;
    process.emit('SIGINT');
    process.emit('SIGTERM');
    expect([interrupt.signal.aborted, exits]).toEqual([true, []]);
  });

  test('of the terminal that was closed is not one, either', () => {
    const { process, exits, clock } = pretended();
    process.emit('SIGHUP');
    clock.nowMs += 20;
    process.emit('SIGTERM');
    expect(exits).toEqual([]);
  });

  test('a second later ends the process at once', () => {
    const { process, exits, clock } = pretended();
    process.emit('SIGINT');
    clock.nowMs += 20;
    process.emit('SIGINT');
    clock.nowMs += 1_000;
    process.emit('SIGINT');
    expect(exits).toEqual([130]);
  });

  test('ends a command at once that stops for another reason', () => {
    const { process, exits, interrupt } = pretended();
    interrupt.abort(new Error('the output is closed'));
    process.emit('SIGINT');
    expect(exits).toEqual([130]);
  });
});
