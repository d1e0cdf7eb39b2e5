/** What a command does when the reader of its output goes away, with real processes and pipes. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run } from './run.ts';
import { VERBS } from './verbs/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-output-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Returns what `head` printed and the exit code of the command before it. */
function head(...command: readonly string[]): { readonly printed: string; readonly code: number } {
  const script = '"$@" 2>&1 | head -n 1; echo "code $PIPESTATUS"';
  const lines = execFileSync('bash', ['-c', script, 'bash', process.execPath, ...command], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  }).trimEnd();
  const [printed = '', code = ''] = lines.split('\ncode ');
  return { printed, code: Number(code) };
}
const work = (policy: string, file: string, code = 0) =>
  head('packages/chandler/src/cli/printing-process.fixture.ts', policy, file, String(code));

describe('a command whose output is closed', () => {
  test.each([0, 7])('and that changes something finishes, with the exit code %i of its work', (code) => {
    const file = join(folder, 'result');
    expect(work('finish', file, code)).toEqual({ printed: 'line 0', code });
    expect(existsSync(file)).toBe(true);
  });

  test('and that only prints stops quietly', () => {
    const file = join(folder, 'result');
    expect(work('stop', file, 7)).toEqual({ printed: 'line 0', code: 0 });
    expect(existsSync(file)).toBe(false);
  });

  test('and that must be seen stops and fails', () => {
    const file = join(folder, 'result');
    expect(work('fail', file)).toEqual({ printed: 'line 0', code: 1 });
    expect(existsSync(file)).toBe(false);
  });

  test('crds of the real program stops quietly', () => {
    const { code } = head('packages/chandler/src/cli/main.ts', 'crds');
    expect(code).toBe(0);
  });
});

describe('when its output is closed', () => {
  /** The exit code is of no interest: what the verb says about these arguments is. */
  async function policyOf(...args: readonly string[]): Promise<string | undefined> {
    let found: string | undefined;
    const stopped = new Error('far enough');
    await run(VERBS, {
      args,
      env: {},
      terminal: { out: () => undefined, err: () => undefined, color: false },
      started: (policy) => {
        found = policy;
        throw stopped;
      },
      interrupted: new AbortController().signal,
      world: () => Promise.reject(stopped),
    }).catch((error: unknown) => {
      if (error !== stopped) throw error;
    });
    return found;
  }

  test.each([
    ['flexnode bootstrap', 'finish'],
    ['flexnode unbootstrap', 'finish'],
    ['flexnode upgrade', 'finish'],
    ['flexnode bundle', 'finish'],
    ['dump', 'finish'],
    ['dump --file -', 'stop'],
    ['controller', 'fail'],
    ['controller --print-options', 'stop'],
    ['flexnode status', 'stop'],
    ['flexnode preflight', 'stop'],
    ['playground', 'stop'],
    ['simulate', 'stop'],
    ['why', 'stop'],
    ['crds', 'stop'],
  ])('%s does this: %s', async (command, policy) => {
    expect(await policyOf(...command.split(' '))).toBe(policy);
  });
});
