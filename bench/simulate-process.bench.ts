/**
 * `chandler simulate` on 30 pods and one NodePool with all instance types of Azure: the whole bundled process, from the
 * start of Node.js to its end. Median of nine; the first start, without a compile cache, is reported separately.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const RUNS = 9;
const GOAL_MS = 400;
const PODS = 30;

const folder = mkdtempSync(join(tmpdir(), 'chandler-simulate-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
// A cache of its own: what other processes compiled does not count.
const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
const program = await bundle();
const manifest = join(folder, 'pods.yaml');
writeFileSync(manifest, deployment());
const pool = join(import.meta.dirname, '..', 'examples', 'nodepool.yaml');

const first = simulate();
const runs = Array.from({ length: RUNS }, simulate);
const { summary } = JSON.parse(first.text) as { summary: { placed: number; refused: number } };
const median = runs.map(({ ms }) => ms).sort((a, b) => a - b)[(RUNS - 1) / 2]!;
report({
  name: 'simulate-process',
  figures: {
    firstStartMs: rounded(first.ms),
    startMs: rounded(median),
  },
  goals: { startMs: atMost(median, GOAL_MS) },
  checked: [
    assertWork(summary.placed === PODS && summary.refused === 0, `${PODS} pods are placed`),
    assertWork(new Set(runs.map(({ text }) => text)).size === 1, 'every run gives the same plan'),
  ],
});

function simulate(): { readonly ms: number; readonly text: string } {
  const startedMs = performance.now();
  const args = [program, 'simulate', '-f', manifest, '-f', pool, '-o', 'json'];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 });
  const ms = performance.now() - startedMs;
  if (run.status !== 0) throw new Error(`simulate exited with ${run.status}: ${run.stderr}`);
  return { ms, text: run.stdout };
}

function deployment(): string {
  return `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: ${PODS}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - name: web
        image: registry.example/web
        resources: {requests: {cpu: 500m, memory: 1Gi}}
`;
}
