/**
 * Reads existing nodes into a table: resources without what bound pods and daemons use, taints in force, and the limits of
 * volumes. After a change only nodes that are new or have other pods are read.
 */
import type { Labels, Taint } from '@chandler/kube';
import { isKnownEphemeralTaint, KarpenterLabel, sameTaint } from '../../api/index.ts';
import type { ExistingNode, InstanceType } from '../model.ts';
import type { InputError } from '../refusal.ts';
import { type Algebra, byCodeUnit } from '../requirements/algebra.ts';
import { addAmounts, ResourceProblem, type Resources, subtractAmounts } from '../resources.ts';
import type { Steps } from '../steps.ts';
import { untoleratedTaint } from '../taints.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import type { Daemon } from './daemons.ts';
import type { ListChange } from './list-change.ts';
import { type NodeEntry, NodeTable, type NodeUsage } from './nodes.ts';

export interface NodeContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly volumes: VolumeIndex;
  readonly daemons: readonly Daemon[];
  /** The instance type of a node with these labels, if its pool still lists it. */
  readonly typeOf: (labels: Labels) => InstanceType | undefined;
}

export function* buildNodes(
  context: NodeContext,
  nodes: readonly ExistingNode[],
  usageOf: (node: string) => NodeUsage | undefined,
  errors: InputError[],
): Steps<NodeTable> {
  const usable: Omit<NodeEntry, 'index'>[] = [];
  const seen = new Set<string>();
  for (const [at, object] of nodes.entries()) {
    if (at > 0 && at % NODES_PER_STEP === 0) yield;
    const entry = readNode(context, object, seen, errors);
    if (entry !== undefined) usable.push(entry);
  }
  usable.sort(byReadiness);
  const table = new NodeTable(
    context.algebra,
    usable.map((entry, index) => ({ ...entry, index })),
  );
  for (const node of table.all) {
    if (node.index > 0 && node.index % NODES_PER_STEP === 0) yield;
    chargeUsage(context, table, node, usageOf(node.name));
  }
  table.complete();
  return table;
}

const NODES_PER_STEP = 1_000;

/**
 * The table after a change: only nodes that are new or have other pods are read. Undefined when there is an error, since
 * errors are in the order of the list.
 * @param affected names of nodes whose pods have changed.
 */
export function changedNodes(
  context: NodeContext,
  earlier: NodeTable,
  { removed, added }: ListChange<ExistingNode>,
  affected: ReadonlySet<string>,
  usageOf: (node: string) => NodeUsage | undefined,
): NodeTable | undefined {
  const inPlace = replacedNodes(context, earlier, { removed, added }, affected, usageOf);
  if (inPlace !== undefined) return inPlace;
  const gone = new Set(removed.map(({ name }) => name));
  const objects = [...added];
  const kept: Omit<NodeEntry, 'index'>[] = [];
  for (const entry of earlier.all) {
    if (gone.has(entry.name)) continue;
    if (affected.has(entry.name)) objects.push(entry.object);
    else kept.push(entry);
  }
  const seen = new Set(kept.map(({ name }) => name));
  const errors: InputError[] = [];
  const fresh = new Set<string>();
  for (const object of objects) {
    const entry = readNode(context, object, seen, errors);
    if (entry === undefined) return undefined;
    fresh.add(entry.name);
    kept.push(entry);
  }
  kept.sort(byReadiness);
  const all = kept.map((entry, index) =>
    'index' in entry && entry.index === index ? (entry as NodeEntry) : { ...entry, index },
  );
  const table = new NodeTable(context.algebra, all, earlier);
  for (const name of fresh) chargeUsage(context, table, table.find(name)!, usageOf(name));
  table.complete();
  return table;
}

// ---------------------------------------------------------------------------------------------------------------

