/**
 * Launches that wait for others with an equal request, for a short time, to become one CreateFleet. Nobody waits here for a
 * clock: a launch joins a batch and returns; whoever comes back when the batch has waited long enough takes it further, first
 * to be recorded and then to be sent. What EC2 may have received is never changed: without an answer the very same request is
 * sent again, with the same client token, after a pause that all its claims keep.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';

import {
  BATCH_LIMITS,
  type CreateFleetRequest,
  groupLaunches,
  type LaunchGroup,
  type LaunchRecord,
} from '../launch/index.ts';
import type { RequestFailure } from './request-failure.ts';

export interface BatchMember {
  readonly claim: Stored<NodeClaim>;
  readonly attempt: number;
  readonly request: CreateFleetRequest;
  /** The record that the claim keeps. */
  kept?: string;
  /** A write of it in progress: two at once might end in the wrong order. */
  keeping?: Promise<void>;
}

export interface Batch {
  readonly key: string;
  readonly members: Map<string, BatchMember>;
  readonly openedMs: number;
  lastMs: number;
  /** What is sent, once it is decided. */
  group?: LaunchGroup;
  /** Every claim keeps its record. */
  recorded: boolean;
  /** When EC2 may last have received the request without an answer, as while it is in flight; undefined: it has not. */
  unansweredMs?: number | undefined;
  /** A step of another claim is at it. */
  busy?: Promise<void>;
  /** How sending it failed the last time. */
  failure?: RequestFailure;
}

export class FleetBatches {
  /** Those that still take members, by request. */
  readonly #open = new Map<string, Batch>();

  get size(): number {
    return this.#open.size;
  }

  join(member: BatchMember, nowMs: number): Batch {
    const key = JSON.stringify(member.request);
    const known = this.#open.get(key);
    const batch: Batch = known ?? {
      key,
      members: new Map(),
      openedMs: nowMs,
      lastMs: nowMs,
      recorded: false,
    };
    batch.members.set(member.claim.metadata.uid, member);
    batch.lastMs = nowMs;
    if (batch.members.size >= BATCH_LIMITS.createFleet.maxItems) this.#open.delete(key);
    else this.#open.set(key, batch);
    return batch;
  }

  /** How long the batch still waits for more; 0 when it is to be sent. */
  waitMs({ key, openedMs, lastMs, members, group }: Batch, nowMs: number): number {
    const { idleMs, maxMs, maxItems } = BATCH_LIMITS.createFleet;
    if (group !== undefined || members.size >= maxItems || !this.#open.has(key)) return 0;
    return Math.max(0, Math.min(lastMs + idleMs, openedMs + maxMs) - nowMs);
  }

  /** Ends the waiting: from now on the members of the batch are fixed. */
  close(batch: Batch): LaunchGroup {
    if (this.#open.get(batch.key) === batch) this.#open.delete(batch.key);
    batch.group ??= groupLaunches(
      [...batch.members.values()].map(({ claim, attempt, request }) => ({
        claimUid: claim.metadata.uid,
        attempt,
        request,
      })),
    )[0]!;
    return batch.group;
  }

  /**
   * Takes a claim out of a batch that was not sent. The others become another group, with another token: records that name
   * the old one are written anew before anything is sent.
   */
  leave(batch: Batch, claimUid: string): void {
    batch.members.delete(claimUid);
    delete batch.group;
    batch.recorded = false;
    if (batch.members.size === 0 && this.#open.get(batch.key) === batch) this.#open.delete(batch.key);
  }
}

export function recordOf({ members }: LaunchGroup, claimUid: string): LaunchRecord | undefined {
  return members.find((member) => member.claimUid === claimUid)?.record;
}
