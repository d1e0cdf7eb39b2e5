/** The verbs, in the order in which help lists them. */
import type { Verb } from '../verb.ts';
import { completionVerb } from './completion.ts';
import { crds } from './crds.ts';
import { version } from './version.ts';

export const VERBS: readonly Verb[] = [crds, version, completionVerb(() => VERBS)];
