/** The examples of `examples/plan/`, and the moments at which they are planned. Their text is kept in golden files. */
import { join } from 'node:path';
import type { World } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';

export const ROOT = join(import.meta.dirname, '..', '..');
export const GOLDEN = join(import.meta.dirname, 'golden');

/** By the name of the golden file. */
export const EXAMPLES: Readonly<Record<string, { readonly file: string; readonly at: string }>> = {
  'half-empty-at-noon': { file: 'half-empty', at: '2026-06-02T12:00:00Z' },
  'half-empty-in-the-evening': { file: 'half-empty', at: '2026-06-02T18:00:00Z' },
};

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export function plan(args: readonly string[], world: World = virtualWorld()): Promise<Outcome> {
  return chandler(['plan', ...args], world);
}

export async function chandler(args: readonly string[], world: World): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => world,
  });
  return { code, out, err };
}

export function exampleFile(name: string): string {
  return join(ROOT, 'examples', 'plan', `${name}.yaml`);
}

export function planExample(name: string, form = 'text'): Promise<Outcome> {
  const { file, at } = EXAMPLES[name]!;
  return plan(['-f', exampleFile(file), '--at', at, '-o', form]);
}
