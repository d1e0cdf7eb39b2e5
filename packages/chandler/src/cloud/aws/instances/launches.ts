/**
 * What this process knows about launches in flight. It saves calls and keeps the request that had no answer, but is never
 * required: a new process goes on from the record of the claim and from what EC2 shows. Bounded: a claim that is no longer
 * asked about is forgotten.
 */
import type { Clock } from '@chandler/kube';
import type { CloudError } from '../../index.ts';

import type { LaunchRecord } from '../launch/index.ts';
import type { TemplateLease } from '../launch-templates/index.ts';
import type { Batch } from './fleet-batches.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { LaunchPlan } from './launch-plan.ts';
import type { RequestFailure } from './request-failure.ts';

/** Where a launch is. */
export type LaunchPhase =
  /** Nothing is requested: not yet, or what was requested has been answered without an instance. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'joined'; readonly batch: Batch; readonly planned: PlannedLaunch }
  /** Requested by a process that is gone, or without an answer before it was refused. */
  | LaunchInDoubt
  /** The claim names its instance, of which this process knows nothing yet. */
  | { readonly kind: 'named'; readonly id: string; readonly zone: string; readonly sinceMs: number }
  | AcceptedLaunch;

export interface LaunchInDoubt {
  readonly kind: 'inDoubt';
  readonly record: LaunchRecord;
  /** When a request with the token may last have reached EC2 without an answer. */
  lastSentMs: number;
  /** Since when EC2 is known to have received it: by an instance with its token, or because it knows the token. */
  receivedMs?: number;
  /** EC2 knows the token with other parameters: it is not sent again. */
  differs?: boolean;
}

export interface PlannedLaunch {
  readonly plan: LaunchPlan;
  readonly lease: TemplateLease;
  /** Ends the lease of its templates and the hold of its addresses. Harmless to repeat. */
  giveBack(usedSubnetId?: string): void;
}

export interface AcceptedLaunch {
  readonly kind: 'accepted';
  readonly acceptedMs: number;
  facts: InstanceFacts;
  /** A step of the claim has returned it. */
  reported: boolean;
  /** It has its name and the name of its claim as tags. */
  tagged: boolean;
  settled: boolean;
}

export interface Launch {
  readonly claimName: string;
  attempt: number;
  phase: LaunchPhase;
  /** Calls in a row that were throttled. */
  throttled: number;
  /** What the answer to a batch was for this claim without an instance: its own step reports it. */
  failure?: CloudError;
  /** How the last requests were answered without an instance: the next one waits. */
  refusal?: RequestFailure;
  touchedMs: number;
}

/** A claim asks about its request far more often than that. */
const ABANDONED_AFTER_MS = 15 * 60_000;
export const FORGET_AFTER_MS = 3_600_000;
export const MAX_LAUNCHES = 20_000;

export class Launches {
  readonly #clock: Clock;
  readonly #launches = new Map<string, Launch>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#launches.size;
  }

  peek(claimUid: string): Launch | undefined {
    return this.#launches.get(claimUid);
  }

  of(claimUid: string, begin: () => Pick<Launch, 'attempt' | 'claimName' | 'phase'>): Launch {
    const nowMs = this.#clock.monotonic();
    const known = this.#launches.get(claimUid);
    const launch = known ?? { ...begin(), throttled: 0, touchedMs: nowMs };
    launch.touchedMs = nowMs;
    // The order of the map is that of the last touch.
    this.#launches.delete(claimUid);
    this.#launches.set(claimUid, launch);
    this.#forgetOld(nowMs);
    return launch;
  }

  /** The claims whose instances this process knows, by id of the instance. */
  owners(): ReadonlyMap<string, { readonly uid: string; readonly name: string }> {
    const found = [...this.#launches].flatMap(([uid, { phase, claimName: name }]) =>
      phase.kind === 'accepted' ? [[phase.facts.id, { uid, name }] as const] : [],
    );
    return new Map(found);
  }

  /** What it still holds is given back. */
  forget(claimUid: string): void {
    const phase = this.#launches.get(claimUid)?.phase;
    if (phase?.kind === 'joined') phase.planned.giveBack();
    this.#launches.delete(claimUid);
  }

  /**
   * Requests whose claims are gone, for example with their finalizer: nothing else gives back what they hold.
   * @param leave takes it out of its batch.
   */
  forgetAbandoned(leave: (claimUid: string, launch: Launch) => void): void {
    const nowMs = this.#clock.monotonic();
    for (const [uid, launch] of this.#launches) {
      if (launch.phase.kind !== 'joined' || nowMs - launch.touchedMs < ABANDONED_AFTER_MS) continue;
      leave(uid, launch);
      this.forget(uid);
    }
  }

  #forgetOld(nowMs: number): void {
    for (const [uid, { touchedMs }] of this.#launches) {
      if (this.#launches.size <= MAX_LAUNCHES && nowMs - touchedMs < FORGET_AFTER_MS) return;
      this.forget(uid);
    }
  }
}
