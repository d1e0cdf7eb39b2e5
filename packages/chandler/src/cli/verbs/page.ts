/** `chandler page`: the cluster as a live page in the browser. */
import { CLUSTER_OPTIONS, defineVerb, namedKubeconfig, OUTPUT_OPTION, UsageError } from '../verb.ts';
import { PRICES_OPTION } from './planning-options.ts';

const OPTIONS = {
  port: {
    flag: 'port',
    type: 'integer',
    default: 0,
    minimum: 0,
    maximum: 65_535,
    doc: 'Port on 127.0.0.1. 0: any that is free',
  },
  recording: {
    flag: 'recording',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Show a recorded run instead of a cluster: one that was saved on the page of a playground, or a seed of the fault simulation',
  },
  tokenFile: {
    flag: 'token-file',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Keep the token in this file, which only you can read; it is written if it does not exist. With --port the address stays the same, and pages that are open go on after a restart',
  },
  catalogue: PRICES_OPTION,
  ...CLUSTER_OPTIONS,
  output: OUTPUT_OPTION,
} as const;

const OF_CLUSTERS = ['tokenFile', 'catalogue', 'kubeconfig', 'context'] as const;

export const page = defineVerb({
  name: 'page',
  summary: 'Show the cluster as a live page in the browser: nodes, pods, prices, and why',
  description:
    'Serves a page on 127.0.0.1 and prints its address: nodes with their pods and prices as they come and go, pending pods\n' +
    'with the reasons of `chandler why`, the journeys of NodeClaims, what disruption would save, a timeline, and what-if.\n' +
    'It changes nothing. The address holds a token: who does not have it sees nothing. It is valid until the command ends.\n' +
    'Reads what these credentials may list; nodes alone suffice, and the page says what is missing. It reads no Secrets, and\n' +
    'of ConfigMaps only those of Chandler.\n' +
    'Exit codes: 0 stopped, 1 the cluster cannot be read or the port is in use, 2 usage error.',
  positionals: '',
  examples: [
    { command: 'chandler page', does: 'the page of the current context; open the address that it prints' },
    {
      command: 'chandler page --context production --port 8420',
      does: 'another cluster, on a port of your own',
    },
    {
      command: 'chandler page --port 8420 --token-file ~/.cache/chandler-page',
      does: 'the same address every time',
    },
    { command: 'chandler page --recording run.jsonl', does: 'a recorded run, to go back and forth in' },
    { command: "chandler page -o json | jq -r '.address'", does: 'only the address, for scripts' },
  ],
  options: OPTIONS,
  async run({ options, terminal, env, interrupted, world: openWorld }) {
    const output = options.output.value === 'json' ? 'json' : 'text';
    const { recording } = options;
    if (recording.value !== undefined) {
      const others = OF_CLUSTERS.filter((name) => options[name].source === 'flag');
      if (others.length > 0)
        throw new UsageError(
          others.map((name) => ({
            where: `--${OPTIONS[name].flag}`,
            message: 'cannot be used with --recording, which reads no cluster',
          })),
        );
      const { runRecording } = await import('../page/run-recording.ts');
      const world = await openWorld();
      const { port } = options;
      return runRecording({
        file: recording.value,
        world,
        terminal,
        signal: interrupted,
        port: port.value,
        output,
      });
    }
    // Loaded here because planner and catalogues are large, and other verbs do not need them.
    const { runPage } = await import('../page/run-page.ts');
    const world = await openWorld();
    const kubeconfig = namedKubeconfig(options.kubeconfig);
    const context = options.context.value;
    return runPage({
      live: {
        kubeconfig,
        ...(context === undefined ? {} : { context }),
        env,
        world,
        signal: interrupted,
      },
      terminal,
      port: options.port.value,
      output,
      catalogue: options.catalogue.value,
      tokenFile: options.tokenFile.value,
    });
  },
});
