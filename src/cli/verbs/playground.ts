/** `chandler playground`: a cluster on this machine, until Ctrl-C. What it is made of is in the room `playground/`. */
import { access, constants, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import type { ControllerFiles } from '../../playground/azure/machines/controller-files.ts';
import type { Playground, PlaygroundOptions } from '../../playground/playground.ts';
import type { Environment } from '../../settings/option-table.ts';
import type { Fetch } from '../../world.ts';
import { defineVerb, EXIT_OK, Failure, OUTPUT_OPTION, type Terminal, UsageError } from '../verb.ts';

export const playground = defineVerb({
  name: 'playground',
  summary: 'Run a cluster on this machine, with nothing else installed',
  description:
    'Runs a Kubernetes API server with our kinds, stand-in nodes, a scheduler and the usual controllers in this\n' +
    'process, and writes a kubeconfig for kubectl. No container is run: pods on stand-in nodes only act as if.\n' +
    'Beside it runs an Azure of the same kind: an ARM endpoint on loopback whose VMs boot and become nodes. What a\n' +
    'controller needs to use it is written to azure.env, beside the kubeconfig.\n' +
    'Ctrl-C stops it and removes what it wrote. Objects are lost then, unless --snapshot keeps them; VMs always are.',
  positionals: '',
  examples: [
    { command: 'chandler playground', does: 'three nodes, on any free port' },
    { command: 'chandler playground --snapshot ./playground.snapshot', does: 'go on where it was left' },
    {
      command: 'chandler playground --realistic --fault cse=211@zone=2,rate=0.1',
      does: 'machines that take their time, one in ten of zone 2 fails',
    },
    {
      command: 'chandler playground --write-kubeconfig ./kubeconfig -o json',
      does: 'for scripts: one JSON line when it is ready',
    },
  ],
  options: {
    port: {
      flag: 'port',
      type: 'integer',
      default: 0,
      minimum: 0,
      maximum: 65_535,
      doc: 'Port of the API server; 0 takes any free one',
    },
    host: {
      flag: 'host',
      type: 'string',
      default: '127.0.0.1',
      placeholder: 'ADDRESS',
      doc: 'Address to listen on',
    },
    kubeconfig: {
      flag: 'write-kubeconfig',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'FILE',
      doc: 'Where to write the kubeconfig; default is chandler/playground/kubeconfig in your cache folder',
    },
    nodes: {
      flag: 'nodes',
      type: 'integer',
      default: 3,
      minimum: 0,
      maximum: 1000,
      doc: 'How many stand-in nodes to start with (4 CPU, 16Gi each)',
    },
    snapshot: {
      flag: 'snapshot',
      type: 'string',
      default: undefined as string | undefined,
      placeholder: 'FILE',
      doc: 'Keep all objects in this file: read at the start, written at the end',
    },
    bare: {
      flag: 'bare',
      type: 'boolean',
      default: false,
      doc: 'Only the API server: no nodes, no scheduler, no controllers',
    },
    bootTime: {
      flag: 'boot-time',
      type: 'duration',
      default: undefined as number | undefined,
      minimum: 0,
      doc: 'From the start of a VM to a Ready node; default is 5s, or one to two minutes with --realistic',
    },
    realistic: {
      flag: 'realistic',
      type: 'boolean',
      default: false,
      doc: 'Latencies and throttling of Azure as seen in the field',
    },
    fault: {
      flag: 'fault',
      type: 'list',
      default: [],
      placeholder: 'NAME=VALUE@…',
      doc: 'Something of Azure goes wrong, such as cse=211@zone=2,rate=0.1; may be repeated',
    },
    noAzure: {
      flag: 'no-azure',
      type: 'boolean',
      default: false,
      doc: 'Only the cluster: no Azure beside it',
    },
    output: OUTPUT_OPTION,
  },
  async run({ options, terminal, env, interrupted, world }) {
    const bare = options.bare.value;
    const host = options.host.value;
    const snapshot = options.snapshot.value;
    const file = resolve(
      options.kubeconfig.value ?? join(cacheFolder(env), 'chandler', 'playground', 'kubeconfig'),
    );
    refuseEmpty({ '--host': host, '--write-kubeconfig': options.kubeconfig.value, '--snapshot': snapshot });
    if (!isLoopback(host)) terminal.err(exposureWarning(host));
    if (snapshot !== undefined) await mustBeWritable(resolve(snapshot));
    const azure =
      bare || options.noAzure.value
        ? false
        : await azureOptions(options.bootTime.value, options.realistic.value, options.fault.value);
    const [{ startPlayground }, { writeKubeconfig }, outside] = await Promise.all([
      import('../../playground/playground.ts'),
      import('../../playground/apiserver/edge/kubeconfig.ts'),
      world(),
    ]);
    await refuseToReplaceRunning(file, outside.fetch);
    const nodes = bare ? 0 : options.nodes.value;
    const running = await startPlayground({
      world: outside,
      port: options.port.value,
      host,
      systemNodes: nodes,
      standins: !bare,
      azure,
      ...(snapshot === undefined ? {} : { snapshotFile: resolve(snapshot) }),
    }).catch((error: unknown) => {
      throw failureOf(error, { port: options.port.value, host });
    });
    const content = running.server.kubeconfig;
    let files: ControllerFiles | undefined;
    try {
      await writeKubeconfig(file, content);
      files = await writeAzureFiles(running, file);
    } catch (error) {
      await running.stop();
      throw kubeconfigFailure(error, file);
    }
    const facts = { server: running.url ?? '', kubeconfig: file, nodes, bare, snapshot, files };
    if (options.output.value === 'json') terminal.out(readyLine(running, facts));
    else terminal.out(welcome(facts, terminal, running));
    await aborted(interrupted);
    if (options.output.value === 'text') terminal.err(goodbye(snapshot));
    await stop(running, file, content);
    return EXIT_OK;
  },
});

// ---------------------------------------------------------------------------------------------------

interface Facts {
  readonly server: string;
  readonly kubeconfig: string;
  readonly nodes: number;
  readonly bare: boolean;
  readonly snapshot: string | undefined;
  readonly files: ControllerFiles | undefined;
}

async function azureOptions(
  bootTimeMs: number | undefined,
  realistic: boolean,
  pieces: readonly string[],
): Promise<PlaygroundOptions['azure']> {
  const { readFaultFlags } = await import('../../playground/azure/machines/fault-flags.ts');
  const { faults, problems } = readFaultFlags(pieces);
  if (problems.length > 0) throw new UsageError(problems.map((message) => ({ where: '--fault', message })));
  return { realistic, faults, ...(bootTimeMs === undefined ? {} : { bootTimeMs }) };
}

/** Beside the kubeconfig, and named after it: two playgrounds do not share them. */
function azureFolder(kubeconfig: string): string {
  return `${kubeconfig}-azure`;
}

async function writeAzureFiles(
  { azure, url }: Playground,
  kubeconfig: string,
): Promise<ControllerFiles | undefined> {
  if (azure === undefined || url === undefined) return undefined;
  const { writeControllerFiles } = await import('../../playground/azure/machines/controller-files.ts');
  return writeControllerFiles(azureFolder(kubeconfig), { azure, serverUrl: url, kubeconfig });
}

/** What a script needs; secrets are in the files. */
function azureFacts({ azure }: Playground, files: ControllerFiles): object {
  const { url, settings, credentials } = azure!.arm;
  return {
    endpoint: url,
    region: settings.region,
    tenantId: credentials.tenantId,
    subscriptionId: settings.subscriptionId,
    clientId: credentials.clientId,
    clientSecretFile: files.clientSecretFile,
    caFile: files.caFile,
    envFile: files.envFile,
    clusterName: settings.clusterName,
    clusterResourceGroup: settings.clusterResourceGroup,
    nodeResourceGroup: settings.nodeResourceGroup,
  };
}

function goodbye(snapshot: string | undefined): string {
  return snapshot === undefined
    ? '\nstopping\n'
    : `\nstopping and writing ${snapshot}; Ctrl-C again gives up without writing it\n`;
}

function refuseEmpty(given: Readonly<Record<string, string | undefined>>): void {
  const empty = Object.keys(given).filter((flag) => given[flag] === '');
  if (empty.length > 0) throw new UsageError(empty.map((where) => ({ where, message: 'needs a value' })));
}

/** What cannot be written at the end had better be said at the start. */
async function mustBeWritable(file: string): Promise<void> {
  try {
    // With the dot a plain file in the way is noticed too.
    await access(`${dirname(file)}/.`, constants.W_OK);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`${file} cannot be written (${code}); name another file with --snapshot`);
  }
}

