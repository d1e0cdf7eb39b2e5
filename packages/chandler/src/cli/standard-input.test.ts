/** What a signal does to a command that reads standard input, with real processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
});

/** More than a pipe holds: when all of it is written, the command is reading. */
const PIPEFUL = '# a comment\n'.repeat(100_000);

test.each([
  ['simulate', 'SIGTERM'],
  ['plan', 'SIGINT'],
  ['bootstrap', 'SIGTERM'],
] as const)('%s -f - ends at %s while its standard input is open', async (verb, signal) => {
  const started = spawn(process.execPath, ['packages/chandler/src/cli/main.ts', verb, '-f', '-'], {
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  child = started;
  const [errors, exit] = [text(started.stderr), once(started, 'exit')];
  await new Promise((written) => started.stdin.write(PIPEFUL, written));
  started.kill(signal);
  expect(await exit).toEqual([130, null]);
  expect(await errors).toBe(`chandler ${verb}: stopped by ${signal}\n`);
});
