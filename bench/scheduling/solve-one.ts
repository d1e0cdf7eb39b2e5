/**
 * `node bench/scheduling/solve-one.ts workload pods [effort]`: one workload in its own, cold process. Only
 * `solve` is timed; the plan is checked and the bound computed afterwards.
 */
import { priceBound, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { checkPlan } from './plan-check.ts';
import type { OwnRun } from './report.ts';
import { WORKLOADS } from './workloads.ts';

const [name, pods, effort] = process.argv.slice(2) as [string, string, string?];
const workload = WORKLOADS[name]!.build(Number(pods));
const input = {
  ...workload.input,
  ...(effort === undefined ? {} : { options: { improveEffort: Number(effort) } }),
};

const cpuBefore = process.cpuUsage();
const started = performance.now();
const plan = solve(input);
const ms = performance.now() - started;
const cpu = process.cpuUsage(cpuBefore);
const peakMiB = process.resourceUsage().maxRSS / 1024;

checkPlan(workload, plan);
const except = plan.refusals.flatMap((refusal) => refusal.pods);
const least = await priceBound(input, { except });
const result: OwnRun = {
  ms,
  podsPerSecond: (input.pods.length / ms) * 1000,
  placed: plan.counts.placed,
  nodes: plan.claims.length,
  pricePerHour: plan.pricePerHour,
  boundPerHour: least.proven ? least.perHour : null,
  cpuMs: (cpu.user + cpu.system) / 1000,
  peakMiB,
  pods: input.pods.length,
};
console.log(JSON.stringify(result));