/** A kubeconfig whose playground still answers is the only way into it. */
async function refuseToReplaceRunning(file: string, send: Fetch): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const server = /^\s*server: ["']?(https:\/\/(?:127\.|localhost|\[::1\])[^\s"']*)/m.exec(text)?.[1];
  if (server === undefined || !(await answers(server, send))) return;
  throw new Failure(
    `another playground (${server}) is running and uses ${file}; stop it, or name another file with --write-kubeconfig`,
  );
}

/** Its certificate is its own, so a complaint about that is a sign of life. */
async function answers(server: string, send: Fetch): Promise<boolean> {
  try {
    await send(`${server}/healthz`);
    return true;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string } };
    return /CERT|SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(cause?.code ?? '');
  }
}

function cacheFolder(env: Environment): string {
  const wanted = env['XDG_CACHE_HOME'];
  return wanted ? wanted : join(env['HOME'] || homedir(), '.cache');
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d+){3}$/.test(host);
}

function exposureWarning(host: string): string {
  return (
    `chandler playground: listening on ${host}, so others on the network can reach it; ` +
    'whoever has the kubeconfig can do everything\n'
  );
}

/** One line, for scripts. The token is in the kubeconfig, which only its owner can read. */
function readyLine(running: Playground, { server, kubeconfig, nodes, bare, snapshot, files }: Facts): string {
  const ca = running.server.caPem;
  const azure = files === undefined ? {} : { azure: azureFacts(running, files) };
  const facts = { ready: true, server, kubeconfig, ca, nodes, standins: !bare, ...azure };
  return `${JSON.stringify({ ...facts, ...(snapshot === undefined ? {} : { snapshot }) })}\n`;
}

