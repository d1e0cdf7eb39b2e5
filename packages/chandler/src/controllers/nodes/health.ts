/**
 * Repair: replaces a node that has shown an unhealthy condition for longer than the cloud's policy tolerates, without
 * draining it: its kubelet may not answer. When too many nodes of a pool are unhealthy, it only reports this.
 */
import {
  Controller,
  isApiError,
  keyOfObject,
  NODES,
  type Node,
  type Result,
  type StoreChange,
  type Stored,
  storeSource,
} from '@chandler/kube';
import { KarpenterAnnotation, KarpenterLabel, writeAnnotations } from '../../api/index.ts';

import { disruptedCounter, unhealthyCounter } from '../claims/disrupted.ts';
import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import {
  ALLOWED_UNHEALTHY_PERCENT,
  tooManyUnhealthy,
  type Unhealthiness,
  unhealthinessOf,
} from './unhealthy.ts';

const BLOCKED_REQUEUE_MS = 5 * 60_000;
const BLOCKED_DEDUPE_MS = 15 * 60_000;
/** When a node is judged again whose conditions on the server differ from those in the store. */
const STALE_REQUEUE_MS = 30_000;

export function nodeHealth(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  const pass = new HealthPass(context);
  return new Controller({
    name: 'node.health',
    world,
    concurrency: workers(settings.cpuRequests, 10, 100),
    sources: [storeSource(stores.nodes, { filter: conditionsMoved })],
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class HealthPass {
  readonly #context: ControllerContext;
  readonly #disrupted: (claim: Claim, reason: string) => void;
  readonly #unhealthy: (claim: Claim, condition: string, mode: string) => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#disrupted = disruptedCounter(context);
    this.#unhealthy = unhealthyCounter(context);
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { cluster, stores, cloud, world } = scope;
    const node = stores.nodes.store.get({ name });
    const claim = cluster.nodeNamed(name)?.claim;
    if (node === undefined || claim === undefined) return {};
    if (!stores.runs(claim.spec.nodeClassRef) || cloud.ownership.isManagedElsewhere(claim)) return {};
    const unhealthiness = unhealthinessOf(node, cloud.repairPolicies);
    if (unhealthiness === undefined) return {};
    const leftMs = unhealthiness.dueMs - world.clock.now();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    if (this.#isBlocked(node, claim)) return { requeueAfterMs: BLOCKED_REQUEUE_MS };
    if (!(await this.#isStillUnhealthy(scope, node))) return { requeueAfterMs: STALE_REQUEUE_MS };
    await this.#repair(scope, node, claim, unhealthiness);
    return {};
  }

  /** Asks the server: the store may be old, and a repair skips the drain. */
  async #isStillUnhealthy({ client, cloud, world }: ReconcileScope, node: Stored<Node>): Promise<boolean> {
    const found = await client.find(NODES, { name: node.metadata.name });
    if (found === undefined || found.metadata.uid !== node.metadata.uid) return false;
    const unhealthiness = unhealthinessOf(found, cloud.repairPolicies);
    return unhealthiness !== undefined && unhealthiness.dueMs <= world.clock.now();
  }

  #isBlocked(node: Stored<Node>, claim: Claim): boolean {
    const { stores, cloud, events } = this.#context;
    const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const others = [...stores.nodes.store.values()].filter(
      ({ metadata }) => pool === undefined || metadata.labels?.[KarpenterLabel.nodePool] === pool,
    );
    if (!tooManyUnhealthy(others, cloud.repairPolicies)) return false;
    events.publish({
      resource: NODES,
      object: node,
      type: 'Warning',
      reason: 'NodeRepairBlocked',
      message:
        pool === undefined
          ? `more then ${ALLOWED_UNHEALTHY_PERCENT}% nodes are unhealthy in the cluster`
          : `more than ${ALLOWED_UNHEALTHY_PERCENT}% nodes are unhealthy in the nodepool`,
      dedupeValues: [node.metadata.uid],
      dedupeMs: BLOCKED_DEDUPE_MS,
    });
    return true;
  }

  async #repair(
    scope: ReconcileScope,
    node: Stored<Node>,
    claim: Claim,
    unhealthiness: Unhealthiness,
  ): Promise<void> {
    const { client } = scope;
    if (claim.metadata.deletionTimestamp === undefined) {
      try {
        const preconditions = { uid: claim.metadata.uid };
        await client.delete(CLAIMS, keyOfObject(claim), { preconditions });
      } catch (error) {
        if (isApiError(error, 'notFound', 'conflict')) return;
        throw error;
      }
      this.#report(scope, node, claim, unhealthiness);
    }
    // After the deletion: a claim that lives on must not keep a deadline in the past.
    const deleted = await client.find(CLAIMS, keyOfObject(claim));
    if (deleted?.metadata.uid === claim.metadata.uid) await this.#endNow(scope, deleted);
  }

  #report({ world }: ReconcileScope, node: Stored<Node>, claim: Claim, { condition }: Unhealthiness): void {
    const { type, status, reason } = condition;
    world.log.info('replacing unhealthy node', {
      node: node.metadata.name,
      nodeclaim: claim.metadata.name,
      condition: `${type}=${status}`,
      reason,
    });
    this.#disrupted(claim, 'unhealthy');
    this.#unhealthy(claim, type, 'forceful');
  }

  /** Ends the grace period of the pods now, unless it ended earlier. */
  async #endNow({ client, world }: ReconcileScope, claim: Claim): Promise<void> {
    const name = KarpenterAnnotation.terminationTimestamp;
    const known = Date.parse(claim.metadata.annotations?.[name] ?? '');
    if (!Number.isNaN(known) && known <= world.clock.now()) return;
    const now = new Date(world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    await writeAnnotations(client, CLAIMS, claim, { [name]: now });
  }
}

// ---------------------------------------------------------------------------------------------------

/** Heartbeats are no transitions. */
function conditionsMoved({ type, object, before }: StoreChange<Node>): boolean {
  if (type !== 'updated' || before === undefined) return type === 'added';
  const textOf = (node: Stored<Node>) =>
    (node.status?.conditions ?? [])
      .map((each) => `${each.type}=${each.status}@${each.lastTransitionTime}`)
      .sort()
      .join();
  return textOf(object) !== textOf(before);
}
