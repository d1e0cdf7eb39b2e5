/** `chandler flexnode`: the verbs that join a machine outside Azure to an AKS cluster as a worker node. */
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
  summary: 'Join this Ubuntu machine to an AKS cluster as a worker node, or remove it',
  description:
    'Joins this machine to an AKS cluster as a worker node in eleven steps: it creates an Arc identity, installs\n' +
    'containerd and kubelet, and waits until the Node is Ready. If a run is interrupted, the next run resumes at the step where\n' +
    'it stopped.\n' +
    '"flexnode unbootstrap" restores the machine to its previous state.\n' +
    'Exit codes: 0 success, 2 usage error, 3 invalid config, 4 preflight check failed, 5 authentication failed,\n' +
    '6 network failure, 7 step failed or cleanup incomplete, 130 interrupted.',
  positionals: 'VERB',
  examples: [
    { command: 'chandler flexnode config check ./config.json', does: 'Validate the config file' },
    {
      command: 'sudo chandler flexnode bootstrap --config ./config.json --dry-run',
      does: 'Show what bootstrap would change',
    },
    { command: 'sudo chandler flexnode bootstrap --config ./config.json', does: 'Join the cluster' },
    { command: 'sudo chandler flexnode unbootstrap', does: 'Leave the cluster and restore the machine' },
  ],
  options: {},
  verbs: [bootstrap, unbootstrap, status, preflight, debug, token, upgrade, bundle, config, version],
  // Never called: the command line dispatches to the sub-verb.
  run: async () => EXIT_USAGE,
});
