/**
 * The end of a Node, in order: its claim is deleted with it, pods are kept away, those on it are drained, its volumes
 * let go, the machine is given back, and only then the finalizer goes.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  keyOfObject,
  NODES,
  RecentMap,
  type ResourceRef,
  type Result,
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
import { type ClusterNode, conditionOf, type NodeObject } from '../../state/index.ts';

import { isOurNode } from '../claims/ownership.ts';
import { type ControllerContext, workers } from '../context.ts';
import { CLAIMS, type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { drainPlan } from './drain-plan.ts';
import { drainProblem } from './drain-reporter.ts';
import type { EvictionQueue } from './eviction-queue.ts';
import { terminateInstance } from './terminate-instance.ts';
import { TerminationReporter } from './termination-reporter.ts';
import { attachmentsToAwait } from './volumes.ts';

const NODE_RESOURCE = NODES as ResourceRef<NodeObject>;
const LOOK_AGAIN_MS = 1_000;
/** How often the cloud is asked whether the machine of a node that is not Ready still exists. */
const ASK_AGAIN_MS = 30_000;
const MAX_ASKED = 10_000;
/** Load balancers and watchers of endpoints need a moment to notice, even when nothing has to be drained. */
const LEAST_DRAIN_MS = 5_000;

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
    reconcile: (name, { signal }) => pass.reconcile(name, signal),
  });
}

export class TerminationPass {
  readonly #context: ControllerContext;
  readonly #evictions: EvictionQueue;
  readonly #reporter: TerminationReporter;
  /** When the cloud was last asked for the machine of a node, by its UID (monotonic). */
  readonly #asked = new RecentMap<number>(MAX_ASKED);

