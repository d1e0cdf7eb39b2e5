/**
 * `node bench/scheduling/solve-one.ts workload pods [effort]`: one workload in its own process, with a planner that has
 * planned before. Timed is the plan alone, from the pods that arrive to the claims; the plan is checked and the bound
 * computed afterwards.
 */
import { Planner, priceBound, type SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { assertWork } from '../result.ts';
import { checkPlan } from './plan-check.ts';
import type { OwnRun } from './report.ts';
import { WORKLOADS } from './workloads.ts';

/** Earlier plans: at least so many, and until the code is compiled. */
const MIN_EARLIER = 3;
const MAX_EARLIER = 200;
const WARM_UP_MS = 3_000;
/** Small batches are measured so often, each time with new objects and after another batch; large ones once. */
const MEASURED = 41;
const SMALL = 1_000;

const [name, size, effort] = process.argv.slice(2) as [string, string, string?];
const workload = await WORKLOADS[name]!.build(Number(size));
const options = effort === undefined ? {} : { options: { improveEffort: Number(effort) } };
const planner = new Planner();

const coldMs = timed({ ...workload.earlier(1), ...options }).ms;
let round = 2;
for (const began = performance.now(); round <= MAX_EARLIER; round++) {
  if (round > MIN_EARLIER && performance.now() - began > WARM_UP_MS) break;
  planner.plan({ ...workload.earlier(round), ...options });
}

const runs = [timed(fresh())];
for (const measured = workload.input.pods.length < SMALL ? MEASURED : 1; runs.length < measured; round++) {
  planner.plan({ ...workload.earlier(round), ...options });
  runs.push(timed(fresh()));
}
const peakMiB = process.resourceUsage().maxRSS / 1024;

const plans = new Set(runs.map(({ plan }) => JSON.stringify(plan)));
assertWork(plans.size === 1, 'the same pods gave the same plan every time');
const { plan } = runs[0]!;
checkPlan(workload, plan);
const except = plan.refusals.flatMap((refusal) => refusal.pods);
const bound = await priceBound({ ...workload.input, ...options }, { except });
const ms = median(runs.map((run) => run.ms));
const result: OwnRun = {
  ms,
  podsPerSecond: (workload.input.pods.length / ms) * 1000,
  placed: plan.counts.placed,
  nodes: plan.claims.length,
  pricePerHour: plan.pricePerHour,
  boundPerHour: bound.proven ? bound.perHour : null,
  cpuMs: median(runs.map((run) => run.cpuMs)),
  peakMiB,
  coldMs,
  pods: workload.input.pods.length,
};
console.log(JSON.stringify(result));

// ---------------------------------------------------------------------------------------------------

/** The pods as new objects: they have just arrived. */
function fresh(): SchedulingInput {
  return { ...workload.input, ...options, pods: structuredClone(workload.input.pods) };
}

function timed(input: SchedulingInput) {
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const made = planner.plan(input);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { plan: made, ms, cpuMs: (user + system) / 1000 };
}

function median(values: readonly number[]): number {
  return [...values].sort((first, second) => first - second)[Math.floor((values.length - 1) / 2)]!;
}
