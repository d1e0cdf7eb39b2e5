/**
 * The way of a claim, looked at as a whole each time: launched, registered, initialized, or given up; and when it is
 * deleted, its end. Each stage stands in a file of its own; this one calls them in order and writes once.
 */
import { Controller, isApiError, itemBackoff, keyOfObject, type Result, storeSource } from '@chandler/kube';
import { Finalizer } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';
import { BY_PROVIDER_ID, failedToBootstrap } from '../../state/index.ts';

import { noteBootstrap } from '../bootstrap-outcome/condition.ts';
import { BootstrapFailures } from '../bootstrap-outcome/failures.ts';
import { releaseHold } from '../bootstrap-outcome/image-holds.ts';
import { type ControllerContext, workers } from '../context.ts';
import { isAttemptNote } from './attempt-notes.ts';
import { CLAIMS, type Claim, ClaimPatch } from './claim-patch.ts';
import { finalize } from './finalize.ts';
import { initialize } from './initialization.ts';
import { launch } from './launch.ts';
import { LifecycleReporter } from './lifecycle-reporter.ts';
import { Liveness } from './liveness.ts';
import { recordHealth } from './record-health.ts';
import { register } from './registration.ts';

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
        keys: ({ object }) => claimsOfMachine(context, object['spec'] as { providerID?: string } | undefined),
      }),
    ],
    reconcile: (name, { signal }) => pass.reconcile(name, signal),
  });
}

export class LifecyclePass {
  readonly #context: ControllerContext;
  readonly #reporter: LifecycleReporter;
  readonly #failures: BootstrapFailures;
  readonly #liveness: Liveness;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#reporter = new LifecycleReporter(context);
    this.#failures = new BootstrapFailures(context);
    this.#liveness = new Liveness(context.world.clock);
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { stores, world } = this.#context;
    const claim = stores.claims.store.get({ name });
    if (claim === undefined || !this.#isOurs(claim)) return {};
    if (claim.metadata.deletionTimestamp !== undefined)
      return finalize(this.#context, new ClaimPatch(claim, world.clock.now()), this.#reporter, signal);
    // It has had its machine; `bootstrap-outcome/` sees to what is left of it.
    if (failedToBootstrap(claim)) return {};
    return this.#advance(new ClaimPatch(await this.#withFinalizer(claim), world.clock.now()), signal);
  }

  async #advance(draft: ClaimPatch, signal: AbortSignal): Promise<Result> {
    const context = this.#context;
    const wasRegistered = draft.conditions.isTrue('Registered');
    let failure: unknown;
    let broken: BootstrapFailure | undefined;
    let results: Result[] = [];
    try {
      const outcome = await launch(context, draft, this.#reporter, signal);
      if (outcome.next === 'delete') {
        await draft.write(context.client);
        await this.#giveUp(draft, outcome.reason);
        return {};
      }
      if (outcome.next === 'bootstrapFailed') broken = outcome.failure;
      else {
        if (outcome.rateLimited === true) this.#liveness.rateLimited(draft.claim.metadata.uid ?? '');
        results.push(outcome.result);
        results.push(await register(context, draft, this.#reporter, signal));
        await initialize(context, draft, this.#reporter);
      }
    } catch (error) {
      // What was found out is still written; the key comes back with its back-off.
      failure = error;
      results = [];
    }
    if (broken !== undefined) {
      await this.#bootstrapFailed(draft, broken);
      return {};
    }
    noteBootstrap(context, draft, wasRegistered);
    const { timedOut, result } = this.#liveness.judge(draft);
    await draft.write(context.client);
    // What a service of the cloud manages is not ours to give up.
    if (timedOut !== undefined && !this.#context.cloud.ownership.isManagedElsewhere(draft.claim)) {
      const launch = timedOut === 'launch_timeout' ? (draft.conditions.get('Launched') ?? {}) : undefined;
      if (await this.#giveUp(draft, timedOut)) await recordHealth(context, draft.claim, false, launch);
      return {};
    }
    if (!wasRegistered && draft.conditions.isTrue('Registered')) {
      releaseHold(context, draft.claim);
      await recordHealth(context, draft.claim, true);
    }
    if (failure !== undefined) throw failure;
    return soonest([...results, result]);
  }

  /** Node classes of another cloud are another controller's business. */
  #isOurs(claim: Claim): boolean {
    return this.#context.stores.runs(claim.spec.nodeClassRef);
  }

  async #withFinalizer(claim: Claim): Promise<Claim> {
    const { resourceVersion, finalizers = [] } = claim.metadata;
    if (finalizers.includes(Finalizer.termination)) return claim;
    const patch = { metadata: { resourceVersion, finalizers: [...finalizers, Finalizer.termination] } };
    return this.#context.client.patch(CLAIMS, keyOfObject(claim), { type: 'merge', patch });
  }

  /** Told only when it is done: a deletion that was refused is tried again. */
  async #giveUp(draft: ClaimPatch, reason: string): Promise<boolean> {
    const preconditions = { uid: draft.claim.metadata.uid ?? '' };
    try {
      await this.#context.client.delete(CLAIMS, keyOfObject(draft.claim), { preconditions });
    } catch (error) {
      if (isApiError(error, 'notFound', 'conflict')) return false;
      throw error;
    }
    this.#reporter.disrupted(draft, reason);
    return true;
  }

  /** The claim stays to be read, unless its node joined before the failure: then it has to be drained. */
  async #bootstrapFailed(draft: ClaimPatch, failure: BootstrapFailure): Promise<void> {
    if (!draft.conditions.isTrue('Registered')) return this.#failures.write(draft, failure);
    await draft.write(this.#context.client);
    if (await this.#giveUp(draft, 'async_provisioning')) await this.#failures.tell(draft.claim, failure);
  }
}

// ---------------------------------------------------------------------------------------------------

function claimsOfMachine({ stores }: ControllerContext, spec: { providerID?: string } | undefined): string[] {
  const claims = spec?.providerID ? stores.claims.store.by(BY_PROVIDER_ID, spec.providerID) : [];
  return claims.map(({ metadata }) => metadata.name ?? '');
}

function soonest(results: readonly Result[]): Result {
  const waits = results.flatMap(({ requeueAfterMs }) =>
    requeueAfterMs === undefined ? [] : [requeueAfterMs],
  );
  return waits.length === 0 ? {} : { requeueAfterMs: Math.min(...waits) };
}