  constructor(context: ControllerContext, evictions: EvictionQueue) {
    this.#context = context;
    this.#evictions = evictions;
    this.#reporter = new TerminationReporter(context);
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { stores, cluster } = this.#context;
    const node = stores.nodes.store.get({ name });
    if (node?.metadata.deletionTimestamp === undefined) return {};
    if (!node.metadata.finalizers?.includes(Finalizer.termination)) return {};
    const joined = cluster.nodeNamed(name);
    if (joined === undefined) return { requeueAfterMs: LOOK_AGAIN_MS };
    const claim = joined.claim;
    if (claim === undefined ? !isOurNode(this.#context, node) : !stores.runs(claim.spec.nodeClassRef))
      return {};
    if (claim === undefined && this.#hasClaimToCome(node)) {
      await this.#keepPodsAway(node);
      return { requeueAfterMs: LOOK_AGAIN_MS };
    }
    if (claim !== undefined && claim.metadata.deletionTimestamp === undefined) await this.#deleteClaim(claim);
    if (await this.#machineIsGone(node, signal)) return this.#finish(node, joined);
    const tainted = await this.#keepPodsAway(node);
    const result = await this.#drain(tainted, joined, signal);
    return result ?? this.#finish(this.#context.stores.nodes.store.get({ name }) ?? tainted, joined);
  }

  /** Everything before the end; undefined when all of it is done. */
  async #drain(node: NodeObject, joined: ClusterNode, signal: AbortSignal): Promise<Result | undefined> {
    const { world, client } = this.#context;
    const draft = joined.claim === undefined ? undefined : new ClaimPatch(joined.claim, world.clock.now());
    const deadlineMs = deadlineOf(joined.claim);
    if (deadlineMs !== undefined) this.#reporter.deadline(node, joined.claim, deadlineMs);
    const waits =
      this.#drainPods(node, joined, draft, deadlineMs) ?? this.#awaitVolumes(node, joined, draft, deadlineMs);
    if (waits !== undefined) {
      await draft?.write(client);
      return waits;
    }
    if (draft === undefined) return undefined;
    // Before the cloud is asked: it may refuse, and the node is empty all the same.
    await draft.write(client);
    const step = await terminateInstance(this.#context, draft.claim, signal, node);
    if (step.state === 'gone') return undefined;
    const going = new ClaimPatch(draft.claim, world.clock.now());
    going.conditions.setTrue('InstanceTerminating');
    await going.write(client);
    return { requeueAfterMs: step.retryAfterMs };
  }

  #drainPods(
    node: NodeObject,
    joined: ClusterNode,
    draft: ClaimPatch | undefined,
    deadlineMs: number | undefined,
  ): Result | undefined {
    const { cluster, world } = this.#context;
    const nowMs = world.clock.now();
    const { evict, force, waiting } = drainPlan(cluster.podsOn(joined), nowMs, deadlineMs);
    for (const pod of force) this.#evictions.add(pod, true);
    for (const pod of evict) this.#evictions.add(pod, false);
    if (draft?.conditions.isTrue('Drained')) return undefined;
    if (waiting.length > 0) {
      const trouble = drainProblem({
        waiting,
        asked: [...evict, ...force],
        nowMs,
        sinceMs: Date.parse(node.metadata.deletionTimestamp ?? ''),
        refusalOf: (pod) => this.#evictions.refusalOf(pod),
      });
      if (trouble !== undefined) this.#reporter.failedDraining(node, trouble);
      draft?.conditions.setUnknown('Drained', 'Draining', 'Draining');
      return { requeueAfterMs: LOOK_AGAIN_MS };
    }
    if (draft === undefined) return undefined;
    if (draft.conditions.get('Drained') === undefined) {
      draft.conditions.setUnknown('Drained', 'Draining', 'Draining');
      return { requeueAfterMs: LEAST_DRAIN_MS };
    }
    const sinceMs = Date.parse(draft.conditions.get('Drained')?.lastTransitionTime ?? '');
    const leftMs = sinceMs + LEAST_DRAIN_MS - nowMs;
    if (leftMs > 0) return { requeueAfterMs: Math.min(leftMs, LEAST_DRAIN_MS) };
    draft.conditions.setTrue('Drained');
    draft.onceWritten(() => this.#reporter.drained(joined));
    return undefined;
  }

  #awaitVolumes(
    node: NodeObject,
    joined: ClusterNode,
    draft: ClaimPatch | undefined,
    deadlineMs: number | undefined,
  ): Result | undefined {
    const { world } = this.#context;
    const awaited = attachmentsToAwait(this.#context, joined);
    if (awaited.length === 0) {
      draft?.conditions.setTrue('VolumesDetached');
      return undefined;
    }
    if (deadlineMs !== undefined && world.clock.now() > deadlineMs) {
      draft?.conditions.setFalse(
        'VolumesDetached',
        'TerminationGracePeriodElapsed',
        'TerminationGracePeriodElapsed',
      );
      return undefined;
    }
    this.#reporter.awaitingVolumes(node, awaited);
    draft?.conditions.setUnknown('VolumesDetached', 'AwaitingVolumeDetachment', 'AwaitingVolumeDetachment');
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }

  /** A node may be deleted before its claim says which machine it has; it goes with its claim all the same. */
  #hasClaimToCome({ metadata }: NodeObject): boolean {
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

  async #deleteClaim(claim: Claim): Promise<void> {
    const preconditions = { uid: claim.metadata.uid ?? '' };
    try {
      await this.#context.client.delete(CLAIMS, keyOfObject(claim), { preconditions });
    } catch (error) {
      if (!isApiError(error, 'notFound', 'conflict')) throw error;
    }
  }

  /**
   * A node that is not Ready and whose machine does not exist has nothing to drain. A zone that goes takes many nodes with
   * it: each is asked about now and then only, and launches need the same reads.
   */
  async #machineIsGone(node: NodeObject, signal: AbortSignal): Promise<boolean> {
    const { providerID } = node.spec ?? {};
    if (conditionOf(node, 'Ready')?.status === 'True' || !providerID) return false;
    const nowMs = this.#context.world.clock.monotonic();
    const askedMs = this.#asked.get(node.metadata.uid ?? '') ?? Number.NEGATIVE_INFINITY;
    if (nowMs - askedMs < ASK_AGAIN_MS) return false;
    this.#asked.set(node.metadata.uid ?? '', nowMs);
    try {
      await this.#context.cloud.get(providerID, signal);
      return false;
    } catch (error) {
      if (isCloudError(error, 'NotFound')) return true;
      if (!isCloudError(error)) throw error;
      // Nobody knows: it is drained as any other, and whether it can be given back is told at the end.
      return false;
    }
  }

  async #keepPodsAway(node: NodeObject): Promise<NodeObject> {
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
    return this.#context.client.patch(NODE_RESOURCE, keyOfObject(node), { type: 'merge', patch });
  }

  async #finish(node: NodeObject, joined: ClusterNode): Promise<Result> {
    const finalizers = (node.metadata.finalizers ?? []).filter((name) => name !== Finalizer.termination);
    const patch = { metadata: { resourceVersion: node.metadata.resourceVersion, finalizers } };
    try {
      await this.#context.client.patch(NODE_RESOURCE, keyOfObject(node), { type: 'merge', patch });
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
    }
    this.#reporter.gone(node, joined.labels[KarpenterLabel.nodePool] ?? '');
    return {};
  }
}

// ---------------------------------------------------------------------------------------------------

function deadlineOf(claim: Claim | undefined): number | undefined {
  const text = claim?.metadata.annotations?.[KarpenterAnnotation.terminationTimestamp];
  const ms = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}
