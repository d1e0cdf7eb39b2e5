/**
 * Reports what happens in the cluster as lines of text: the life cycle of every NodeClaim, nodes, pod counts, and the
 * controller's warning events. Bursts of changes are merged into one line. How lines are shown is left to the caller.
 */
import type { Clock, KubeObject, Node, StoreChange, StoreListener, Timer } from '@chandler/kube';
import type { ClusterEvent, ClusterWatch, Conditioned } from './cluster-watch.ts';

export interface Activity {
  /** In cluster time. */
  readonly atMs: number;
  readonly topic:
    | 'controller'
    | 'scenario'
    | 'speed'
    | 'claim'
    | 'node'
    | 'pods'
    | 'pool'
    | 'class'
    | 'event'
    | 'cost'
    | 'log';
  readonly warning?: boolean;
  readonly text: string;
}

export interface ActivityOptions {
  readonly watch: ClusterWatch;
  /** Cluster time. */
  readonly clock: Clock;
  /** Wall-clock time of the reader: it limits how often pod counts are reported. */
  readonly readersClock: Clock;
  readonly report: (activity: Activity) => void;
}

/** Reports from now on, until the returned function is called. */
export function reportActivity(options: ActivityOptions): () => void {
  return new ActivityReporter(options).stop;
}

export function podCounts(pods: Iterable<{ readonly status?: { readonly phase?: string } }>): PodCounts {
  const counts = { running: 0, pending: 0, other: 0 };
  for (const { status } of pods) {
    if (status?.phase === 'Running') counts.running++;
    else if (status?.phase === 'Pending' || status?.phase === undefined) counts.pending++;
    else counts.other++;
  }
  return counts;
}

export interface PodCounts {
  readonly running: number;
  readonly pending: number;
  /** Succeeded or failed. */
  readonly other: number;
}

// ---------------------------------------------------------------------------------------------------

const POD_COUNT_INTERVAL_MS = 1_000;
/** The same warning is reported at most once in this time. */
const DEDUPE_TTL_MS = 60_000;
const MAX_DEDUPE_KEYS = 500;
/** A pool or class that is not ready this long after it was first seen is reported. */
const FIRST_READY_MS = 5_000;

class ActivityReporter {
  readonly #options: ActivityOptions;
  readonly #unsubscribes: (() => void)[];
  readonly #reportedAtMs = new Map<string, number>();
  /** Warnings about objects that have not been ready yet, by topic, name and UID. */
  readonly #notReady = new Map<string, Timer>();
  #podCountDue = false;
  #lastPodCounts = '';
  #stopped = false;

