/**
 * Existing and in-flight nodes: labels by number, free resources, bound pods. Initialized nodes come first,
 * then names decide. Unlike on a claim, a label that a node does not have is not assumed.
 */
import type { Labels, Taint } from '@chandler/kube';
import {
  isKnownEphemeralTaint,
  KarpenterLabel,
  KubernetesLabel,
  normalizeLabel,
  normalizeLabelValue,
  sameTaint,
} from '../../api/index.ts';
import { andInto, type Bits, emptyBits, fullBits, NO_BITS, setBit } from '../bits.ts';
import type { HostPort } from '../host-ports.ts';
import type { ExistingNode, InstanceType, Toleration } from '../model.ts';
import { NODE_NAME_KEY } from '../pods/read-spec.ts';
import type { InputError } from '../refusal.ts';
import {
  type Algebra,
  byCodeUnit,
  excludes,
  type Requirement,
  type RequirementSet,
} from '../requirements/algebra.ts';
import { addAmounts, ResourceProblem, type Resources, subtractAmounts } from '../resources.ts';
import { untoleratedHardTaint, untoleratedTaint } from '../taints.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import type { Daemon } from './daemons.ts';
import type { ListChange } from './list-change.ts';

export interface NodeEntry {
  readonly index: number;
  readonly name: string;
  readonly object: ExistingNode;
  readonly taints: readonly Taint[];
  readonly capacity: readonly number[];
  readonly pool: string | undefined;
  /** Of its instance type: the limits of CSI drivers that are not registered on the node yet. */
  readonly attachmentLimits: InstanceType['volumeAttachmentLimits'];
  /** Free resources before the run, by slot. */
  free: number[];
  readonly ports: HostPort[];
  /** Volume claims on this node that several pods mount. */
  readonly shared: Set<string>;
}

/** Resources that bound pods use before the run. */
export interface NodeUsage {
  amounts: number[];
  daemonAmounts: number[];
  readonly ports: HostPort[];
  readonly shared: Set<string>;
}

export class NodeTable {
  readonly all: readonly NodeEntry[];
  readonly #algebra: Algebra;
  readonly #byName: ReadonlyMap<string, NodeEntry>;
  readonly #values: (Int32Array | undefined)[] = [];
  #earlier: EarlierValues | undefined;
  readonly #meeting = new Map<number, Bits>();
  readonly #bySet = new Map<number, Bits>();
  /** By label, then by value. */
  readonly #byDomain: (Map<number, Bits> | undefined)[] = [];
  #usable: Bits | undefined;

  /** @param earlier a table from which the values of unchanged nodes are taken. */
  constructor(algebra: Algebra, nodes: readonly NodeEntry[], earlier?: NodeTable) {
    this.#algebra = algebra;
    this.all = nodes;
    this.#byName = new Map(nodes.map((node) => [node.name, node]));
    if (earlier === undefined) return;
    const origins = Int32Array.from(nodes, (node) => {
      const known = earlier.find(node.name);
      return known?.object.labels === node.object.labels ? known!.index : -1;
    });
    this.#earlier = { values: earlier.#values, origins };
  }

  find(name: string): NodeEntry | undefined {
    return this.#byName.get(name);
  }

