/**
 * A machine failed to become a node: that is written on its claim, and only then told, and counted against the pool
 * and against its image. What becomes of claim and machine, `kept-claims.ts` decides.
 */
import { ChandlerAnnotation, KarpenterLabel } from '../../api/index.ts';
import type { BootstrapFailure } from '../../cloud/index.ts';
import { appendStages, decodeJourney } from '../../journey/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { SETTLING_ANNOTATION } from '../lifecycle/launch.ts';
import { recordHealth } from '../lifecycle/record-health.ts';
import { BootstrapReporter } from './bootstrap-reporter.ts';
import { CSE_FAILED, CSE_PROVISIONED } from './condition.ts';
import { holdAfter } from './image-holds.ts';

export class BootstrapFailures {
  readonly #context: ControllerContext;
  readonly #reporter: BootstrapReporter;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#reporter = new BootstrapReporter(context);
  }

  /** A write that is refused leaves nothing told: whoever was faster tells it, or it is found again. */
  async write(draft: ClaimPatch, failure: BootstrapFailure): Promise<void> {
    draft.conditions.setFalse(CSE_PROVISIONED, CSE_FAILED, failure.message);
    draft.setAnnotations({
      [SETTLING_ANNOTATION]: null,
      [ChandlerAnnotation.journey]: appendStages(draft.annotations[ChandlerAnnotation.journey], [
        this.#stage(failure),
      ]),
    });
    await draft.write(this.#context.client);
    await this.tell(draft.claim, failure);
  }

  /** For a claim that goes anyway. */
  async tell(claim: Claim, failure: BootstrapFailure): Promise<void> {
    const { stores, world } = this.#context;
    const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const pool = name === undefined ? undefined : stores.pools.store.get({ name });
    this.#reporter.failed(claim, failure, pool);
    const held = holdAfter(this.#context, claim, failure);
    const heldMs = (held?.untilMs ?? 0) - world.clock.monotonic();
    if (held !== undefined && heldMs > 0)
      world.log.warn('launches with this node class and image are held back', {
        nodeclass: claim.spec.nodeClassRef.name,
        image: failure.image,
        reason: held.reason,
        failures: held.failures,
        seconds: Math.ceil(heldMs / 1000),
      });
    await recordHealth(this.#context, claim, false);
  }

  /** For a claim that an earlier process gave up: it may have ended between writing and telling. */
  async tellIfNobodyDid(claim: Claim): Promise<void> {
    if (await this.#reporter.wasTold(claim)) return;
    const { stores } = this.#context;
    const name = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const pool = name === undefined ? undefined : stores.pools.store.get({ name });
    this.#reporter.failed(claim, writtenFailure(claim), pool);
  }

  #stage({ code, constant, readFrom, message }: BootstrapFailure) {
    return {
      name: 'extension' as const,
      atMs: this.#context.world.clock.now(),
      outcome: 'failed' as const,
      facts: { code: code ?? 'none', constant: constant ?? 'unknown', readFrom },
      message,
    };
  }
}

// ---------------------------------------------------------------------------------------------------

/** What `write` left of it on the claim. */
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
  };
}
