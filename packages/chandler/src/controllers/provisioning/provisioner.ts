/**
 * From pending pods to claims: batches pods, schedules them together, creates the planned claims, and publishes on
 * each pod where it will run, or why it cannot. `scheduling/` computes the plan.
 */
import { createHash } from 'node:crypto';
import {
  Controller,
  itemBackoff,
  keyOfObject,
  type Pod,
  RecentMap,
  type Result,
  type Stored,
} from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import { type Plan, type PlannedClaim, Planner } from '../../scheduling/index.ts';
import type { ClusterNode } from '../../state/index.ts';

import { isRefusal } from '../claims/claim-refusals.ts';
import { createClaim } from '../claims/create-claim.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { isEdited, type Pool } from '../pools/pool-store.ts';
import { Batcher } from './batcher.ts';
import { type Judged, LaunchGuard } from './launch-guard.ts';
import { plannedBody } from './planned-body.ts';
import {
  type PodsToPlan,
  type PoolsToPlan,
  planningInput,
  podsToPlan,
  poolsToPlan,
  stillToPlan,
} from './planning.ts';
import { lacksVariety } from './pool-variety.ts';
import { ProvisioningReporter } from './provisioning-reporter.ts';
import { triggers } from './triggers.ts';

/** When unschedulable pods are scheduled again without a trigger. */
const RETRY_MS = 10_000;
/** From this number of pods on, the plan gets a turn of the event loop of its own. */
const LARGE_BATCH = 200;
/** Groups of pods whose number of claims is remembered. */
const MAX_ATTEMPTS = 10_000;

export function provisioner(context: ControllerContext): Controller {
  const { world, settings } = context;
  const pass = new ProvisioningPass(context);
  const controller: Controller = new Controller({
    name: 'provisioner',
    world,
    // Pods wait for it: a pass that failed is repeated as soon as one that could not place them.
    limiter: itemBackoff({ baseMs: 1_000, maxMs: RETRY_MS }),
    sources: [
      triggers(
        context,
        (key) => batcher.trigger(key),
        () => batcher.stop(),
      ),
    ],
    reconcile: (_, run) => pass.run(scopeOf(context, run)),
  });
  const batcher = new Batcher({
    clock: world.clock,
    get idleMs() {
      return settings.batchIdleMs;
    },
    get maxMs() {
      return settings.batchMaxMs;
    },
    onBatch: () => controller.enqueue(''),
  });
  return controller;
}

interface PlanParts {
  readonly plan: Plan;
  readonly judged: Judged<PlannedClaim>;
  /** By `namespace/name`. */
  readonly pods: ReadonlyMap<string, Stored<Pod>>;
  /** As they were planned for, by name. */
  readonly pools: ReadonlyMap<string, Pool>;
  readonly excluded: PoolsToPlan['excluded'];
}

