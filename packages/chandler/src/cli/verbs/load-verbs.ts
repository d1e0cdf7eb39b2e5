/** Loads the verb that a command line names and no other: every verb brings modules that take time to load. */
import type { Verb } from '../verb.ts';

/** By name. `index.ts` lists the same verbs in the order of the help page; a test compares the two. */
export const VERB_LOADERS: Readonly<Record<string, () => Promise<Verb>>> = {
  playground: async () => (await import('./playground.ts')).playground,
  simulate: async () => (await import('./simulate.ts')).simulate,
  plan: async () => (await import('./plan.ts')).plan,
  top: async () => (await import('./top.ts')).top,
  page: async () => (await import('./page.ts')).page,
  why: async () => (await import('./why.ts')).why,
  check: async () => (await import('./check.ts')).check,
  dump: async () => (await import('./dump.ts')).dump,
  configure: async () => (await import('./configure.ts')).configure,
  controller: async () => (await import('./controller.ts')).controller,
  takeover: async () => (await import('./takeover.ts')).takeover,
  bootstrap: async () => (await import('./bootstrap.ts')).bootstrap,
  flexnode: async () => (await import('./flexnode.ts')).flexnode,
  crds: async () => (await import('./crds.ts')).crds,
  'migrate-values': async () => (await import('./migrate-values.ts')).migrateValuesVerb,
  version: async () => (await import('./version.ts')).version,
};

/** All verbs where the first argument names none of the table: for help, completion and suggestions. */
export async function loadVerbs(args: readonly string[]): Promise<readonly Verb[]> {
  const name = args[0] ?? '';
  return Object.hasOwn(VERB_LOADERS, name)
    ? [await VERB_LOADERS[name]!()]
    : (await import('./index.ts')).VERBS;
}