  constructor(options: ActivityOptions) {
    this.#options = options;
    const { watch } = options;
    this.#unsubscribes = [
      watch.claims.store.subscribe(this.#unlessDeleted('claim', (change) => this.#claim(change))),
      watch.pools.store.subscribe(this.#unlessDeleted('pool', (change) => this.#ready('pool', change))),
      ...watch.classes.map(({ store }) =>
        store.subscribe(this.#unlessDeleted('class', (change) => this.#ready('class', change))),
      ),
      watch.events.store.subscribe((change) => this.#event(change)),
      watch.nodes.subscribe(this.#unlessDeleted('node', (change) => this.#node(change))),
      watch.pods.subscribe(() => this.#schedulePodCount()),
    ];
  }

  readonly stop = (): void => {
    this.#stopped = true;
    for (const timer of this.#notReady.values()) timer.cancel();
    for (const end of this.#unsubscribes) end();
  };

  #report(topic: Activity['topic'], text: string, warning = false): void {
    const atMs = this.#options.clock.now();
    this.#options.report({ atMs, topic, text, ...(warning ? { warning } : {}) });
  }

  #unlessDeleted<T extends KubeObject>(topic: Activity['topic'], report: StoreListener<T>): StoreListener<T> {
    return (change) => {
      if (change.type === 'deleted') this.#report(topic, `${change.object.metadata.name} is deleted`);
      else report(change);
    };
  }

  #claim({ object, before }: StoreChange<Conditioned>): void {
    const name = object.metadata.name;
    if (before === undefined) this.#report('claim', `${name} is created`);
    if (object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined)
      this.#report('claim', `${name} is being deleted`);
    for (const { type, status, reason = '', message = '' } of object.status?.conditions ?? []) {
      const was = conditionOf(before, type);
      if (was?.status === status && was.reason === reason) continue;
      const text = CONDITION_TEXTS[type];
      if (status === 'True' && text !== undefined) this.#report('claim', `${name} ${text(object)}`);
      else if (status === 'False' && text !== undefined)
        this.#report('claim', `${name}: not ${type.toLowerCase()}, ${reason}: ${message}`, true);
    }
  }

  #ready(topic: 'pool' | 'class', { object, before }: StoreChange<Conditioned>): void {
    const now = conditionOf(object, 'Ready');
    const was = conditionOf(before, 'Ready');
    if (now === undefined || (was?.status === now.status && was.reason === now.reason)) return;
    const { name, uid } = object.metadata;
    // Classes of two clouds may have the same name.
    const key = `${topic}/${name}/${uid}`;
    this.#notReady.get(key)?.cancel();
    if (now.status === 'True') this.#report(topic, `${name} is ready`);
    if (now.status !== 'False') return;
    const warn = () => this.#report(topic, `${name} is not ready, ${now.reason}: ${now.message}`, true);
    // A new object is not ready until the controller has seen what it refers to.
    if (was?.status === 'True') warn();
    else this.#notReady.set(key, this.#options.clock.after(FIRST_READY_MS, warn));
  }

  #node({ object, before }: StoreChange<Node>): void {
    const name = object.metadata.name;
    const ready = readyOf(object);
    if (ready === readyOf(before)) return;
    if (ready === 'True') this.#report('node', `${name} is Ready`);
    else if (before !== undefined && readyOf(before) === 'True')
      this.#report('node', `${name} is no longer Ready (status ${ready})`, true);
  }

  #event({ type, object }: StoreChange<ClusterEvent>): void {
    if (type === 'deleted' || !isController(object)) return;
    const warning = object.type === 'Warning';
    if (!warning && !isDisruption(object)) return;
    const { reason = '', message = '', involvedObject: { kind = '', name = '' } = {} } = object;
    // A warning about every pod of a Deployment is reported once.
    const key = `${reason} ${kind} ${message}`;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - (this.#reportedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < DEDUPE_TTL_MS) return;
    if (this.#reportedAtMs.size >= MAX_DEDUPE_KEYS) this.#reportedAtMs.clear();
    this.#reportedAtMs.set(key, nowMs);
    this.#report('event', `${reason} ${kind.toLowerCase()}/${name}: ${message}`, warning);
  }

  #schedulePodCount(): void {
    if (this.#podCountDue) return;
    this.#podCountDue = true;
    this.#options.readersClock.after(POD_COUNT_INTERVAL_MS, () => {
      this.#podCountDue = false;
      if (!this.#stopped) this.#reportPodCount();
    });
  }

  #reportPodCount(): void {
    const { running, pending, other } = podCounts(this.#options.watch.pods.values());
    const text = `${running} running, ${pending} pending${other === 0 ? '' : `, ${other} finished`}`;
    if (text === this.#lastPodCounts) return;
    this.#lastPodCounts = text;
    this.#report('pods', text);
  }
}

const CONDITION_TEXTS: Readonly<Record<string, (claim: Conditioned) => string>> = {
  Launched: ({ metadata: { labels = {} } }) =>
    `is launched: ${labels['node.kubernetes.io/instance-type'] ?? '?'} in ${labels['topology.kubernetes.io/zone'] ?? '?'}, ${labels['karpenter.sh/capacity-type'] ?? '?'}`,
  Registered: ({ status }) => `is registered as ${status?.nodeName ?? 'a node'}`,
  Initialized: () => 'is initialized',
};

function conditionOf(object: Conditioned | undefined, type: string) {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

function readyOf(node: Node | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** Why a node goes, or stays; the same event of the node's NodeClaim is left out. */
function isDisruption({ reason = '', involvedObject: { kind = '' } = {} }: ClusterEvent): boolean {
  return reason.startsWith('Disruption') && (kind === 'Node' || kind === 'NodePool');
}

/** The controller records its events under Karpenter's name, as upstream does. */
function isController({ source, reportingComponent }: ClusterEvent): boolean {
  return (reportingComponent || source?.component) === 'karpenter';
}
