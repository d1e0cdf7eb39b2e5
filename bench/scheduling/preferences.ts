/**
 * `npm run bench:preferences [-- --workloads zonal-volumes] [--limits 0,5] [--draws 6] [--effort 1] [--json]`: what
 * preferences cost on five workloads, each drawn from so many seeds. For each: the lower bound, the price with all preferences (as upstream honours them), without them, and
 * with limits on their cost. Every plan is verified.
 */
import { parseArgs } from 'node:util';
import { type Plan, priceBound, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { checkPlan } from './plan-check.ts';
import { PREFERENCE_WORKLOADS, type PreferenceWorkload } from './preference-workloads.ts';

/** Percent above the bound. */
const GOAL = 8;

const { values: asked } = parseArgs({
  options: {
    workloads: { type: 'string' },
    limits: { type: 'string', default: '0,2,5' },
    draws: { type: 'string', default: '1' },
    effort: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});
const names = asked.workloads?.split(',') ?? PREFERENCE_WORKLOADS.map(({ name }) => name);
const limits = asked.limits.split(',').map(Number);
const draws = Number(asked.draws);
const unknown = names.filter((name) => !PREFERENCE_WORKLOADS.some((workload) => workload.name === name));
if (unknown.length > 0 || [...limits, draws, Number(asked.effort)].some((number) => !(number >= 0))) {
  console.error(
    unknown.length > 0
      ? `no workload ${unknown.join(', ')}; there are ${PREFERENCE_WORKLOADS.map(({ name }) => name).join(', ')}`
      : 'limits, draws and effort are numbers from 0',
  );
  process.exit(2);
}

const rows: Row[] = [];
for (const workload of PREFERENCE_WORKLOADS)
  for (let draw = 0; draw < draws && names.includes(workload.name); draw++)
    rows.push(await measure(workload, draw));
if (asked.json) console.log(JSON.stringify({ goalPercent: GOAL, rows }, null, 2));
else console.log([...tableOf(rows), '', ...rows.map(goalOf)].join('\n'));

// ---------------------------------------------------------------------------------------------------

interface Row {
  readonly workload: string;
  readonly draw: number;
  readonly pods: number;
  readonly boundPerHour: number;
  readonly boundMs: number;
  readonly plans: readonly PlanRow[];
}

interface PlanRow {
  /** `all`, `none`, or the limit in percent. */
  readonly preferences: string;
  readonly pricePerHour: number;
  readonly nodes: number;
  readonly abovePercent: number;
  /** Pods whose preferences were ignored because of the limit; null without a limit. */
  readonly ignoredPods: number | null;
  readonly ms: number;
}

async function measure({ name, pods, build }: PreferenceWorkload, draw: number): Promise<Row> {
  const first = await build();
  const workload = draw === 0 ? first : { ...first, input: first.earlier(draw) };
  const began = performance.now();
  const bound = await priceBound(workload.input);
  const boundMs = performance.now() - began;
  if (!bound.proven || bound.leftOut > 0) throw new Error(`no bound for ${name}`);
  const improveEffort = Number(asked.effort);
  const row = (preferences: string, options: object): PlanRow => {
    const started = performance.now();
    const plan: Plan = solve({ ...workload.input, options: { improveEffort, ...options } });
    const ms = performance.now() - started;
    checkPlan(workload, plan);
    return {
      preferences,
      pricePerHour: plan.pricePerHour,
      nodes: plan.claims.length,
      abovePercent: (plan.pricePerHour / bound.perHour - 1) * 100,
      ignoredPods: 'maxPreferenceCost' in options ? (plan.preferenceCost?.ignoredPods ?? 0) : null,
      ms,
    };
  };
  return {
    workload: name,
    draw,
    pods,
    boundPerHour: bound.perHour,
    boundMs,
    plans: [
      row('all', {}),
      row('none', { preferencePolicy: 'Ignore' }),
      ...limits.map((limit) => row(`${limit} %`, { maxPreferenceCost: limit })),
    ],
  };
}

function tableOf(measured: readonly Row[]): string[] {
  const heads = [
    'workload',
    'draw',
    'pods',
    'bound $/h',
    'preferences',
    '$/h',
    'above bound',
    'nodes',
    'ignored for',
    'ms',
  ];
  return [
    `| ${heads.join(' | ')} |`,
    `| --- | ---: | ---: | ---: | --- |${' ---: |'.repeat(heads.length - 5)}`,
    ...measured.flatMap(({ workload, draw, pods, boundPerHour, plans }) =>
      plans.map((plan) =>
        [
          '',
          workload,
          draw,
          pods,
          boundPerHour.toFixed(2),
          plan.preferences,
          plan.pricePerHour.toFixed(2),
          `${plan.abovePercent.toFixed(1)} %`,
          plan.nodes,
          plan.ignoredPods ?? '-',
          plan.ms.toFixed(0),
          '',
        ]
          .join(' | ')
          .trim(),
      ),
    ),
  ];
}

/** The largest limit at which the plan is as near to the bound as wanted. */
function goalOf({ workload, draw, plans }: Row): string {
  const met = plans.slice(2).filter(({ abovePercent }) => abovePercent <= GOAL);
  const wanted = `at most ${GOAL} % above the bound`;
  return met.length === 0
    ? `MISSED ${workload} ${draw}: ${wanted}`
    : `met    ${workload} ${draw}: ${wanted} with a limit of ${met.at(-1)!.preferences}`;
}
