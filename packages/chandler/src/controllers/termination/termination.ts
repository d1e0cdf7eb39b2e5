/**
 * Terminates a Node in order: deletes its claim, taints the node, drains its pods, waits for its volumes, terminates
 * the instance, and removes the finalizer last.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  keyOfObject,
  NODES,
  type Node,
  RecentMap,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import {
  DISRUPTED_TAINT,
  Finalizer,
  KarpenterAnnotation,
  KarpenterLabel,
  KubernetesLabel,
  sameTaint,
} from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import { type ClusterNode, conditionOf } from '../../state/index.ts';

import { isOurNode } from '../claims/ownership.ts';
import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { CLAIMS, type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { drainPlan } from './drain-plan.ts';
import { drainProblem } from './drain-reporter.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { terminateInstance } from './terminate-instance.ts';
import { TerminationReporter } from './termination-reporter.ts';
import { attachmentsToAwait } from './volumes.ts';

const NODE_RESOURCE = NODES;
const REQUEUE_MS = 1_000;
/** How often the instance of a node that is not Ready is read from the cloud. */
const INSTANCE_CHECK_INTERVAL_MS = 30_000;
const MAX_CHECKED = 10_000;
/** A watch that reconnects at once is not reported. */
const REPORTED_STALE_MS = 30_000;
/** Load balancers need this time to notice the taint, even when there is nothing to drain. */
const MIN_DRAIN_MS = 5_000;