  /** The number of the node's value of a label; -1 when it has none. */
  value(node: number, key: number): number {
    return (this.#values[key] ?? this.#readValues(key))[node]!;
  }

  meets(node: number, requirement: Requirement): boolean {
    const value = this.value(node, requirement.key);
    return value < 0 ? excludes(requirement) : this.#algebra.has(requirement, value);
  }

  meeting(requirement: Requirement): Bits {
    let bits = this.#meeting.get(requirement.id);
    if (bits === undefined) {
      bits = emptyBits(this.all.length);
      for (let node = 0; node < this.all.length; node++)
        if (this.meets(node, requirement)) setBit(bits, node);
      this.#meeting.set(requirement.id, bits);
    }
    return bits;
  }

  meetingAll(set: RequirementSet): Bits {
    let bits = this.#bySet.get(set.id);
    if (bits === undefined) {
      bits = fullBits(this.all.length);
      for (const requirement of set.items) andInto(bits, this.meeting(requirement));
      this.#bySet.set(set.id, bits);
    }
    return bits;
  }

  tolerating(tolerations: readonly Toleration[]): Bits {
    const bits = emptyBits(this.all.length);
    for (const node of this.all) {
      if (untoleratedTaint(node.taints, tolerations) === undefined) setBit(bits, node.index);
    }
    return bits;
  }

  /** As `tolerating`, without soft taints. */
  toleratingHard(tolerations: readonly Toleration[]): Bits {
    const bits = emptyBits(this.all.length);
    for (const node of this.all) {
      if (untoleratedHardTaint(node.taints, tolerations) === undefined) setBit(bits, node.index);
    }
    return bits;
  }

  /** Nodes in one domain of a label; value -1 for those without the label. */
  inDomain(key: number, value: number): Bits {
    return this.domains(key).get(value) ?? NO_BITS;
  }

  /** Nodes by their value of a label. */
  domains(key: number): ReadonlyMap<number, Bits> {
    let domains = this.#byDomain[key];
    if (domains === undefined) {
      domains = new Map();
      for (const { index } of this.all) {
        const value = this.value(index, key);
        let bits = domains.get(value);
        if (bits === undefined) {
          bits = emptyBits(this.all.length);
          domains.set(value, bits);
        }
        setBit(bits, index);
      }
      this.#byDomain[key] = domains;
    }
    return domains;
  }

  /** Nodes without negative free resources: the others accept no pod. */
  get usable(): Bits {
    if (this.#usable === undefined) {
      this.#usable = emptyBits(this.all.length);
      for (const { free, index } of this.all) {
        if (free.every((amount) => amount >= 0)) setBit(this.#usable, index);
      }
    }
    return this.#usable;
  }

  #readValues(key: number): Int32Array {
    const name = this.#algebra.labels.keyName(key);
    const values = new Int32Array(this.all.length);
    const known = this.#earlier?.values[key];
    for (const node of this.all) {
      const origin = known === undefined ? -1 : this.#earlier!.origins[node.index]!;
      if (origin >= 0) {
        values[node.index] = known![origin]!;
        continue;
      }
      const text = labelOf(node, name);
      values[node.index] = text === undefined ? -1 : this.#algebra.labels.value(key, text);
    }
    this.#values[key] = values;
    return values;
  }
}

/** Values of an earlier table, and by node its index there; -1: it has changed. */
interface EarlierValues {
  readonly values: readonly (Int32Array | undefined)[];
  readonly origins: Int32Array;
}

export interface NodeContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly volumes: VolumeIndex;
  readonly daemons: readonly Daemon[];
  /** The instance type of a node with these labels, if its pool still lists it. */
  readonly typeOf: (labels: Labels) => InstanceType | undefined;
}

export function buildNodes(
  context: NodeContext,
  nodes: readonly ExistingNode[],
  usageOf: (node: string) => NodeUsage | undefined,
  errors: InputError[],
): NodeTable {
  const usable: Omit<NodeEntry, 'index'>[] = [];
  const seen = new Set<string>();
  for (const object of nodes) {
    const entry = readNode(context, object, seen, errors);
    if (entry !== undefined) usable.push(entry);
  }
  usable.sort(byReadiness);
  const table = new NodeTable(
    context.algebra,
    usable.map((entry, index) => ({ ...entry, index })),
  );
  for (const node of table.all) chargeUsage(context, table, node, usageOf(node.name));
  return table;
}

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
  return table;
}

// ---------------------------------------------------------------------------------------------------------------

function labelOf(node: NodeEntry, key: string): string | undefined {
  const { labels } = node.object;
  if (key === NODE_NAME_KEY) return node.name;
  if (key === KubernetesLabel.hostname) return labels[key] ?? node.name;
  if (labels[key] !== undefined) return labels[key];
  for (const [alias, value] of Object.entries(labels)) {
    if (alias !== key && normalizeLabel(alias) === key) return normalizeLabelValue(alias, value);
  }
  return undefined;
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
