/** The messages of the playground: when it has started, for people and for scripts, and when it stops. */
import type {
  Activity,
  Playground,
  PlaygroundFiles,
  Scenario,
  ScenarioResult,
} from '../../playground/index.ts';
import { shellQuote } from '../../settings/index.ts';
import { clockTime } from '../terminal/paint.ts';
import type { Terminal } from '../verb.ts';

export interface Facts {
  readonly running: Playground;
  readonly files: PlaygroundFiles;
  readonly nodes: number;
  readonly bare: boolean;
  readonly controller: boolean;
  readonly speed: number;
  readonly scenario: Scenario | undefined;
  readonly snapshot: string | undefined;
  /** The address of the page, with its tokens; undefined: there is none. */
  readonly page: string | undefined;
  /** Where pods get their nodes, where there is a choice. */
  readonly placement: string | undefined;
}

/** One line for scripts. The token of the API server is in the kubeconfig, which only its owner can read; those of the page are in its address. */
export function readyLine(facts: Facts): string {
  const { running, files, nodes, bare, controller, speed, scenario, snapshot } = facts;
  const { caPem: ca } = running.server;
  return `${JSON.stringify({
    ready: true,
    server: running.url ?? '',
    kubeconfig: files.kubeconfig,
    ca,
    nodes,
    standins: !bare,
    ...cloudFacts(facts),
    controller,
    ...(controller ? logFacts(files) : {}),
    speed,
    ...(scenario === undefined ? {} : { scenario: scenario.name }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(facts.page === undefined ? {} : { page: facts.page }),
  })}\n`;
}

export function welcome(facts: Facts, terminal: Terminal): string {
  const { running, files, snapshot, controller, scenario } = facts;
  const bold = (text: string) => (terminal.color ? `\u001b[1m${text}\u001b[22m` : text);
  const faint = (text: string) => (terminal.color ? `\u001b[2m${text}\u001b[22m` : text);
  return [
    bold(headline(facts)),
    '',
    `  API server  ${running.url ?? ''}`,
    `  kubeconfig  ${shellQuote(files.kubeconfig)}`,
    ...(facts.page === undefined ? [] : [`  page        ${facts.page}`]),
    ...(snapshot === undefined ? [] : [`  snapshot    ${shellQuote(snapshot)}`]),
    ...cloudLines(facts),
    ...(controller
      ? files.clouds.map(({ log }) => `  controller  starting; writes its log to ${shellQuote(log)}`)
      : []),
    ...(scenario === undefined ? [] : [`  scenario    ${scenario.name}: ${scenario.summary}`]),
    ...(facts.speed === 1 ? [] : [`  time        runs ${facts.speed} times faster than real time`]),
    '',
    'Try these commands in another terminal:',
    '',
    ...[`export KUBECONFIG=${shellQuote(files.kubeconfig)}`, ...suggestedCommands(facts)].map(
      (line) => `  ${line}`,
    ),
    '',
    ...(controller && facts.placement !== undefined ? [facts.placement, ''] : []),
    ...(controller && scenario === undefined && files.clouds.length === 1
      ? [
          `To watch a scenario without kubectl, stop the playground and run: npm start -- ${cloudFlag(facts)}--scenario burst`,
          '',
        ]
      : []),
    faint('Press Ctrl-C to stop.'),
    '',
  ].join('\n');
}

export function goodbye(snapshot: string | undefined): string {
  return snapshot === undefined
    ? '\nstopping\n'
    : `\nstopping; writing ${shellQuote(snapshot)} (press Ctrl-C again to stop without writing it)\n`;
}

/** Printed once more when the view closes, because the view takes its lines with it. */
export function scenarioSummary(result: ScenarioResult): string {
  return result.outcome === 'stopped' ? '' : `\n${scenarioResultText(result)}\n`;
}

export function scenarioResultText(result: Exclude<ScenarioResult, { outcome: 'stopped' }>): string {
  return result.outcome === 'completed'
    ? 'the scenario is complete'
    : `the scenario failed at the step "${result.step}": ${result.why}`;
}

export function speedText(speed: number): string {
  return speed === 1 ? 'time runs as real time does' : `time runs ${speed} times as fast as real time`;
}

export function activityLine({ atMs, topic, text, warning }: Activity, output: string): string {
  if (output === 'json')
    return `${JSON.stringify({ time: new Date(atMs).toISOString(), topic, text, ...(warning ? { warning } : {}) })}\n`;
  return `${clockTime(atMs)}  ${topic.padEnd(10)}  ${text}\n`;
}

export function scenarioList(scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  const lines = scenarios.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
  return `${lines.join('\n')}\n`;
}

export function exposureWarning(host: string): string {
  return (
    `chandler playground: warning: listening on ${host}, which other hosts can reach; ` +
    'the kubeconfig grants full access\n'
  );
}

// ---------------------------------------------------------------------------------------------------

function headline({ bare, nodes, controller, files }: Facts): string {
  if (bare)
    return 'A Kubernetes API server with the Karpenter CRDs is running. No controller acts on the objects you create.';
  const plural = nodes === 1 ? '' : 's';
  const provisions =
    files.clouds.length > 1
      ? `${files.clouds.length} controllers, one for each cloud, that provision`
      : 'a controller that provisions';
  if (controller)
    return `A cluster is running: ${nodes} system node${plural}, and ${provisions} nodes for pending pods. Containers are simulated.`;
  if (nodes === 0) return 'A cluster without nodes is running. Pods stay pending until a node is added.';
  return `A cluster with ${nodes} simulated node${plural} is running. Pods are scheduled and become Ready; containers are simulated.`;
}

function cloudLines({ files }: Facts): readonly string[] {
  return files.clouds.flatMap(({ cloud, files: { envFile } }) => [
    `  ${cloud.title.padEnd(10)}  ${cloud.address}`,
    `  variables   ${shellQuote(envFile)}`,
  ]);
}

/** Empty for the default. */
function cloudFlag({ running: { cloud } }: Facts): string {
  return cloud === undefined || cloud.name === 'azure' ? '' : `--cloud ${cloud.name} `;
}

function suggestedCommands({ bare, controller, files }: Facts): readonly string[] {
  if (bare) return ['kubectl api-resources', 'kubectl explain nodepool.spec'];
  if (controller)
    return [
      'kubectl apply -f examples/playground/general.yaml',
      'kubectl get nodeclaims,nodes,pods',
      'kubectl get events --watch',
    ];
  return [
    'kubectl get nodes',
    'kubectl create deployment web --image=nginx --replicas=3',
    'kubectl get pods -o wide --watch',
    'kubectl explain nodepool.spec',
    ...files.clouds
      .filter(({ cloud }) => cloud.name === 'azure')
      .map(({ files: { envFile } }) => `(set -a; . ${shellQuote(envFile)}; chandler controller)`),
  ];
}

/** For scripts; secrets are only in the files. */
function cloudFacts({ files: { clouds } }: Facts): object {
  const [first, ...others] = clouds;
  if (first === undefined) return { cloud: 'none' };
  const facts = clouds.map(({ cloud, files }) => [cloud.name, cloud.facts(files)]);
  return { cloud: others.length === 0 ? first.cloud.name : 'both', ...Object.fromEntries(facts) };
}

function logFacts({ clouds }: PlaygroundFiles): object {
  if (clouds.length === 1) return { controllerLog: clouds[0]!.log };
  return { controllerLogs: Object.fromEntries(clouds.map(({ cloud, log }) => [cloud.name, log])) };
}
