/**
 * 5,000 nodes and 150,000 pods held by a real `chandler controller`, bundled as it ships, that leads and has nothing to do: its memory after it
 * has looked at everything, and the CPU it takes while nothing changes. The servers are another process. Linux only: what
 * the process takes is read from /proc.
 */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startController } from '../test/e2e/controller-process.ts';
import { bundle } from './bundle.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '150000' },
    'settle-seconds': { type: 'string', default: '240' },
    'idle-seconds': { type: 'string', default: '120' },
    inspect: { type: 'boolean', default: false },
  },
});
const NODES = Number(values.nodes);
const PODS = Number(values.pods);
const IDLE_S = Number(values['idle-seconds']);
/** As a container of that size would have it. */
const MEMORY_LIMIT_BYTES = 400 * 2 ** 20;
/** Of /proc, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

const servers = spawn(
  process.execPath,
  ['--max-old-space-size=16000', join(import.meta.dirname, 'large-cluster.ts'), values.nodes, values.pods],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const env = await new Promise<Record<string, string>>((resolve, reject) => {
  createInterface({ input: servers.stdout }).once('line', (line) => {
    resolve((JSON.parse(line) as { env: Record<string, string> }).env);
  });
  servers.once('exit', (code) => reject(new Error(`the servers ended with ${code}`)));
});
let isOver = false;
const settings = {
  ...env,
  HEALTH_PROBE_PORT: '0',
  METRICS_PORT: '0',
  MEMORY_LIMIT: String(MEMORY_LIMIT_BYTES),
  // At this size a page with every node and pod on it would be hundreds of megabytes for whoever scrapes.
  DISABLE_CLUSTER_STATE_OBSERVABILITY: 'true',
  ...(values.inspect ? { ENABLE_PROFILING: 'true' } : {}),
};
const controller = startController(settings, ['--disable-leader-election'], await bundle());
void controller.ended.then((how) => {
  if (isOver) return;
  console.error(`the controller ended with ${how}: ${controller.errors.slice(-3).join(' ')}`);
  console.error(JSON.stringify(controller.lines.slice(-3)));
  process.exit(1);
});
const { metricsPort } = await controller.said('starting');
const filled = await controller.said('caches are filled');
// Without a lease: servers that stall under this load must not end the measurement.
await controller.said('leader election is switched off: there must be no other replica');
await sleep(Number(values['settle-seconds']) * 1000);
const resident = statusMb('VmRSS');
const peak = statusMb('VmHWM');
const first = await metrics();
const before = { cpuMs: cpuMs() };
if (values.inspect) {
  console.error(`metrics and profiles at http://127.0.0.1:${metricsPort}, process ${controller.pid}`);
}
await sleep(IDLE_S * 1000);
const idlePercent = (100 * (cpuMs() - before.cpuMs)) / (IDLE_S * 1000);
const written = writesIn(await metrics()) - writesIn(first);
isOver = true;
const code = await controller.signal('SIGTERM');
servers.stdin.end();
report({
  name: 'held-cluster',
  figures: {
    nodes: Number(filled['nodes']),
    pods: Number(filled['pods']),
    residentMb: rounded(resident),
    peakResidentMb: rounded(peak),
    idleCpuPercent: rounded(idlePercent),
    writesWhileIdle: written,
  },
  goals: { residentMb: atMost(resident, 400), idleCpuPercent: atMost(idlePercent, 5) },
  checked: [
    assertWork(Number(filled['pods']) === PODS, 'all pods are in the cache'),
    assertWork(Number(filled['nodes']) === NODES, 'and all nodes'),
    assertWork(written === 0, 'nothing was written while nothing changed, leases apart'),
    assertWork(controller.errors.length === 0, 'nothing was said on standard error'),
    assertWork(code === 0, 'it ended in order'),
  ],
});
process.exit(0);

// ---------------------------------------------------------------------------------------------------

function cpuMs(): number {
  // After the name, which may hold anything: user and system time are the 12th and 13th.
  const fields = readFileSync(`/proc/${controller.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function statusMb(field: string): number {
  const text = readFileSync(`/proc/${controller.pid}/status`, 'utf8');
  return figureOf(text, new RegExp(`^${field}:\\s+(\\d+) kB`, 'm')) / 1024;
}

async function metrics(): Promise<string> {
  return (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
}

function writesIn(page: string): number {
  return page
    .split('\n')
    .filter((line) => line.startsWith('client_go_request_duration_seconds_count{'))
    .filter((line) => !/verb="(get|list|watch)"/i.test(line) && !line.includes('kind="leases"'))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

function figureOf(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`nothing looks like ${pattern}`);
  return Number(found);
}
