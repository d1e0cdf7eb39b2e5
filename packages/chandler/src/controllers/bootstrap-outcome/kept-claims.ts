/**
 * Claims whose instance failed to bootstrap: the instance is terminated at once, unless it is kept for debugging; the
 * claim stays readable for a configured time and is then deleted. `state/` treats such a claim as being deleted.
 */
import { isApiError, keyOfObject, type Result } from '@chandler/kube';
import { conditionOf } from '../../state/index.ts';
import { disruptedCounter } from '../claims/disrupted.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import { CSE_PROVISIONED } from './condition.ts';

export class KeptClaims {
  readonly #disrupted: (claim: Claim, reason: string) => void;
  /** UIDs of claims whose instance is terminated. */
  readonly #gone = new Set<string>();

  constructor(context: ControllerContext) {
    this.#disrupted = disruptedCounter(context);
  }

  /** One step towards the deletion of the claim. */
  async step(scope: ReconcileScope, claim: Claim): Promise<Result> {
    const { cloud, signal } = scope;
    const { keepClaimMs = 0, keepInstance = false } = cloud.bootstrap?.aftermath() ?? {};
    const leftMs = leftMsOf(claim, keepClaimMs, scope.world.clock.now());
    if (leftMs <= 0) return this.#end(scope, claim);
    const uid = claim.metadata.uid;
    if (keepInstance || this.#gone.has(uid)) return { requeueAfterMs: leftMs };
    const step = await cloud.delete(claim, signal);
    if (step.state === 'deleting') return { requeueAfterMs: Math.min(leftMs, step.retryAfterMs) };
    this.#gone.add(uid);
    return { requeueAfterMs: leftMs };
  }

  forget(uid: string): void {
    this.#gone.delete(uid);
  }

  async #end({ client, world }: ReconcileScope, claim: Claim): Promise<Result> {
    try {
      await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
    } catch (error) {
      if (isApiError(error, 'notFound', 'conflict')) return {};
      throw error;
    }
    world.log.info('deleted failed nodeclaim', { nodeclaim: claim.metadata.name });
    this.#disrupted(claim, 'async_provisioning');
    return {};
  }
}

// ---------------------------------------------------------------------------------------------------

function leftMsOf(claim: Claim, keepClaimMs: number, nowMs: number): number {
  const sinceMs = Date.parse(conditionOf(claim, CSE_PROVISIONED)?.lastTransitionTime ?? '');
  const leftMs = sinceMs + keepClaimMs - nowMs;
  // A failure in the future means that a clock is wrong.
  return Number.isNaN(leftMs) ? 0 : Math.min(keepClaimMs, leftMs);
}
