/**
 * The page that a real, bundled `chandler controller` serves with --page: how much memory and which turns of the event loop it
 * takes from the controller. With 5,000 nodes and 150,000 pods somebody looks at every view and stays; in a small cluster also at
 * what is made in no larger one, a plan and a what-if. The servers are another process. The controller observes, so that turns
 * of its own work are few. Turns are measured by the CPU time of the thread, which other work on the machine does not lengthen.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { startController } from '../test/e2e/controller-process.ts';
import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '150000' },
  },
});
const LARGE = { nodes: Number(values.nodes), pods: Number(values.pods) };
/** Plans and what-if are made in clusters of up to 5,000 pods. */
const SMALL = { nodes: 150, pods: 4_500 };
const MAX_TURN_MS = 100;
const MAX_MORE_MB = 30;

const program = await bundle();
const folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

const large = await withCluster(LARGE, async (cluster) => {
  const without = await withController(cluster, [], ({ heapMb }) => heapMb());
  const withPage = await withController(cluster, ['--page', '--page-port', '0'], async (controller) => {
    const beforeMb = await controller.heapMb();
    const seen = await look(controller, cluster.reader);
    const turnMs = Math.max(await controller.turnMs(), ...seen.turns);
    const afterMb = await controller.heapMb();
    return { beforeMb, afterMb, turnMs, kept: seen.stop(), seen };
  });
  return { without, ...withPage };
});
const small = await withCluster(SMALL, (cluster) =>
  withController(cluster, ['--page', '--page-port', '0'], async (controller) => {
    await controller.turnMs();
    const savings = await ask(controller.pagePort, 'savings', cluster.reader);
    const planTurnMs = await controller.turnMs();
    const whatIf = await ask(controller.pagePort, 'what-if', cluster.reader, manifests());
    const whatIfTurnMs = await controller.turnMs();
    const inYaml = await ask(controller.pagePort, 'what-if', cluster.reader, yamlManifests());
    const yamlTurnMs = await controller.turnMs();
    return { savings, whatIf, inYaml, planTurnMs, whatIfTurnMs, yamlTurnMs };
  }),
);

const moreMb = large.afterMb - large.without;
const turns = {
  lookTurnMs: large.turnMs,
  planTurnMs: small.planTurnMs,
  whatIfTurnMs: small.whatIfTurnMs,
  yamlTurnMs: small.yamlTurnMs,
};
const { nodes, statuses } = large.seen;
report({
  name: 'controller-page',
  figures: {
    ...LARGE,
    heapWithoutPageMb: rounded(large.without),
    heapBeforeLookMb: rounded(large.beforeMb),
    heapAfterLookMb: rounded(large.afterMb),
    moreMb: rounded(moreMb),
    ...Object.fromEntries(Object.entries(turns).map(([name, ms]) => [name, rounded(ms)])),
  },
  goals: {
    moreMb: atMost(Math.max(moreMb, 0.1), MAX_MORE_MB),
    ...Object.fromEntries(Object.entries(turns).map(([name, ms]) => [name, atMost(ms, MAX_TURN_MS)])),
  },
  checked: [
    assertWork(nodes === LARGE.nodes, 'the snapshot has every node'),
    assertWork(
      statuses.every((status) => status === 200),
      'every view was answered',
    ),
    assertWork(large.kept, 'the stream stayed open'),
    assertWork(
      small.savings.status === 200 && keptNodes(small.savings.text) > 0,
      'a plan was made in the small cluster',
    ),
    assertWork(
      small.whatIf.status === 200 && (JSON.parse(small.whatIf.text) as WhatIf).nodes.length > 0,
      'a what-if launches nodes there',
    ),
    assertWork(small.inYaml.text === small.whatIf.text, 'in YAML it has the same answer'),
  ],
});
process.exit(0);

// ---------------------------------------------------------------------------------------------------

interface WhatIf {
  readonly nodes: readonly unknown[];
}

interface Cluster {
  readonly env: Readonly<Record<string, string>>;
  /** The token of somebody who may list everything that the page shows. */
  readonly reader: string;
}

interface Running {
  readonly pagePort: number;
  /** The longest turn since the last call. */
  turnMs(): Promise<number>;
  /** After a collection, which is no turn of the program. */
  heapMb(): Promise<number>;
}