/** One plan and its execution. */
export class ProvisioningPass {
  readonly #context: ControllerContext;
  readonly #reporter: ProvisioningReporter;
  readonly #guard: LaunchGuard;
  readonly #startedMs: number;
  readonly #planner = new Planner();
  /** Number of earlier claims for the same pods, by a digest of the pods. */
  #attempts = new RecentMap<number>(MAX_ATTEMPTS);

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#reporter = new ProvisioningReporter(context);
    this.#guard = new LaunchGuard(context);
    this.#startedMs = context.world.clock.monotonic();
  }

  async run(scope: ReconcileScope): Promise<Result> {
    const { world, settings, cluster } = scope;
    const { pods, rejected, awaited } = podsToPlan(scope);
    this.#reporter.rejected(rejected);
    if (pods.length === 0) {
      this.#reporter.idle();
      this.#renominate(awaited);
      if (awaited.length === 0) this.#attempts = new RecentMap(MAX_ATTEMPTS);
      return rejected.length + awaited.length > 0 ? { requeueAfterMs: RETRY_MS } : {};
    }
    // After a restart the reservations of unlaunched claims are lost, so such claims get time to be launched.
    const upMs = world.clock.monotonic() - this.#startedMs;
    if (upMs < settings.batchMaxMs && cluster.unlaunched().some((node) => this.#isOrphan(node.name)))
      return { requeueAfterMs: settings.batchIdleMs };
    const { plan, input, pools, excluded, pending } = await this.#reporter.measured(pods, async () => {
      const found = await poolsToPlan(scope, scope.signal);
      for (const { nodePool, why } of found.excluded) this.#reporter.excluded(scope, nodePool, why);
      await this.#ownTurn(pods.length);
      // Nothing is awaited from here to the snapshot: pods that were bound meanwhile already count on their nodes.
      const pending = stillToPlan(scope, pods);
      const planned = planningInput(scope, found.pools, pending);
      const snapshot = this.#planner.prepare(planned);
      await this.#ownTurn(pods.length);
      return { ...found, pending, input: planned, plan: snapshot.solve() };
    });
    const byName = new Map(pending.map((pod) => [keyOfPod(pod), pod]));
    const judged = this.#guard.judge(plan.claims);
    this.#remember(plan, judged, byName);
    const planned = new Map(pools.map(({ nodePool }) => [nodePool.metadata.name, nodePool]));
    const again = await this.#act(scope, { plan, judged, pods: byName, pools: planned, excluded });
    this.#renominate(awaited);
    this.#reporter.withoutTypes(
      plan.refusals,
      (name) => this.#pool(name),
      (name) => {
        const pool = pools.find(({ nodePool }) => nodePool.metadata.name === name);
        return pool !== undefined && lacksVariety(input, pool);
      },
    );
    // Also when all pods fit on existing nodes: a node may fail without a trigger. After a refusal the pods are planned
    // again at once, without the pool or the pods that caused it; after an edit of a pool with its new template.
    return { requeueAfterMs: again ? 1 : RETRY_MS };
  }

  /** A large plan takes long: whatever else shared its turn of the event loop would make that turn longer still. */
  async #ownTurn(podCount: number): Promise<void> {
    if (podCount >= LARGE_BATCH) await this.#context.world.clock.sleep(0);
  }

  /** Publishes nominations that the rate limit dropped: an old refusal must not stay the last event of a pod. */
  #renominate(awaited: PodsToPlan['awaited']): void {
    const { cluster } = this.#context;
    for (const { pod, claim } of awaited) this.#reporter.nominated(pod, placeOf(cluster.nodeOfClaim(claim)));
  }

  #remember(plan: Plan, { held }: Judged<PlannedClaim>, pods: ReadonlyMap<string, Stored<Pod>>): void {
    const { podTimes } = this.#context;
    const refused = new Set([...plan.refusals, ...held].flatMap((each) => each.pods));
    for (const [key, { metadata }] of pods) podTimes.decided(metadata.uid, !refused.has(key));
  }

  #isOrphan(claimName: string): boolean {
    return !this.#context.cluster.hasReservations(claimName);
  }

  /** Returns whether a claim must be planned again: it was rejected, or its pool is another one now. */
  async #act(scope: ReconcileScope, parts: PlanParts): Promise<boolean> {
    const { world } = scope;
    const { plan, judged, pods, excluded } = parts;
    for (const error of plan.inputErrors)
      world.log.warn('invalid object excluded from scheduling', { ...error });
    if (plan.counts.placed > 0 || plan.counts.refused > 0)
      world.log.info('computed plan for pending pods', { ...plan.counts, pricePerHour: plan.pricePerHour });
    this.#nominateNodes(plan, pods);
    await this.#ownTurn(pods.size);
    const again = await Promise.all(judged.allowed.map((planned) => this.#create(scope, planned, parts)));
    this.#reporter.refused({ refusals: plan.refusals, excluded, judged }, (key) => pods.get(key));
    this.#reporter.heldUp(judged, (name) => this.#pool(name));
    return again.includes(true);
  }

  #nominateNodes(plan: Plan, pods: ReadonlyMap<string, Stored<Pod>>): void {
    const { cluster } = this.#context;
    for (const { node, pods: keys } of plan.placements) {
      const known = cluster.nodeNamed(node) ?? cluster.nodeOfClaim(node);
      cluster.nominate(node, this.#nominationMs());
      if (known?.claim !== undefined && !known.initialized)
        cluster.reserve(
          known.claim.metadata.name,
          keys.flatMap((key) => pods.get(key) ?? []),
        );
      for (const key of keys) {
        const pod = pods.get(key);
        if (pod !== undefined) this.#reporter.nominated(pod, placeOf(known));
      }
    }
  }

  /** Returns whether it must be planned again. */
  async #create(scope: ReconcileScope, planned: PlannedClaim, { pods, pools }: PlanParts): Promise<boolean> {
    const { cluster, world, refusals, podRefusals } = scope;
    const nodePool = pools.get(planned.nodePool)!;
    // With the hash of a template that it does not have, the node would never drift.
    if (isEdited(scope, nodePool)) {
      this.#guard.notTried(1);
      world.log.info('nodepool was edited or deleted while pods were planned; they are planned again', {
        nodepool: planned.nodePool,
      });
      return true;
    }
    const own = planned.pods.flatMap((key) => pods.get(key) ?? []);
    const podUids = own.map((pod) => pod.metadata.uid);
    const group = createHash('sha256')
      .update([...podUids].sort().join(' '))
      .digest('base64url');
    const attempt = this.#attempts.get(group) ?? 0;
    const body = plannedBody(scope, { planned, nodePool, pods: own, podUids, attempt });
    const name = body.metadata.name;
    const creation = await createClaim(scope, body);
    // An unknown outcome keeps the name for the next attempt, which then finds the claim.
    if (creation.outcome === 'made' || creation.outcome === 'taken') this.#attempts.set(group, attempt + 1);
    if ('error' in creation) {
      const message =
        creation.outcome === 'refused'
          ? 'nodeclaim creation failed'
          : 'no response to nodeclaim creation; the nodeclaim may have been created';
      world.log.error(message, { nodeclaim: name, nodepool: planned.nodePool, error: creation.error });
    }
    if (creation.outcome === 'refused' && isRefusal(creation.error)) {
      const refused = { nodePool, requirements: planned.requirements, pods: own };
      if (!podRefusals.refused(refused, creation.error)) refusals.refused(nodePool, creation.error);
      return true;
    }
    if (creation.outcome !== 'made') return false;
    refusals.accepted(nodePool);
    podRefusals.accepted(own);
    cluster.reserve(name, own);
    cluster.nominate(name, this.#nominationMs());
    this.#reporter.created(planned.nodePool, planned.minValuesRelaxed);
    // As they are stored: pods of nodes that leave are planned as if they were not bound.
    const held = scope.moves.launched(own.map((pod) => scope.stores.pods.store.get(keyOfObject(pod)) ?? pod));
    if (held.length > 0)
      world.log.info('pods that a consolidation moved need a new node; consolidation waits', {
        nodepools: held,
      });
    for (const pod of own) this.#reporter.nominated(pod, [`nodeclaim/${name}`]);
    world.log.info('nodeclaim created', {
      nodeclaim: name,
      nodepool: planned.nodePool,
      pods: own.length,
      requests: planned.requests,
      instanceTypes: planned.instanceTypes.slice(0, 5),
      instanceTypeCount: planned.instanceTypeCount,
    });
    return false;
  }

  #pool(name: string): Stored<NodePool> | undefined {
    return this.#context.stores.pools.store.get({ name });
  }

  #nominationMs(): number {
    return nominationMs(this.#context.settings);
  }
}

/** For how long a node is not disrupted after pods are expected on it. */
export function nominationMs({ batchMaxMs }: ControllerContext['settings']): number {
  return Math.max(2 * batchMaxMs, 10_000);
}

// ---------------------------------------------------------------------------------------------------

function keyOfPod({ metadata }: Stored<Pod>): string {
  return `${metadata.namespace}/${metadata.name}`;
}

// ---------------------------------------------------------------------------------------------------

/** The nominated objects, named as upstream does. */
function placeOf(place: ClusterNode | undefined): readonly string[] {
  return [
    ...(place?.claim === undefined ? [] : [`nodeclaim/${place.claim.metadata.name}`]),
    ...(place?.node === undefined ? [] : [`node/${place.node.metadata.name}`]),
  ];
}
