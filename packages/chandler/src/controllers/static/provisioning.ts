/** Scales static pools up: creates the missing claims, within the limit of the pool. */
import { Controller, type Counter, type EventSpec, type Result } from '@chandler/kube';
import { conditionOf } from '../../state/index.ts';
import { heldByImage } from '../bootstrap-outcome/image-holds.ts';
import { CLAIM_REFUSED, isRefusal } from '../claims/claim-refusals.ts';
import { createClaim } from '../claims/create-claim.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { POOLS } from '../pools/pool-store.ts';
import { heldText } from '../provisioning/held-text.ts';
import { LaunchGuard } from '../provisioning/launch-guard.ts';
import { backoffKey } from '../provisioning/planning.ts';
import { staticClaim } from './static-claim.ts';
import { nodesWithinLimit, type StaticPool, staticPoolNamed, staticSources } from './static-pool.ts';

const PERIOD_MS = 60_000;
const AT_LIMIT_MS = 30_000;
/** An object gets 25 events, then one in five minutes. */
const HELD_DEDUPE_MS = 5 * 60_000;
const LIMIT_DEDUPE_MS = 5 * 60_000;

export function staticProvisioning(context: ControllerContext): Controller {
  const pass = new StaticProvisioningPass(context);
  return new Controller({
    name: 'static.provisioning',
    world: context.world,
    concurrency: 10,
    sources: staticSources(context),
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class StaticProvisioningPass {
  readonly #context: ControllerContext;
  readonly #created: Counter;
  readonly #guard: LaunchGuard;
  /** By pool: the next ordinal. None is used twice, so that the name of a failed claim is not reused. */
  readonly #next = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#guard = new LaunchGuard(context);
    this.#created = context.world.metrics.counter({
      name: 'karpenter_nodeclaims_created_total',
      help: 'NodeClaims that were created.',
      labels: ['reason', 'nodepool', 'min_values_relaxed'],
    });
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { backoff, refusals, world } = scope;
    const found = staticPoolNamed(scope, name);
    if (found === undefined) {
      this.#next.delete(name);
      return {};
    }
    if (conditionOf(found.pool, 'Ready')?.status !== 'True') return {};
    const missing = found.replicas - found.running.length - found.marked.length;
    if (missing <= 0) return { requeueAfterMs: PERIOD_MS };
    const refusal = refusals.of(found.pool);
    if (refusal !== undefined) return { requeueAfterMs: Math.min(refusal.remainingMs, PERIOD_MS) };
    const held = backoff.holding(backoffKey(scope, found.pool)) ?? heldByImage(scope, found.pool);
    if (held !== undefined) {
      const message = heldText(held, world.clock.now());
      this.#report(found, { reason: 'LaunchesHeldBack', message, dedupeMs: HELD_DEDUPE_MS });
      return { requeueAfterMs: Math.min(held.remainingMs, PERIOD_MS) };
    }
    const count = Math.min(missing, nodesWithinLimit(found));
    if (count < missing) this.#atLimit(scope, found, missing - count);
    if (count <= 0) return { requeueAfterMs: AT_LIMIT_MS };
    const orders = Array.from({ length: count }, () => ({ nodePool: name }));
    const allowed = this.#guard.allow(orders, (_, reason, message) =>
      this.#report(found, { reason, message }),
    );
    if (allowed.length === 0) return { requeueAfterMs: AT_LIMIT_MS };
    const { replicas } = found;
    world.log.info('scaling up static nodepool', { nodepool: name, replicas, count: allowed.length });
    let left = allowed.length;
    try {
      while (left > 0) {
        left--;
        if (await this.#create(scope, found)) break;
      }
    } finally {
      this.#guard.notTried(left);
    }
    return { requeueAfterMs: allowed.length < count ? AT_LIMIT_MS : PERIOD_MS };
  }

  #atLimit({ world }: ReconcileScope, found: StaticPool, short: number): void {
    const { pool, replicas } = found;
    world.log.info('static nodepool is at its node limit', {
      nodepool: pool.metadata.name,
      missing: short,
    });
    // A node that is being deleted will be replaced within the limit.
    if (found.deleting.length >= short) return;
    // This may be permanent, so the event is rare.
    const message = limitText(found, short, replicas);
    this.#report(found, { reason: 'NodeLimitReached', message, dedupeMs: LIMIT_DEDUPE_MS });
  }

  #report({ pool }: StaticPool, reporter: Pick<EventSpec, 'reason' | 'message' | 'dedupeMs'>): void {
    const dedupeValues = [pool.metadata.uid, reporter.reason];
    this.#context.events.publish({
      resource: POOLS,
      object: pool,
      type: 'Warning',
      ...reporter,
      dedupeValues,
    });
  }

  /** Returns whether the API server rejected the claim: the next one would be rejected too. */
  async #create(scope: ReconcileScope, found: StaticPool): Promise<boolean> {
    const { stores, refusals } = scope;
    const { pool } = found;
    const nodepool = pool.metadata.name;
    for (let ordinal = this.#next.get(nodepool) ?? 0; ; ordinal++) {
      const claim = staticClaim(scope, pool, `static-${ordinal}`);
      if (stores.claims.store.get({ name: claim.metadata.name }) !== undefined) continue;
      const creation = await createClaim(scope, claim);
      if (creation.outcome === 'refused' && isRefusal(creation.error)) {
        refusals.refused(pool, creation.error);
        const message = refusals.of(pool)?.message ?? creation.error.message;
        this.#report(found, { reason: CLAIM_REFUSED, message, dedupeMs: HELD_DEDUPE_MS });
        return true;
      }
      // The outcome is unknown: the next attempt uses the same name and finds the claim.
      if ('error' in creation) throw creation.error;
      refusals.accepted(pool);
      this.#next.set(nodepool, ordinal + 1);
      if (creation.outcome === 'taken') return false;
      this.#created.add(1, { reason: 'provisioned', nodepool, min_values_relaxed: 'false' });
      return false;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** The same text while the state lasts, so that it is one event with a count. */
function limitText({ pool, deleting }: StaticPool, short: number, replicas: number): string {
  const missing = `${short} of ${replicas} replicas ${short === 1 ? 'is' : 'are'} not made`;
  const limit = `limits.nodes is ${pool.spec.limits?.['nodes']}`;
  if (deleting.length === 0) return `${missing}: ${limit}`;
  const surplus =
    deleting.length === 1 ? '1 deleting node still counts' : `${deleting.length} deleting nodes still count`;
  return `${missing}: ${limit}, and ${surplus}`;
}