async function withCluster<T>(
  { nodes, pods }: typeof SMALL,
  use: (cluster: Cluster) => Promise<T>,
): Promise<T> {
  const servers = spawn(
    process.execPath,
    [
      '--max-old-space-size=16000',
      join(import.meta.dirname, 'large-cluster.ts'),
      `${nodes}`,
      `${pods}`,
      'with-page',
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  try {
    const cluster = await new Promise<Cluster>((resolve, reject) => {
      createInterface({ input: servers.stdout }).once('line', (line) => resolve(JSON.parse(line) as Cluster));
      servers.once('exit', (code) => reject(new Error(`the servers exited with ${code}`)));
    });
    return await use(cluster);
  } finally {
    servers.stdin.end();
  }
}

async function withController<T>(
  { env }: Cluster,
  args: readonly string[],
  use: (running: Running) => Promise<T>,
): Promise<T> {
  const probeFile = join(folder, 'probe.json');
  const controller = startController(
    { ...env, HEALTH_PROBE_PORT: '0', METRICS_PORT: '0', BENCH_PROBE_FILE: probeFile },
    ['--observe', ...args],
    program,
    ['--expose-gc', '--import', join(import.meta.dirname, 'event-loop-probe.ts')],
  );
  try {
    const { pagePort } = await controller.said('starting');
    await controller.said('caches synced');
    // What the start has left to do.
    await sleep(20_000);
    return await use({
      pagePort: Number(pagePort),
      turnMs: async () => (await readProbe(controller.pid, 'SIGUSR2', probeFile)).maxCpuMs,
      heapMb: async () => (await readProbe(controller.pid, 'SIGXFSZ', probeFile)).heapMb,
    });
  } finally {
    await controller.signal('SIGTERM');
    if (controller.errors.length > 0) console.error(controller.errors.slice(-3).join('\n'));
  }
}

interface Probed {
  readonly maxCpuMs: number;
  readonly heapMb: number;
}

async function readProbe(pid: number, signal: NodeJS.Signals, file: string): Promise<Probed> {
  rmSync(file, { force: true });
  process.kill(pid, signal);
  for (let attempt = 0; attempt < 400; attempt++) {
    await sleep(50);
    try {
      return JSON.parse(readFileSync(file, 'utf8')) as Probed;
    } catch {
      // Not written yet, or not all of it.
    }
  }
  throw new Error('the probe in the controller did not write its figures');
}

/** Every view that is not refused in a large cluster, twice; the stream stays open. */
async function look({ pagePort, turnMs }: Running, token: string) {
  const turns: number[] = [];
  const noteTurn = async (view: string) => {
    const ms = await turnMs();
    console.error(`longest turn (ms of CPU) of ${view}: ${rounded(ms)}`);
    turns.push(ms);
  };
  const snapshot = await ask(pagePort, 'snapshot', token);
  await noteTurn('snapshot');
  const { nodes, epoch, sequence } = JSON.parse(snapshot.text) as {
    readonly nodes: readonly unknown[];
    readonly epoch: string;
    readonly sequence: number;
  };
  const ending = new AbortController();
  const query = new URLSearchParams({ epoch, after: String(sequence) });
  const stream = await fetch(address(pagePort, `stream?${query}`), {
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
  });
  let isOpen = stream.status === 200;
  void stream.body!.pipeTo(new WritableStream()).then(
    () => (isOpen = false),
    () => (isOpen = false),
  );
  const statuses: number[] = [snapshot.status, stream.status];
  const views = ['session', 'pending', 'claims', 'timeline', 'object?subject=NodePool%2Fgeneral'];
  for (const view of [...views, ...views]) {
    statuses.push((await ask(pagePort, view, token)).status);
    await noteTurn(view);
  }
  await sleep(10_000);
  const stop = () => {
    const wasOpen = isOpen;
    ending.abort();
    return wasOpen;
  };
  return { nodes: nodes.length, statuses, turns, stop };
}

async function ask(port: number, path: string, token: string, body?: string) {
  const response = await fetch(address(port, path), {
    headers: { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  return { status: response.status, text: await response.text() };
}

/** Of an answer of Savings: nodes that stay, with a reason. */
function keptNodes(text: string): number {
  const { keeping } = JSON.parse(text) as {
    readonly keeping: readonly { readonly nodes: readonly unknown[] }[];
  };
  return keeping.reduce((sum, { nodes }) => sum + nodes.length, 0);
}

function address(port: number, path: string): string {
  return `http://127.0.0.1:${port}/api/v1/${path}`;
}

/** A what-if at its limits: 49 objects, 490 pods that are spread over zones and nodes. */
function manifests(): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: deployments() });
}

function yamlManifests(): string {
  return deployments()
    .map((deployment) => stringify(deployment))
    .join('---\n');
}

function deployments() {
  return Array.from({ length: 49 }, (_, at) => {
    const labels = { app: `app-${at}` };
    const spread = ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
      maxSkew: 1,
      topologyKey,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: labels },
    }));
    const requests = { cpu: `${100 + at}m`, memory: '100Mi' };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: labels.app },
      spec: {
        replicas: 10,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            topologySpreadConstraints: spread,
            containers: [{ name: 'main', image: 'main', resources: { requests } }],
          },
        },
      },
    };
  });
}
