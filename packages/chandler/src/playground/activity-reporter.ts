/**
 * What happens, as lines for people: the way of every claim, nodes that come and go, how many pods run and wait, warnings
 * of the controller. Many small changes become one line; how the lines are shown is decided elsewhere.
 */
import type { Clock, KubeObject, Node, StoreChange, StoreListener } from '@chandler/kube';
import type { ClusterEvent, ClusterWatch, Conditioned } from './cluster-watch.ts';

export interface News {
  /** In the time of the cluster. */
  readonly atMs: number;
  readonly topic: 'controller' | 'story' | 'claim' | 'node' | 'pods' | 'pool' | 'class' | 'event' | 'log';
  readonly warning?: boolean;
  readonly text: string;
}

export interface NewsOptions {
  readonly watch: ClusterWatch;
  /** The cluster's. */
  readonly clock: Clock;
  /** The one of whoever reads: counts of pods come no faster than one can. */
  readonly readersClock: Clock;
  readonly tell: (news: News) => void;
}

/** Tells from now on; the returned function ends it. */
export function tellNews(options: NewsOptions): () => void {
  const desk = new NewsDesk(options);
  return desk.stop;
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
  /** Finished, one way or the other. */
  readonly other: number;
}

// ---------------------------------------------------------------------------------------------------

const PODS_EVERY_MS = 1_000;
/** The same warning is not told again for this long. */
const SAME_MS = 60_000;
const REMEMBERED = 500;

class NewsDesk {
  readonly #options: NewsOptions;
  readonly #ends: (() => void)[];
  readonly #told = new Map<string, number>();
  #podsDue = false;
  #podsTold = '';
  #stopped = false;

  constructor(options: NewsOptions) {
    this.#options = options;
    const { watch } = options;
    this.#ends = [
      watch.claims.store.subscribe(this.#unlessGone('claim', (change) => this.#claim(change))),
      watch.pools.store.subscribe(this.#unlessGone('pool', (change) => this.#ready('pool', change))),
      watch.classes.store.subscribe(this.#unlessGone('class', (change) => this.#ready('class', change))),
      watch.events.store.subscribe((change) => this.#event(change)),
      watch.nodes.subscribe(this.#unlessGone('node', (change) => this.#node(change))),
      watch.pods.subscribe(() => this.#podsSoon()),
    ];
  }

  readonly stop = (): void => {
    this.#stopped = true;
    for (const end of this.#ends) end();
  };

  #tell(topic: News['topic'], text: string, warning = false): void {
    const atMs = this.#options.clock.now();
    this.#options.tell({ atMs, topic, text, ...(warning ? { warning } : {}) });
  }

  #unlessGone<T extends KubeObject>(topic: News['topic'], tell: StoreListener<T>): StoreListener<T> {
    return (change) => {
      if (change.type === 'deleted') this.#tell(topic, `${change.object.metadata.name} is gone`);
      else tell(change);
    };
  }

  #claim({ object, before }: StoreChange<Conditioned>): void {
    const name = object.metadata.name ?? '';
    if (before === undefined) this.#tell('claim', `${name} is created`);
    if (object.metadata.deletionTimestamp !== undefined && before?.metadata.deletionTimestamp === undefined)
      this.#tell('claim', `${name} is being deleted`);
    for (const { type: step, status, reason = '', message = '' } of object.status?.conditions ?? []) {
      const was = conditionOf(before, step);
      if (was?.status === status && was.reason === reason) continue;
      const text = STEPS[step];
      if (status === 'True' && text !== undefined) this.#tell('claim', `${name} ${text(object)}`);
      else if (status === 'False' && text !== undefined)
        this.#tell('claim', `${name}: not ${step.toLowerCase()}, ${reason}: ${message}`, true);
    }
  }

  #ready(topic: 'pool' | 'class', { object, before }: StoreChange<Conditioned>): void {
    const now = conditionOf(object, 'Ready');
    const was = conditionOf(before, 'Ready');
    if (now === undefined || (was?.status === now.status && was.reason === now.reason)) return;
    const because = now.status === 'True' ? '' : `, ${now.reason}: ${now.message}`;
    const state = now.status === 'True' ? 'is ready' : 'is not ready';
    if (now.status !== 'Unknown')
      this.#tell(topic, `${object.metadata.name} ${state}${because}`, now.status === 'False');
  }

  #node({ object, before }: StoreChange<Node>): void {
    const name = object.metadata.name ?? '';
    const ready = readyOf(object);
    if (ready === readyOf(before)) return;
    if (ready === 'True') this.#tell('node', `${name} is Ready`);
    else if (before !== undefined && readyOf(before) === 'True')
      this.#tell('node', `${name} is not Ready any more (${ready})`, true);
  }

  #event({ type, object }: StoreChange<ClusterEvent>): void {
    if (type === 'deleted' || object.type !== 'Warning' || !isController(object)) return;
    const { reason = '', message = '', involvedObject: { kind = '', name = '' } = {} } = object;
    // The same of every pod of a deployment is told once.
    const key = `${reason} ${kind} ${message}`;
    const nowMs = this.#options.clock.monotonic();
    if (nowMs - (this.#told.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_MS) return;
    if (this.#told.size >= REMEMBERED) this.#told.clear();
    this.#told.set(key, nowMs);
    this.#tell('event', `${reason} ${kind.toLowerCase()}/${name}: ${message}`, true);
  }

  #podsSoon(): void {
    if (this.#podsDue) return;
    this.#podsDue = true;
    this.#options.readersClock.after(PODS_EVERY_MS, () => {
      this.#podsDue = false;
      if (!this.#stopped) this.#pods();
    });
  }

  #pods(): void {
    const { running, pending, other } = podCounts(this.#options.watch.pods.values());
    const text = `${running} running, ${pending} pending${other === 0 ? '' : `, ${other} finished`}`;
    if (text === this.#podsTold) return;
    this.#podsTold = text;
    this.#tell('pods', text);
  }
}

const STEPS: Readonly<Record<string, (claim: Conditioned) => string>> = {
  Launched: ({ metadata: { labels = {} } }) =>
    `is launched: ${labels['node.kubernetes.io/instance-type'] ?? '?'} in ${labels['topology.kubernetes.io/zone'] ?? '?'}, ${labels['karpenter.sh/capacity-type'] ?? '?'}`,
  Registered: ({ status }) => `has joined as ${status?.nodeName ?? 'a node'}`,
  Initialized: () => 'is ready for pods',
};

function conditionOf(object: Conditioned | undefined, type: string) {
  return object?.status?.conditions?.find((condition) => condition.type === type);
}

function readyOf(node: Node | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === 'Ready')?.status;
}

/** Its events carry Karpenter's name. */
function isController({ source, reportingComponent }: ClusterEvent): boolean {
  return (reportingComponent || source?.component) === 'karpenter';
}
