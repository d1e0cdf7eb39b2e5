/**
 * The cluster in the browser: the snapshot, with the changes of the stream applied to it in place. Nothing is copied for a change:
 * readers get the maps themselves, and learn from counters and from the set of changed nodes what to read again.
 */
import type {
  Change,
  Freeze,
  Happened,
  Missing,
  NodeRow,
  PodRow,
  PoolRow,
  PricePoint,
  Snapshot,
  Totals,
} from '../../wire.ts';

/** Requests of the pods of one node, kept as they change. */
export interface NodeLoad {
  readonly pods: Map<string, PodRow>;
  cpuMillis: number;
  memoryBytes: number;
}

export interface Revisions {
  /** Any change. */
  all: number;
  /** Nodes, and which there are. */
  nodes: number;
  /** Which pods are pending. */
  pending: number;
  /** NodePools, freezes, what cannot be read. */
  settings: number;
  happened: number;
  /** What happened and was dropped here, or not sent: the number is that of the newest of them. */
  gaps: number;
  /** What is written about NodeClaims, where no row shows it. */
  claims: number;
}

const NONE: Revisions = { all: 0, nodes: 0, pending: 0, settings: 0, happened: 0, gaps: 0, claims: 0 };

/** Events that are kept: older ones are asked for by the timeline. */
const KEPT_HAPPENED = 500;
/** Kept for who draws them; a view that draws none takes none. */
const MAX_PLACED = 200;
/** Names of nodes that are gone, beside those that there are. */
const MAX_GONE = 1_000;

export class ClusterStore {
  readonly nodes = new Map<string, NodeRow>();
  readonly pods = new Map<string, PodRow>();
  readonly pending = new Map<string, PodRow>();
  readonly pools = new Map<string, PoolRow>();
  /** By name of node; also for nodes that are not known (yet). */
  readonly loads = new Map<string, NodeLoad>();
  /** Since the snapshot. */
  readonly happened: Happened[] = [];
  readonly prices: PricePoint[] = [];
  readonly revisions: Revisions = { ...NONE };
  /** The number of the last change of each, as the stream counts them. */
  readonly changedAt: Revisions = { ...NONE };
  freezes: readonly Freeze[] = [];
  missing: readonly Missing[] = [];
  totals: Totals | null = null;
  epoch = '';
  sequence = 0;
  /** When the snapshot or the last change was, by the server's clock. */
  atMs = 0;
  /** Emptied by who draws them; only of nodes that there are or were just now. */
  readonly #changedNodes = new Set<string>();
  #placed: PodRow[] = [];
  /** Of each of `happened`, as the stream counts them. */
  readonly #numbers: number[] = [];
  /** The number of the change that is being applied. */
  #changing = 0;
  readonly #listeners = new Set<() => void>();

  get isLoaded(): boolean {
    return this.epoch !== '';
  }

  /**
   * Whether pods are known: without them nothing is known of requests and of what is pending. Those that are not up to date are,
   * unless none could be read so far.
   */
  get hasPods(): boolean {
    const missing = this.missing.find(({ resource }) => resource === 'pods');
    return missing === undefined || (missing.reason === 'failed' && this.pods.size > 0);
  }

  /** Everything anew. */
  load(snapshot: Snapshot): void {
    for (const map of [this.nodes, this.pods, this.pending, this.pools, this.loads]) map.clear();
    this.epoch = snapshot.epoch;
    this.sequence = snapshot.sequence;
    this.atMs = snapshot.atMs;
    this.totals = snapshot.totals;
    this.freezes = snapshot.freezes;
    this.missing = snapshot.missing;
    for (const node of snapshot.nodes) this.nodes.set(node.name, node);
    for (const pool of snapshot.pools) this.pools.set(pool.name, pool);
    for (const pod of snapshot.pods) this.#putPod(pod);
    this.happened.length = 0;
    this.prices.length = 0;
    this.#numbers.length = 0;
    this.#placed = [];
    this.#changedNodes.clear();
    this.#changing = snapshot.sequence;
    for (const name of Object.keys(this.revisions) as (keyof Revisions)[]) this.#changed(name);
    this.#tell();
  }

  /** The changes of one event of the stream. */
  apply(changes: readonly Change[], sequence: number): void {
    this.#changing = sequence - changes.length;
    for (const change of changes) {
      this.#changing++;
      this.#change(change);
    }
    this.sequence = sequence;
    this.#changed('all');
    this.#tell();
  }

