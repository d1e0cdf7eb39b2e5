/** The verbs, in the order in which help lists them. */
import type { Verb } from '../verb.ts';
import { bootstrap } from './bootstrap.ts';
import { completionVerb } from './completion.ts';
import { controller } from './controller.ts';
import { crds } from './crds.ts';
import { playground } from './playground.ts';
import { simulate } from './simulate.ts';
import { version } from './version.ts';

export const VERBS: readonly Verb[] = [
  playground,
  simulate,
  controller,
  bootstrap,
  crds,
  version,
  completionVerb(() => VERBS),
];
