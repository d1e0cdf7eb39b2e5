/**
 * The hosts of the simulated nodes: they register, send heartbeats, stop and are removed. All leases are renewed by one
 * timer. Pods are in `pods.ts`.
 */
import {
  CSI_NODES,
  conditionOf,
  formatMicroTime,
  formatTime,
  ignoreApiErrors,
  isApiError,
  type KubeClient,
  LEASES,
  type NamedObject,
  NODES,
  type Node,
  type Stored,
  type Timer,
  type World,
  withConditions,
} from '@chandler/kube';
import { nameOf } from '../object-facts.ts';
import { NODE_LEASES, type Watched } from '../watched.ts';
import {
  csiNodeObject,
  leaseObject,
  type NodeSpec,
  nodeConditions,
  nodeObject,
  STANDIN_NODE,
} from './node-object.ts';

export interface MachinesOptions {
  readonly world: World;
  readonly watched: Watched;
  /** How often leases are renewed. Default 10 s. */
  readonly heartbeatMs?: number;
  /** How often the Ready condition is written without a change. Default 5 min. */
  readonly statusMs?: number;
}

export class Machines {
  readonly #world: World;
  readonly #watched: Watched;
  readonly #client: KubeClient;
  readonly #heartbeatMs: number;
  readonly #statusMs: number;
  readonly #dark = new Set<string>();
  readonly #timers = new Set<Timer>();
  #beating: Promise<void> | undefined;
  #stopped = false;
  #addresses = 0;
  #lastStatusMs: number;

  constructor(options: MachinesOptions) {
    this.#world = options.world;
    this.#watched = options.watched;
    this.#client = options.watched.client('kubelet');
    this.#heartbeatMs = options.heartbeatMs ?? 10_000;
    this.#statusMs = options.statusMs ?? 300_000;
    this.#lastStatusMs = options.world.clock.monotonic();
  }

  /** Whether a running host serves this node. */
  runs(nodeName: string): boolean {
    const node = this.#watched.nodes.store.get({ name: nodeName });
    return node !== undefined && isStandin(node) && !this.#dark.has(nodeName);
  }

  start(): void {
    this.#after(this.#heartbeatMs, () => this.#beat());
    // Nodes of an earlier run have not sent heartbeats since.
    this.#renewAll();
  }

