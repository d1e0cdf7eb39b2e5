/**
 * What this process knows about launches in flight and Azure does not show at once: the plan, the operation that was
 * sent. It saves calls and keeps better error messages, but is never required: a new process continues from what Azure
 * shows. Bounded: a NodeClaim that is no longer requested is removed.
 */
import type { Clock } from '@chandler/kube';
import type { Operation } from '../../../arm/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import type { FailedOffering } from '../errors/index.ts';
import type { AzureInstanceType } from '../instance-types/index.ts';
import type { LaunchPart, OperationFailure, PutNic } from './launch-decision.ts';
import type { VmFacts } from './vm-facts.ts';
import type { ExtensionPlan, VmPlan } from './vm-plan.ts';

/** A plan, and what there is to block when it fails. */
export interface PlannedVm {
  readonly plan: VmPlan;
  readonly offering: FailedOffering;
  /** As it was planned for; another generation is another plan. */
  readonly nodeClass: { readonly uid: string; readonly generation: number | undefined };
  readonly values: LaunchValues;
}

/** What the claim gets of the plan. */
export interface LaunchValues {
  readonly type: AzureInstanceType;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface LaunchRecord {
  planned?: PlannedVm;
  /** Sent and not known to be over. */
  pending?: { readonly part: LaunchPart; readonly operation: Operation; readonly extension?: string };
  /** Azure has just said that the NIC which this process put is made. Whether there is a VM, the PUT of it finds out. */
  nicMade?: boolean;
  /** With what this process has put the NIC. */
  nicPut?: PutNic;
  /** The NIC had failed and was put once more; if it fails again, that is an error of the launch. */
  nicRepaired?: boolean;
  /** How often in a row nothing could be learned about it. */
  unanswered?: number;
  /** What the last operation ended with; gone once it is reported, or something else is put. */
  failure?: OperationFailure & { readonly part: LaunchPart; readonly extension: string | undefined };
  /** The VM that was accepted, or that was found. */
  accepted?: VmFacts;
  /** Azure has shown that the VM is there: what is left is put on it. */
  made?: boolean;
  /** It was put by this process: it has no extensions but those in `sent`. */
  putHere?: boolean;
  acceptedOffering?: FailedOffering;
  acceptedValues?: LaunchValues;
  acceptedExtensions?: readonly ExtensionPlan[];
  acceptedEncryption?: Sourced<string> | undefined;
  readonly sent: Set<string>;
  /** How often Azure has accepted each extension from this process. */
  readonly puts: Map<string, number>;
  /** Extensions that were seen to be there. */
  readonly ready: Set<string>;
  /** Parts whose waiting stage was recorded already. */
  readonly reported: Set<LaunchPart>;
  /** Since when Azure has throttled the launch. */
  throttledSinceMs?: number;
  touchedMs: number;
}

export const FORGET_AFTER_MS = 3600_000;
export const MAX_RECORDS = 20_000;

export class LaunchRecords {
  readonly #clock: Clock;
  readonly #records = new Map<string, LaunchRecord>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#records.size;
  }

  of(claimUid: string): LaunchRecord {
    const nowMs = this.#clock.monotonic();
    const known = this.#records.get(claimUid);
    const record: LaunchRecord = known ?? {
      sent: new Set(),
      puts: new Map(),
      ready: new Set(),
      reported: new Set(),
      touchedMs: nowMs,
    };
    record.touchedMs = nowMs;
    // The order of the map is that of the last touch, so that the oldest is always first.
    this.#records.delete(claimUid);
    this.#records.set(claimUid, record);
    this.#forgetOld(nowMs);
    return record;
  }

  forget(claimUid: string): void {
    this.#records.delete(claimUid);
  }

  #forgetOld(nowMs: number): void {
    for (const [uid, record] of this.#records) {
      if (this.#records.size <= MAX_RECORDS && nowMs - record.touchedMs < FORGET_AFTER_MS) return;
      this.#records.delete(uid);
    }
  }
}
