/** `flexnode token`: what kubelet runs to sign in as the machine. Loads nothing but what it needs: kubelet waits. */
import { systemClock, systemRandom } from '@chandler/kube';
import { defineVerb } from '../verb.ts';

export const token = defineVerb({
  name: 'token',
  summary: 'Print a token of the machine as an ExecCredential (kubelet runs this)',
  description:
    'Asks the Arc agent on this machine (HIMDS) for a token of the machine identity and prints it as an ExecCredential\n' +
    'for kubelet and kubectl, in the version that KUBERNETES_EXEC_INFO asks for. Needs root: the challenge is a file that\n' +
    'only root and the agent may read. Standard output is JSON or empty; everything else goes to standard error.\n' +
    'IDENTITY_ENDPOINT or IMDS_ENDPOINT name another port of this machine. Exit code 1 when there is no token.',
  positionals: '',
  examples: [
    { command: 'sudo chandler flexnode token', does: 'what kubelet gets' },
    {
      command: 'sudo chandler flexnode token --resource https://management.azure.com/ | jq -r .status.token',
      does: 'for something else than the API servers of AKS',
    },
  ],
  options: {
    resource: {
      flag: 'resource',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'AUDIENCE',
      doc: 'What the token is for; the API servers of AKS unless given',
    },
    serverId: {
      flag: 'server-id',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'AUDIENCE',
      doc: 'The same, under the name that kubelogin has for it',
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
