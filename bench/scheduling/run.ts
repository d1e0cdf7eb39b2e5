/**
 * `npm run bench:scheduling [-- --sizes 1000,5000] [--workloads diverse,field] [--json] [--no-upstream]
 * [--runs 3]`: runs every workload at every size through our engine and through upstream's, each in its own
 * process. Our result is the median of `--runs`; upstream, which takes minutes, runs once with one worker and once with
 * five. The engine uses its defaults; `--effort 0` stops it at its first plan, as upstream does.
 */
import { spawnSync } from 'node:child_process';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { assertWork } from '../result.ts';
import { documentOf, goalsOf, type OwnRun, type Row, tableOf, type UpstreamRuns } from './report.ts';
import { openUpstream, type Upstream } from './upstream.ts';
import { WORKLOADS } from './workloads.ts';

const { values: asked } = parseArgs({
  options: {
    sizes: { type: 'string' },
    workloads: { type: 'string' },
    json: { type: 'boolean', default: false },
    upstream: { type: 'boolean', default: true },
    ours: { type: 'boolean', default: true },
    runs: { type: 'string', default: '3' },
    effort: { type: 'string' },
  },
  allowNegative: true,
});
const say = (line: string) => console.error(line);
const names = asked.workloads?.split(',') ?? Object.keys(WORKLOADS);
const sizes = asked.sizes?.split(',').map(Number);
const runs = Number(asked.runs);
const idleLoad = loadavg()[0]!;
refuseNonsense();

const upstream: Upstream = asked.upstream ? await openUpstream(say) : { missing: 'not requested' };
if ('missing' in upstream) say(`upstream Karpenter is left out: ${upstream.missing}`);

const rows: Row[] = [];
for (const name of names) {
  for (const pods of sizesOf(name)) {
    say(`${name} ${pods} …`);
    rows.push(await measure(name, pods));
  }
}
if (asked.json) {
  console.log(JSON.stringify(documentOf(rows), null, 2));
} else {
  console.log(`${machine()}\n`);
  console.log(tableOf(rows));
  console.log(['', ...goalsOf(rows)].join('\n'));
}

// ---------------------------------------------------------------------------------------------------

/** What the figures depend on. Other work on the machine slows both engines, not always alike: so the load is said. */
function machine(): string {
  return [
    cpus()[0]!.model,
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / 2 ** 30)} GiB`,
    `load ${idleLoad.toFixed(1)} before the start`,
    `Node ${process.version}`,
    ...('missing' in upstream ? [] : [`upstream Karpenter ${upstream.version}`]),
  ].join(', ');
}

function refuseNonsense(): void {
  const unknown = names.filter((name) => !(name in WORKLOADS));
  const bad = [...(sizes ?? []), runs].some((number) => !Number.isSafeInteger(number) || number < 1);
  if (unknown.length === 0 && !bad) return;
  if (unknown.length > 0)
    say(`no workload ${unknown.join(', ')}; there are ${Object.keys(WORKLOADS).join(', ')}`);
  if (bad) say('sizes and runs are whole numbers from 1');
  process.exit(2);
}

/** Asked-for sizes are for the diverse pods; the other workloads are fixed and take part when theirs is named. */
function sizesOf(name: string): readonly number[] {
  const own = WORKLOADS[name]!.sizes;
  if (sizes === undefined) return own;
  return name === 'diverse' || asked.workloads !== undefined
    ? sizes
    : own.filter((size) => sizes.includes(size));
}

async function measure(name: string, pods: number): Promise<Row> {
  const theirs = 'missing' in upstream ? null : await runUpstream(upstream.run, name, pods);
  const ours = asked.ours ? median(Array.from({ length: runs }, () => runOurs(name, pods))) : null;
  return {
    workload: name,
    pods: ours?.pods ?? (await WORKLOADS[name]!.build(pods)).input.pods.length,
    ours,
    upstream: theirs,
  };
}

function runOurs(name: string, pods: number): OwnRun {
  const effort = asked.effort === undefined ? [] : [asked.effort];
  const args = [join(import.meta.dirname, 'solve-one.ts'), name, String(pods), ...effort];
  const run = spawnSync(process.execPath, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  if (run.status !== 0) throw new Error(`our engine failed on ${name} with ${pods} pods`);
  return JSON.parse(run.stdout.trim().split('\n').at(-1)!) as OwnRun;
}

async function runUpstream(
  run: Extract<Upstream, { version: string }>['run'],
  name: string,
  pods: number,
): Promise<UpstreamRuns> {
  const { build, upstreamLimitSeconds } = WORKLOADS[name]!;
  const workload = await build(pods);
  const outcome = run(workload, upstreamLimitSeconds ?? 0);
  for (const { timedOut, placed } of [outcome.one, outcome.five])
    assertWork(timedOut || placed === workload.placeable, 'upstream placed all pods that fit');
  return outcome;
}

function median(outcomes: OwnRun[]): OwnRun {
  const same = new Set(
    outcomes.map(({ placed, nodes, pricePerHour }) => `${placed} ${nodes} ${pricePerHour}`),
  );
  assertWork(same.size === 1, 'the same input gave the same plan every time');
  return outcomes.sort((a, b) => a.ms - b.ms)[Math.floor((outcomes.length - 1) / 2)]!;
}
