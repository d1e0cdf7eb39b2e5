/**
 * Existing and in-flight nodes: labels by number, free resources, bound pods. Initialized nodes come first,
 * then names decide. Unlike on a claim, a label that a node does not have is not assumed.
 */
import type { Taint } from '@chandler/kube';
import { KubernetesLabel, normalizeLabel, normalizeLabelValue } from '../../api/index.ts';
import { andInto, type Bits, clearBit, emptyBits, fullBits, NO_BITS, setBit } from '../bits.ts';
import type { HostPort } from '../host-ports.ts';
import type { ExistingNode, InstanceType, Toleration } from '../model.ts';
import { NODE_NAME_KEY } from '../pods/read-spec.ts';
import { type Algebra, excludes, type Requirement, type RequirementSet } from '../requirements/algebra.ts';
import type { Requests } from '../resources.ts';
import { untoleratedHardTaint, untoleratedTaint } from '../taints.ts';

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
  /** Indexes by name. */
  readonly #byName: ReadonlyMap<string, number>;
  readonly #values: (Int32Array | undefined)[] = [];
  #earlier: EarlierTable | undefined;
  readonly #meeting = new Map<number, Bits>();
  readonly #bySet = new Map<number, Bits>();
  /** By label, then by value. */
  readonly #byDomain: (Map<number, Bits> | undefined)[] = [];
  #usable: Bits | undefined;
  /** By node: its free resources before a run. A run replaces the list of a node, and restores it. */
  #free: readonly (readonly number[])[] = [];
  /** By requests: the nodes with room before a run. */
  readonly #roomy = new Map<number, Bits>();

  /**
   * @param earlier a table from which the values of unchanged nodes are taken. Its nodes have the same names in the same
   * order when `changed` lists the indexes of the nodes that are other entries.
   */
  constructor(
    algebra: Algebra,
    nodes: readonly NodeEntry[],
    earlier?: NodeTable,
    changed?: readonly number[],
  ) {
    this.#algebra = algebra;
    this.all = nodes;
    if (earlier === undefined || changed === undefined) {
      this.#byName = new Map(nodes.map((node) => [node.name, node.index]));
    } else this.#byName = earlier.#byName;
    if (earlier !== undefined) this.#earlier = earlier.#asEarlier(nodes, changed);
  }

  find(name: string): NodeEntry | undefined {
    const index = this.#byName.get(name);
    return index === undefined ? undefined : this.all[index];
  }

  #asEarlier(nodes: readonly NodeEntry[], changed: readonly number[] | undefined): EarlierTable {
    const same = ({ name, object }: NodeEntry, known = this.find(name)) =>
      known !== undefined && known.object.labels === object.labels ? known.index : -1;
    if (changed === undefined)
      return { values: this.#values, origins: Int32Array.from(nodes, (n) => same(n)) };
    const relabelled = changed.filter((index) => same(nodes[index]!) < 0);
    return {
      values: this.#values,
      sameNodes: { changed, relabelled, roomy: this.#roomy, usable: this.#usable },
    };
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
    this.#usable ??= this.#nodesWhere(isUsable, this.#earlier?.sameNodes?.usable);
    return this.#usable;
  }

  /** The free resources of all nodes are known. */
  complete(): void {
    this.#free = this.all.map(({ free }) => free);
  }

  /** Nodes with room for the requests before a run. Pods of a run only take room away. */
  withRoom(requests: Requests): Bits {
    let bits = this.#roomy.get(requests.id);
    if (bits === undefined) {
      const earlier = this.#earlier?.sameNodes?.roomy.get(requests.id);
      bits = this.#nodesWhere((free) => hasRoom(free, requests), earlier);
      this.#roomy.set(requests.id, bits);
    }
    return bits;
  }

  /** By free resources before a run. @param earlier the same of the earlier table, where only some nodes have changed. */
  #nodesWhere(holds: (free: readonly number[]) => boolean, earlier: Bits | undefined): Bits {
    const bits = earlier?.slice() ?? emptyBits(this.all.length);
    const count = earlier === undefined ? this.all.length : this.#earlier!.sameNodes!.changed.length;
    for (let at = 0; at < count; at++) {
      const node = earlier === undefined ? at : this.#earlier!.sameNodes!.changed[at]!;
      if (holds(this.#free[node]!)) setBit(bits, node);
      else clearBit(bits, node);
    }
    return bits;
  }

  #readValues(key: number): Int32Array {
    const known = this.#earlier?.values[key];
    const sameNodes = known === undefined ? undefined : this.#earlier!.sameNodes;
    const values = sameNodes === undefined ? new Int32Array(this.all.length) : known!.slice();
    if (sameNodes !== undefined) {
      for (const node of sameNodes.relabelled) values[node] = this.#readValue(this.all[node]!, key);
    } else {
      for (const node of this.all) {
        const origin = known === undefined ? -1 : this.#earlier!.origins![node.index]!;
        values[node.index] = origin >= 0 ? known![origin]! : this.#readValue(node, key);
      }
    }
    this.#values[key] = values;
    return values;
  }

  #readValue(node: NodeEntry, key: number): number {
    const text = labelOf(node.object, this.#algebra.labels.keyName(key));
    return text === undefined ? -1 : this.#algebra.labels.value(key, text);
  }
}

/** What is taken from an earlier table. */
interface EarlierTable {
  readonly values: readonly (Int32Array | undefined)[];
  /** By node: its index there; -1: it has changed. Absent where the nodes are the same. */
  readonly origins?: Int32Array;
  /** The names and their order are the same. */
  readonly sameNodes?: {
    /** Indexes of nodes that have changed, and of those that have other labels. */
    readonly changed: readonly number[];
    readonly relabelled: readonly number[];
    readonly roomy: ReadonlyMap<number, Bits>;
    readonly usable: Bits | undefined;
  };
}

// ---------------------------------------------------------------------------------------------------------------

function isUsable(free: readonly number[]): boolean {
  return free.every((amount) => amount >= 0);
}

function hasRoom(free: readonly number[], { slots, amounts }: Requests): boolean {
  for (let index = 0; index < slots.length; index++) {
    if (amounts[index]! > (free[slots[index]!] ?? 0)) return false;
  }
  return true;
}

/** The value of a label; `key` is its normalized name. */
export function labelOf({ name, labels = {} }: ExistingNode, key: string): string | undefined {
  if (key === NODE_NAME_KEY) return name;
  if (key === KubernetesLabel.hostname) return labels[key] ?? name;
  if (labels[key] !== undefined) return labels[key];
  for (const [alias, value] of Object.entries(labels)) {
    if (alias !== key && normalizeLabel(alias) === key) return normalizeLabelValue(alias, value);
  }
  return undefined;
}
