/** Runs a simulation: reads files and cluster, validates, plans, computes the bound, and returns the report. */

import { type KubeObject, POD_DISRUPTION_BUDGETS, type TopologySpreadConstraint } from '@chandler/kube';
import type { DisruptionOptions } from '../../disruption/index.ts';
import { Planner, type SchedulingOptions } from '../../scheduling/index.ts';
import { Failure } from '../verb.ts';
import { cataloguesFor } from './catalogues.ts';
import { inPieces } from './in-pieces.ts';
import { Inventory } from './inventory.ts';
import { KINDS_OF_DEFAULT_SPREAD, KINDS_OF_DISRUPTION } from './kinds.table.ts';
import { type LiveOptions, readCluster } from './live.ts';
import type { FreezeHome } from './live-freezes.ts';
import { problemText } from './problem.ts';
import { type ManifestOptions, readManifests } from './read-manifests.ts';
import { dropReplacedPods } from './replaced-pods.ts';
import { buildReport, type Report } from './report.ts';
import { toInput } from './to-input.ts';

export interface SimulationOptions extends ManifestOptions {
  readonly live: LiveOptions | undefined;
  readonly catalogue: string | undefined;
  readonly zones: readonly string[];
  readonly pools: readonly string[];
  readonly bound: boolean;
  readonly scheduling: Partial<SchedulingOptions>;
  /** Of kube-scheduler, for pods without constraints of their own. Default: none. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  /** Also plan disruption, as of this moment. Absent: not. */
  readonly consolidateAtMs?: number;
  /** Gets the pods of the cluster that are planned with those of the files: `namespace/name`. */
  readonly notePodsOfCluster?: (pods: ReadonlySet<string>) => void;
  /** Default: those of Karpenter. */
  readonly disruption?: DisruptionOptions;
}

/** @throws {Failure} when the input cannot be used. */
export async function runSimulation(options: SimulationOptions): Promise<Report> {
  const { defaultConstraints = [], consolidateAtMs: atMs, pause = () => undefined } = options;
  const selectors = defaultConstraints.length > 0;
  const inventory = new Inventory([
    ...(selectors ? KINDS_OF_DEFAULT_SPREAD : []),
    ...(atMs === undefined ? [] : KINDS_OF_DISRUPTION),
  ]);
  const notes: string[] = [];
  let unread: readonly string[] = [];
  let freezeHomes: readonly FreezeHome[] = [];
  if (options.live !== undefined) {
    const limitRanges = options.files.length > 0;
    const plansDisruption = atMs !== undefined;
    const reads = {
      // Without the budgets of pods the plan would promise evictions that are refused.
      needed: plansDisruption ? [POD_DISRUPTION_BUDGETS] : [],
      selectors,
      freezes: plansDisruption,
      limitRanges,
      workloads: plansDisruption && options.disruption?.surge === true,
    };
    const live = { ...options.live, ...reads };
    const read = await readCluster(inventory, live);
    notes.push(...read.notes);
    unread = read.unread;
    freezeHomes = read.freezeHomes;
  }
  await readManifests(inventory, options);
  await pause();
  notes.push(...dropReplacedPods(inventory));
  options.notePodsOfCluster?.(podsOfCluster(inventory));
  checkPools(inventory, options.pools);
  const catalogues = await cataloguesFor(inventory, options);
  notes.push(...catalogues.notes);
  await pause();
  // A live cluster has its own StorageClasses, or has had them deleted.
  const storageClasses = options.live === undefined ? catalogues.storageClasses : [];
  const prepared = toInput(
    inventory,
    { ...catalogues, storageClasses },
    {
      pools: options.pools,
      options: options.scheduling,
      defaultConstraints,
      limits: options.limits,
    },
  );
  await pause();

  const planner = new Planner();
  const { solve } = await inPieces(planner.preparing(prepared.input), pause);
  await pause();
  const plan = solve();
  await pause();
  for (const { object, field, problem } of plan.inputErrors) {
    options.complain(problemText(inventory.locate(object, field, `${problem}; the object is ignored`)));
  }
  const refused = plan.refusals.flatMap((refusal) => refusal.pods);
  const bound = options.bound ? await planner.priceBound(prepared.input, { except: refused }) : undefined;
  const report = buildReport({ input: prepared.input, plan, bound, notes: [...notes, ...prepared.notes] });
  if (atMs === undefined) return report;
  // Pods that are planned on existing nodes count as bound to them.
  const { planInventory } = await import('../plan/run-plan.ts');
  const { buildPlanReport } = await import('../plan/plan-report.ts');
  const disruption = await planInventory(inventory, {
    ...options,
    defaultConstraints,
    atMs,
    freezeHomes,
    disruption: options.disruption ?? {},
  });
  return { ...report, disruption: buildPlanReport(disruption.plan, atMs, [], unread) };
}

// ---------------------------------------------------------------------------------------------------------------

function podsOfCluster(inventory: Inventory): ReadonlySet<string> {
  const pods = inventory.objects<KubeObject>('Pod').filter((pod) => inventory.isLive(pod));
  return new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
}

function checkPools(inventory: Inventory, chosen: readonly string[]): void {
  const names = inventory.objects('NodePool').map(({ metadata }) => metadata.name ?? '');
  const missing = chosen.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const known = names.length === 0 ? 'there are no NodePools' : `the input has ${names.sort().join(', ')}`;
  throw new Failure(`--pool: no NodePool ${missing.join(', ')} in the input; ${known}`);
}
