/** `chandler playground`: a cluster on this machine, until Ctrl-C. What it is made of is in the rooms `playground/` and `operator/`. */
import { resolve } from 'node:path';
import type { PlaygroundOptions } from '../../playground/index.ts';
import { STORIES, type Story } from '../../playground/scenarios/index.ts';
import { closestName } from '../../settings/index.ts';

import { asFailure } from '../playground/failures.ts';
import { optionProblems, PLAYGROUND_OPTIONS, type PlaygroundValues, partsOf } from '../playground/options.ts';
import { type ScreenOutput, terminalOutput } from '../playground/screen.ts';
import { type Call, defineVerb, EXIT_OK, UsageError } from '../verb.ts';

export const playground = defineVerb({
  name: 'playground',
  summary: 'Run a cluster on this machine, with nothing else installed',
  description:
    'Runs a Kubernetes API server with our kinds, stand-in nodes, a scheduler and the usual controllers in this\n' +
    'process, and writes a kubeconfig for kubectl. No container is run: pods on stand-in nodes only act as if.\n' +
    'Beside it runs an Azure of the same kind: an ARM endpoint on loopback whose VMs boot and become nodes; and the\n' +
    'controller, which buys VMs there for pods that find no node. It runs as its own service account, with the rights\n' +
    'of deploy/rbac.yaml. A NodePool and an AKSNodeClass are there; system nodes take only system pods.\n' +
    'In a terminal, machines, pods, price and news are shown in place; elsewhere they are lines.\n' +
    'Ctrl-C stops it and removes what it wrote. Objects are lost then, unless --snapshot keeps them; VMs always are.',
  positionals: '',
  examples: [
    { command: 'chandler playground', does: 'three system nodes, a controller, on any free port' },
    {
      command: 'chandler playground --scenario zone-outage --speed 20',
      does: 'watch a story, twenty times as fast',
    },
    { command: 'chandler playground --scenario list', does: 'which stories there are' },
    { command: 'chandler playground --snapshot ./playground.snapshot', does: 'go on where it was left' },
    {
      command: 'chandler playground --realistic --fault cse=211@zone=2,rate=0.1',
      does: 'machines that take their time, one in ten of zone 2 fails',
    },
    {
      command: 'chandler playground --write-kubeconfig ./kubeconfig -o json',
      does: 'for scripts: a JSON line when it is ready, then one for everything that happens',
    },
  ],
  options: PLAYGROUND_OPTIONS,
  run: (call) =>
    runPlayground(call).catch((error: unknown) => {
      throw asFailure(error);
    }),
});

// ---------------------------------------------------------------------------------------------------

async function runPlayground({
  options,
  terminal,
  env,
  interrupted,
  world,
}: Call<typeof PLAYGROUND_OPTIONS>): Promise<number> {
  const problems = optionProblems(options);
  if (problems.length > 0) throw new UsageError(problems);
  if (options.scenario.value === 'list') {
    const { storyList } = await import('../playground/words.ts');
    terminal.out(storyList(STORIES));
    return EXIT_OK;
  }
  const story = storyOf(options.scenario.value);
  const screen = screenOf(options, env['TERM']);
  const azure = await azureOptions(options);
  const [{ runSession }, files, words, outside] = await Promise.all([
    import('../playground/session.ts'),
    import('../../playground/index.ts'),
    import('../playground/words.ts'),
    world(),
  ]);
  const host = options.host.value;
  if (!isLoopback(host)) terminal.err(words.exposureWarning(host));
  const snapshot = options.snapshot.value === undefined ? undefined : resolve(options.snapshot.value);
  if (snapshot !== undefined) await files.mustBeWritable(snapshot);
  const kubeconfig = resolve(options.kubeconfig.value ?? files.defaultKubeconfig(env));
  await files.refuseToReplaceRunning(kubeconfig, outside.fetch);
  return runSession({
    world: outside,
    terminal,
    interrupted,
    port: options.port.value,
    host,
    kubeconfig,
    nodes: options.bare.value ? 0 : options.nodes.value,
    bare: options.bare.value,
    azure,
    controller: partsOf(options).controller,
    story,
    once: options.once.value,
    speed: options.speed.value ?? story?.speed ?? 1,
    snapshot,
    output: options.output.value === 'json' ? 'json' : 'text',
    screen,
  });
}

function storyOf(name: string): Story | undefined {
  if (name === '') return undefined;
  const found = STORIES.find((story) => story.name === name);
  if (found !== undefined) return found;
  const names = STORIES.map((story) => story.name);
  const guess = closestName(name, names);
  const hint = guess === undefined ? `there are: ${names.join(', ')}` : `did you mean ${guess}?`;
  throw new UsageError([{ where: '--scenario', message: `there is no story '${name}'; ${hint}` }]);
}

function screenOf(
  { view, output, bare }: PlaygroundValues,
  term: string | undefined,
): ScreenOutput | undefined {
  const screen = terminalOutput();
  if (view.value === true && screen === undefined)
    throw new UsageError([{ where: '--view', message: 'standard output is no terminal' }]);
  // A dumb terminal cannot move its cursor; who asks for the view all the same gets it.
  const wanted = view.value ?? term !== 'dumb';
  return wanted && output.value === 'text' && !bare.value ? screen : undefined;
}

async function azureOptions(options: PlaygroundValues): Promise<PlaygroundOptions['azure']> {
  if (!partsOf(options).azure) return false;
  const { readFaultFlags } = await import('../../playground/index.ts');
  const { faults, problems } = readFaultFlags(options.fault.value);
  if (problems.length > 0) throw new UsageError(problems.map((message) => ({ where: '--fault', message })));
  const bootTimeMs = options.bootTime.value;
  return { realistic: options.realistic.value, faults, ...(bootTimeMs === undefined ? {} : { bootTimeMs }) };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