  /** Called after each event of the stream, at most ten times a second. The answer ends it. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Names of nodes whose row or pods changed since the last call, and the pods that were placed on one. */
  takeChanged(): { readonly nodes: ReadonlySet<string>; readonly placed: readonly PodRow[] } {
    const taken = { nodes: new Set(this.#changedNodes), placed: this.#placed };
    this.#changedNodes.clear();
    this.#placed = [];
    return taken;
  }

  loadOf(node: string): NodeLoad | undefined {
    return this.loads.get(node);
  }

  #change(change: Change): void {
    switch (change[0]) {
      case 'node':
        this.nodes.set(change[1].name, change[1]);
        this.#nodeChanged(change[1].name);
        break;
      case 'node-gone':
        this.nodes.delete(change[1]);
        this.#nodeChanged(change[1]);
        this.#forgetGone();
        break;
      case 'pod':
        this.#podChanged(change[1]);
        break;
      case 'pod-gone':
        this.#removePod(`${change[1]}/${change[2]}`);
        break;
      case 'pool':
        this.pools.set(change[1].name, change[1]);
        this.#changed('settings');
        break;
      case 'pool-gone':
        this.pools.delete(change[1]);
        this.#changed('settings');
        break;
      case 'totals':
        this.totals = change[1];
        break;
      case 'freezes':
        this.freezes = change[1];
        this.#changed('settings');
        break;
      case 'missing':
        this.missing = change[1];
        this.#changed('settings');
        break;
      case 'happened':
        this.happened.push(change[1]);
        this.#numbers.push(this.#changing);
        if (this.happened.length > KEPT_HAPPENED) {
          this.happened.shift();
          this.#changed('gaps', this.#numbers.shift());
        }
        this.#changed('happened');
        break;
      case 'happened-cut':
        this.#changed('gaps');
        break;
      case 'claims':
        this.#changed('claims');
        break;
      case 'price':
        this.prices.push(change[1]);
        if (this.prices.length > KEPT_HAPPENED) this.prices.shift();
        this.#changed('happened');
    }
  }

  #changed(name: keyof Revisions, number = this.#changing): void {
    this.revisions[name]++;
    this.changedAt[name] = number;
  }

  /** While nobody draws, names of nodes that are gone would gather. Who draws reads them at once. */
  #forgetGone(): void {
    if (this.#changedNodes.size <= 2 * this.nodes.size + MAX_GONE) return;
    for (const name of this.#changedNodes) if (!this.nodes.has(name)) this.#changedNodes.delete(name);
  }

  #nodeChanged(name: string): void {
    this.#changedNodes.add(name);
    this.#changed('nodes');
  }

  #podChanged(pod: PodRow): void {
    const key = podKey(pod);
    const before = this.pods.get(key);
    if (before?.[2] === '' && pod[2] !== '' && this.#placed.length < MAX_PLACED) this.#placed.push(pod);
    if (before !== undefined) this.#takeOff(key, before, pod[2]);
    this.#putPod(pod);
    if (pod[2] !== '') this.#changedNodes.add(pod[2]);
    if (before?.[3] === 'p' || pod[3] === 'p') this.#changed('pending');
  }

  #removePod(key: string): void {
    const pod = this.pods.get(key);
    if (pod === undefined) return;
    this.pods.delete(key);
    this.#takeOff(key, pod, '');
    if (pod[3] === 'p') this.#changed('pending');
  }

  /** Of its node, and of the pending ones. A pod that stays on its node keeps its place among the others. */
  #takeOff(key: string, pod: PodRow, nextNode: string): void {
    this.pending.delete(key);
    if (pod[2] === '') return;
    const load = this.loads.get(pod[2])!;
    load.cpuMillis -= pod[4];
    load.memoryBytes -= pod[5];
    if (nextNode !== pod[2]) load.pods.delete(key);
    if (load.pods.size === 0) this.loads.delete(pod[2]);
    this.#changedNodes.add(pod[2]);
  }

  #putPod(pod: PodRow): void {
    const key = podKey(pod);
    this.pods.set(key, pod);
    if (pod[3] === 'p') this.pending.set(key, pod);
    if (pod[2] === '') return;
    let load = this.loads.get(pod[2]);
    if (load === undefined) {
      load = { pods: new Map(), cpuMillis: 0, memoryBytes: 0 };
      this.loads.set(pod[2], load);
    }
    load.pods.set(key, pod);
    load.cpuMillis += pod[4];
    load.memoryBytes += pod[5];
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

export function podKey(pod: PodRow): string {
  return `${pod[0]}/${pod[1]}`;
}
