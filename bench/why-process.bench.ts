/**
 * `chandler why`: the whole bundled process, from the start of Node.js to its end. From dumps of clusters with 300 and 5,000
 * nodes, 30 pods on each and 20 NodePools of teams, with objects of realistic size; and of the larger cluster, with small
 * objects, over a socket, where the server takes its share of the same cores. For a pending pod (which needs the engine), one
 * with a topology spread, a crashing pod, a healthy node and a healthy NodePool. Median of nine; the first start, without a
 * compile cache, is reported separately.
 */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { azureDiagnosis } from '../packages/chandler/src/cloud/azure/index.ts';
import { dumpReader, encodeDump, makeDump } from '../packages/chandler/src/diagnose/index.ts';

import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { clusterOf, lifeSized, wholeDump } from './why-cluster.ts';
import { serve } from './why-server.ts';

const RUNS = 9;
const DUMP_GOAL_MS = 300;
const LIVE_GOAL_MS = 1000;
const SIZES = [300, 5000];
const WORKLOAD = { podsPerNode: 30, pools: 20 };
const QUESTIONS = {
  waiting: { words: ['pod/waiting', '-n', 'shop'], verdict: 'broken', cause: 'L6.4' },
  spread: { words: ['pod/spread', '-n', 'shop'], verdict: 'broken', cause: 'L6.4' },
  crashing: { words: ['pod/crashing', '-n', 'shop'], verdict: 'broken', cause: 'L7.2' },
  node: { words: ['node/aks-default-n1'], verdict: 'healthy', cause: undefined },
  pool: { words: ['nodepool/default'], verdict: 'healthy', cause: undefined },
} as const;

const folder = mkdtempSync(join(tmpdir(), 'chandler-why-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// A cache of its own: what other processes compiled does not count.
const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
const program = await bundle();

const figures: Record<string, number> = {};
const goals: Record<string, ReturnType<typeof atMost>> = {};
const checked: string[] = [];
let first: number | undefined;
for (const nodes of SIZES) {
  const file = await dumpFile(nodes);
  await askAll(`${nodes}`, ['--dump', file], DUMP_GOAL_MS);
}
// Of a healthy NodePool of a live cluster, the process also plans the whole cluster: `disruption` measures that.
const server = await serve(dumpReader(wholeDump(clusterOf(SIZES.at(-1)!, undefined, WORKLOAD))));
await askAll(`Live${SIZES.at(-1)}`, ['--kubeconfig', kubeconfig(server.url)], LIVE_GOAL_MS, 'pool');
server.close();
report({ name: 'why-process', figures: { firstStartMs: rounded(first!), ...figures }, goals, checked });

async function askAll(
  where: string,
  source: readonly string[],
  goalMs: number,
  without?: keyof typeof QUESTIONS,
): Promise<void> {
  for (const [name, { words, verdict, cause }] of Object.entries(QUESTIONS)) {
    if (name === without) continue;
    const warmed = await ask(source, words);
    first ??= warmed.ms;
    const answer = JSON.parse(warmed.text) as { verdict: string; cause?: { id: string } };
    const right = answer.verdict === verdict && answer.cause?.id === cause;
    checked.push(assertWork(right, `${where}: ${words[0]} is ${verdict} (${cause ?? 'no cause'})`));
    const times: number[] = [];
    for (let run = 0; run < RUNS; run++) times.push((await ask(source, words)).ms);
    const median = times.sort((a, b) => a - b)[(RUNS - 1) / 2]!;
    figures[`${name}Ms${where}`] = rounded(median);
    goals[`${name}Ms${where}`] = atMost(median, goalMs);
  }
}

async function ask(
  source: readonly string[],
  words: readonly string[],
): Promise<{ readonly ms: number; readonly text: string }> {
  const startedMs = performance.now();
  const args = [program, 'why', ...words, ...source, '-o', 'json'];
  const run = await promisify(execFile)(process.execPath, args, {
    encoding: 'utf8',
    env,
    maxBuffer: 2 ** 26,
  });
  return { ms: performance.now() - startedMs, text: run.stdout };
}

/** With the pods of the namespace that a topology spread counts. */
async function dumpFile(nodes: number): Promise<string> {
  const reader = dumpReader(wholeDump(clusterOf(nodes, lifeSized, WORKLOAD)));
  const dump = await makeDump({ reader, cloud: azureDiagnosis(), madeBy: 'bench', namespaces: ['shop'] });
  const file = join(folder, `${nodes}.json.gz`);
  const plain = encodeDump(dump, false);
  figures[`dumpMiB${nodes}`] = rounded(plain.length / 2 ** 20);
  writeFileSync(file, encodeDump(dump, true));
  return file;
}

function kubeconfig(url: string): string {
  const file = join(folder, 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bench',
    clusters: [{ name: 'bench', cluster: { server: url } }],
    contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    users: [{ name: 'bench', user: { token: 'bench' } }],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
