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
/** How long the output may take after the program has ended. */
const OUTPUT_MS = 1_000;
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
  const end = endings(world, child, command);
  const timer = world.clock.after(command.timeoutMs ?? DEFAULT_TIMEOUT_MS, () => end.because('timeout'));
  const onAbort = () => end.because('abort');
  // A command that is started after the interruption cleans up: it runs to its end.
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const exit = Promise.race([ended(world, child), end.given]);
    feed(child, command.stdin);
    const code = await exit;
    return {
      exitCode: end.reason() === 'timeout' ? TOOK_TOO_LONG : code,
      stdout: stdout(),
      stderr: stderr(),
    };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'EACCES') {
      return { exitCode: NO_SUCH_PROGRAM, stdout: '', stderr: `${program}: command not found` };
    }
    throw error;
  } finally {
    timer.cancel();
    end.cancel();
    signal?.removeEventListener('abort', onAbort);
    // A process that outlives the command must not keep this one waiting for its output.
    child.stdout?.destroy();
    child.stderr?.destroy();
    child.unref();
  }
}

// ---------------------------------------------------------------------------------------------------

/**
 * The exit code, when the program has ended and its output is complete. A process that it left behind may keep the output
 * open for ever: then what came until a second after the end counts.
 */
function ended(world: World, child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // A shell reports 128 plus the number of the signal.
    child.once('close', (code) => resolve(code ?? 128));
    child.once('exit', (code) => {
      const timer = world.clock.after(OUTPUT_MS, () => resolve(code ?? 128));
      child.once('close', () => timer.cancel());
    });
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

/** SIGTERM, after a while SIGKILL, and after another the command counts as ended, even if the kernel cannot end it. */
function endings(world: World, child: ChildProcess, command: Command) {
  let reason: 'timeout' | 'abort' | undefined;
  let timer: { cancel(): void } | undefined;
  let give: (code: number) => void = () => undefined;
  const given = new Promise<number>((resolve) => {
    give = resolve;
  });
  return {
    given,
    reason: () => reason,
    because(why: 'timeout' | 'abort') {
      if (reason !== undefined) return;
      reason = why;
      kill(child, 'SIGTERM', command);
      timer = world.clock.after(GRACE_MS, () => {
        kill(child, 'SIGKILL', command);
        timer = world.clock.after(OUTPUT_MS, () => give(137));
      });
    },
    cancel: () => timer?.cancel(),
  };
}

/** The whole process group: the program may have ended and left processes that hold its output. */
function kill(child: ChildProcess, signal: NodeJS.Signals, command: Command): void {
  if (child.pid === undefined) return;
  try {
    if (command.interactive) child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch (error) {
    // Nothing of the group is left.
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}
