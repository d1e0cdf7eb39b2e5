/**
 * The scheduling loop: watches pods and nodes, decides for one pod after the other on its own snapshot of the
 * cluster, and binds in the background. An unschedulable pod gets a condition and waits for a change
 * that could help it. There is no preemption: priority decides the order, and no pod is evicted.
 */
import {
  bind,
  conditionOf,
  EventRecorder,
  formatTime,
  type KubeClient,
  keyOfObject,
  type Node,
  PODS,
  type Pod,
  type StoreChange,
  type Stored,
  type Timer,
  type World,
} from '@chandler/kube';
import { isFinished, isTerminating, nameOf } from '../object-facts.ts';
import { BY_NODE, type Watched } from '../watched.ts';
import { ClusterSnapshot, type Lookup, type NodeInfo, podKey } from './cluster-snapshot.ts';
import { feasibleNodes } from './fits.ts';
import { dependsOnPods, hasClaims, nodeChanged, podClass } from './pod-class.ts';
import { PodQueue } from './pod-queue.ts';
import { chooseNode } from './score.ts';
import { unschedulableMessage } from './unschedulable-message.ts';
import { UnschedulableReporter } from './unschedulable-reporter.ts';
import { bindVolumes } from './volume-binding.ts';

export interface SchedulerOptions {
  readonly world: World;
  readonly watched: Watched;
  /** Pods of another scheduler are ignored. Default `default-scheduler`. */
  readonly name?: string;
}

export class Scheduler {
  readonly snapshot: ClusterSnapshot;
  readonly #world: World;
  readonly #watched: Watched;
  readonly #name: string;
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #queue = new PodQueue();
  /** Assumed pods: already in the snapshot, not yet in the watch. */
  readonly #assumed = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  /** Bindings that wait for a volume can take long and must not block the others. */
  readonly #waitingForVolumes = new Set<Promise<void>>();
  readonly #refused = new Map<string, string>();
  readonly #reporter: UnschedulableReporter;
  readonly #timers = new Set<Timer>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #stop = new AbortController();
  #pumping = false;

