/** `chandler controller` as a separate process that can be killed at any moment; its log can be read. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface ControllerProcess {
  readonly pid: number;
  readonly lines: readonly LogLine[];
  /** What it said on standard error. */
  readonly errors: readonly string[];
  /** Resolves with the code, or the signal by which it ended. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Resolves at the first line with this message; rejects when the process ends before. */
  said(message: string): Promise<LogLine>;
  signal(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | NodeJS.Signals>;
}

const ROOT = join(import.meta.dirname, '..', '..');

export function startController(
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  program = 'packages/chandler/src/cli/main.ts',
  nodeArgs: readonly string[] = [],
): ControllerProcess {
  const child: ChildProcess = spawn(process.execPath, [...nodeArgs, program, 'controller', ...args], {
    cwd: ROOT,
    // Nothing of ours may decide: only the path to programs is handed on.
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: LogLine[] = [];
  const errors: string[] = [];
  const waiting = new Set<() => void>();
  createInterface({ input: child.stdout! }).on('line', (text) => {
    if (text.startsWith('{')) lines.push(JSON.parse(text) as LogLine);
    for (const look of waiting) look();
  });
  createInterface({ input: child.stderr! }).on('line', (text) => errors.push(text));
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  return {
    pid: child.pid!,
    lines,
    errors,
    ended,
    said(message) {
      return new Promise((resolve, reject) => {
        const look = () => {
          const line = lines.find((each) => each.message === message);
          if (line === undefined) return;
          waiting.delete(look);
          resolve(line);
        };
        waiting.add(look);
        look();
        void ended.then((how) =>
          reject(new Error(`it ended with ${how} before it said "${message}": ${errors.join('\n')}`)),
        );
      });
    },
    signal(signal) {
      child.kill(signal);
      return ended;
    },
  };
}
