/**
 * 5,000 nodes and 150,000 pods in a real, bundled `chandler controller` that is the leader and has nothing to
 * do, on AKS or, with `--cloud aws`, on EKS: its memory after everything has been reconciled and scraped, its CPU while nothing changes, and the
 * cost of a scrape with every node and pod. The servers are another process. Linux only: the figures are read
 * from /proc.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startController } from '../test/e2e/controller-process.ts';
import { bundle } from './bundle.ts';
import { type Scrape, scrape } from './held-cluster-scrape.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

const { values } = parseArgs({
  options: {
    cloud: { type: 'string', default: 'azure' },
    nodes: { type: 'string', default: '5000' },
    pods: { type: 'string', default: '150000' },
    /** The timeout for the first reconcile of everything. */
    'settle-seconds': { type: 'string', default: '900' },
    'idle-seconds': { type: 'string', default: '60' },
    inspect: { type: 'boolean', default: false },
  },
});
const SERVERS: Readonly<Record<string, string>> = {
  azure: 'large-cluster.ts',
  aws: 'large-cluster-aws.ts',
};
const serversFile = SERVERS[values.cloud];
if (serversFile === undefined) throw new Error(`--cloud is azure or aws, not ${values.cloud}`);
const NODES = Number(values.nodes);
const PODS = Number(values.pods);
const IDLE_S = Number(values['idle-seconds']);
/** As in a container of that size. */
const MEMORY_LIMIT_BYTES = 400 * 2 ** 20;
const MAX_TURN_MS = 250;
const SCRAPES = 3;
const WINDOW_S = 15;
const RESTING_PERCENT = 2;
/** Of /proc, on every Linux that Node.js runs on. */
const TICKS_PER_SECOND = 100;