function welcome(
  { server, kubeconfig, nodes, bare, snapshot, files }: Facts,
  terminal: Terminal,
  { azure }: Playground,
): string {
  const bold = (text: string) => (terminal.color ? `\u001b[1m${text}\u001b[22m` : text);
  const faint = (text: string) => (terminal.color ? `\u001b[2m${text}\u001b[22m` : text);
  const what = bare
    ? 'A Kubernetes API server with our kinds is up. Nothing acts on what you create.'
    : nodes === 0
      ? 'A cluster without nodes is up. Pods wait until there is one.'
      : `A cluster with ${nodes} stand-in node${nodes === 1 ? '' : 's'} is up. Pods are scheduled and become ready; no container is run.`;
  const tries = bare
    ? ['kubectl api-resources', 'kubectl explain nodepool.spec']
    : [
        'kubectl get nodes',
        'kubectl create deployment web --image=nginx --replicas=3',
        'kubectl get pods -o wide --watch',
        'kubectl explain nodepool.spec',
      ];
  return [
    bold(what),
    '',
    `  API server  ${server}`,
    `  kubeconfig  ${kubeconfig}`,
    ...(snapshot === undefined ? [] : [`  snapshot    ${snapshot}`]),
    ...(azure === undefined || files === undefined
      ? []
      : [
          `  Azure       ${azure.arm.url}`,
          `              subscription ${azure.arm.settings.subscriptionId}, tenant ${azure.arm.settings.tenantId},`,
          `              client ${azure.arm.credentials.clientId}, secret in ${files.clientSecretFile},`,
          `              certificate in ${files.caFile}`,
          `  variables   ${files.envFile}`,
        ]),
    '',
    'Try in another terminal:',
    '',
    ...[
      `export KUBECONFIG=${shellWord(kubeconfig)}`,
      ...tries,
      ...(files === undefined
        ? []
        : [`(set -a; . ${shellWord(files.envFile)}; chandler controller --print-options)`]),
    ].map((line) => `  ${line}`),
    '',
    faint('Ctrl-C stops it.'),
    '',
  ].join('\n');
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

function failureOf(error: unknown, at: { port: number; host: string }): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'SnapshotError') {
    return new Failure(`${error.message}; move it away to start afresh, or name another with --snapshot`);
  }
  const advice = LISTEN_ADVICE[(error as NodeJS.ErrnoException).code ?? ''];
  return advice === undefined ? error : new Failure(advice(at));
}

const LISTEN_ADVICE: Readonly<Record<string, ((at: { port: number; host: string }) => string) | undefined>> =
  {
    EADDRINUSE: ({ port, host }) =>
      `port ${port} on ${host} is in use; choose another with --port, or leave it out to get a free one`,
    EACCES: ({ port }) => `port ${port} may not be used by this user; choose one above 1023 with --port`,
    EADDRNOTAVAIL: ({ host }) => `${host} is not an address of this machine; --host 127.0.0.1 always is`,
    ENOTFOUND: ({ host }) => `${host} is not a known host; --host 127.0.0.1 always works`,
  };

function kubeconfigFailure(error: unknown, file: string): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'ForeignKubeconfigError') {
    return new Failure(
      `${file} exists and was not written by a playground, so it is left alone; name another file with --write-kubeconfig`,
    );
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new Failure(`${file} cannot be written (${code}); name another file with --write-kubeconfig`);
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => signal.addEventListener('abort', () => done(), { once: true }));
}

async function stop(running: Playground, file: string, content: string): Promise<void> {
  // Another playground may have written its own there meanwhile.
  const now = await readFile(file, 'utf8').catch(() => undefined);
  if (now === content) {
    await rm(file, { force: true });
    if (running.azure !== undefined) {
      const { removeControllerFiles } = await import('../../playground/azure/machines/controller-files.ts');
      await removeControllerFiles(azureFolder(file));
    }
  }
  try {
    await running.stop();
  } catch (error) {
    if (error instanceof Error && error.name === 'SnapshotError') throw new Failure(error.message);
    throw error;
  }
}
