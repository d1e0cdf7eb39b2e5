/**
 * Runs a command as a child process: without a shell, with a minimal environment, a timeout, and a limit on its output.
 * The caller interprets the exit code.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import type { World } from '@chandler/kube';
import type { Command, CommandResult } from './host.ts';
import { errnoOf } from './io-error.ts';

export const CHILD_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/azcmagent/bin',
  LANG: 'C.UTF-8',
  HOME: '/root',
};

export const NO_SUCH_PROGRAM = 127;
export const TOOK_TOO_LONG = 124;
const DEFAULT_TIMEOUT_MS = 10 * 60_000;
/** The time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;

export async function runCommand(
  world: World,
  command: Command,
  signal?: AbortSignal,
): Promise<CommandResult> {
  const [program, ...args] = command.argv;
  const child = spawn(program, args, {
    env: { ...CHILD_ENVIRONMENT, ...command.env },
    cwd: '/',
    shell: false,
    // A separate process group, so that a timeout also kills its children; an interactive command stays in the foreground group.
    detached: command.interactive !== true,
    stdio: command.interactive ? 'inherit' : ['pipe', 'pipe', 'pipe'],
  });
  const stdout = kept(child.stdout);
  const stderr = kept(child.stderr);
  const deadline = endAfter(world, child, command);
  const onAbort = () => end(child, 'SIGTERM', command);
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const exit = ended(child);
    feed(child, command.stdin);
    const code = await exit;
    return {
      exitCode: deadline.passed() ? TOOK_TOO_LONG : code,
      stdout: stdout(),
      stderr: stderr(),
    };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'EACCES') {
      return { exitCode: NO_SUCH_PROGRAM, stdout: '', stderr: `${program}: command not found` };
    }
    throw error;
  } finally {
    deadline.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

// ---------------------------------------------------------------------------------------------------

function ended(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // A shell reports 128 plus the number of the signal.
    child.once('close', (code) => resolve(code ?? 128));
  });
}

function feed(child: ChildProcess, text: string | undefined): void {
  // A program that ends without reading is no failure of ours.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text ?? '');
}

function kept(stream: NodeJS.ReadableStream | null): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('data', (chunk: Buffer) => {
    if (bytes < MAX_OUTPUT_BYTES) chunks.push(chunk.subarray(0, MAX_OUTPUT_BYTES - bytes));
    bytes += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}

function endAfter(world: World, child: ChildProcess, command: Command) {
  let passed = false;
  let timer = world.clock.after(command.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => {
    passed = true;
    end(child, 'SIGTERM', command);
    timer = world.clock.after(GRACE_MS, () => end(child, 'SIGKILL', command));
  });
  return { passed: () => passed, cancel: () => timer.cancel() };
}

function end(child: ChildProcess, signal: NodeJS.Signals, command: Command): void {
  if (child.pid === undefined || child.exitCode !== null) return;
  try {
    if (command.interactive) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // It ended in between.
  }
}
