/** `chandler configure`: what the controller needs in a cloud, planned, applied and undone. */
import { aks } from '../configure/aks.ts';
import { eks } from '../configure/eks.ts';
import { defineVerb, EXIT_USAGE } from '../verb.ts';

export const configure = defineVerb({
  name: 'configure',
  summary: 'Set up the identity and permissions of the controller in a cloud: plan, apply, undo',
  description:
    'Prints what must exist in the cloud for the controller, what exists and what is missing, and writes the values of the chart.\n' +
    'Changes nothing without --apply.\n' +
    'Exit codes: 0 planned or done, 1 failed, or --undo left something, 2 usage error, 130 interrupted.',
  positionals: 'CLOUD',
  examples: [
    { command: 'chandler configure aks -g shop -n shop --subscription ID', does: 'Show what is missing' },
    { command: 'chandler configure aks -g shop -n shop --apply', does: 'Create it after confirmation' },
    { command: 'chandler configure eks -n shop --region eu-west-1', does: 'Show what is missing on EKS' },
  ],
  options: {},
  verbs: [aks, eks],
  // Never called: the command line dispatches to the sub-verb.
  run: async () => EXIT_USAGE,
});