export function termination(context: ControllerContext, evictions: EvictionQueue): Controller {
  const { world, stores, settings } = context;
  const pass = new TerminationPass(context, evictions);
  return new Controller({
    name: 'node.termination',
    world,
    concurrency: workers(settings.cpuRequests, 100, 500),
    limiter: itemBackoff({ baseMs: 100, maxMs: 10_000 }),
    sources: [
      storeSource(stores.nodes, { filter: ({ object }) => object.metadata.deletionTimestamp !== undefined }),
    ],
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class TerminationPass {
  readonly #context: ControllerContext;
  readonly #evictions: EvictionQueue;
  readonly #reporter: TerminationReporter;
  /** When the instance of a node was last read, by UID of the node (monotonic). */
  readonly #asked = new RecentMap<number>(MAX_CHECKED);

  constructor(context: ControllerContext, evictions: EvictionQueue) {
    this.#context = context;
    this.#evictions = evictions;
    this.#reporter = new TerminationReporter(context);
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { stores, cluster } = scope;
    const node = stores.nodes.store.get({ name });
    if (node?.metadata.deletionTimestamp === undefined) return {};
    if (!node.metadata.finalizers?.includes(Finalizer.termination)) return {};
    const joined = cluster.nodeNamed(name);
    if (joined === undefined) return { requeueAfterMs: REQUEUE_MS };
    const claim = joined.claim;
    if (claim === undefined ? !isOurNode(scope, node) : !stores.runs(claim.spec.nodeClassRef)) return {};
    if (claim === undefined && this.#awaitsClaim(node)) {
      await keepPodsAway(scope, node);
      return { requeueAfterMs: REQUEUE_MS };
    }
    if (claim !== undefined && claim.metadata.deletionTimestamp === undefined)
      await deleteClaim(scope, claim);
    if (await this.#instanceIsGone(scope, node)) return this.#finish(scope, node, joined);
    const tainted = await keepPodsAway(scope, node);
    const result = await this.#drain(scope, tainted, joined);
    return result ?? this.#finish(scope, stores.nodes.store.get({ name }) ?? tainted, joined);
  }

  /** Everything before the finalizer; undefined when all of it is done. */
  async #drain(scope: ReconcileScope, node: Stored<Node>, joined: ClusterNode): Promise<Result | undefined> {
    const { world, client } = scope;
    const claimPatch =
      joined.claim === undefined ? undefined : new ClaimPatch(joined.claim, world.clock.now());
    const deadlineMs = deadlineOf(joined.claim);
    if (deadlineMs !== undefined) this.#reporter.deadline(node, joined.claim, deadlineMs);
    const waits =
      this.#drainPods(scope, node, joined, claimPatch, deadlineMs) ??
      this.#awaitVolumes(node, joined, claimPatch, deadlineMs);
    if (waits !== undefined) {
      await claimPatch?.write(client);
      return waits;
    }
    if (claimPatch === undefined) return undefined;
    // Before the call to the cloud, which may fail: the node is drained in any case.
    await claimPatch.write(client);
    const step = await terminateInstance(scope, claimPatch.claim, node);
    if (step.state === 'gone') return undefined;
    const going = new ClaimPatch(claimPatch.claim, world.clock.now());
    going.conditions.setTrue('InstanceTerminating');
    await going.write(client);
    return { requeueAfterMs: step.retryAfterMs };
  }

  #drainPods(
    scope: ReconcileScope,
    node: Stored<Node>,
    joined: ClusterNode,
    claimPatch: ClaimPatch | undefined,
    deadlineMs: number | undefined,
  ): Result | undefined {
    const { cluster, world } = scope;
    const nowMs = world.clock.now();
    const { evict, force, waiting } = drainPlan(cluster.podsOn(joined), nowMs, deadlineMs);
    for (const pod of force) this.#evictions.add(pod, true);
    for (const pod of evict) this.#evictions.add(pod, false);
    scope.moves.evicted(node.metadata.name, [...evict, ...force]);
    const unknown = this.#unknownPods(scope, node, deadlineMs);
    if (claimPatch?.conditions.isTrue('Drained')) return undefined;
    if (waiting.length > 0 && unknown === undefined) {
      const problem = drainProblem({
        waiting,
        asked: [...evict, ...force],
        nowMs,
        sinceMs: Date.parse(node.metadata.deletionTimestamp ?? ''),
        refusalOf: (pod) => this.#evictions.refusalOf(pod),
      });
      if (problem !== undefined) this.#reporter.failedDraining(node, problem);
      claimPatch?.conditions.setUnknown('Drained', 'Draining', 'Draining');
      return { requeueAfterMs: REQUEUE_MS };
    }
    if (unknown !== undefined) {
      claimPatch?.conditions.setUnknown('Drained', 'Draining', 'Draining');
      return unknown;
    }
    if (claimPatch === undefined) return undefined;
    if (claimPatch.conditions.get('Drained') === undefined) {
      claimPatch.conditions.setUnknown('Drained', 'Draining', 'Draining');
      return { requeueAfterMs: MIN_DRAIN_MS };
    }
    const sinceMs = Date.parse(claimPatch.conditions.get('Drained')?.lastTransitionTime ?? '');
    const leftMs = sinceMs + MIN_DRAIN_MS - nowMs;
    if (leftMs > 0) return { requeueAfterMs: Math.min(leftMs, MIN_DRAIN_MS) };
    claimPatch.conditions.setTrue('Drained');
    claimPatch.onceWritten(() => this.#reporter.drained(scope, joined));
    return undefined;
  }

  /** Pods may run that a store does not show: while it is not updated the node is not drained, except past the deadline. */
  #unknownPods(
    { stores, world }: ReconcileScope,
    node: Stored<Node>,
    deadlineMs: number | undefined,
  ): Result | undefined {
    const stale = [stores.pods, stores.attachments].find(({ failingMs }) => failingMs > 0);
    if (stale === undefined || (deadlineMs !== undefined && world.clock.now() > deadlineMs)) return undefined;
    if (stale.failingMs >= REPORTED_STALE_MS)
      this.#reporter.failedDraining(
        node,
        `the ${stale.resource} of the node are not known: ${String(stale.lastError)}`,
      );
    return { requeueAfterMs: REQUEUE_MS };
  }

  #awaitVolumes(
    node: Stored<Node>,
    joined: ClusterNode,
    claimPatch: ClaimPatch | undefined,
    deadlineMs: number | undefined,
  ): Result | undefined {
    const { world } = this.#context;
    const awaited = attachmentsToAwait(this.#context, joined);
    if (awaited.length === 0) {
      claimPatch?.conditions.setTrue('VolumesDetached');
      return undefined;
    }
    if (deadlineMs !== undefined && world.clock.now() > deadlineMs) {
      claimPatch?.conditions.setFalse(
        'VolumesDetached',
        'TerminationGracePeriodElapsed',
        'TerminationGracePeriodElapsed',
      );
      return undefined;
    }
    this.#reporter.awaitingVolumes(node, awaited);
    claimPatch?.conditions.setUnknown(
      'VolumesDetached',
      'AwaitingVolumeDetachment',
      'AwaitingVolumeDetachment',
    );
    return { requeueAfterMs: REQUEUE_MS };
  }

  /** A node may be deleted before its claim has a providerID; the claim must be deleted with it. */
  #awaitsClaim({ metadata }: Stored<Node>): boolean {
    const { stores, cloud } = this.#context;
    if (metadata.labels?.[KarpenterLabel.nodePool] === undefined) return false;
    for (const claim of stores.claims.store.values())
      if (
        !claim.status?.providerID &&
        stores.runs(claim.spec.nodeClassRef) &&
        claim.metadata.deletionTimestamp === undefined &&
        cloud.nodeName(claim) === metadata.name
      )
        return true;
    return false;
  }

  /**
   * A node that is not Ready and whose instance does not exist has nothing to drain. An outage of a zone affects many
   * nodes, and launches share the rate limit of reads, so each instance is read only at an interval.
   */
  async #instanceIsGone({ cloud, world, signal }: ReconcileScope, node: Stored<Node>): Promise<boolean> {
    const { providerID } = node.spec ?? {};
    if (conditionOf(node, 'Ready')?.status === 'True' || !providerID) return false;
    const nowMs = world.clock.monotonic();
    const askedMs = this.#asked.get(node.metadata.uid) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - askedMs < INSTANCE_CHECK_INTERVAL_MS) return false;
    this.#asked.set(node.metadata.uid, nowMs);
    try {
      await cloud.get(providerID, signal);
      return false;
    } catch (error) {
      signal.throwIfAborted();
      if (isCloudError(error, 'NotFound')) return true;
      if (!isCloudError(error)) throw error;
      // Not known: the node is drained, and a failing termination is reported at the end.
      return false;
    }
  }

  async #finish(scope: ReconcileScope, node: Stored<Node>, joined: ClusterNode): Promise<Result> {
    const finalizers = (node.metadata.finalizers ?? []).filter((name) => name !== Finalizer.termination);
    const patch = { metadata: { resourceVersion: node.metadata.resourceVersion, finalizers } };
    try {
      await scope.client.patch(NODE_RESOURCE, keyOfObject(node), { type: 'merge', patch });
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
    }
    this.#reporter.gone(scope, node, joined.labels[KarpenterLabel.nodePool] ?? '');
    return {};
  }
}

// ---------------------------------------------------------------------------------------------------

async function deleteClaim({ client }: ReconcileScope, claim: Claim): Promise<void> {
  const preconditions = { uid: claim.metadata.uid };
  try {
    await client.delete(CLAIMS, keyOfObject(claim), { preconditions });
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
}

async function keepPodsAway({ client }: ReconcileScope, node: Stored<Node>): Promise<Stored<Node>> {
  const taints = node.spec?.taints ?? [];
  const labels = node.metadata.labels ?? {};
  const tainted = taints.some((taint) => sameTaint(taint, DISRUPTED_TAINT));
  if (tainted && labels[KubernetesLabel.excludeFromLoadBalancers] !== undefined) return node;
  const patch = {
    metadata: {
      resourceVersion: node.metadata.resourceVersion,
      labels: { [KubernetesLabel.excludeFromLoadBalancers]: 'karpenter' },
    },
    spec: { taints: tainted ? taints : [...taints, DISRUPTED_TAINT] },
  };
  return client.patch(NODE_RESOURCE, keyOfObject(node), { type: 'merge', patch });
}

function deadlineOf(claim: Claim | undefined): number | undefined {
  const text = claim?.metadata.annotations?.[KarpenterAnnotation.terminationTimestamp];
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