const servers = spawn(
  process.execPath,
  ['--max-old-space-size=16000', join(import.meta.dirname, serversFile), values.nodes, values.pods],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
const env = await new Promise<Record<string, string>>((resolve, reject) => {
  createInterface({ input: servers.stdout }).once('line', (line) => {
    resolve((JSON.parse(line) as { env: Record<string, string> }).env);
  });
  servers.once('exit', (code) => reject(new Error(`the servers exited with ${code}`)));
});
let isOver = false;
const settings = {
  ...env,
  HEALTH_PROBE_PORT: '0',
  METRICS_PORT: '0',
  MEMORY_LIMIT: String(MEMORY_LIMIT_BYTES),
  ...(values.inspect ? { ENABLE_PROFILING: 'true' } : {}),
};
const folder = mkdtempSync(join(tmpdir(), 'chandler-held-'));
const probeFile = join(folder, 'probe.json');
const controller = startController(
  { ...settings, BENCH_PROBE_FILE: probeFile },
  ['--disable-leader-election'],
  await bundle(),
  ['--import', join(import.meta.dirname, 'event-loop-probe.ts')],
);
void controller.ended.then((how) => {
  if (isOver) return;
  console.error(`the controller exited with ${how}: ${controller.errors.slice(-3).join(' ')}`);
  console.error(JSON.stringify(controller.lines.slice(-3)));
  process.exit(1);
});
const { metricsPort, healthProbePort } = await controller.said('starting');
const ports = { metrics: Number(metricsPort), probes: Number(healthProbePort) };
// Loading the program is one turn, before anything listens or is read.
const loading = await longestTurn();
const filled = await controller.said('caches synced');
// Without a lease: servers that stall under this load must not end the measurement.
await controller.said('leader election is disabled; run only one replica');
const starting = await longestTurn();
console.error(`longest turns (ms of CPU): loading ${loading.maxCpuMs}, filling ${starting.maxCpuMs}`);
// Each VM of AKS is adopted: what upstream left on it is compared with what the claim says.
const settledAfterSeconds = await settle(Number(values['settle-seconds']));
const adopting = await longestTurn();
const idlePercent = await idle();
// The first scrape adds up the pods of every node; the later ones find the sums.
const scrapes: Scrape[] = [];
const scrapeCpuMs: number[] = [];
for (let at = 0; at < SCRAPES; at++) {
  const beforeMs = cpuMs();
  scrapes.push(await scrape(ports));
  scrapeCpuMs.push(cpuMs() - beforeMs);
  await sleep(5_000);
}
const resident = statusMb('VmRSS');
if (values.inspect) {
  console.error(`metrics and profiles at http://127.0.0.1:${ports.metrics}, process ${controller.pid}`);
}
// The garbage of the scrapes is collected now.
const idleAfterScrapesPercent = await idle();
const peak = statusMb('VmHWM');
const first = scrapes[0]!;
const last = await scrape(ports);
const written = last.writes - first.writes;
const scrapeSeconds = Math.max(...scrapes.map(({ ms }) => ms)) / 1000;
const worstProbeMs = Math.max(...scrapes.map((each) => each.worstProbeMs));
const holding = await longestTurn();
isOver = true;
const code = await controller.signal('SIGTERM');
servers.stdin.end();
rmSync(folder, { recursive: true, force: true });
report({
  name: values.cloud === 'azure' ? 'held-cluster' : `held-cluster-${values.cloud}`,
  figures: {
    nodes: Number(filled['nodes']),
    pods: Number(filled['pods']),
    settledAfterSeconds,
    longestTurnWhileLoadingCpuMs: rounded(loading.maxCpuMs),
    longestTurnWhileFillingMs: rounded(starting.maxMs),
    longestTurnWhileFillingCpuMs: rounded(starting.maxCpuMs),
    longestTurnWhileAdoptingMs: rounded(adopting.maxMs),
    longestTurnWhileAdoptingCpuMs: rounded(adopting.maxCpuMs),
    longestTurnLaterMs: rounded(holding.maxMs),
    longestTurnLaterCpuMs: rounded(holding.maxCpuMs),
    residentMb: rounded(resident),
    peakResidentMb: rounded(peak),
    idleCpuPercent: rounded(idlePercent),
    idleAfterScrapesCpuPercent: rounded(idleAfterScrapesPercent),
    writesWhileIdle: written,
    series: [...last.series.values()].reduce((sum, count) => sum + count, 0),
    scrapeMb: rounded(last.bytes / 1e6),
    scrapeSeconds: rounded(scrapeSeconds),
    scrapeCpuSeconds: rounded(Math.max(...scrapeCpuMs) / 1000),
    probeWaitDuringScrapeMs: rounded(worstProbeMs),
  },
  goals: {
    residentMb: atMost(resident, 400),
    idleCpuPercent: atMost(idlePercent, 2),
    idleAfterScrapesCpuPercent: atMost(idleAfterScrapesPercent, 5),
    longestTurnWhileFillingCpuMs: atMost(starting.maxCpuMs, MAX_TURN_MS),
    longestTurnWhileAdoptingCpuMs: atMost(adopting.maxCpuMs, MAX_TURN_MS),
    longestTurnLaterCpuMs: atMost(holding.maxCpuMs, MAX_TURN_MS),
    scrapeSeconds: atMost(scrapeSeconds, 3),
    probeWaitDuringScrapeMs: atMost(worstProbeMs, MAX_TURN_MS),
  },
  checked: [
    assertWork(Number(filled['pods']) === PODS, 'all pods are in the cache'),
    assertWork(Number(filled['nodes']) === NODES, 'and all nodes'),
    assertWork(last.series.get('karpenter_pods_state') === PODS, 'a scrape shows every pod'),
    assertWork(
      last.series.get('karpenter_nodes_current_lifetime_seconds') === NODES &&
        (last.series.get('karpenter_nodes_allocatable') ?? 0) >= NODES,
      'and every node',
    ),
    assertWork(written === 0, 'nothing was written while nothing changed, leases apart'),
    assertWork(controller.errors.length === 0, 'nothing was said on standard error'),
    assertWork(code === 0, 'it ended in order'),
  ],
});
process.exit(0);

// ---------------------------------------------------------------------------------------------------

/** CPU while nothing changes, in percent of a core, without the probe. */
async function idle(): Promise<number> {
  process.kill(controller.pid, 'SIGWINCH');
  const beforeMs = cpuMs();
  await sleep(IDLE_S * 1000);
  const usedMs = cpuMs() - beforeMs;
  process.kill(controller.pid, 'SIGWINCH');
  return (100 * usedMs) / (IDLE_S * 1000);
}

/** Waits until it is idle: every VM of AKS is read once, at Azure's limit on reads. */
async function settle(maxSeconds: number): Promise<number> {
  for (let seconds = 0; seconds < maxSeconds; seconds += WINDOW_S) {
    const beforeMs = cpuMs();
    await sleep(WINDOW_S * 1000);
    if ((100 * (cpuMs() - beforeMs)) / (WINDOW_S * 1000) < RESTING_PERCENT) return seconds + WINDOW_S;
  }
  throw new Error(`the controller is not idle after ${maxSeconds} seconds`);
}

/** Of the event loop, since the last call. The probe writes its file when it gets the signal. */
async function longestTurn(): Promise<{ readonly maxMs: number; readonly maxCpuMs: number }> {
  rmSync(probeFile, { force: true });
  process.kill(controller.pid, 'SIGUSR2');
  for (let attempt = 0; attempt < 200; attempt++) {
    await sleep(50);
    try {
      return JSON.parse(readFileSync(probeFile, 'utf8')) as { maxMs: number; maxCpuMs: number };
    } catch {
      // Not written yet, or not all of it.
    }
  }
  throw new Error('the probe in the controller did not write its figures');
}

function cpuMs(): number {
  // After the name, which may hold anything: user and system time are the 12th and 13th.
  const fields = readFileSync(`/proc/${controller.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_PER_SECOND;
}

function statusMb(field: string): number {
  const text = readFileSync(`/proc/${controller.pid}/status`, 'utf8');
  return (figureOf(text, new RegExp(`^${field}:\\s+(\\d+) kB`, 'm')) * 1024) / 1e6;
}

function figureOf(text: string, pattern: RegExp): number {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`no line matches ${pattern}`);
  return Number(found);
}
