/** What the playground says of itself: when it is up, for people and for scripts, and when it ends. */
import type { Activity, Playground, PlaygroundFiles, Story, StoryEnd } from '../../playground/index.ts';
import type { Terminal } from '../verb.ts';

import { clockTime } from './view.ts';

export interface Facts {
  readonly running: Playground;
  readonly files: PlaygroundFiles;
  readonly nodes: number;
  readonly bare: boolean;
  readonly controller: boolean;
  readonly speed: number;
  readonly story: Story | undefined;
  readonly snapshot: string | undefined;
}

/** One line, for scripts. The token is in the kubeconfig, which only its owner can read. */
export function readyLine(facts: Facts): string {
  const { running, files, nodes, bare, controller, speed, story, snapshot } = facts;
  const { caPem: ca } = running.server;
  return `${JSON.stringify({
    ready: true,
    server: running.url ?? '',
    kubeconfig: files.kubeconfig,
    ca,
    nodes,
    standins: !bare,
    ...(files.azure === undefined ? {} : { azure: azureFacts(facts) }),
    controller,
    ...(controller ? { controllerLog: files.log } : {}),
    speed,
    ...(story === undefined ? {} : { scenario: story.name }),
    ...(snapshot === undefined ? {} : { snapshot }),
  })}\n`;
}

export function welcome(facts: Facts, terminal: Terminal): string {
  const { running, files, snapshot, controller, story } = facts;
  const bold = (text: string) => (terminal.color ? `\u001b[1m${text}\u001b[22m` : text);
  const faint = (text: string) => (terminal.color ? `\u001b[2m${text}\u001b[22m` : text);
  return [
    bold(whatIsUp(facts)),
    '',
    `  API server  ${running.url ?? ''}`,
    `  kubeconfig  ${files.kubeconfig}`,
    ...(snapshot === undefined ? [] : [`  snapshot    ${snapshot}`]),
    ...azureLines(facts),
    ...(controller ? [`  controller  starting; its log is ${files.log}`] : []),
    ...(story === undefined ? [] : [`  scenario    ${story.name}: ${story.summary}`]),
    ...(facts.speed === 1 ? [] : [`  time        runs ${facts.speed} times as fast`]),
    '',
    'Try in another terminal:',
    '',
    ...[`export KUBECONFIG=${shellWord(files.kubeconfig)}`, ...tries(facts)].map((line) => `  ${line}`),
    '',
    ...(controller && story === undefined
      ? ['No kubectl? Stop this, and let it play a story: npm start -- --scenario burst (or list)', '']
      : []),
    faint('Ctrl-C stops it.'),
    '',
  ].join('\n');
}

export function goodbye(snapshot: string | undefined): string {
  return snapshot === undefined
    ? '\nstopping\n'
    : `\nstopping and writing ${snapshot}; Ctrl-C again gives up without writing it\n`;
}

/** After the view, which took its page with it. */
export function storyEnd(end: StoryEnd): string {
  if (end.end === 'failed') return `\nthis did not come: ${end.step} (${end.why})\n`;
  return end.end === 'told' ? '\nthe story is over, as it was told\n' : '';
}

export function newsLine({ atMs, topic, text, warning }: Activity, output: string): string {
  if (output === 'json')
    return `${JSON.stringify({ time: new Date(atMs).toISOString(), topic, text, ...(warning ? { warning } : {}) })}\n`;
  return `${clockTime(atMs)}  ${topic.padEnd(10)}  ${text}\n`;
}

export function storyList(stories: readonly Story[]): string {
  const width = Math.max(...stories.map(({ name }) => name.length));
  const lines = stories.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
  return `${lines.join('\n')}\n`;
}

export function exposureWarning(host: string): string {
  return (
    `chandler playground: listening on ${host}, so others on the network can reach it; ` +
    'whoever has the kubeconfig can do everything\n'
  );
}

// ---------------------------------------------------------------------------------------------------

function whatIsUp({ bare, nodes, controller }: Facts): string {
  if (bare) return 'A Kubernetes API server with our kinds is up. Nothing acts on what you create.';
  const plural = nodes === 1 ? '' : 's';
  if (controller)
    return `A cluster is up: ${nodes} system node${plural}, and a controller that buys machines for pods. No container is run.`;
  if (nodes === 0) return 'A cluster without nodes is up. Pods wait until there is one.';
  return `A cluster with ${nodes} stand-in node${plural} is up. Pods are scheduled and become ready; no container is run.`;
}

function azureLines({ running: { azure }, files }: Facts): readonly string[] {
  if (azure === undefined || files.azure === undefined) return [];
  const { url, settings } = azure.arm;
  return [
    `  Azure       ${url}, subscription ${settings.subscriptionId}`,
    `  variables   ${files.azure.envFile}`,
  ];
}

function tries({ bare, controller, files }: Facts): readonly string[] {
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
    ...(files.azure === undefined
      ? []
      : [`(set -a; . ${shellWord(files.azure.envFile)}; chandler controller)`]),
  ];
}

/** What a script needs; secrets are in the files. */
function azureFacts({ running, files }: Facts): object {
  const { url, settings, credentials } = running.azure!.arm;
  const { clientSecretFile, caFile, envFile } = files.azure!;
  return {
    endpoint: url,
    region: settings.region,
    tenantId: credentials.tenantId,
    subscriptionId: settings.subscriptionId,
    clientId: credentials.clientId,
    clientSecretFile,
    caFile,
    envFile,
    clusterName: settings.clusterName,
    clusterResourceGroup: settings.clusterResourceGroup,
    nodeResourceGroup: settings.nodeResourceGroup,
  };
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