  constructor(options: SchedulerOptions) {
    this.#world = options.world;
    this.#watched = options.watched;
    this.#name = options.name ?? 'default-scheduler';
    this.#client = options.watched.client('kube-scheduler');
    this.snapshot = new ClusterSnapshot(lookupIn(options.watched));
    this.#reporter = new UnschedulableReporter(options.world.clock, (key, message) => {
      const pod = this.#queue.get(key);
      if (!pod) return;
      const event = { resource: PODS, object: pod, type: 'Warning', reason: 'FailedScheduling' } as const;
      this.#events.publish({ ...event, message });
      this.#run(this.#writeCondition(pod, message));
    });
    this.#events = new EventRecorder({
      client: this.#client,
      world: options.world,
      component: this.#name,
      bufferSize: 100_000,
    });
  }

  /** The number of pending pods. */
  get waiting(): number {
    return this.#queue.size;
  }

  start(): void {
    const { nodes, pods, namespaces, claims, volumes, storageClasses, csiNodes, attachments } = this.#watched;
    for (const node of nodes.store.values()) this.snapshot.setNode(node);
    for (const pod of pods.store.values()) this.#onPod({ type: 'added', object: pod });
    const ofVolumes = () => this.#changed(hasClaims);
    this.#unsubscribe.push(
      nodes.store.subscribe((change) => this.#onNode(change)),
      pods.store.subscribe((change) => this.#onPod(change)),
      namespaces.store.subscribe(() => this.#changed(dependsOnPods)),
      ...[claims, volumes, storageClasses, csiNodes, attachments].map(({ store }) =>
        (store as { subscribe(listener: () => void): () => void }).subscribe(ofVolumes),
      ),
    );
    this.#pump();
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the scheduler was stopped'));
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    for (const timer of this.#timers) timer.cancel();
    this.#reporter.stop();
    await Promise.all([...this.#writing, ...this.#waitingForVolumes]);
    await this.#events.stop();
  }

  #onNode({ type, object, before }: StoreChange<Node>): void {
    if (type === 'deleted') {
      this.snapshot.removeNode(nameOf(object));
      this.#changed(dependsOnPods);
      return;
    }
    this.snapshot.setNode(object);
    if (nodeChanged(before, object)) this.#changed(() => true);
  }

  #onPod({ type, object: pod, before }: StoreChange<Pod>): void {
    const key = podKey(pod);
    const same = before !== undefined && sameForScheduling(before, pod);
    if (type !== 'deleted' && this.#isOurs(pod)) {
      if (this.#assumed.has(key)) return;
      // Every failed attempt changes the status of the pod; that alone does not trigger another attempt.
      if (same && this.#queue.get(key)) this.#queue.refresh(pod);
      else this.#queue.add(pod);
      this.#pump();
      return;
    }
    if (type === 'updated' && same) return;
    this.#queue.remove(key);
    this.#reporter.forget(key);
    this.#assumed.delete(key);
    if (type === 'deleted') this.snapshot.removePod(key);
    else this.snapshot.setPod(pod);
    const gone = type === 'deleted' || isFinished(pod) || isTerminating(pod);
    this.#changed(gone ? () => true : dependsOnPods);
  }

  #isOurs(pod: Stored<Pod>): boolean {
    const { nodeName, schedulerName = 'default-scheduler', schedulingGates = [] } = pod.spec;
    return (
      !nodeName &&
      schedulerName === this.#name &&
      schedulingGates.length === 0 &&
      !isFinished(pod) &&
      !isTerminating(pod)
    );
  }

  #changed(helps: (pod: Stored<Pod>) => boolean): void {
    this.#refused.clear();
    if (this.#queue.size === 0) return;
    this.#queue.retry(helps);
    this.#pump();
  }

  /** Schedules after the current batch of events, and again after every round of writes, until the queue is empty. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => void this.#decideAll());
  }

  async #decideAll(): Promise<void> {
    try {
      for (let pod = this.#queue.take(); pod && !this.#stop.signal.aborted; pod = this.#queue.take()) {
        this.#decide(pod);
        // The writes need their turn, and what they bring may change the order.
        if (this.#writing.size >= MAX_WRITING) await Promise.race(this.#writing);
      }
    } finally {
      this.#pumping = false;
    }
  }

  #decide(pod: Stored<Pod>): void {
    const kind = podClass(pod);
    const known = this.#refused.get(kind);
    if (known !== undefined) {
      this.#refuse(pod, known);
      return;
    }
    const feasibility = feasibleNodes(pod, this.snapshot);
    const node = chooseNode(pod, feasibility.nodes, this.snapshot);
    if (!node) {
      const message = unschedulableMessage(pod, feasibility, this.snapshot.nodes.length);
      this.#refused.set(kind, message);
      this.#refuse(pod, message);
      return;
    }
    const key = podKey(pod);
    this.#queue.remove(key);
    this.#assumed.add(key);
    this.snapshot.setPod(pod, node.name);
    this.#refused.clear();
    this.#run(this.#place(pod, node), hasClaims(pod) ? this.#waitingForVolumes : this.#writing);
  }

  #run(work: Promise<void>, among: Set<Promise<void>> = this.#writing): void {
    const done = work.finally(() => among.delete(done));
    among.add(done);
  }

  async #place(pod: Stored<Pod>, node: NodeInfo): Promise<void> {
    try {
      const { clock } = this.#world;
      const volumes = { client: this.#client, claims: this.#watched.claims, clock, snapshot: this.snapshot };
      if (hasClaims(pod) && !(await bindVolumes(volumes, pod, node, this.#stop.signal))) {
        throw new Error('the volumes of the pod were not bound in time');
      }
      const { uid } = pod.metadata;
      await bind(this.#client, { ...keyOfObject(pod), ...(uid === undefined ? {} : { uid }) }, node.name);
      const message = `Successfully assigned ${podKey(pod)} to ${node.name}`;
      this.#events.publish({ resource: PODS, object: pod, type: 'Normal', reason: 'Scheduled', message });
    } catch (error) {
      this.#undo(pod, error);
    }
  }

  #undo(pod: Stored<Pod>, error: unknown): void {
    const key = podKey(pod);
    const now = this.#watched.pods.store.get(keyOfObject(pod));
    // Deleted, recreated or bound by another client: the watch has updated the snapshot.
    if (this.#stop.signal.aborted || !this.#assumed.delete(key) || now?.metadata.uid !== pod.metadata.uid)
      return;
    this.snapshot.removePod(key);
    this.#changed(() => true);
    this.#world.log.debug('could not bind pod', { pod: key, error: String(error) });
    const timer = this.#world.clock.after(RETRY_MS, () => {
      this.#timers.delete(timer);
      const current = this.#watched.pods.store.get(keyOfObject(pod));
      if (!current || !this.#isOurs(current)) return;
      this.#queue.add(current);
      this.#pump();
    });
    this.#timers.add(timer);
  }

  #refuse(pod: Stored<Pod>, message: string): void {
    const condition = conditionOf(pod, 'PodScheduled');
    const key = podKey(pod);
    if (condition?.reason === 'Unschedulable' && condition.message === message)
      this.#reporter.markReported(key);
    else this.#reporter.report(key, message);
  }

  async #writeCondition(pod: Stored<Pod>, message: string): Promise<void> {
    const wasFalse = conditionOf(pod, 'PodScheduled')?.status === 'False';
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message,
      ...(wasFalse ? {} : { lastTransitionTime: formatTime(this.#world.clock.now()) }),
    };
    try {
      const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
      await this.#client.patchStatus(PODS, keyOfObject(pod), { type: 'strategic', patch });
    } catch (error) {
      // The pod was deleted or changed; the watch delivers its current state.
      this.#world.log.debug('could not set the PodScheduled condition', {
        pod: podKey(pod),
        error: String(error),
      });
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** Maximum number of writes in flight. */
const MAX_WRITING = 64;
const RETRY_MS = 1000;

/** Nothing that a scheduler reads is different. */
function sameForScheduling(before: Stored<Pod>, after: Stored<Pod>): boolean {
  return (
    before.metadata.uid === after.metadata.uid &&
    isTerminating(before) === isTerminating(after) &&
    isFinished(before) === isFinished(after) &&
    isGated(before) === isGated(after) &&
    podClass(before) === podClass(after)
  );
}

function isGated({ spec }: Stored<Pod>): boolean {
  return (spec.schedulingGates ?? []).length > 0;
}

function lookupIn(watched: Watched): Lookup {
  return {
    namespaceLabels: (name) => watched.namespaces.store.get({ name })?.metadata.labels ?? {},
    claim: (namespace, name) => watched.claims.store.get({ namespace, name }),
    volume: (name) => watched.volumes.store.get({ name }),
    volumes: () => watched.volumes.store.values(),
    storageClass: (name) => watched.storageClasses.store.get({ name }),
    csiNode: (name) => watched.csiNodes.store.get({ name }),
    attachedTo: (node) =>
      watched.attachments.store
        .by(BY_NODE, node)
        .flatMap(({ spec }) => spec.source.persistentVolumeName ?? []),
  };
}
