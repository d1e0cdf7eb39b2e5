/**
 * `npm run test:upstream`: plans random clusters with Chandler and with upstream Karpenter's scheduler, and counts how the
 * plans differ. Exits with 1 when a limit is exceeded. Without Go it prints that it was skipped, and why, and succeeds.
 * Options: `--seeds 0-9999`, `--print <seed>` (both plans side by side), `-o json`. An interrupted run continues.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { podRefusalText, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { buildUpstream } from './build.ts';
import { mayBeLuck } from './classify.ts';
import { judge, judgeTypical, outcomeOf, type Verdict } from './judge.ts';
import { requestOf } from './objects.ts';
import { randomCluster } from './random-cluster.ts';
import { readUpstreamPlan } from './read-plan.ts';
import { clusterText, sideBySide } from './side-by-side.ts';
import { summarize, summaryTable } from './summary.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** Upstream breaks ties by the order of Go's maps: its best plan of a few is compared. */
const RUNS = 3;
/** Where that one may place more pods by luck, the median of so many is. */
const TYPICAL_RUNS = 31;
/** Clusters between two notes of the progress. */
const STEP = 500;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '0-1999' },
    print: { type: 'string' },
    output: { type: 'string', short: 'o', default: 'table' },
  },
});
const range = /^(\d+)-(\d+)$/.exec(values.seeds);
const isUsable = range !== null && Number(range[1]) <= Number(range[2]);
if (!isUsable || !['table', 'json'].includes(values.output) || !/^\d*$/.test(values.print ?? '')) {
  console.error('usage: test:upstream [--seeds <first>-<last>] [--print <seed>] [-o table|json]');
  process.exit(2);
}

const say = (line: string) => console.error(`test:upstream: ${line}`);
const built = await buildUpstream(say);
if ('missing' in built) {
  say(`*** SKIPPED *** ${built.missing}`);
  say('install Go, and allow it to download modules, to compare with upstream');
} else {
  const upstream = startUpstream(built.binary);
  if (values.print === undefined) {
    const verdicts = await run(upstream, Number(range[1]), Number(range[2]));
    const summary = summarize(verdicts, built.version, values.seeds);
    console.log(values.output === 'json' ? JSON.stringify(summary, null, 2) : summaryTable(summary));
    process.exitCode = summary.exceeded.length === 0 ? 0 : 1;
  } else await print(upstream, Number(values.print));
  upstream.close();
}

// ---------------------------------------------------------------------------------------------------

async function run(upstream: Upstream, first: number, last: number): Promise<readonly Verdict[]> {
  const file = progressFile(first, last);
  const verdicts: Verdict[] = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Verdict[]) : [];
  if (verdicts.length > 0) say(`continuing at seed ${first + verdicts.length}`);
  const ask = (seed: number) =>
    seed > last ? undefined : upstream.plans(requestOf(randomCluster(seed).input, seed, RUNS));
  let answer = ask(first + verdicts.length);
  for (let seed = first + verdicts.length; seed <= last; seed += 1) {
    const plans = (await answer)!;
    // Upstream plans the next cluster while this one is checked.
    answer = ask(seed + 1);
    const verdict = judge(seed, randomCluster(seed).input, plans);
    verdicts.push(mayBeLuck(verdict) ? await typical(upstream, seed) : verdict);
    if (seed % STEP === STEP - 1) {
      writeFileSync(file, JSON.stringify(verdicts));
      say(`${verdicts.length} of ${last - first + 1}`);
    }
  }
  rmSync(file, { force: true });
  return verdicts;
}

async function typical(upstream: Upstream, seed: number): Promise<Verdict> {
  const { input } = randomCluster(seed);
  return judgeTypical(seed, input, await upstream.plans(requestOf(input, seed, TYPICAL_RUNS)));
}

function progressFile(first: number, last: number): string {
  const folder = join(tmpdir(), 'chandler-deep');
  mkdirSync(folder, { recursive: true });
  return join(folder, `upstream-${first}-${last}.json`);
}

async function print(upstream: Upstream, seed: number): Promise<void> {
  const { input, features } = randomCluster(seed);
  const plans = await upstream.plans(requestOf(input, seed, RUNS));
  const verdict = judge(seed, input, plans);
  if (mayBeLuck(verdict)) {
    const { class: found, reason, medianOf } = await typical(upstream, seed);
    console.log(`compared with the median of ${medianOf} plans of upstream: ${found} (${reason})`);
  }
  console.log(`seed ${seed}: ${verdict.class} (${verdict.reason})\nfeatures: ${features.join(', ')}\n`);
  console.log(`${clusterText(input)}\n`);
  const plan = solve(input);
  const sides = plans.map((each) => {
    const theirs = readUpstreamPlan(input, each);
    return { each, plan: theirs, outcome: outcomeOf(input, theirs) };
  });
  const shown = sides.find(({ outcome }) => JSON.stringify(outcome) === JSON.stringify(verdict.upstream))!;
  console.log(
    sideBySide(
      {
        title: 'CHANDLER',
        plan,
        outcome: verdict.ours,
        refusals: new Map(
          plan.refusals.flatMap((refusal) =>
            refusal.pods.map((pod) => [pod, podRefusalText(refusal)] as const),
          ),
        ),
      },
      {
        title: 'UPSTREAM',
        plan: shown.plan,
        outcome: shown.outcome,
        refusals: new Map(shown.each.refusals.map(({ pod, reason }) => [pod, reason])),
      },
    ),
  );
}
