/** Runs `chandler configure` as a user would, in virtual time, against a simulated cloud. */
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Fetch } from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions {
  readonly world: VirtualWorld;
  readonly env: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly interrupted?: AbortSignal;
}

export async function runConfigure(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { world, env, fetch, interrupted = new AbortController().signal } = options;
  let out = '';
  let err = '';
  let ended = false;
  const end = run(VERBS, {
    args: ['configure', ...args],
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted,
    world: async () => ({ ...world, fetch }),
  }).finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  while (!ended) {
    await setImmediate();
    await world.clock.advance(50);
  }
  return { code: await end, out, err };
}

/** In memory where the system has that: the journal is synced to the disk many times, and virtual time goes on meanwhile. */
export function aFolder(): string {
  const memory = '/dev/shm';
  return mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'configure-'));
}

export interface Kill {
  /** Which of the calls that change something, from 1. */
  readonly call: number;
  /** Before the cloud has it, or after it has acted on it. */
  readonly when: 'before' | 'after';
}

/** As if the process had ended there: no later call is made, and the answer is lost. */
export function killedAt(
  fetch: Fetch,
  { call, when }: Kill,
  isWrite: (request: Request) => boolean | Promise<boolean>,
) {
  const interrupt = new AbortController();
  let writes = 0;
  const killing: Fetch = async (input, init) => {
    interrupt.signal.throwIfAborted();
    const request = new Request(input, { ...init, signal: null });
    if (!(await isWrite(request.clone())) || ++writes !== call) return fetch(input, init);
    if (when === 'after') await fetch(input, init);
    interrupt.abort(new Error('killed'));
    throw interrupt.signal.reason;
  };
  return { fetch: killing, interrupted: interrupt.signal, killed: () => interrupt.signal.aborted };
}

export function virtual(): VirtualWorld {
  return virtualWorld({ startMs: Date.now() });
}
