/** Runs `chandler check` as a user does, with files in a folder of their own. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';

export const ESTATE = join(import.meta.dirname, '../readiness/estate');
export const EXPECTATIONS = join(ESTATE, 'expectations.yaml');

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** @param nowMs what the clock says: suppressions expire. */
export async function check(args: readonly string[], nowMs?: number): Promise<Outcome> {
  let out = '';
  let err = '';
  const world = virtualWorld(nowMs === undefined ? {} : { startMs: nowMs });
  const code = await run(VERBS, {
    args: ['check', ...args],
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => world,
  });
  return { code, out, err };
}

/** Folders that are deleted at the end of a test file. */
export class Folders {
  readonly #root = mkdtempSync(join(tmpdir(), 'check-report-'));

  written(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.#root, name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return folder;
  }

  /** A copy of the estate with faults, which may be changed. */
  estate(name: string): string {
    const folder = join(this.#root, name);
    cpSync(ESTATE, folder, { recursive: true });
    return folder;
  }

  remove(): void {
    rmSync(this.#root, { recursive: true });
  }
}
