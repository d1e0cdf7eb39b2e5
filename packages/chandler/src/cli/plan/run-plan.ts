/** Plans disruption for files or a cluster: reads and validates them, runs one pass, and returns the report. */
import { POD_DISRUPTION_BUDGETS, type TopologySpreadConstraint } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import type { RepairPolicy } from '../../cloud/index.ts';
import { cloudNamed, DIAGNOSES, loadCloud } from '../../cloud/registry.ts';
import { cloudOfClass, cloudOfPools } from '../../diagnose/index.ts';
import {
  blockedNodes,
  type DisruptionInput,
  type DisruptionNode,
  type DisruptionOptions,
  type DisruptionPlan,
  DisruptionPlanner,
  heldFreezes,
  poolProblems,
  type RepairOptions,
} from '../../disruption/index.ts';
import type { SchedulingOptions } from '../../scheduling/index.ts';
import { cataloguesFor } from '../simulate/catalogues.ts';
import { Inventory } from '../simulate/inventory.ts';
import { KINDS_OF_DEFAULT_SPREAD, KINDS_OF_DISRUPTION } from '../simulate/kinds.table.ts';
import { type LiveOptions, readCluster } from '../simulate/live.ts';
import type { FreezeHome } from '../simulate/live-freezes.ts';
import { type ManifestOptions, readManifests } from '../simulate/read-manifests.ts';
import { dropReplacedPods } from '../simulate/replaced-pods.ts';
import { toInput } from '../simulate/to-input.ts';
import { Failure } from '../verb.ts';
import { freezesIn } from './freezes.ts';
import { buildPlanReport, type PlanReport } from './plan-report.ts';
import { toDisruption } from './to-disruption.ts';

export interface PlanOptions extends ManifestOptions {
  /** Undefined: only files are read. */
  readonly live: LiveOptions | undefined;
  readonly catalogue: string | undefined;
  readonly zones: readonly string[];
  /** The moment of the plan: it decides about windows of budgets and about durations. */
  readonly atMs: number;
  readonly scheduling: Partial<SchedulingOptions>;
  /** Of kube-scheduler, for pods without constraints of their own. */
  readonly defaultConstraints: readonly TopologySpreadConstraint[];
  readonly disruption: DisruptionOptions;
  /** Repair unhealthy nodes by the policies of the cloud of the NodePools. Default false. */
  readonly repair?: boolean;
  /** False: the feature gate NodeOverlay of the controller is off. Default: as far as objects show it. */
  readonly overlays?: boolean;
  /** Only these nodes matter: if something blocks all of them, the rest of the cluster is not planned. */
  readonly about?: (node: DisruptionNode) => boolean;
  /** Called between pieces of the plan, for a process that does other things meanwhile. Default: it is planned in one piece. */
  readonly pause?: () => Promise<void> | undefined;
}

/** @throws {Failure} when the input cannot be used. */
export async function runPlan(options: PlanOptions): Promise<PlanReport> {
  const { defaultConstraints } = options;
  const selectors = defaultConstraints.length > 0;
  const inventory = new Inventory([...KINDS_OF_DISRUPTION, ...(selectors ? KINDS_OF_DEFAULT_SPREAD : [])]);
  const notes: string[] = [];
  let unread: readonly string[] = [];
  let freezeHomes: readonly FreezeHome[] = [];
  if (options.live !== undefined) {
    // Without the budgets of pods the plan would promise evictions that are refused.
    const needed = [POD_DISRUPTION_BUDGETS];
    const limitRanges = options.files.length > 0;
    const workloads = options.disruption.surge === true;
    const reads = { needed, selectors, freezes: true, limitRanges, workloads };
    const live = { ...options.live, command: 'plan', ...reads };
    const read = await readCluster(inventory, live);
    notes.push(...read.notes);
    unread = read.unread;
    freezeHomes = read.freezeHomes;
  }
  await readManifests(inventory, options);
  notes.push(...dropReplacedPods(inventory));
  if (inventory.objects('Node').length + inventory.objects('NodeClaim').length === 0)
    throw new Failure('the input has no Nodes and no NodeClaims, so there is nothing to disrupt');
  const { plan, notes: more } = await planInventory(inventory, { ...options, freezeHomes });
  return buildPlanReport(plan, options.atMs, [...notes, ...more], unread);
}

/** A plan for objects that are read already. */
export async function planInventory(
  inventory: Inventory,
  options: Pick<
    PlanOptions,
    | 'live'
    | 'catalogue'
    | 'zones'
    | 'atMs'
    | 'scheduling'
    | 'disruption'
    | 'repair'
    | 'defaultConstraints'
    | 'overlays'
    | 'about'
    | 'pause'
  > & { readonly freezeHomes: readonly FreezeHome[] },
): Promise<{ readonly plan: DisruptionPlan; readonly notes: readonly string[] }> {
  const catalogues = await cataloguesFor(inventory, options);
  const storageClasses = options.live === undefined ? catalogues.storageClasses : [];
  const prepared = toInput(
    inventory,
    { ...catalogues, storageClasses },
    {
      pools: [],
      options: options.scheduling,
      defaultConstraints: options.defaultConstraints,
      ...(options.overlays === undefined ? {} : { overlays: options.overlays }),
    },
  );
  const input = toDisruption(inventory, catalogues, prepared.input);
  const freezes = freezesIn(inventory, options.freezeHomes);
  const repair = options.repair === true ? { repair: await repairOptions(inventory) } : {};
  const disruption = { ...options.disruption, ...repair, freezes };
  const plan =
    blockedPlan(input, disruption, options) ??
    (await planned(new DisruptionPlanner().steps(input, disruption, options.atMs), options.pause));
  return { plan, notes: [...catalogues.notes, ...prepared.notes] };
}

// ---------------------------------------------------------------------------------------------------------------

async function planned(
  steps: Iterator<undefined, DisruptionPlan>,
  pause: PlanOptions['pause'] = () => undefined,
): Promise<DisruptionPlan> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await pause();
  }
}

/** Every NodePool by the policies of its own cloud. */
async function repairOptions(inventory: Inventory): Promise<RepairOptions> {
  const pools = inventory.objects<NodePool>('NodePool');
  const { row, others } = cloudOfPools(DIAGNOSES, pools);
  const policiesOf = async (name: string) => (await loadCloud(cloudNamed(name))).repairPolicies;
  const byNodePool = new Map<string, readonly RepairPolicy[]>();
  for (const other of others) {
    const policies = await policiesOf(other.name);
    for (const { metadata, spec } of pools)
      if (cloudOfClass([other], spec.template.spec.nodeClassRef) !== undefined)
        byNodePool.set(metadata.name ?? '', policies);
  }
  return { policies: await policiesOf(row?.name ?? ''), byNodePool };
}

/** The answer about nodes that something blocks, all of them; undefined: only a plan can tell. */
function blockedPlan(
  input: DisruptionInput,
  options: DisruptionOptions,
  { about, atMs }: Pick<PlanOptions, 'about' | 'atMs'>,
): DisruptionPlan | undefined {
  if (about === undefined) return undefined;
  const names = new Set(input.nodes.filter(about).map(({ name }) => name));
  const nodes = blockedNodes(input, options, atMs).filter(({ name }) => names.has(name));
  if (names.size === 0 || nodes.length < names.size) return undefined;
  return {
    commands: [],
    nodes,
    budgets: [],
    priceBefore: 0,
    priceAfter: 0,
    problems: input.pools.flatMap(({ nodePool }) => poolProblems(nodePool, options.saving ?? {}, atMs)),
    freezes: heldFreezes(input, options, atMs),
  };
}
