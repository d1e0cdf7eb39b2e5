/** `flexnode token`: the exec plugin of kubelet. Imports as little as possible, because kubelet waits for it. */
import { systemClock, systemRandom } from '@chandler/kube';
import { defineVerb } from '../verb.ts';

export const token = defineVerb({
  name: 'token',
  summary: 'Print a token of the machine identity as an ExecCredential (run by kubelet)',
  description:
    'Gets a token of the machine identity from the Arc agent (HIMDS) on this machine and prints it as an ExecCredential\n' +
    'for kubelet and kubectl, in the API version that KUBERNETES_EXEC_INFO requests. Requires root, because only root and\n' +
    'the agent can read the challenge file. Standard output is JSON or empty; messages are printed to standard error.\n' +
    'IDENTITY_ENDPOINT or IMDS_ENDPOINT override the local endpoint of the agent. Exit code 1 if no token is available.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode token', does: 'Print the credential that kubelet uses' },
    {
      command: 'sudo chandler flexnode token --resource https://management.azure.com/ | jq -r .status.token',
      does: 'Get a token for another audience',
    },
  ],
  options: {
    resource: {
      flag: 'resource',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'AUDIENCE',
      doc: 'Audience of the token; defaults to the API servers of AKS',
    },
    serverId: {
      flag: 'server-id',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'AUDIENCE',
      doc: 'Same as --resource; the flag name of kubelogin',
    },
  },
  async run({ options, env, terminal, interrupted }) {
    const { execCredential } = await import('../../flexnode/azure/exec-credential.ts');
    const resource = options.resource.value ?? options.serverId.value;
    const outcome = await execCredential(
      { clock: systemClock, random: systemRandom },
      { env, signal: interrupted, ...(resource === undefined ? {} : { resource }) },
    );
    if (outcome.stderr !== '') terminal.err(outcome.stderr);
    if (outcome.stdout !== '') terminal.out(outcome.stdout);
    return outcome.exitCode;
  },
});
