/** Commands with processes that outlive them, or that do not want to end. */
import { systemClock } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const world = { ...virtualWorld(), clock: systemClock };
const shell = (script: string, timeoutMs?: number, signal?: AbortSignal) =>
  runCommand(
    world,
    { argv: ['sh', '-c', script], changes: false, ...(timeoutMs === undefined ? {} : { timeoutMs }) },
    signal,
  );

const strays: number[] = [];
afterEach(() => {
  for (const pid of strays.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
});
const note = (stdout: string) => strays.push(Number(/pid (\d+)/.exec(stdout)?.[1] ?? 0) || 2 ** 22);

test('a command that leaves a process behind ends with its own exit code and output', async () => {
  const { exitCode, stdout } = await shell('sleep 300 & echo "pid $!"; exit 3');
  note(stdout);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/^pid \d+\n$/);
});

test('the deadline holds if a process outside of the group keeps the output open', async () => {
  const { exitCode, stdout } = await shell('setsid sleep 300 & echo "pid $!"; wait', 300);
  note(stdout);
  expect(exitCode).toBe(124);
  expect(stdout).toContain('pid');
});

test('the deadline holds for a program and a child that ignore SIGTERM', async () => {
  const { exitCode } = await shell('trap "" TERM; (trap "" TERM; sleep 300) & sleep 300; sleep 300', 300);
  expect(exitCode).toBe(124);
});

test('an interruption ends a program that ignores SIGTERM', async () => {
  const stop = new AbortController();
  const running = shell('trap "" TERM; sleep 300; sleep 300', 600_000, stop.signal);
  stop.abort(new Error('stopped'));
  expect((await running).exitCode).toBeGreaterThanOrEqual(128);
});
