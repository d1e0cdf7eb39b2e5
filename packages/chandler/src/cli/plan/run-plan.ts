/** Plans disruption for files or a cluster: reads and validates them, runs one pass, and returns the report. */
import { type ConfigMap, POD_DISRUPTION_BUDGETS, type TopologySpreadConstraint } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import type { RepairPolicy } from '../../cloud/index.ts';
import { cloudNamed, DIAGNOSES, loadCloud } from '../../cloud/registry.ts';
import { cloudOfPools } from '../../diagnose/index.ts';
import {
  blockedNodes,
  type DisruptionInput,
  type DisruptionNode,
  type DisruptionOptions,
  type DisruptionPlan,
  FREEZE_CONFIG_MAP,
  freezesOf,
  heldFreezes,
  planDisruption,
  poolProblems,
} from '../../disruption/index.ts';
import type { SchedulingOptions } from '../../scheduling/index.ts';
import { cataloguesFor } from '../simulate/catalogues.ts';
import { Inventory } from '../simulate/inventory.ts';
import { KINDS_OF_DEFAULT_SPREAD, KINDS_OF_DISRUPTION } from '../simulate/kinds.table.ts';
import { type LiveOptions, readCluster } from '../simulate/live.ts';
import { type ManifestOptions, readManifests } from '../simulate/read-manifests.ts';
import { dropReplacedPods } from '../simulate/replaced-pods.ts';
import { toInput } from '../simulate/to-input.ts';
import { Failure } from '../verb.ts';
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
}

/** @throws {Failure} when the input cannot be used. */
export async function runPlan(options: PlanOptions): Promise<PlanReport> {
  const { defaultConstraints } = options;
  const selectors = defaultConstraints.length > 0;
  const inventory = new Inventory([...KINDS_OF_DISRUPTION, ...(selectors ? KINDS_OF_DEFAULT_SPREAD : [])]);
  const notes: string[] = [];
  let unread: readonly string[] = [];
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
  }
  await readManifests(inventory, options);
  notes.push(...dropReplacedPods(inventory));
  if (inventory.objects('Node').length + inventory.objects('NodeClaim').length === 0)
    throw new Failure('the input has no Nodes and no NodeClaims, so there is nothing to disrupt');
  const { plan, notes: more } = await planInventory(inventory, options);
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
  >,
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
  const freezes = inventory
    .objects<ConfigMap>('ConfigMap')
    .filter(({ metadata }) => metadata.name === FREEZE_CONFIG_MAP)
    .flatMap(freezesOf);
  const repair = options.repair === true ? { repair: { policies: await repairPolicies(inventory) } } : {};
  const disruption = { ...options.disruption, ...repair, freezes };
  const plan = blockedPlan(input, disruption, options) ?? planDisruption(input, disruption, options.atMs);
  return { plan, notes: [...catalogues.notes, ...prepared.notes] };
}

// ---------------------------------------------------------------------------------------------------------------

async function repairPolicies(inventory: Inventory): Promise<readonly RepairPolicy[]> {
  const { row } = cloudOfPools(DIAGNOSES, inventory.objects<NodePool>('NodePool'));
  return (await loadCloud(cloudNamed(row?.name ?? ''))).repairPolicies;
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
