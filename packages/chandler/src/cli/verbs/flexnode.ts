/** `chandler flexnode`: the family of verbs that make a machine of one's own a worker of an AKS cluster. */
import { bootstrap } from '../flexnode/bootstrap.ts';
import { bundle } from '../flexnode/bundle.ts';
import { config } from '../flexnode/config.ts';
import { debug, preflight } from '../flexnode/preflight.ts';
import { status } from '../flexnode/status.ts';
import { token } from '../flexnode/token.ts';
import { unbootstrap } from '../flexnode/unbootstrap.ts';
import { upgrade } from '../flexnode/upgrade.ts';
import { version } from '../flexnode/version.ts';
import { defineVerb, EXIT_USAGE } from '../verb.ts';

export const flexnode = defineVerb({
  name: 'flexnode',
  summary: 'Make this Ubuntu machine a worker of an AKS cluster, and undo it',
  description:
    'Turns this machine into a node of an AKS cluster in eleven steps: an Arc identity, containerd, kubelet, a Node that\n' +
    'is Ready. A run that was interrupted goes on where it stopped; unbootstrap puts back what was there before.\n' +
    'Exit codes: 0 done, 2 not understood, 3 config, 4 preflight, 5 sign-in, 6 network, 7 step or leftovers, 130 stopped.',
  positionals: 'VERB',
  examples: [
    { command: 'chandler flexnode config check ./config.json', does: 'is the config right?' },
    {
      command: 'sudo chandler flexnode bootstrap --config ./config.json --dry-run',
      does: 'what would happen?',
    },
    { command: 'sudo chandler flexnode bootstrap --config ./config.json', does: 'join the cluster' },
    { command: 'sudo chandler flexnode unbootstrap', does: 'leave it, and put everything back' },
  ],
  options: {},
  verbs: [bootstrap, unbootstrap, status, preflight, debug, token, upgrade, bundle, config, version],
  // The shell never gets here: the word after the name chooses.
  run: async () => EXIT_USAGE,
});
