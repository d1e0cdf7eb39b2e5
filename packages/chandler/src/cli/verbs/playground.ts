/** `chandler playground`: runs a cluster on this machine until Ctrl-C. Its parts are in the modules `playground/` and `operator/`. */
import { resolve } from 'node:path';
import type { PlaygroundOptions } from '../../playground/index.ts';
import { SCENARIOS, type Scenario } from '../../playground/scenarios/index.ts';
import { closestName } from '../../settings/index.ts';

import { asFailure } from '../playground/failures.ts';
import { optionProblems, PLAYGROUND_OPTIONS, type PlaygroundValues, partsOf } from '../playground/options.ts';
import { type ScreenOutput, terminalOutput } from '../playground/screen.ts';
import { type Call, defineVerb, EXIT_OK, UsageError } from '../verb.ts';

export const playground = defineVerb({
  name: 'playground',
  summary: 'Run a simulated cluster on this machine',
  description:
    'Runs a Kubernetes API server, simulated nodes, a scheduler and the workload controllers in this process, and\n' +
    'writes a kubeconfig for kubectl. It needs no cloud and no container runtime: pods become Ready, but no container runs.\n' +
    '\n' +
    'It also runs a simulated Azure (an ARM endpoint on loopback whose VMs boot and register as nodes) and the\n' +
    'controller, which provisions VMs there for pending pods. The controller has its own service account with the\n' +
    'permissions of deploy/rbac.yaml. A NodePool and an AKSNodeClass named "default" exist from the start. The system\n' +
    'nodes run only pods that tolerate the taint CriticalAddonsOnly.\n' +
    '\n' +
    'In a terminal, it shows a full-screen view of NodeClaims, pods, cost and activity. Otherwise, it prints one line per event.\n' +
    'Ctrl-C stops it and removes the files it has written. --snapshot keeps the objects for the next run; VMs are not kept.',
  positionals: '',
  examples: [
    { command: 'chandler playground', does: 'three system nodes and the controller, on a free port' },
    {
      command: 'chandler playground --scenario zone-outage --speed 20',
      does: 'watch a scenario at 20 times real time',
    },
    { command: 'chandler playground --scenario list', does: 'list the scenarios' },
    {
      command: 'chandler playground --snapshot ./playground.snapshot',
      does: 'keep the objects between runs',
    },
    {
      command: 'chandler playground --realistic --fault cse=211@zone=2,rate=0.1',
      does: 'realistic latencies; the bootstrap of one in ten VMs in zone 2 fails',
    },
    {
      command: 'chandler playground --write-kubeconfig ./kubeconfig -o json',
      does: 'for scripts: one JSON line when it is ready, then one per event',
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
    const { scenarioList } = await import('../playground/messages.ts');
    terminal.out(scenarioList(SCENARIOS));
    return EXIT_OK;
  }
  const scenario = scenarioNamed(options.scenario.value);
  const screen = screenOf(options, env['TERM']);
  const azure = await azureOptions(options);
  const [{ runSession }, files, messages, outside] = await Promise.all([
    import('../playground/session.ts'),
    import('../../playground/index.ts'),
    import('../playground/messages.ts'),
    world(),
  ]);
  const host = options.host.value;
  if (!isLoopback(host)) terminal.err(messages.exposureWarning(host));
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
    scenario,
    once: options.once.value,
    speed: options.speed.value ?? scenario?.speed ?? 1,
    snapshot,
    output: options.output.value === 'json' ? 'json' : 'text',
    screen,
  });
}

function scenarioNamed(name: string): Scenario | undefined {
  if (name === '') return undefined;
  const found = SCENARIOS.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = SCENARIOS.map((scenario) => scenario.name);
  const guess = closestName(name, names);
  const hint = guess === undefined ? `available scenarios: ${names.join(', ')}` : `did you mean ${guess}?`;
  throw new UsageError([{ where: '--scenario', message: `unknown scenario '${name}'; ${hint}` }]);
}

function screenOf(
  { view, output, bare }: PlaygroundValues,
  term: string | undefined,
): ScreenOutput | undefined {
  const screen = terminalOutput();
  if (view.value === true && screen === undefined)
    throw new UsageError([{ where: '--view', message: 'requires standard output to be a terminal' }]);
  // A dumb terminal cannot move its cursor, so the view must be requested there with --view.
  const wanted = view.value ?? term !== 'dumb';
  return wanted && output.value === 'text' && !bare.value ? screen : undefined;
}

async function azureOptions(options: PlaygroundValues): Promise<PlaygroundOptions['azure']> {
  if (!partsOf(options).azure) return false;
  const { readFaultFlags } = await import('../../playground/index.ts');
  const { faults, problems } = await readFaultFlags('azure', options.fault.value);
  if (problems.length > 0) throw new UsageError(problems.map((message) => ({ where: '--fault', message })));
  const bootTimeMs = options.bootTime.value;
  return {
    realistic: options.realistic.value,
    faults,
    ...(bootTimeMs === undefined ? {} : { bootTimeMs }),
    server: { metadataEndpoint: options.imds.value },
  };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
