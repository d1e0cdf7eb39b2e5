/**
 * From `npm start` to a cluster that responds, and to a controller that is its leader: the playground as its
 * own process, best of five.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { assertWork, atMost, report, rounded } from './result.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 5;
const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'));

interface Run {
  readonly readyMs: number;
  readonly leadingMs: number;
  readonly ready: boolean;
  readonly code: number | null;
}

interface Line {
  readonly ready?: boolean;
  readonly topic?: string;
  readonly text?: string;
}

async function start(run: number): Promise<Run> {
  const args = [
    'packages/chandler/src/cli/main.ts',
    'playground',
    '--write-kubeconfig',
    join(folder, `kubeconfig-${run}`),
    '-o',
    'json',
  ];
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  let readyMs = Number.NaN;
  let leadingMs = Number.NaN;
  let ready = false;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    if (line.ready === true) {
      ready = true;
      readyMs = performance.now() - began;
    }
    if (line.topic !== 'controller') continue;
    if (line.text?.startsWith('is the leader') === true) leadingMs = performance.now() - began;
    break;
  }
  child.kill('SIGINT');
  return { readyMs, leadingMs, ready, code: await ended };
}

const runs: Run[] = [];
for (let run = 0; run < RUNS; run++) runs.push(await start(run));
rmSync(folder, { recursive: true, force: true });
const readyMs = Math.min(...runs.map((run) => run.readyMs));
report({
  name: 'playground-start',
  figures: {
    readyMs: rounded(readyMs),
    worstReadyMs: rounded(Math.max(...runs.map((run) => run.readyMs))),
    leadingMs: rounded(Math.min(...runs.map((run) => run.leadingMs))),
  },
  goals: { readyMs: atMost(readyMs, 2_000) },
  checked: [
    assertWork(
      runs.every((run) => run.ready),
      'every start said it was ready',
    ),
    assertWork(
      runs.every((run) => run.leadingMs > 0),
      'every controller came to lead',
    ),
    assertWork(
      runs.every((run) => run.code === 0),
      'every stop was clean',
    ),
  ],
});
