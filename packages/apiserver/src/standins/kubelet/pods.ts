/**
 * Pods on simulated nodes: moves each pod through its stages, and ends it when it is deleted. The tables define the stages
 * and their times; this file waits and writes.
 */
import {
  Controller,
  EventRecorder,
  ignoreApiErrors,
  type KubeClient,
  keyOf,
  keyOfObject,
  PODS,
  type Pod,
  type PodStatus,
  parseKey,
  type Result,
  type Stored,
  storeSource,
  type World,
} from '@chandler/kube';
import { isTerminating, nameOf } from '../object-facts.ts';
import { sameJson } from '../same-json.ts';
import { BY_NODE, type Watched } from '../watched.ts';
import type { Machines } from './machines.ts';
import { nextStep, type Step, situationOf, stopDelayMs } from './pod-stages.ts';
import { statusIn } from './pod-status.ts';
import type { Situation } from './stages.table.ts';

export interface KubeletPodsOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly machines: Machines;
  /** How much faster than the tables say. Default 1. */
  readonly speed?: number;
}

export class KubeletPods {
  readonly #world: World;
  readonly #watched: Watched;
  readonly #machines: Machines;
  readonly #speed: number;
  readonly #client: KubeClient;
  readonly #events: EventRecorder;
  readonly #controller: Controller;
  /** When a pod entered its stage: by key, with the identity of that stage. */
  readonly #since = new Map<string, { stage: string; sinceMs: number }>();
  #addresses = 0;

  constructor(options: KubeletPodsOptions) {
    const { world, watched } = options;
    this.#world = world;
    this.#watched = watched;
    this.#machines = options.machines;
    this.#speed = options.speed ?? 1;
    this.#client = watched.client('kubelet');
    this.#events = new EventRecorder({
      client: this.#client,
      world,
      component: 'kubelet',
      bufferSize: 100_000,
    });
    this.#controller = new Controller({
      name: 'standin.kubelet',
      world,
      concurrency: 16,
      reconcile: (key) => this.#reconcile(key),
      sources: [
        storeSource(watched.pods, { filter: ({ object }) => Boolean(object.spec.nodeName) }),
        // A node that recovers, or becomes known after its pods.
        storeSource(watched.nodes, {
          filter: ({ type }) => type === 'added',
          keys: ({ object }) => watched.pods.store.by(BY_NODE, nameOf(object)).map(keyOf),
        }),
      ],
    });
  }

  start(): Promise<void> {
    return this.#controller.start();
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#events.stop();
  }

  /** Requeues the pods of a node whose host runs again. */
  wake(nodeName: string): void {
    for (const pod of this.#watched.pods.store.by(BY_NODE, nodeName)) this.#controller.enqueue(keyOf(pod));
  }

  async #reconcile(key: string): Promise<Result> {
    const pod = this.#watched.pods.store.get(parseKey(key));
    if (!pod?.spec.nodeName) {
      this.#since.delete(key);
      return {};
    }
    if (!this.#machines.runs(pod.spec.nodeName)) return {};
    if (isTerminating(pod)) return this.#end(key, pod);
    const step = nextStep(pod);
    if (!step) return this.#rest(key, pod);
    const waitMs = this.#remainingMs(
      key,
      `${pod.metadata.uid}|${situationOf(pod)}|${restarts(pod)}`,
      step.delayMs,
    );
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    await this.#report(pod, step.to);
    this.#recordEvent(pod, step);
    return {};
  }

  /** No further stage follows, but other controllers set readiness gates. */
  async #rest(key: string, pod: Stored<Pod>): Promise<Result> {
    this.#since.delete(key);
    if (pod.spec['readinessGates'] !== undefined && situationOf(pod) === 'Ready')
      await this.#report(pod, 'Ready');
    return {};
  }

  async #end(key: string, pod: Stored<Pod>): Promise<Result> {
    const waitMs = this.#remainingMs(key, `${pod.metadata.uid}|stopping`, stopDelayMs(pod));
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    this.#since.delete(key);
    const { uid } = pod.metadata;
    const preconditions = uid === undefined ? {} : { preconditions: { uid } };
    const options = { gracePeriodSeconds: 0, ...preconditions };
    await ignoreApiErrors(this.#client.delete(PODS, keyOfObject(pod), options), 'notFound', 'conflict');
    return {};
  }

  #remainingMs(key: string, stage: string, delayMs: number): number {
    const nowMs = this.#world.clock.monotonic();
    let known = this.#since.get(key);
    if (known?.stage !== stage) {
      known = { stage, sinceMs: nowMs };
      this.#since.set(key, known);
    }
    return Math.max(0, known.sinceMs + delayMs / this.#speed - nowMs);
  }

  async #report(pod: Stored<Pod>, situation: Situation): Promise<void> {
    const nodeName = pod.spec.nodeName ?? '';
    const hostIP = this.#machines.addressOf(nodeName);
    const podIP = () => pod.status?.podIP ?? (pod.spec.hostNetwork ? hostIP : this.#nextAddress());
    const status = statusIn(situation, pod, { nowMs: this.#world.clock.now(), hostIP, podIP });
    if (sameJson({ ...pod.status, ...status }, pod.status)) return;
    const patch = { metadata: { uid: pod.metadata.uid }, status: withRemovals(status) };
    await ignoreApiErrors(
      this.#client.patchStatus(PODS, keyOfObject(pod), { type: 'strategic', patch }),
      'notFound',
      'conflict',
    );
  }

  #recordEvent(pod: Stored<Pod>, { to }: Step): void {
    const event = POD_EVENTS[to];
    if (!event) return;
    const { name, image = '' } = pod.spec.containers[0] ?? { name: '' };
    const text = event.message(name, image);
    this.#events.publish({
      resource: PODS,
      object: pod,
      type: event.type,
      reason: event.reason,
      message: text,
    });
  }

  #nextAddress(): string {
    this.#addresses += 1;
    const at = this.#addresses;
    return `10.${244 + ((at >> 16) & 7)}.${(at >> 8) & 255}.${at & 255}`;
  }
}

// ---------------------------------------------------------------------------------------------------

interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: (container: string, image: string) => string;
}

const POD_EVENTS: Readonly<Partial<Record<Situation, PodEvent>>> = {
  Running: { type: 'Normal', reason: 'Started', message: () => 'Container started' },
  ImagePullBackOff: {
    type: 'Warning',
    reason: 'Failed',
    message: (_, image) => `Failed to pull image "${image}": no such image in the playground`,
  },
  CrashLoopBackOff: {
    type: 'Warning',
    reason: 'BackOff',
    message: (container) => `Back-off restarting failed container ${container}`,
  },
};

function restarts(pod: Stored<Pod>): number {
  return Math.max(0, ...(pod.status?.containerStatuses ?? []).map((status) => status.restartCount ?? 0));
}

/** A patch merges conditions by type: fields that a condition no longer has must be removed explicitly. */
function withRemovals(status: PodStatus): object {
  const conditions = status.conditions?.map((condition) => ({ reason: null, message: null, ...condition }));
  return conditions === undefined ? status : { ...status, conditions };
}
