/** `chandler takeover`: the verbs with which Chandler takes a cluster over from Karpenter, and hands it back. */
import { back } from '../takeover/back.ts';
import { plan } from '../takeover/plan.ts';
import { start } from '../takeover/start.ts';
import { defineVerb, EXIT_USAGE } from '../verb.ts';

export const takeover = defineVerb({
  name: 'takeover',
  summary: 'Take a cluster over from Karpenter, or hand it back',
  description:
    'Takes a cluster over from Karpenter, in three steps: run Chandler with --observe beside it, "takeover plan" until it is\n' +
    'ready, then "takeover start". "takeover back" returns to Karpenter at any time. Existing nodes are not changed.\n' +
    'See docs/takeover.md.',
  positionals: 'VERB',
  examples: [
    { command: 'chandler takeover plan', does: 'check whether Chandler can take over' },
    { command: 'chandler takeover start', does: 'stop Karpenter and let Chandler lead' },
    { command: 'chandler takeover back', does: 'stop Chandler and let Karpenter lead again' },
  ],
  options: {},
  verbs: [plan, start, back],
  // Never called: the command line dispatches to the sub-verb.
  run: async () => EXIT_USAGE,
});
