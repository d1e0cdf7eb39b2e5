/** Reports reboots: events, counters and log lines, with the names of Karpenter. It decides nothing. */
import type { Counter, Histogram } from '@chandler/kube';
import type { ControllerContext } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';

export type RebootResult = 'succeeded' | 'provider_error' | 'recovery_timeout' | 'invalid_request';

export interface RebootFailure {
  readonly result: Exclude<RebootResult, 'succeeded'>;
  readonly why: string;
}

const BUCKETS = [10, 20, 40, 80, 160, 320, 640, 1280];
const DEDUPE_MS = 30 * 60_000;

export class RebootReporter {
  readonly #context: ControllerContext;
  readonly #reboots: Counter;
  readonly #duration: Histogram;
  readonly #recovery: Histogram;

  constructor(context: ControllerContext) {
    const { metrics } = context.world;
    this.#context = context;
    this.#reboots = metrics.counter({
      name: 'karpenter_nodes_reboots_total',
      help: 'Reboots in place that have ended, by result.',
      labels: ['result'],
    });
    this.#duration = metrics.histogram({
      name: 'karpenter_nodes_reboot_duration_seconds',
      help: 'From the request of a reboot to its end, by result.',
      labels: ['result'],
      buckets: BUCKETS,
    });
    this.#recovery = metrics.histogram({
      name: 'karpenter_nodes_reboot_recovery_duration_seconds',
      help: 'From when the cloud accepted a reboot until the node was Ready again.',
      buckets: BUCKETS,
    });
  }

  /** @param requestedMs identifies the reboot among those of the claim. */
  observed(claim: Claim, requestedMs: number): void {
    const message = 'New boot observed (bootID changed); awaiting node readiness';
    this.#publish(claim, 'Normal', 'RebootObserved', message, requestedMs);
  }

  succeeded(claim: Claim, requestedMs: number, issuedMs: number): void {
    const { clock, log } = this.#context.world;
    this.#ended('succeeded', requestedMs);
    this.#recovery.observe((clock.now() - issuedMs) / 1000);
    log.info('instance was rebooted', { nodeclaim: claim.metadata.name });
  }

  failed(claim: Claim, requestedMs: number, { result, why }: RebootFailure): void {
    this.#ended(result, requestedMs);
    this.#publish(claim, 'Warning', 'RebootFailed', why, requestedMs);
    this.#context.world.log.error('reboot failed', { nodeclaim: claim.metadata.name, result, why });
  }

  #ended(result: RebootResult, requestedMs: number): void {
    this.#reboots.add(1, { result });
    this.#duration.observe((this.#context.world.clock.now() - requestedMs) / 1000, { result });
  }

  #publish(
    object: Claim,
    type: 'Normal' | 'Warning',
    reason: string,
    message: string,
    requestedMs: number,
  ): void {
    const dedupeValues = [object.metadata.uid, reason, String(requestedMs)];
    const event = { resource: CLAIMS, object, type, reason, message, dedupeValues, dedupeMs: DEDUPE_MS };
    this.#context.events.publish(event);
  }
}
