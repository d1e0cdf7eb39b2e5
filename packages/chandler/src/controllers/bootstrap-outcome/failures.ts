/**
 * Handles an instance that failed to bootstrap: writes the failure to its claim, then reports it and counts it
 * against the pool and the image. `kept-claims.ts` decides when claim and instance are deleted.
 */
import { ChandlerAnnotation, KarpenterLabel } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';
import { appendStages, decodeJourney } from '../../journey/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { SETTLING_ANNOTATION } from '../lifecycle/launch.ts';
import { recordHealth } from '../lifecycle/record-health.ts';
import { BootstrapReporter } from './bootstrap-reporter.ts';
import { CSE_FAILED, CSE_PROVISIONED } from './condition.ts';
import { holdAfter } from './image-holds.ts';

export class BootstrapFailures {
  readonly #reporter: BootstrapReporter;

  constructor(context: ControllerContext) {
    this.#reporter = new BootstrapReporter(context);
  }

  /** Nothing is reported unless the write succeeds: another writer reports it, or the next reconcile finds it again. */
  async write(scope: ReconcileScope, claimPatch: ClaimPatch, failure: BootstrapFailure): Promise<void> {
    claimPatch.conditions.setFalse(CSE_PROVISIONED, CSE_FAILED, failure.message);
    claimPatch.setAnnotations({
      [SETTLING_ANNOTATION]: null,
      [ChandlerAnnotation.bootstrapFailure]: shortText(failure),
      ...(failure.log.length === 0 ? {} : { [ChandlerAnnotation.bootstrapLog]: failure.log.join('\n') }),
      [ChandlerAnnotation.journey]: appendStages(claimPatch.annotations[ChandlerAnnotation.journey], [
        stageOf(failure, scope.world.clock.now()),
      ]),
    });
    await claimPatch.write(scope.client);
    await this.report(scope, claimPatch.claim, failure);
  }

  /** For a claim that is deleted in any case. */
  async report(scope: ReconcileScope, claim: Claim, failure: BootstrapFailure): Promise<void> {
    const { stores, world } = scope;
    const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const pool = name === undefined ? undefined : stores.pools.store.get({ name });
    this.#reporter.failed(scope, claim, failure, pool);
    const held = holdAfter(scope, claim, failure);
    const heldMs = (held?.untilMs ?? 0) - world.clock.monotonic();
    if (held !== undefined && heldMs > 0)
      world.log.warn('launches delayed after bootstrap failures', {
        nodeclass: claim.spec.nodeClassRef.name,
        image: failure.image,
        reason: held.reason,
        failures: held.failures,
        seconds: Math.ceil(heldMs / 1000),
      });
    await recordHealth(scope, claim, false);
  }

  /** For a claim that an earlier process failed: it may have ended between the write and the report. */
  async reportIfMissing(scope: ReconcileScope, claim: Claim): Promise<void> {
    if (await this.#reporter.isReported(scope, claim)) return;
    const { stores } = scope;
    const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const pool = name === undefined ? undefined : stores.pools.store.get({ name });
    this.#reporter.failed(scope, claim, writtenFailure(claim), pool);
  }
}

// ---------------------------------------------------------------------------------------------------

/** `50 ERR_OUTBOUND_CONN_FAIL`: short enough for a column. */
function shortText({ code, constant }: BootstrapFailure): string {
  if (code === undefined) return 'no exit code';
  return constant === undefined ? String(code) : `${code} ${constant}`;
}

function stageOf({ code, constant, readFrom, message }: BootstrapFailure, atMs: number) {
  return {
    name: 'extension' as const,
    atMs,
    outcome: 'failed' as const,
    facts: { code: code ?? 'none', constant: constant ?? 'unknown', readFrom },
    message,
  };
}

/** The failure, as `write` recorded it on the claim. */
function writtenFailure(claim: Claim): BootstrapFailure {
  const stage = decodeJourney(claim.metadata.annotations?.[ChandlerAnnotation.journey]).find(
    ({ name }) => name === 'extension',
  );
  const { code, constant, readFrom } = stage?.facts ?? {};
  return {
    code: typeof code === 'number' ? code : undefined,
    constant: typeof constant === 'string' && constant !== 'unknown' ? constant : undefined,
    message: conditionOf(claim, CSE_PROVISIONED)?.message ?? '',
    deterministic: false,
    image: claim.status?.imageID,
    readFrom: readFrom === 'extension' || readFrom === 'operation' ? readFrom : 'serialLog',
    lastCommand: undefined,
    log: [],
  };
}
