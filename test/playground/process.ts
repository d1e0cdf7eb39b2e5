/** `chandler playground` as a separate process, with clients that reach it as a user would. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubeClient, loadCredentials, systemClock, undiciTransport } from '@chandler/kube';
import { Agent, fetch as undiciFetch } from 'undici';

export const ROOT = join(import.meta.dirname, '../..');

export interface Ready {
  readonly ready: boolean;
  readonly server: string;
  readonly kubeconfig: string;
  readonly controller: boolean;
  readonly controllerLog: string;
  readonly azure: {
    readonly endpoint: string;
    readonly tenantId: string;
    readonly clientId: string;
    readonly clientSecretFile: string;
    readonly caFile: string;
    readonly envFile: string;
    readonly subscriptionId: string;
    readonly nodeResourceGroup: string;
  };
}

export interface Line {
  readonly topic?: string;
  readonly text?: string;
  readonly warning?: boolean;
}

export interface PlaygroundProcess {
  /** The printed lines, without the first one. */
  readonly lines: Line[];
  readonly errors: () => string;
  readonly ready: Promise<Ready>;
  readonly exit: Promise<number | null>;
  printed(topic: string, text: string, withinMs?: number): Promise<Line>;
  stop(): Promise<number | null>;
}

/** What is started, and where. Default: the sources. */
export interface ProgramFiles {
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const SOURCES: ProgramFiles = {
  command: [process.execPath, 'packages/chandler/src/cli/main.ts'],
  cwd: ROOT,
  env: process.env,
};

export function startProcess(args: readonly string[], program = SOURCES): PlaygroundProcess {
  const [file, ...first] = program.command;
  const child = spawn(file, [...first, 'playground', '-o', 'json', ...args], {
    cwd: program.cwd,
    env: program.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: Line[] = [];
  let errors = '';
  child.stderr.on('data', (data) => {
    errors += String(data);
  });
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const ready = firstLine(child, lines, exit, () => errors);
  const printed = async (topic: string, text: string, withinMs = 60_000) => {
    const endMs = Date.now() + withinMs;
    for (;;) {
      const found = lines.find((line) => line.topic === topic && line.text?.includes(text));
      if (found !== undefined) return found;
      if (Date.now() > endMs)
        throw new Error(`never printed: ${topic} ${text}\n${JSON.stringify(lines, undefined, 1)}\n${errors}`);
      await systemClock.sleep(50);
    }
  };
  return {
    lines,
    errors: () => errors,
    ready,
    exit,
    printed,
    async stop() {
      child.kill('SIGINT');
      return exit;
    },
  };
}

/** With the credentials of the kubeconfig, over HTTPS. */
export async function clientOf({
  kubeconfig,
}: Ready): Promise<{ client: KubeClient; close(): Promise<void> }> {
  const credentials = await loadCredentials({ kubeconfig, env: {}, clock: systemClock });
  const wire = undiciTransport(credentials);
  return { client: new KubeClient({ transport: wire.send }), close: () => wire.close() };
}

export const API_VERSIONS = {
  'Microsoft.Compute/virtualMachines': '2024-07-01',
  'Microsoft.Compute/disks': '2024-03-02',
  'Microsoft.Network/networkInterfaces': '2024-05-01',
} as const;

/** Names of the resources of a type in the node resource group, read with the credentials of the controller. */
export async function armNames(
  { azure }: Ready,
  type: keyof typeof API_VERSIONS,
): Promise<readonly string[]> {
  const dispatcher = new Agent({ connect: { ca: readFileSync(azure.caFile, 'utf8') } });
  try {
    const answer = await undiciFetch(`${azure.endpoint}/${azure.tenantId}/oauth2/v2.0/token`, {
      method: 'POST',
      dispatcher,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: azure.clientId,
        client_secret: readFileSync(azure.clientSecretFile, 'utf8'),
        scope: `${azure.endpoint}/.default`,
      }).toString(),
    });
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const group = `/subscriptions/${azure.subscriptionId}/resourceGroups/${azure.nodeResourceGroup}`;
    const url = `${azure.endpoint}${group}/providers/${type}?api-version=${API_VERSIONS[type]}`;
    const found = await undiciFetch(url, { dispatcher, headers: { authorization: `Bearer ${token}` } });
    const body = (await found.json()) as { value?: { name: string }[]; error?: object };
    if (body.value === undefined) throw new Error(JSON.stringify(body));
    return body.value.map(({ name }) => name);
  } finally {
    await dispatcher.close();
  }
}

// ---------------------------------------------------------------------------------------------------

function firstLine(
  child: ChildProcess,
  lines: Line[],
  exit: Promise<number | null>,
  errors: () => string,
): Promise<Ready> {
  return new Promise((resolve, reject) => {
    let rest = '';
    let first = true;
    child.stdout!.on('data', (data) => {
      const parts = `${rest}${data}`.split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const parsed = JSON.parse(part) as Ready & Line;
        if (first) resolve(parsed);
        else lines.push(parsed);
        first = false;
      }
    });
    void exit.then((code) => reject(new Error(`ended with code ${code}: ${errors()}`)));
  });
}
