/**
 * The lifecycle of a claim, reconciled as a whole: launch, registration, initialization, liveness, and finalization
 * once it is deleted. Each stage has its own file; this one calls them in order and writes once.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  keyOfObject,
  type Result,
  rethrowProgramError,
  storeSource,
} from '@chandler/kube';
import { Finalizer } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';
import { BY_PROVIDER_ID, failedToBootstrap } from '../../state/index.ts';

import { noteBootstrap } from '../bootstrap-outcome/condition.ts';
import { BootstrapFailures } from '../bootstrap-outcome/failures.ts';
import { releaseHold } from '../bootstrap-outcome/image-holds.ts';
import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { isAttemptNote } from './attempt-notes.ts';
import { CLAIMS, type Claim, ClaimPatch } from './claim-patch.ts';
import { finalize } from './finalize.ts';
import { initialize } from './initialization.ts';
import { launch } from './launch.ts';
import { LifecycleReporter } from './lifecycle-reporter.ts';
import { Liveness } from './liveness.ts';
import { recordHealth } from './record-health.ts';
import { register } from './registration.ts';

/** When a claim is judged again that may have a Node which the store does not show. */
const STALE_NODES_REQUEUE_MS = 30_000;

export function lifecycle(context: ControllerContext): Controller {
  const { world, stores, settings } = context;
  const pass = new LifecyclePass(context);
  return new Controller({
    name: 'nodeclaim.lifecycle',
    world,
    concurrency: workers(settings.cpuRequests, 100, 1000),
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(stores.claims, { filter: (change) => !isAttemptNote(change) }),
      storeSource(stores.nodes, {
        keys: ({ object }) =>
          claimsOfInstance(context, object['spec'] as { providerID?: string } | undefined),
      }),
    ],
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class LifecyclePass {
  readonly #reporter: LifecycleReporter;
  readonly #failures: BootstrapFailures;
  readonly #liveness: Liveness;

  constructor(context: ControllerContext) {
    this.#reporter = new LifecycleReporter(context);
    this.#failures = new BootstrapFailures(context);
    this.#liveness = new Liveness(context.world.clock);
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { stores, world } = scope;
    const claim = stores.claims.store.get({ name });
    if (claim === undefined || !stores.runs(claim.spec.nodeClassRef)) return {};
    if (claim.metadata.deletionTimestamp !== undefined)
      return finalize(scope, new ClaimPatch(claim, world.clock.now()), this.#reporter);
    // `bootstrap-outcome/` handles claims whose instance failed to bootstrap.
    if (failedToBootstrap(claim)) return {};
    return this.#advance(scope, new ClaimPatch(await withFinalizer(scope, claim), world.clock.now()));
  }

  async #advance(scope: ReconcileScope, claimPatch: ClaimPatch): Promise<Result> {
    const wasRegistered = claimPatch.conditions.isTrue('Registered');
    // A stage that fails does not stop the later ones: a node joins also while the cloud does not answer. What is known is
    // written in any case; the key is requeued with its backoff.
    const failures: unknown[] = [];
    const stage = <T>(work: Promise<T>): Promise<T | undefined> =>
      work.catch((error: unknown) => {
        scope.signal.throwIfAborted();
        failures.push(error);
        return undefined;
      });
    const outcome = await stage(launch(scope, claimPatch, this.#reporter));
    if (outcome?.next === 'delete') {
      await claimPatch.write(scope.client);
      await this.#giveUp(scope, claimPatch, outcome.reason);
      return {};
    }
    if (outcome?.next === 'bootstrapFailed') {
      await this.#bootstrapFailed(scope, claimPatch, outcome.failure);
      return {};
    }
    if (outcome?.rateLimited === true) this.#liveness.rateLimited(claimPatch.claim.metadata.uid);
    const registration = await stage(register(scope, claimPatch, this.#reporter));
    await stage(initialize(scope, claimPatch, this.#reporter));
    const results = failures.length > 0 ? [] : [outcome?.result ?? {}, registration ?? {}];
    noteBootstrap(scope, claimPatch, wasRegistered);
    const { timedOut, result } = this.#liveness.judge(claimPatch);
    await claimPatch.write(scope.client);
    // A bug of ours says nothing about the instance.
    for (const failure of failures) rethrowProgramError(failure);
    // The Node may exist: a store that is not updated cannot show it.
    const unknown = timedOut === 'registration_timeout' && scope.stores.nodes.failingMs > 0;
    if (unknown) results.push({ requeueAfterMs: STALE_NODES_REQUEUE_MS });
    // A claim that a service of the cloud manages is never deleted here.
    if (timedOut !== undefined && !unknown && !scope.cloud.ownership.isManagedElsewhere(claimPatch.claim)) {
      const launch =
        timedOut === 'launch_timeout' ? (claimPatch.conditions.get('Launched') ?? {}) : undefined;
      if (await this.#giveUp(scope, claimPatch, timedOut))
        await recordHealth(scope, claimPatch.claim, false, launch);
      return {};
    }
    if (!wasRegistered && claimPatch.conditions.isTrue('Registered')) {
      releaseHold(scope, claimPatch.claim);
      await recordHealth(scope, claimPatch.claim, true);
    }
    if (failures.length > 0) throw failures[0];
    return soonest([...results, result]);
  }

  /** Reported only when it is done: a deletion that failed is retried. */
  async #giveUp(scope: ReconcileScope, claimPatch: ClaimPatch, reason: string): Promise<boolean> {
    const preconditions = { uid: claimPatch.claim.metadata.uid };
    try {
      await scope.client.delete(CLAIMS, keyOfObject(claimPatch.claim), { preconditions });
    } catch (error) {
      if (isApiError(error, 'notFound', 'conflict')) return false;
      throw error;
    }
    this.#reporter.disrupted(scope, claimPatch, reason);
    return true;
  }

  /** The claim is kept for reading, unless its node registered before the failure: then it must be drained. */
  async #bootstrapFailed(
    scope: ReconcileScope,
    claimPatch: ClaimPatch,
    failure: BootstrapFailure,
  ): Promise<void> {
    if (!claimPatch.conditions.isTrue('Registered')) return this.#failures.write(scope, claimPatch, failure);
    await claimPatch.write(scope.client);
    if (await this.#giveUp(scope, claimPatch, 'async_provisioning'))
      await this.#failures.report(scope, claimPatch.claim, failure);
  }
}

// ---------------------------------------------------------------------------------------------------

function claimsOfInstance(
  { stores }: ControllerContext,
  spec: { providerID?: string } | undefined,
): string[] {
  const claims = spec?.providerID ? stores.claims.store.by(BY_PROVIDER_ID, spec.providerID) : [];
  return claims.map(({ metadata }) => metadata.name);
}

async function withFinalizer({ client }: ReconcileScope, claim: Claim): Promise<Claim> {
  const { resourceVersion, finalizers = [] } = claim.metadata;
  if (finalizers.includes(Finalizer.termination)) return claim;
  const patch = { metadata: { resourceVersion, finalizers: [...finalizers, Finalizer.termination] } };
  return client.patch(CLAIMS, keyOfObject(claim), { type: 'merge', patch });
}

function soonest(results: readonly Result[]): Result {
  const waits = results.flatMap(({ requeueAfterMs }) =>
    requeueAfterMs === undefined ? [] : [requeueAfterMs],
  );
  return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
}
