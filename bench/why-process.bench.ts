/**
 * `chandler why` from a dump: the whole bundled process, from the start of Node.js to its end. Clusters with
 * 300 and 5,000 nodes and objects of realistic size; for a pending pod (which needs the engine), a crashing
 * pod and a healthy node. Median of nine; the first start, without a compile cache, is reported separately.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { azureDiagnosis } from '../packages/chandler/src/cloud/azure/index.ts';
import { dumpReader, encodeDump, makeDump } from '../packages/chandler/src/diagnose/index.ts';

import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { clusterOf, lifeSized, wholeDump } from './why-cluster.ts';

const RUNS = 9;
const GOAL_MS = 300;
const SIZES = [300, 5000];
const QUESTIONS = {
  waiting: { words: ['pod/waiting', '-n', 'shop'], verdict: 'broken', cause: 'L6.4' },
  crashing: { words: ['pod/crashing', '-n', 'shop'], verdict: 'broken', cause: 'L7.2' },
  node: { words: ['node/aks-default-n1'], verdict: 'healthy', cause: undefined },
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
  for (const [name, { words, verdict, cause }] of Object.entries(QUESTIONS)) {
    const warmed = ask(file, words);
    first ??= warmed.ms;
    const answer = JSON.parse(warmed.text) as { verdict: string; cause?: { id: string } };
    const right = answer.verdict === verdict && answer.cause?.id === cause;
    checked.push(assertWork(right, `of ${nodes} nodes, ${words[0]} is ${verdict} (${cause ?? 'no cause'})`));
    const times = Array.from({ length: RUNS }, () => ask(file, words).ms).sort((a, b) => a - b);
    const median = times[(RUNS - 1) / 2]!;
    figures[`${name}Ms${nodes}`] = rounded(median);
    goals[`${name}Ms${nodes}`] = atMost(median, GOAL_MS);
  }
}
report({ name: 'why-process', figures: { firstStartMs: rounded(first!), ...figures }, goals, checked });

function ask(file: string, words: readonly string[]): { readonly ms: number; readonly text: string } {
  const startedMs = performance.now();
  const args = [program, 'why', ...words, '--dump', file, '-o', 'json'];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 });
  const ms = performance.now() - startedMs;
  if (run.status !== 0) throw new Error(`why exited with ${run.status}: ${run.stderr}`);
  return { ms, text: run.stdout };
}

async function dumpFile(nodes: number): Promise<string> {
  const reader = dumpReader(wholeDump(clusterOf(nodes, lifeSized)));
  const dump = await makeDump({ reader, cloud: azureDiagnosis(), madeBy: 'bench' });
  const file = join(folder, `${nodes}.json.gz`);
  const plain = encodeDump(dump, false);
  figures[`dumpMiB${nodes}`] = rounded(plain.length / 2 ** 20);
  writeFileSync(file, encodeDump(dump, true));
  return file;
}
