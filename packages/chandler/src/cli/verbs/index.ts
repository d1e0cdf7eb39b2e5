/** All verbs, in the order of the help page. */
import type { Verb } from '../verb.ts';
import { bootstrap } from './bootstrap.ts';
import { check } from './check.ts';
import { completionVerb } from './completion.ts';
import { configure } from './configure.ts';
import { controller } from './controller.ts';
import { crds } from './crds.ts';
import { dump } from './dump.ts';
import { flexnode } from './flexnode.ts';
import { migrateValuesVerb } from './migrate-values.ts';
import { page } from './page.ts';
import { plan } from './plan.ts';
import { playground } from './playground.ts';
import { simulate } from './simulate.ts';
import { takeover } from './takeover.ts';
import { top } from './top.ts';
import { version } from './version.ts';
import { why } from './why.ts';

export const VERBS: readonly Verb[] = [
  playground,
  simulate,
  plan,
  top,
  page,
  why,
  check,
  dump,
  configure,
  controller,
  takeover,
  bootstrap,
  flexnode,
  crds,
  migrateValuesVerb,
  version,
  completionVerb(() => VERBS),
];
