/** `chandler bootstrap` in the process of a test, and what it prints. */
import { virtualWorld } from '@chandler/kube/testing';
import { run } from '../run.ts';
import { bootstrap } from './bootstrap.ts';

export async function chandler(args: readonly string[], env: Record<string, string> = {}) {
  let out = '';
  let err = '';
  const code = await run([bootstrap], {
    args: ['bootstrap', ...args],
    env,
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}

interface Variable {
  readonly name: string;
  readonly value: string;
  readonly source: string;
  readonly path: string;
}

export function variablesOf(out: string): ReadonlyMap<string, Variable> {
  const { variables } = JSON.parse(out) as { variables: Variable[] };
  return new Map(variables.map((each) => [each.name, each]));
}
