/** A verb of the sources, called in this process: what it prints is what the installed program must print. */
import { virtualWorld } from '@chandler/kube/testing';
import { run, type Verb } from '../../packages/chandler/src/cli/testing.ts';

export async function callVerb(verb: Verb, args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = '';
  const code = await run([verb], {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: () => undefined, color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out };
}
