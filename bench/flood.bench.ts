/**
 * A flood of 5,000 pending pods in `chandler playground`, which runs API server, scheduler, kubelets, Azure and controller
 * in one process: the longest turn of its event loop from the creation of the Deployment until all pods run, the slowest
 * answer to another client meanwhile, and whether the controller kept its lease.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEPLOYMENTS, KubeClient, loadCredentials, systemClock, undiciTransport } from '@chandler/kube';
import { assertWork, atMost, report, rounded } from './result.ts';

const PODS = 5_000;
const TIMEOUT_MS = 600_000;
const PROBE_INTERVAL_MS = 200;
const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'));
const kubeconfig = join(folder, 'kubeconfig');
const probeFile = join(folder, 'probe.json');

interface Line {
  readonly topic?: string;
  readonly text?: string;
}

const child = spawn(
  process.execPath,
  [
    '--import',
    join(import.meta.dirname, 'event-loop-probe.ts'),
    'packages/chandler/src/cli/main.ts',
    'playground',
    '--write-kubeconfig',
    kubeconfig,
    '-o',
    'json',
  ],
  {
    cwd: join(import.meta.dirname, '..'),
    env: { ...process.env, BENCH_PROBE_FILE: probeFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
const lines: Line[] = [];
createInterface({ input: child.stdout }).on('line', (text) => lines.push(JSON.parse(text) as Line));

async function printed(topic: string, text: string): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  const isThere = () => lines.some((line) => line.topic === topic && line.text?.includes(text) === true);
  while (!isThere()) {
    if (performance.now() > endMs) throw new Error(`the playground never printed "${topic} ${text}"`);
    await sleep(50);
  }
}

await printed('controller', 'is the leader');
await printed('pool', 'is ready');
await sleep(2_000);
child.kill('SIGUSR2');
const credentials = await loadCredentials({ kubeconfig, env: {}, clock: systemClock });
const wire = undiciTransport(credentials);
const client = new KubeClient({ transport: wire.send });
let slowestMs = 0;
let isOver = false;
const other = (async () => {
  while (!isOver) {
    const began = performance.now();
    await client.raw('/healthz');
    slowestMs = Math.max(slowestMs, performance.now() - began);
    await sleep(PROBE_INTERVAL_MS);
  }
})();
const labels = { app: 'flood' };
const resources = { requests: { cpu: '100m', memory: '128Mi' } };
const began = performance.now();
await client.create(DEPLOYMENTS, {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'flood', namespace: 'default' },
  spec: {
    replicas: PODS,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'nginx', resources }] } },
  },
});
await printed('pods', `${PODS} running, 0 pending`);
const seconds = (performance.now() - began) / 1000;
child.kill('SIGUSR2');
isOver = true;
await other;
await wire.close();
child.kill('SIGINT');
const code = await ended;
const { maxMs, p99Ms, maxCpuMs } = JSON.parse(readFileSync(probeFile, 'utf8')) as Record<
  'maxMs' | 'p99Ms' | 'maxCpuMs',
  number
>;
rmSync(folder, { recursive: true, force: true });

report({
  name: 'flood of 5,000 pods in the playground',
  figures: {
    longestTurnMs: rounded(maxMs),
    longestTurnCpuMs: rounded(maxCpuMs),
    p99TurnMs: rounded(p99Ms),
    slowestAnswerMs: rounded(slowestMs),
    seconds: rounded(seconds),
  },
  goals: { longestTurnCpuMs: atMost(maxCpuMs, 250) },
  checked: [
    assertWork(code === 0, `the playground ended in order (exit code ${code})`),
    assertWork(
      !lines.some(({ topic, text }) => topic === 'controller' && text?.includes('lost its lease') === true),
      'the controller kept its lease',
    ),
    `${PODS} pods run`,
  ],
});
