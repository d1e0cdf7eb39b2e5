/**
 * The lifecycle of nodes: nodes without heartbeats become Unknown, conditions become taints, taints evict pods after their
 * toleration time, and pods of deleted nodes are removed. `node-taints.ts` decides.
 */
import {
  Controller,
  conditionOf,
  formatTime,
  ignoreApiErrors,
  type KubeClient,
  keyOf,
  keyOfObject,
  NODES,
  type Node,
  PODS,
  type Pod,
  parseTimeMs,
  type Result,
  type Stored,
  storeSource,
  type World,
  withConditions,
} from '@chandler/kube';
import { taintsFor, toleratedForMs, unknownConditions } from './node-taints.ts';
import { isFinished, isTerminating, nameOf } from './object-facts.ts';
import { BY_NODE, NODE_LEASES, type Watched } from './watched.ts';
import { removePods } from './workloads/workload.ts';

export interface NodeLifecycleOptions {
  readonly world: World;
  readonly watched: Watched;
  readonly client: KubeClient;
  /** A node without a heartbeat for this long is Unknown. Default 50 s. */
  readonly graceMs?: number;
  /** From the deletion of a node to that of its pods. Default 5 s. */
  readonly orphanMs?: number;
}

export function nodeLifecycleController(options: NodeLifecycleOptions): Controller {
  const { world, watched } = options;
  const lifecycle = new NodeLifecycle(options);
  return new Controller({
    name: 'standin.node',
    world,
    concurrency: 4,
    reconcile: (name) => lifecycle.reconcile(name),
    sources: [
      storeSource(watched.nodes),
      storeSource(watched.pods, {
        filter: ({ object, before }) => Boolean(object.spec.nodeName) && !before?.spec.nodeName,
        keys: ({ object }) => [object.spec.nodeName ?? ''],
      }),
    ],
  });
}

// ---------------------------------------------------------------------------------------------------

class NodeLifecycle {
  readonly #options: NodeLifecycleOptions;
  readonly #graceMs: number;
  readonly #orphanMs: number;
  /** When something without a time of its own was first seen: a node missing, a taint on a node. */
  readonly #seen = new Map<string, number>();

  constructor(options: NodeLifecycleOptions) {
    this.#options = options;
    this.#graceMs = options.graceMs ?? 50_000;
    this.#orphanMs = options.orphanMs ?? 5_000;
  }

  async reconcile(name: string): Promise<Result> {
    const { world, watched } = this.#options;
    const node = watched.nodes.store.get({ name });
    const pods = watched.pods.store.by(BY_NODE, name);
    if (!node) return this.#removeOrphans(name, pods);
    this.#seen.delete(name);
    const nowMs = world.clock.now();
    const silentInMs = this.#silentInMs(node, nowMs);
    if (silentInMs <= 0 && conditionOf(node, 'Ready')?.status !== 'Unknown') {
      await this.#markUnknown(node, nowMs);
      return {};
    }
    const taints = taintsFor(node, nowMs);
    if (taints) {
      await this.#writeTaints(node, taints);
      return {};
    }
    const evictionMs = await this.#evict(node, pods, nowMs);
    const waits = [silentInMs, evictionMs].filter((ms) => ms > 0 && Number.isFinite(ms));
    return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
  }

  /** Time until the node is considered silent; usually determined by its lease. */
  #silentInMs(node: Stored<Node>, nowMs: number): number {
    const lease = this.#options.watched.leases.store.get({ namespace: NODE_LEASES, name: nameOf(node) });
    const signs = [
      parseTimeMs(lease?.spec?.renewTime),
      parseTimeMs(conditionOf(node, 'Ready')?.['lastHeartbeatTime'] as string | undefined),
      parseTimeMs(node.metadata.creationTimestamp),
    ].filter((ms) => !Number.isNaN(ms));
    return Math.max(0, ...signs) + this.#graceMs - nowMs;
  }

  async #markUnknown(node: Stored<Node>, nowMs: number): Promise<void> {
    const changes = unknownConditions(node, nowMs);
    const conditions = withConditions(node.status?.conditions, changes, formatTime(nowMs));
    const patch = { status: { conditions } };
    await ignoreApiErrors(
      this.#options.client.patchStatus(NODES, keyOfObject(node), { type: 'strategic', patch }),
      'notFound',
    );
  }

  async #writeTaints(node: Stored<Node>, taints: readonly object[]): Promise<void> {
    const { resourceVersion } = node.metadata;
    const patch = { metadata: { resourceVersion }, spec: { taints } };
    await ignoreApiErrors(
      this.#options.client.patch(NODES, keyOfObject(node), { type: 'merge', patch }),
      'notFound',
    );
  }

  /** Deletes pods whose toleration time has passed and returns the time until the next one. */
  async #evict(node: Stored<Node>, pods: readonly Stored<Pod>[], nowMs: number): Promise<number> {
    const taints = node.spec?.taints ?? [];
    const key = `taint of ${nameOf(node)}`;
    if (!taints.some(({ effect }) => effect === 'NoExecute')) {
      this.#seen.delete(key);
      return Number.POSITIVE_INFINITY;
    }
    const sinceMs = this.#since(key, nowMs);
    let nextMs = Number.POSITIVE_INFINITY;
    const leaving: Stored<Pod>[] = [];
    for (const pod of pods) {
      if (isTerminating(pod) || isFinished(pod)) continue;
      const leftMs = toleratedForMs(pod, taints, sinceMs, nowMs);
      if (leftMs <= 0) leaving.push(pod);
      else nextMs = Math.min(nextMs, leftMs);
    }
    await removePods(this.#options.client, leaving);
    return nextMs;
  }

  async #removeOrphans(name: string, pods: readonly Stored<Pod>[]): Promise<Result> {
    if (pods.length === 0) {
      this.#seen.delete(name);
      return {};
    }
    const { world, client } = this.#options;
    const nowMs = world.clock.now();
    const waitMs = this.#since(name, nowMs) + this.#orphanMs - nowMs;
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    for (const pod of pods) {
      const { uid } = pod.metadata;
      const options = { gracePeriodSeconds: 0, ...(uid === undefined ? {} : { preconditions: { uid } }) };
      await ignoreApiErrors(client.delete(PODS, keyOfObject(pod), options), 'notFound', 'conflict');
      world.log.debug('deleted a pod of a deleted node', { pod: keyOf(pod), node: name });
    }
    return {};
  }

  #since(key: string, nowMs: number): number {
    const known = this.#seen.get(key);
    if (known !== undefined) return known;
    this.#seen.set(key, nowMs);
    return nowMs;
  }
}
