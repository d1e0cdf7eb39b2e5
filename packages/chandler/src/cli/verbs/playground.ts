/** `chandler playground`: runs a cluster on this machine until Ctrl-C. Its parts are in the modules `playground/` and `operator/`. */
import { resolve } from 'node:path';
import type { PlaygroundOptions } from '../../playground/index.ts';
import {
  cloudRow,
  type PlaygroundCloudName,
  SCENARIOS,
  type Scenario,
  scenariosOf,
} from '../../playground/scenarios/index.ts';
import { closestName } from '../../settings/index.ts';

import { asFailure } from '../playground/failures.ts';
import { optionProblems, PLAYGROUND_OPTIONS, type PlaygroundValues, partsOf } from '../playground/options.ts';
import { type ScreenOutput, terminalOutput } from '../terminal/screen.ts';
import { type Call, defineVerb, EXIT_OK, UsageError } from '../verb.ts';

export const playground = defineVerb({
  name: 'playground',
  summary: 'Run a simulated cluster on this machine',
  description:
    'Runs a Kubernetes API server, simulated nodes, a scheduler and the workload controllers in this process, and\n' +
    'writes a kubeconfig for kubectl. It needs no cloud and no container runtime: pods become Ready, but no container runs.\n' +
    '\n' +
    'It also runs a simulated cloud on loopback (Azure by default), whose VMs or instances boot and register as nodes, and\n' +
    'the controller, which provisions them for pending pods. The controller has its own service account with the\n' +
    'permissions of deploy/rbac.yaml. A NodePool and a node class named "default" exist from the start. The system\n' +
    'nodes run only pods that tolerate the taint CriticalAddonsOnly.\n' +
    '\n' +
    'With --cloud both, Azure and AWS are simulated, each with its own controller, lease and NodePool ("default-azure",\n' +
    '"default-aws"). Pods get nodes on Azure; those for AWS select its NodePool and tolerate the taint chandler.sh/cloud.\n' +
    '\n' +
    'In a terminal, it shows a full-screen view of NodeClaims, pods, cost and activity. Otherwise, it prints one line per event.\n' +
    'Ctrl-C stops it and removes the files it has written. --snapshot keeps the objects for the next run; VMs and instances are not kept.',
  positionals: '',
  examples: [
    { command: 'chandler playground', does: 'three system nodes and the controller, on a free port' },
    {
      command: 'chandler playground --scenario zone-outage --speed 20',
      does: 'watch a scenario at 20 times real time',
    },
    { command: 'chandler playground --scenario list', does: 'list the scenarios' },
    {
      command: 'chandler playground --cloud aws --scenario spot-interruption',
      does: 'watch a scenario on a simulated AWS',
    },
    {
      command: 'chandler playground --cloud both',
      does: 'Azure and AWS in one cluster, with two controllers',
    },
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
  const { clouds, controller } = partsOf(options);
  // Scenarios run on one.
  const cloud = clouds.length === 1 ? clouds[0] : undefined;
  if (options.scenario.value === 'list') {
    const { scenarioList } = await import('../playground/messages.ts');
    terminal.out(scenarioList(cloud === undefined ? SCENARIOS : scenariosOf(cloud)));
    return EXIT_OK;
  }
  const scenario = scenarioNamed(options.scenario.value, cloud);
  const screen = screenOf(options, env['TERM']);
  const simulated = await cloudOptions(options, clouds);
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
    simulated,
    controller,
    page: options.page.value,
    scenario,
    once: options.once.value,
    speed: options.speed.value ?? scenario?.speed ?? 1,
    snapshot,
    output: options.output.value === 'json' ? 'json' : 'text',
    screen,
  });
}

/** @throws {UsageError} when there is none of this name on the cloud. */
function scenarioNamed(name: string, cloud: PlaygroundCloudName | undefined): Scenario | undefined {
  if (name === '' || cloud === undefined) return undefined;
  const available = scenariosOf(cloud);
  const found = available.find((scenario) => scenario.name === name);
  if (found !== undefined) return found;
  const names = available.map((scenario) => scenario.name);
  const guess = closestName(name, names);
  const elsewhere = SCENARIOS.find((scenario) => scenario.name === name)?.clouds;
  const hint = guess === undefined ? `available scenarios: ${names.join(', ')}` : `did you mean ${guess}?`;
  const message =
    elsewhere === undefined
      ? `unknown scenario '${name}'; ${hint}`
      : `${name} does not run on ${cloudRow(cloud).title}; use --cloud ${elsewhere.join(' or ')}, or one of: ${names.join(', ')}`;
  throw new UsageError([{ where: '--scenario', message }]);
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

async function cloudOptions(
  options: PlaygroundValues,
  clouds: readonly PlaygroundCloudName[],
): Promise<Pick<PlaygroundOptions, 'azure' | 'aws'>> {
  const { readFaultFlags } = await import('../../playground/index.ts');
  const bootTimeMs = options.bootTime.value;
  const shared = {
    realistic: options.realistic.value,
    ...(bootTimeMs === undefined ? {} : { bootTimeMs }),
  };
  const azure = clouds.includes('azure') ? await readFaultFlags('azure', options.fault.value) : undefined;
  const aws = clouds.includes('aws') ? await readFaultFlags('aws', options.fault.value) : undefined;
  rejectFaults([...(azure?.problems ?? []), ...(aws?.problems ?? [])]);
  const server = { metadataEndpoint: options.imds.value };
  return {
    azure: azure !== undefined && { ...shared, faults: azure.faults, server },
    ...(aws === undefined ? {} : { aws: { ...shared, faults: aws.faults } }),
  };
}

function rejectFaults(problems: readonly string[]): void {
  if (problems.length > 0) throw new UsageError(problems.map((message) => ({ where: '--fault', message })));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}
