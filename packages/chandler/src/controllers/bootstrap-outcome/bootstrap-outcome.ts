/**
 * Follows instances from their launch until they report the outcome of their bootstrap, and writes it to their
 * claims. All pending instances are read together, every few seconds; the cloud decides how often each one is really
 * read. `kept-claims.ts` handles claims that failed.
 */
import { Controller, isApiError, itemBackoff, onceSource, type Result, storeSource } from '@chandler/kube';
import { isCloudError } from '../../cloud/index.ts';
import { conditionOf, failedToBootstrap } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { awaitsBootstrap, CSE_PROVISIONED } from './condition.ts';
import { BootstrapFailures } from './failures.ts';
import { KeptClaims } from './kept-claims.ts';

const PERIOD_MS = 5_000;
/** The rate limit of the cloud refills every second: with many pending instances, each refill is used. */
const BUSY_COUNT = 30;
const BUSY_PERIOD_MS = 1_000;
/** The key of all claims together; no claim can have this name. */
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
  /** Names of claims whose bootstrap outcome is pending. */
  readonly #waiting = new Set<string>();
  /** UIDs by name, so that deleted claims are forgotten. */
  readonly #uids = new Map<string, string>();
  /** Later failures are reported by this process. Times of conditions are whole seconds. */
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
    this.#uids.set(name, claim.metadata.uid);
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
    let refused: unknown;
    for (const claim of claims) {
      const outcome = outcomes?.get(claim.metadata.uid);
      if (outcome === undefined || !awaitsBootstrap(claim)) continue;
      const claimPatch = new ClaimPatch(claim, scope.world.clock.now());
      try {
        if (outcome.state === 'succeeded') {
          claimPatch.conditions.setTrue(CSE_PROVISIONED);
          await claimPatch.write(scope.client);
        } else if (!this.#hasNode(claim)) await this.#failures.write(scope, claimPatch, outcome.failure);
      } catch (error) {
        // The claim changed in the meantime; the next read returns the same outcome.
        if (isApiError(error, 'conflict', 'notFound')) continue;
        scope.signal.throwIfAborted();
        // One claim that cannot be written does not hide the outcomes of the others.
        refused ??= error;
      }
    }
    if (refused !== undefined) throw refused;
    return { requeueAfterMs: claims.length > BUSY_COUNT ? BUSY_PERIOD_MS : PERIOD_MS };
  }

  #failedBeforeUs(claim: Claim): boolean {
    return Date.parse(conditionOf(claim, CSE_PROVISIONED)?.lastTransitionTime ?? '') < this.#startedMs;
  }

  #isOurs({ spec }: Claim): boolean {
    return this.#context.stores.runs(spec.nodeClassRef);
  }

  /** The node joined although the provisioning script reported a failure. */
  #hasNode({ metadata }: Claim): boolean {
    return this.#context.cluster.nodeOfClaim(metadata.name)?.node !== undefined;
  }
}
