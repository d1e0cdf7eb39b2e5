/**
 * The topology groups that are in force for the request being planned, and which of them count a pod. Groups of the
 * snapshot's own pods and of bound pods are in force for every request, as long as such pods exist; groups of the extra
 * pods of a request for that request only. All of them are kept, because the next request often has the same pods.
 */
import type { TopologyGroup } from '../topology/group.ts';
import type { LabelClass } from '../topology/label-classes.ts';

/** Groups that count a pod of a label class, wherever it lands. */
export interface Counting {
  readonly domains: TopologyGroup[];
  readonly hosts: TopologyGroup[];
  /** Groups of pods with an anti-affinity to this one. */
  readonly inverseDomains: TopologyGroup[];
  readonly inverseHosts: TopologyGroup[];
  /** How many groups these are. */
  size: number;
}

/** What a request changes. */
export interface RequestGroups {
  /** Groups of the extra pods, in the order of the pods. */
  readonly added: Iterable<TopologyGroup>;
  /** Groups of bound pods that are all removed. */
  readonly emptied: ReadonlySet<TopologyGroup>;
}

export const NO_REQUEST: RequestGroups = { added: [], emptied: new Set() };

export class ActiveGroups {
  /** Groups of bound pods, then those of own pods, in the order in which they were made. */
  readonly #lasting: TopologyGroup[] = [];
  readonly #ofBoundPods = new Set<TopologyGroup>();
  readonly #ofOwnPods = new Set<TopologyGroup>();
  /** By namespace whose pods they can select. */
  readonly #lastingIn = new Map<string, TopologyGroup[]>();
  /** By label class. */
  readonly #tables: (Table | undefined)[] = [];
  /** Of the request, without those that last. */
  #added: readonly TopologyGroup[] = [];
  #emptied: ReadonlySet<TopologyGroup> = NO_REQUEST.emptied;
  #all: readonly TopologyGroup[] = this.#lasting;
  #request = 0;

  /** All groups in force, in the order in which a new snapshot would have made them. */
  get all(): readonly TopologyGroup[] {
    return this.#all;
  }

  addOfBoundPods(group: TopologyGroup): void {
    this.#addLasting(group);
    this.#ofBoundPods.add(group);
  }

  addOfOwnPods(group: TopologyGroup): void {
    this.#addLasting(group);
    this.#ofOwnPods.add(group);
  }

  /** The next request begins. */
  begin({ added, emptied }: RequestGroups): void {
    const stay = [...this.#ofBoundPods].filter((group) => !emptied.has(group));
    const lasting = emptied.size === 0 ? new Set(this.#lasting) : new Set([...stay, ...this.#ofOwnPods]);
    this.#added = [...new Set(added)].filter((group) => !lasting.has(group));
    this.#emptied = emptied;
    this.#request++;
    const isPlain = this.#added.length === 0 && emptied.size === 0;
    this.#all = isPlain ? this.#lasting : [...lasting, ...this.#added];
    this.#all.forEach((group, index) => {
      group.rank = index;
    });
  }

  counting(pod: LabelClass): Counting {
    let table = this.#tables[pod.id];
    if (table === undefined) {
      table = { seen: 0, lasting: emptyCounting(), request: -1, current: emptyCounting(), others: new Map() };
      this.#tables[pod.id] = table;
    }
    const { lasting } = table;
    const groupsHere = this.#lastingIn.get(pod.namespace) ?? NO_GROUPS;
    for (; table.seen < groupsHere.length; table.seen++) {
      const group = groupsHere[table.seen]!;
      if (group.selects(pod)) count(lasting, group);
    }
    if (this.#all === this.#lasting) return lasting;
    if (table.request !== this.#request) {
      table.current = this.#countingNow(table, pod);
      table.request = this.#request;
    }
    return table.current;
  }

  /** The same object for the same groups, so that what is compiled for it can be used again. */
  #countingNow({ lasting, others }: Table, pod: LabelClass): Counting {
    const isSelecting = (group: TopologyGroup) => group.selects(pod);
    const added = this.#added.filter(isSelecting);
    const own = groupsOf(lasting);
    const hasEmptied = this.#emptied.size > 0 && own.some((group) => this.#emptied.has(group));
    if (added.length === 0 && !hasEmptied) return lasting;
    const groups = hasEmptied ? this.#all.filter(isSelecting) : [...own, ...added];
    const key = groups.map(({ id }) => id).join();
    let counting = others.get(key);
    if (counting === undefined) {
      counting = emptyCounting();
      for (const group of groups) count(counting, group);
      others.set(key, counting);
    }
    return counting;
  }

  #addLasting(group: TopologyGroup): void {
    if (this.#ofBoundPods.has(group) || this.#ofOwnPods.has(group)) return;
    group.rank = this.#lasting.length;
    this.#lasting.push(group);
    for (const namespace of group.spec.namespaces) {
      const groupsHere = this.#lastingIn.get(namespace);
      if (groupsHere === undefined) this.#lastingIn.set(namespace, [group]);
      else groupsHere.push(group);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** The groups that count a label class. */
interface Table {
  /** How many of the lasting groups of the namespace were looked at. */
  seen: number;
  readonly lasting: Counting;
  /** The last request with other groups, and those that counted then. */
  request: number;
  current: Counting;
  readonly others: Map<string, Counting>;
}

const NO_GROUPS: readonly TopologyGroup[] = [];

function emptyCounting(): Counting {
  return { domains: [], hosts: [], inverseDomains: [], inverseHosts: [], size: 0 };
}

function groupsOf({ domains, hosts, inverseDomains, inverseHosts }: Counting): TopologyGroup[] {
  return [...domains, ...hosts, ...inverseDomains, ...inverseHosts];
}

function count(counting: Counting, group: TopologyGroup): void {
  const { host, kind } = group.spec;
  counting.size++;
  if (kind === 'inverse') (host ? counting.inverseHosts : counting.inverseDomains).push(group);
  else (host ? counting.hosts : counting.domains).push(group);
}
