/** From `npm start` to a cluster that answers: the playground as a process of its own, best of five. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assertWork, atMost, report, rounded } from './result.ts';

const ROOT = join(import.meta.dirname, '..');
const RUNS = 5;
const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'));

async function start(run: number): Promise<{ ms: number; ready: boolean; code: number | null }> {
  const args = [
    'src/cli/main.ts',
    'playground',
    '--write-kubeconfig',
    join(folder, `kubeconfig-${run}`),
    '-o',
    'json',
  ];
  const began = performance.now();
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise<string>((resolve) =>
    child.stdout.once('data', (data) => resolve(String(data))),
  );
  const ms = performance.now() - began;
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  return { ms, ready: (JSON.parse(line) as { ready: boolean }).ready, code: await ended };
}

const runs = [];
for (let run = 0; run < RUNS; run++) runs.push(await start(run));
rmSync(folder, { recursive: true, force: true });
const readyMs = Math.min(...runs.map((run) => run.ms));
report({
  name: 'playground-start',
  figures: { readyMs: rounded(readyMs), worstReadyMs: rounded(Math.max(...runs.map((run) => run.ms))) },
  goals: { readyMs: atMost(readyMs, 2_000) },
  checked: [
    assertWork(
      runs.every((run) => run.ready),
      'every start said it was ready',
    ),
    assertWork(
      runs.every((run) => run.code === 0),
      'every stop was clean',
    ),
  ],
});
