/** A program that is run as its user would: another process, an empty folder, a home of its own. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import type { PlaygroundProcess, ProgramFiles } from '../playground/process.ts';

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  /** The exit code that is expected. Default 0. */
  readonly code?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** Words of a bug, which no output and no log may hold, whatever the exit code. */
const BUG_WORDS =
  /TypeError|ReferenceError|SyntaxError|is not a constructor|is not a function|Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND/;

/** @throws {AssertionError} with the line that has such words. */
export function assertNoBug(text: string, where: string): void {
  const line = text.split('\n').find((each) => BUG_WORDS.test(each));
  if (line !== undefined) assert.fail(`${where} shows a bug: ${line.slice(0, 500)}`);
}

/** Everything that a playground printed, a line for each. */
export function outputOf({ lines, errors }: PlaygroundProcess): string {
  return [...lines.map((line) => JSON.stringify(line)), errors()].join('\n');
}

/** Where a program says why it ends. */
const endOf = (text: string) => text.slice(-1_000);

export class Program {
  readonly files: ProgramFiles;

  constructor(files: ProgramFiles) {
    this.files = files;
  }

  /** @throws {AssertionError} when the exit code is another one or the output shows a bug. */
  async run(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    const { code: wanted = 0 } = options;
    const ran = await this.#spawn(args, options);
    const shown = `chandler ${args.join(' ')}`;
    assertNoBug(`${ran.out}\n${ran.err}`, shown);
    assert.equal(
      ran.code,
      wanted,
      `${shown} ended with ${ran.code}, not ${wanted}\n${endOf(ran.err)}${endOf(ran.out)}`,
    );
    return ran;
  }

  #spawn(args: readonly string[], { env = {}, timeoutMs = 120_000 }: RunOptions): Promise<Ran> {
    const { command, cwd, env: own } = this.files;
    const [file, ...first] = command;
    return new Promise((resolve, reject) => {
      const child = spawn(file, [...first, ...args], {
        cwd,
        env: { ...own, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
        timeout: timeoutMs,
      });
      let out = '';
      let err = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        out += text;
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        err += text;
      });
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, out, err }));
    });
  }
}