  /** Registers a node; an existing node of that name is adopted, and its labels are kept. */
  async addNode(spec: NodeSpec): Promise<Stored<Node>> {
    const { clock, random } = this.#world;
    this.#dark.delete(spec.name);
    const node = nodeObject(spec, {
      nowMs: clock.now(),
      address: this.#nextAddress(),
      bootId: random.uuid(),
    });
    const created = await this.#createOrFind(node);
    await Promise.all([
      ignoreApiErrors(this.#client.create(CSI_NODES, csiNodeObject(spec, created)), 'alreadyExists'),
      this.#renew(created),
    ]);
    if (spec.readyAfterMs) this.#after(spec.readyAfterMs, () => void this.#setReady(spec.name));
    return created;
  }

  /** The host loses power: no heartbeats, no progress of its pods. The Node object stays. */
  stopNode(name: string): void {
    this.#dark.add(name);
  }

  /** The host boots after `stopNode`: its kubelet reports another boot id. */
  async resumeNode(name: string): Promise<void> {
    this.#dark.delete(name);
    const node = this.#watched.nodes.store.get({ name });
    if (!node) return;
    const nodeInfo = { ...node.status?.nodeInfo, bootID: this.#world.random.uuid() };
    await ignoreApiErrors(
      this.#client.patchStatus(NODES, { name }, { type: 'strategic', patch: { status: { nodeInfo } } }),
      'notFound',
    );
    await Promise.all([this.#renew(node), this.#setReady(name)]);
  }

  /** The host and its Node object are removed. */
  async removeNode(name: string): Promise<void> {
    this.#dark.add(name);
    await ignoreApiErrors(this.#client.delete(NODES, { name }), 'notFound');
    await ignoreApiErrors(this.#client.delete(LEASES, { namespace: NODE_LEASES, name }), 'notFound');
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const timer of this.#timers) timer.cancel();
    await this.#beating;
  }

  /** Address of the node, as its status says. */
  addressOf(nodeName: string): string {
    const node = this.#watched.nodes.store.get({ name: nodeName });
    const addresses = (node?.status?.['addresses'] as { type: string; address: string }[] | undefined) ?? [];
    return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '10.0.0.1';
  }

  async #createOrFind(node: Node & NamedObject): Promise<Stored<Node>> {
    try {
      return await this.#client.create(NODES, node);
    } catch (error) {
      if (!isApiError(error, 'alreadyExists')) throw error;
      const key = { name: nameOf(node) };
      const { annotations } = node.metadata;
      await this.#client.patch(NODES, key, { type: 'merge', patch: { metadata: { annotations } } });
      return this.#client.patchStatus(NODES, key, { type: 'strategic', patch: { status: node.status } });
    }
  }

  #beat(): void {
    this.#after(this.#heartbeatMs, () => this.#beat());
    this.#renewAll();
  }

  #renewAll(): void {
    this.#beating ??= this.#renewEach().finally(() => {
      this.#beating = undefined;
    });
  }

  async #renewEach(): Promise<void> {
    const nowMs = this.#world.clock.monotonic();
    const withStatus = nowMs - this.#lastStatusMs >= this.#statusMs;
    if (withStatus) this.#lastStatusMs = nowMs;
    for (const node of [...this.#watched.nodes.store.values()]) {
      if (this.#stopped) return;
      if (!this.runs(nameOf(node))) continue;
      try {
        await this.#renew(node);
        // The node was marked Unknown: report at once that it is running.
        if (withStatus || conditionOf(node, 'Ready')?.status === 'Unknown') await this.#report(nameOf(node));
      } catch (error) {
        this.#world.log.debug('failed to send a heartbeat', { node: nameOf(node), error: String(error) });
      }
    }
  }

  async #renew(node: Stored<Node>): Promise<void> {
    const key = { namespace: NODE_LEASES, name: nameOf(node) };
    const nowMs = this.#world.clock.now();
    const patch = { spec: { renewTime: formatMicroTime(nowMs) } };
    try {
      await this.#client.patch(LEASES, key, { type: 'merge', patch });
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
      await ignoreApiErrors(this.#client.create(LEASES, leaseObject(node, nowMs)), 'alreadyExists');
    }
  }

  /** The same conditions with a new heartbeat; one that others set to Unknown is corrected. */
  #report(name: string): Promise<void> {
    const node = this.#watched.nodes.store.get({ name });
    const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
    return this.#writeConditions(name, ready?.status !== 'False');
  }

  async #setReady(name: string): Promise<void> {
    if (!this.#stopped && this.runs(name)) await this.#writeConditions(name, true);
  }

  async #writeConditions(name: string, ready: boolean): Promise<void> {
    const node = this.#watched.nodes.store.get({ name });
    if (!node) return;
    const nowMs = this.#world.clock.now();
    const conditions = withConditions(
      node.status?.conditions,
      nodeConditions(ready, nowMs),
      formatTime(nowMs),
    );
    const patch = { status: { conditions } };
    await ignoreApiErrors(
      this.#client.patchStatus(NODES, { name }, { type: 'strategic', patch }),
      'notFound',
    );
  }

  #after(delayMs: number, task: () => void): void {
    const timer = this.#world.clock.after(delayMs, () => {
      this.#timers.delete(timer);
      if (!this.#stopped) task();
    });
    this.#timers.add(timer);
  }

  #nextAddress(): string {
    this.#addresses += 1;
    return `10.0.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }
}

// ---------------------------------------------------------------------------------------------------

function isStandin(node: Stored<Node>): boolean {
  return node.metadata.annotations?.[STANDIN_NODE] === 'true';
}