/** Where nodes are replaced by others of the same name, as after most changes. Undefined: it is another change. */
function replacedNodes(
  context: NodeContext,
  earlier: NodeTable,
  { removed, added }: ListChange<ExistingNode>,
  affected: ReadonlySet<string>,
  usageOf: (node: string) => NodeUsage | undefined,
): NodeTable | undefined {
  const objects = new Map(added.map((object) => [object.name, object]));
  if (objects.size !== added.length || removed.length !== added.length) return undefined;
  if (!removed.every(({ name }) => objects.has(name))) return undefined;
  for (const name of affected) {
    const object = objects.get(name) ?? earlier.find(name)?.object;
    if (object !== undefined) objects.set(name, object);
  }
  const errors: InputError[] = [];
  const all = earlier.all.slice();
  const changed: number[] = [];
  for (const object of objects.values()) {
    const before = earlier.find(object.name);
    const entry = readNode(context, object, new Set(), errors);
    if (before === undefined || entry === undefined || byReadiness(before, entry) !== 0) return undefined;
    all[before.index] = { ...entry, index: before.index };
    changed.push(before.index);
  }
  const table = new NodeTable(context.algebra, all, earlier, changed);
  for (const index of changed) chargeUsage(context, table, all[index]!, usageOf(all[index]!.name));
  table.complete();
  return table;
}

function readNode(
  context: NodeContext,
  object: ExistingNode,
  seen: Set<string>,
  errors: InputError[],
): Omit<NodeEntry, 'index'> | undefined {
  const name = object.name ?? '';
  if (name === '' || seen.has(name)) {
    const problem = name === '' ? 'missing' : 'duplicate name';
    errors.push({ object: `Node/${name}`, field: 'name', problem });
    return undefined;
  }
  seen.add(name);
  const labels = object.labels ?? {};
  try {
    const free = context.resources.offered(object.allocatable);
    const pool = labels[KarpenterLabel.nodePool];
    const attachmentLimits = context.typeOf(labels)?.volumeAttachmentLimits;
    return {
      name,
      object: { ...object, labels },
      taints: taintsOf(object, object.managed ?? pool !== undefined),
      capacity: context.resources.offered(object.capacity ?? object.allocatable),
      pool,
      attachmentLimits,
      free: context.volumes.withNodeLimits(name, free, attachmentLimits),
      ports: [],
      shared: new Set(),
    };
  } catch (error) {
    if (!(error instanceof ResourceProblem)) throw error;
    errors.push({ object: `Node/${name}`, field: `allocatable.${error.resource}`, problem: error.message });
    return undefined;
  }
}

/** Startup and ephemeral taints are ignored on a node that is not initialized. */
function taintsOf(node: ExistingNode, managed: boolean): readonly Taint[] {
  const taints = node.taints ?? [];
  if (!managed || node.initialized !== false) return taints;
  return taints.filter(
    (taint) =>
      !isKnownEphemeralTaint(taint) &&
      !(node.startupTaints ?? []).some((startup) => sameTaint(startup, taint)),
  );
}

function byReadiness(first: Omit<NodeEntry, 'index'>, second: Omit<NodeEntry, 'index'>): number {
  const ready = Number(second.object.initialized !== false) - Number(first.object.initialized !== false);
  return ready !== 0 ? ready : byCodeUnit(first.name, second.name);
}

/** Bound pods, and daemons that are still to be scheduled. */
function chargeUsage(
  context: NodeContext,
  table: NodeTable,
  node: NodeEntry,
  usage: NodeUsage | undefined,
): void {
  const daemons = context.daemons.filter((daemon) => daemonRunsOn(table, node, daemon));
  const expected = daemons.map((daemon) => daemon.amounts).reduce(addAmounts, []);
  const missing = subtractAmounts(expected, usage?.daemonAmounts ?? []).map((amount) => Math.max(0, amount));
  node.free = subtractAmounts(node.free, addAmounts(usage?.amounts ?? [], missing));
  node.ports.push(...(usage?.ports ?? []), ...daemons.flatMap((daemon) => daemon.spec.ports));
  for (const claim of usage?.shared ?? []) node.shared.add(claim);
}

function daemonRunsOn(table: NodeTable, node: NodeEntry, daemon: Daemon): boolean {
  if (untoleratedTaint(node.taints, daemon.tolerations) !== undefined) return false;
  return daemon.alternatives.some((set) =>
    set.items.every((requirement) => table.meets(node.index, requirement)),
  );
}
