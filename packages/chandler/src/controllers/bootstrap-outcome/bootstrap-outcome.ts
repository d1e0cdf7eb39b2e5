/**
 * Follows machines from their launch until they have said how their bootstrap went, and writes it on their claims. All
 * that wait are asked about together, every few seconds; how often each is really asked, the cloud decides. Claims
 * that failed are kept for a while, as `kept-claims.ts` has it.
 */
import { Controller, isApiError, itemBackoff, onceSource, type Result, storeSource } from '@chandler/kube';
import { isCloudError } from '../../cloud/index.ts';
import { BY_PROVIDER_ID, conditionOf, failedToBootstrap } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { awaitsBootstrap, CSE_PROVISIONED } from './condition.ts';
import { BootstrapFailures } from './failures.ts';
import { KeptClaims } from './kept-claims.ts';

const PERIOD_MS = 5_000;
/** The cloud's allowance of calls comes by the second: with many that wait none of it is to be lost. */
const MANY = 30;
const PERIOD_OF_MANY_MS = 1_000;
/** The key that stands for all claims; no claim can have this name. */
const ALL_CLAIMS = '*';

export function bootstrapOutcome(context: ControllerContext): Controller {
  const { world, stores } = context;
  const pass = new BootstrapPass(context);
  return new Controller({
    name: 'nodeclaim.bootstrapoutcome',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [storeSource(stores.claims), onceSource(ALL_CLAIMS)],
    reconcile(key, run) {
      const scope = scopeOf(context, run);
      return key === ALL_CLAIMS ? pass.readOutcomes(scope) : pass.reconcile(key, scope);
    },
  });
}

export class BootstrapPass {
  readonly #context: ControllerContext;
  readonly #failures: BootstrapFailures;
  readonly #kept: KeptClaims;
  /** Names of claims that wait for their machine's word. */
  readonly #waiting = new Set<string>();
  /** UIDs by name, to forget what is gone. */
  readonly #uids = new Map<string, string>();
  /** What failed later, this process tells by itself. Times of conditions are whole seconds. */
  readonly #startedMs: number;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#startedMs = Math.floor(context.world.clock.now() / 1000) * 1000;
    this.#failures = new BootstrapFailures(context);
    this.#kept = new KeptClaims(context);
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const claim = this.#context.stores.claims.store.get({ name });
    const staying = claim !== undefined && claim.metadata.deletionTimestamp === undefined;
    if (staying && this.#isOurs(claim) && awaitsBootstrap(claim)) this.#waiting.add(name);
    else this.#waiting.delete(name);
    if (!staying || !this.#isOurs(claim) || !failedToBootstrap(claim)) {
      this.#kept.forget(this.#uids.get(name) ?? '');
      this.#uids.delete(name);
      return {};
    }
    const known = this.#uids.get(name) === claim.metadata.uid;
    if (!known && this.#failedBeforeUs(claim)) await this.#failures.reportIfMissing(scope, claim);
    this.#uids.set(name, claim.metadata.uid ?? '');
    try {
      return await this.#kept.step(scope, claim);
    } catch (error) {
      scope.signal.throwIfAborted();
      if (isCloudError(error) && error.advice.retry === 'after') return { requeueAfterMs: error.advice.ms };
      throw error;
    }
  }

  async readOutcomes(scope: ReconcileScope): Promise<Result> {
    const { cloud, stores, signal } = scope;
    const claims = [...this.#waiting].sort().flatMap((name) => stores.claims.store.get({ name }) ?? []);
    const outcomes = await cloud.bootstrap?.look(claims, signal);
    for (const claim of claims) {
      const outcome = outcomes?.get(claim.metadata.uid ?? '');
      if (outcome === undefined || !awaitsBootstrap(claim)) continue;
      const claimPatch = new ClaimPatch(claim, scope.world.clock.now());
      try {
        if (outcome.state === 'succeeded') {
          claimPatch.conditions.setTrue(CSE_PROVISIONED);
          await claimPatch.write(scope.client);
        } else if (!this.#hasNode(claim)) await this.#failures.write(scope, claimPatch, outcome.failure);
      } catch (error) {
        // Somebody changed the claim meanwhile; the outcome is still known at the next look.
        if (!isApiError(error, 'conflict', 'notFound')) throw error;
      }
    }
    return { requeueAfterMs: claims.length > MANY ? PERIOD_OF_MANY_MS : PERIOD_MS };
  }

  #failedBeforeUs(claim: Claim): boolean {
    return Date.parse(conditionOf(claim, CSE_PROVISIONED)?.lastTransitionTime ?? '') < this.#startedMs;
  }

  #isOurs({ spec }: Claim): boolean {
    return this.#context.stores.runs(spec.nodeClassRef);
  }

  /** It joined in spite of what its script said. */
  #hasNode({ status }: Claim): boolean {
    const providerID = status?.providerID ?? '';
    return providerID !== '' && this.#context.stores.nodes.store.by(BY_PROVIDER_ID, providerID).length > 0;
  }
}
