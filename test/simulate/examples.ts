/**
 * The examples of `examples/simulate/` and the forms in which their results are kept. The prices of the
 * first plan are recorded (`--improve 0`), so that a better search changes no golden file.
 */
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';

const ROOT = join(import.meta.dirname, '..', '..');

export const GOLDEN = join(import.meta.dirname, 'golden');
export const EXAMPLES = ['web-shop', 'batch', 'full-cluster', 'eks'] as const;
export const FORMS: Readonly<Record<string, string>> = { table: 'txt', html: 'html', json: 'json' };

export interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function simulate(args: readonly string[]): Promise<Outcome> {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args: ['simulate', ...args],
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}

export function exampleFile(name: string): string {
  return join(ROOT, 'examples', 'simulate', `${name}.yaml`);
}

export function simulateExample(name: string, form: string): Promise<Outcome> {
  return simulate(['-f', exampleFile(name), '-o', form, '--improve', '0']);
}
