/**
 * Writes controller.kubernetes.io/pod-deletion-cost on pods of ReplicaSets, so that a workload that scales down empties the
 * nodes that disruption would remove next (gate PodDeletionCostManagement). With the gate the annotation is the controller's,
 * as in Karpenter: a value of someone else is replaced or removed. `disruption/` ranks the nodes.
 */
import {
  type ApiErrorKind,
  type ApiStatusError,
  Controller,
  type Counter,
  type Gauge,
  isApiError,
  onceSource,
  PODS,
  type Result,
} from '@chandler/kube';
import {
  changedRanks,
  costText,
  costTextOf,
  type DeletionRank,
  deletionRanks,
  POD_DELETION_COST,
} from '../../disruption/index.ts';
import type { Pod } from '../../scheduling/index.ts';
import { byKey } from '../../state/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { inTurns } from '../in-turns.ts';
import { overlaysInForce } from '../overlays/overlays-in-force.ts';
import { Changes } from './changes.ts';
import { disruptionNodes, poolsOfPass } from './disruption-input.ts';
import { isDisrupted } from './marks.ts';
import { passOptions } from './pass-options.ts';
import { workloadsOf } from './workloads.ts';

const PERIOD_MS = 60_000;
/** Prices and windows of budgets change without a trigger. */
const MAX_PAUSE_MS = 5 * 60_000;
const WRITERS = 10;
/** After so many refusals, and no success, the rest of a period is left. */
const MAX_REFUSED = 3;

/** Karpenter's names. */
const RESULTS: Readonly<Partial<Record<ApiErrorKind, string>>> = {
  notFound: 'skipped_notfound',
  conflict: 'skipped_conflict',
};

export function deletionCosts(context: ControllerContext): Controller {
  const costs = new DeletionCosts(context);
  return new Controller({
    name: 'pod.deletioncost',
    world: context.world,
    sources: [costs.changes.source(context), onceSource()],
    reconcile: (_, run) => costs.run(scopeOf(context, run)),
  });
}

class DeletionCosts {
  readonly changes = new Changes();
  readonly #writes: Counter;
  readonly #pending: Gauge;
  readonly #pools = new Set<string>();
  /** Pods whose write was forbidden in the last period: the last ones of the next, so that others get their turn. */
  #refused = new Set<string>();
  /** Monotonic: at the latest. */
  #byMs = Number.NEGATIVE_INFINITY;

  constructor({ world }: ControllerContext) {
    this.#writes = world.metrics.counter({
      name: 'karpenter_pod_deletion_cost_pod_annotation_writes_total',
      help: 'Writes of pod-deletion-cost on pods, by result.',
      labels: ['result'],
    });
    this.#pending = world.metrics.gauge({
      name: 'karpenter_pod_deletion_cost_nodes_with_pending_annotation_writes',
      help: 'Nodes whose pods wait for the next period to get their pod-deletion-cost, by NodePool.',
      labels: ['nodepool'],
    });
  }

  async run(scope: ReconcileScope): Promise<Result> {
    const { stores, freezes, world, signal } = scope;
    const nowMs = world.clock.monotonic();
    if (stores.failing().length > 0 || !freezes.known) return { requeueAfterMs: PERIOD_MS };
    if (!this.changes.pending && nowMs < this.#byMs) return { requeueAfterMs: PERIOD_MS };
    const { all: pools } = await poolsOfPass(scope, signal);
    this.changes.take();
    this.#byMs = nowMs + MAX_PAUSE_MS;
    const workloads = workloadsOf(stores);
    const input = {
      scheduling: { pools: [], pods: [], overlays: overlaysInForce(scope) },
      nodes: disruptionNodes(scope, (claim) => commandOf(scope, claim)),
      pools,
      podDisruptionBudgets: [...stores.budgets.store.values()].sort(byKey),
      ...(workloads === undefined ? {} : { workloads }),
    };
    const ranks = await inTurns(scope, deletionRanks(input, passOptions(scope), world.clock.now()));
    const { due, waiting } = changedRanks(ranks);
    // What waits is no change of an object.
    if (waiting.length > 0) this.#byMs = nowMs;
    this.#measure(waiting);
    await this.#write(scope, due);
    return { requeueAfterMs: PERIOD_MS };
  }

  #measure(waiting: readonly DeletionRank[]): void {
    const counts = Map.groupBy(waiting, ({ nodePool }) => nodePool);
    for (const pool of counts.keys()) this.#pools.add(pool);
    for (const nodepool of this.#pools) this.#pending.set(counts.get(nodepool)?.length ?? 0, { nodepool });
  }

  /** An error holds up nothing else: all that is left is tried again in the next period. */
  async #write(scope: ReconcileScope, due: readonly DeletionRank[]): Promise<void> {
    const refusedBefore = this.#refused;
    this.#refused = new Set();
    const isLate = ({ pod }: { readonly pod: Pod }) => Number(refusedBefore.has(pod.metadata.uid ?? ''));
    const writes = due
      .flatMap(({ pods, cost }) => pods.map((pod) => ({ pod, text: costText(cost) })))
      .sort((one, other) => isLate(one) - isLate(other));
    const errors: ApiStatusError[] = [];
    let written = 0;
    let next = 0;
    const work = async () => {
      // Without the permission every write fails: some show as much as all.
      while (next < writes.length && (written > 0 || this.#refused.size < MAX_REFUSED)) {
        const { pod, text } = writes[next++]!;
        const result = await this.#annotate(scope, pod, text);
        if (result === 'updated') written += 1;
        else if (result !== undefined) errors.push(result);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, work));
    if (errors.length === 0) return;
    const missing = written === 0 && this.#refused.size >= MAX_REFUSED;
    scope.world.log.error('pod-deletion-cost was not written', {
      pods: errors.length,
      error: errors[0],
      ...(missing
        ? { hint: 'apply deploy/rbac-pod-deletion-cost.yaml, or turn the gate PodDeletionCostManagement off' }
        : {}),
    });
  }

  /** On the version that was read: who writes at the same time is right. Undefined: there was nothing to do. */
  async #annotate(
    { client, signal }: ReconcileScope,
    pod: Pod,
    text: string | undefined,
  ): Promise<'updated' | ApiStatusError | undefined> {
    if (costTextOf(pod) === text) {
      this.#writes.add(1, { result: 'skipped_unchanged' });
      return undefined;
    }
    const { name = '', namespace = '', uid = '', resourceVersion } = pod.metadata;
    const annotations = { [POD_DELETION_COST]: text ?? null };
    const patch = { metadata: { resourceVersion, annotations } };
    try {
      await client.patch(PODS, { name, namespace }, { type: 'merge', patch });
      this.#writes.add(1, { result: 'updated' });
      return 'updated';
    } catch (error) {
      signal.throwIfAborted();
      if (!isApiError(error)) throw error;
      this.#byMs = Number.NEGATIVE_INFINITY;
      if (error.kind === 'forbidden') this.#refused.add(uid);
      const result = RESULTS[error.kind] ?? 'error';
      this.#writes.add(1, { result });
      return result === 'error' ? error : undefined;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function commandOf({ cluster }: ReconcileScope, claim: string): string | undefined {
  const node = cluster.nodeOfClaim(claim)?.node;
  return node !== undefined && isDisrupted(node) ? 'in progress' : undefined;
}
