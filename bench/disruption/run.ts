/**
 * `npm run bench:disruption [-- --clusters large-full --candidates 100 --rest 5000 --no-upstream --json]`: our disruption and
 * upstream's on the same clusters. First whole passes: how many candidates are judged per second, and with what decisions.
 * Then quality: what a half empty cluster costs when nothing is left to do. Each run is a process of its own.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assertWork } from '../result.ts';
import { openUpstream, type Upstream } from '../scheduling/upstream.ts';
import { PASS_CLUSTERS, PASS_OPTIONS, passCluster } from './clusters.ts';
import type { OwnPass } from './own-pass.ts';
import type { OwnRest } from './own-rest.ts';
import {
  compareJudgements,
  goalsOf,
  type PassRow,
  passTable,
  type RestRow,
  restTable,
  type SchedulerRow,
  schedulerTable,
  type UpstreamPass,
  type UpstreamRest,
} from './report.ts';
import { checkRest, halfEmptyCluster, priceOf, REST_KINDS } from './rest-cluster.ts';
import type { SchedulerRest } from './scheduler-rest.ts';

const { values: asked } = parseArgs({
  options: {
    clusters: { type: 'string', default: Object.keys(PASS_CLUSTERS).join(',') },
    /** How many candidates upstream judges in a large cluster; 0 for all. */
    candidates: { type: 'string', default: '100' },
    /** Pods of the price workload before half of them are gone; 0 for no run. */
    rest: { type: 'string', default: '5000' },
    kinds: { type: 'string', default: Object.keys(REST_KINDS).join(',') },
    upstream: { type: 'boolean', default: true },
    json: { type: 'boolean', default: false },
  },
  allowNegative: true,
});
const say = (line: string) => console.error(line);
const names = asked.clusters.split(',').filter((name) => name !== '');
const kinds = asked.kinds.split(',');
const maxCandidates = Number(asked.candidates);
const restPods = Number(asked.rest);
const load = loadavg()[0]!;
refuseNonsense();

const upstream: Upstream = asked.upstream ? await openUpstream(say) : { missing: 'not requested' };
if ('missing' in upstream) say(`upstream Karpenter is left out: ${upstream.missing}`);

const passes = names.map(measurePass);
const rests = restPods === 0 ? [] : kinds.map(measureRest);
const scheduled = rests.map(measureScheduled);
if (asked.json) {
  console.log(JSON.stringify({ passes, rests, scheduled }, null, 2));
} else {
  console.log(`${machine()}\n`);
  if (passes.length > 0) console.log(`${passTable(passes)}\n`);
  if (rests.length > 0) console.log(`${restTable(rests)}\n`);
  if (scheduled.length > 0) console.log(`${schedulerTable(scheduled)}\n`);
  console.log(goalsOf(passes, rests, scheduled).join('\n'));
}

// ---------------------------------------------------------------------------------------------------

function measurePass(cluster: string): PassRow {
  say(`a pass over ${cluster} …`);
  const theirs =
    'missing' in upstream
      ? null
      : (upstream.disrupt({ mode: 'pass', input: passCluster(cluster), maxCandidates }) as UpstreamPass);
  const judged = theirs?.judged.map(({ node }) => node) ?? [];
  const ours = child<OwnPass>('own-pass.ts', cluster, judged.join(','));
  assertWork(ours.candidates === ours.nodes, 'every node is a candidate and was judged');
  if (theirs === null) return { cluster, ours, upstream: null, same: null };
  assertWork(theirs.candidates === ours.candidates, 'both sides have the same candidates');
  assertWork(ours.judged.length === theirs.judged.length, 'both sides judged the same nodes');
  return { cluster, ours, upstream: theirs, same: compareJudgements(ours.judged, theirs.judged) };
}

function measureRest(kind: string): RestRow {
  say(`to rest: ${kind} …`);
  const ours = child<OwnRest>('own-rest.ts', String(restPods), kind);
  if ('missing' in upstream) return { kind, ours, upstream: null };
  return { kind, ours, upstream: upstreamRest(kind, 'rest', '100%') };
}

function upstreamRest(kind: string, mode: 'rest' | 'scheduled', budget: string): UpstreamRest {
  if ('missing' in upstream) throw new Error(upstream.missing);
  const { spotToSpot } = REST_KINDS[kind]!;
  const { input, pods } = halfEmptyCluster(restPods, REST_KINDS[kind]!, budget);
  const theirs = upstream.disrupt({ mode, input, spotToSpot }) as UpstreamRest;
  checkRest(theirs.nodes, pods);
  assertWork(
    Math.abs(priceOf(theirs.nodes) - theirs.pricePerHour) < 1e-6,
    "upstream's price is that of its nodes",
  );
  return theirs;
}

function measureScheduled({ kind, ours: { boundPerHour } }: RestRow): SchedulerRow {
  say(`to rest with kube-scheduler: ${kind} …`);
  const [ours, one] = [[], ['1']].map((max) =>
    child<SchedulerRest>('scheduler-rest.ts', String(restPods), kind, ...max),
  );
  if ('missing' in upstream) return { kind, boundPerHour, ours: ours!, one: one!, upstream: null };
  return { kind, boundPerHour, ours: ours!, one: one!, upstream: upstreamRest(kind, 'scheduled', '10%') };
}

function child<T>(file: string, ...args: string[]): T {
  const run = spawnSync(process.execPath, [join(import.meta.dirname, file), ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (run.status !== 0) throw new Error(`${file} ${args[0]} failed`);
  return JSON.parse(run.stdout.trim().split('\n').at(-1)!) as T;
}

/** What the figures depend on; other work on the machine slows both sides, not always alike. */
function machine(): string {
  return [
    cpus()[0]!.model,
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `load ${load.toFixed(1)} before the start`,
    `Node ${process.version}`,
    `options ${JSON.stringify(PASS_OPTIONS)}`,
    ...('missing' in upstream ? [] : [`upstream Karpenter ${upstream.version}`]),
  ].join(', ');
}

function refuseNonsense(): void {
  const unknown = [
    ...names.filter((name) => !(name in PASS_CLUSTERS)),
    ...kinds.filter((name) => !(name in REST_KINDS)),
  ];
  const bad = [maxCandidates, restPods].some((number) => !Number.isSafeInteger(number) || number < 0);
  if (unknown.length === 0 && !bad) return;
  if (unknown.length > 0)
    say(
      `no ${unknown.join(', ')}; clusters are ${Object.keys(PASS_CLUSTERS).join(', ')}, kinds are ${Object.keys(REST_KINDS).join(', ')}`,
    );
  if (bad) say('--candidates and --rest are whole numbers from 0');
  process.exit(2);
}
