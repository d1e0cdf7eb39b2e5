/**
 * Runs next to another controller: computes the same plans, reports them in logs and metrics, and changes nothing.
 * Claims that the other controller just created for the same pods are ignored, or every plan would be empty; they are
 * reported too, for comparison.
 */
import { Controller, type Pod, type Result, type Source, type Stored } from '@chandler/kube';
import { KarpenterLabel } from '../api/index.ts';
import { type CloudError, isCloudError, type ObjectHash } from '../cloud/index.ts';
import {
  Batcher,
  type Claim,
  type ControllerContext,
  DriftPass,
  planningInput,
  podsToPlan,
  poolsToPlan,
  type ReconcileScope,
  scopeOf,
} from '../controllers/index.ts';
import { type Plan, Planner } from '../scheduling/index.ts';
import { type ClusterNode, conditionOf, isProvisionable } from '../state/index.ts';

import { ObserverReport } from './observer-report.ts';
import { NODE_POOL_HASH, withOwnHash } from './own-hashes.ts';

/** Prices and availability change without a trigger; other changes trigger a plan. */
const PLAN_INTERVAL_MS = 60_000;
const DRIFT_INTERVAL_MS = 5 * 60_000;
const DRIFT_CHUNK = 200;
const PLAN = 'plan';
const DRIFT = 'drift';

export function observer(context: ControllerContext): Controller {
  const { world, settings } = context;
  const pass = new ObserverPass(context);
  const controller: Controller = new Controller({
    name: 'observer',
    world,
    sources: [
      triggers(
        context,
        () => batcher.trigger(PLAN),
        () => batcher.stop(),
      ),
    ],
    reconcile(key, run) {
      const scope = scopeOf(context, run);
      return key === DRIFT ? pass.drift(scope) : pass.plan(scope);
    },
  });
  const batcher = new Batcher({
    clock: world.clock,
    get idleMs() {
      return settings.batchIdleMs;
    },
    get maxMs() {
      return settings.batchMaxMs;
    },
    onBatch: () => controller.enqueue(PLAN),
  });
  return controller;
}

export class ObserverPass {
  readonly #context: ControllerContext;
  readonly #reporter: ObserverReport;
  readonly #drift: DriftPass;
  readonly #planner = new Planner();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#drift = new DriftPass(context);
    this.#reporter = new ObserverReport(context.world.metrics);
  }

  async plan(context: ReconcileScope): Promise<Result> {
    const { pods, rejected } = podsToPlan(context);
    const claimsOfOthers = claimsOfOthersFor(pods, context);
    const { pools, excluded } = await poolsToPlan(context, context.signal);
    const input = planningInput(context, pools, pods);
    const setAside = new Set(claimsOfOthers.map(({ name }) => name));
    const plan: Plan = this.#planner.plan({
      ...input,
      nodes: (input.nodes ?? []).filter(({ name }) => !setAside.has(name)),
    });
    this.#reporter.planned(context.world.log, {
      pods,
      rejected: rejected.length,
      excluded,
      plan,
      claimsOfOthers,
    });
    return pods.length + rejected.length > 0 ? { requeueAfterMs: PLAN_INTERVAL_MS } : {};
  }

  /** The drifted claims, by reason. */
  async drift(scope: ReconcileScope): Promise<Result> {
    const { cluster, stores, signal } = scope;
    const found = new Map<string, string>();
    const unknown: CloudError[] = [];
    const asked = [...cluster.nodes()].flatMap((node) => {
      const { claim } = node;
      if (claim === undefined || !node.launched || cluster.isMarkedForDeletion(node)) return [];
      return stores.runs(claim.spec.nodeClassRef) ? [claim] : [];
    });
    // Clouds answer questions that are asked together with one request.
    for (let at = 0; at < asked.length; at += DRIFT_CHUNK) {
      const claims = asked.slice(at, at + DRIFT_CHUNK);
      const verdicts = await Promise.all(claims.map((claim) => this.#driftOf(claim, signal)));
      verdicts.forEach((verdict, index) => {
        if (isCloudError(verdict)) unknown.push(verdict);
        else if (verdict !== undefined) found.set(claims[index]!.metadata.name, verdict);
      });
    }
    this.#reporter.drifted(scope.world.log, found, unknown);
    return { requeueAfterMs: DRIFT_INTERVAL_MS };
  }

  /** The reason, or why it is not known. */
  async #driftOf(claim: Claim, signal: AbortSignal): Promise<string | CloudError | undefined> {
    const { stores } = this.#context;
    const pool = stores.pools.store.get({ name: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '' });
    const nodeClass = stores.nodeClass(claim.spec.nodeClassRef);
    if (pool === undefined || nodeClass === undefined) return undefined;
    try {
      return (
        await this.#drift.verdict(
          claim,
          withOwnHash(pool, NODE_POOL_HASH),
          signal,
          withOwnHash(nodeClass, this.#hashOf(claim)),
        )
      )?.reason;
    } catch (error) {
      signal.throwIfAborted();
      if (!isCloudError(error)) throw error;
      return error;
    }
  }

  #hashOf({ spec }: Claim): ObjectHash | undefined {
    const { group, kind } = spec.nodeClassRef;
    return this.#context.cloud.nodeClasses.find((each) => each.group === group && each.kind === kind)?.hash;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Claims that were created after the first of these pods became unschedulable and are not initialized yet. */
export function claimsOfOthersFor(
  pods: readonly Stored<Pod>[],
  { cluster }: Pick<ControllerContext, 'cluster'>,
): readonly ClusterNode[] {
  const sinceMs = pods.reduce(
    (firstMs, pod) => Math.min(firstMs, waitingSinceMs(pod)),
    Number.POSITIVE_INFINITY,
  );
  return [...cluster.nodes()].filter(({ claim, node }) => {
    if (claim === undefined || conditionOf(claim, 'Initialized')?.status === 'True') return false;
    const createdMs = Date.parse(claim.metadata.creationTimestamp ?? '');
    return node?.metadata.deletionTimestamp === undefined && createdMs >= sinceMs;
  });
}

function waitingSinceMs(pod: Stored<Pod>): number {
  const scheduled = conditionOf(pod as never, 'PodScheduled');
  const text = scheduled?.lastTransitionTime ?? pod.metadata.creationTimestamp ?? '';
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? Number.POSITIVE_INFINITY : ms;
}

function triggers({ stores }: ControllerContext, plan: () => void, stop: () => void): Source {
  return {
    synced: Promise.all([stores.pods.synced, stores.pools.synced, stores.claims.synced]),
    start(queue) {
      queue.add(DRIFT);
      queue.add(PLAN);
      const ends = [
        stores.pods.store.subscribe(({ object, type }) => {
          if (type !== 'deleted' && isProvisionable(object)) plan();
        }),
        stores.pools.store.subscribe(plan),
      ];
      return () => {
        stop();
        for (const end of ends) end();
      };
    },
  };
}
