/**
 * One step towards no instance. A claim that names none may still have one: its record tells what to search for. Gone is what
 * EC2 shows as terminated, and what it does not show although it has had time to; a new instance is missing for seconds.
 */
import type { Stored } from '@chandler/kube';
import { AwsLabel, type NodeClaim } from '../../../api/index.ts';
import { type DeleteStep, isCloudError } from '../../index.ts';

import { DOUBT_LIMIT_MS, type LaunchRecord, parseLaunchRecord } from '../launch/index.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import type { ClaimNames } from './claim-names.ts';
import { LISTS_COMPLETE_MS, ownInstance } from './doubt.ts';
import { recordOf } from './fleet-batches.ts';
import type { FleetSender } from './fleet-sender.ts';
import { type InstanceFacts, isEnding } from './instance-facts.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { Launches } from './launches.ts';
import { parseProviderId } from './provider-id.ts';
import type { RecentInstances } from './recent-instances.ts';
import { accept } from './step-scope.ts';
import type { Terminator } from './terminator.ts';

export interface DeleterParts {
  readonly deps: Pick<AwsCloudDeps, 'records' | 'reservations' | 'world'>;
  readonly launches: Launches;
  readonly sender: FleetSender;
  readonly reader: InstanceReader;
  readonly terminator: Terminator;
  readonly recent: RecentInstances;
  readonly names: ClaimNames;
  /** Called when TerminateInstances fails for the instance of the claim. */
  readonly terminationFailed: (claim: Stored<NodeClaim>) => void;
}

export class Deleter {
  readonly #parts: DeleterParts;
  /** Deletions in progress, by id of the instance that the claim names, else by UID of the claim. */
  readonly #deletions = new Map<string, Deletion>();

  constructor(parts: DeleterParts) {
    this.#parts = parts;
  }

  get size(): number {
    return this.#deletions.size;
  }

  async step(claim: Stored<NodeClaim>, signal: AbortSignal): Promise<DeleteStep> {
    const nowMs = this.#parts.deps.world.clock.monotonic();
    // A deletion that was given up keeps nothing for ever.
    for (const [key, { touchedMs }] of this.#deletions) {
      if (nowMs - touchedMs < FORGET_AFTER_MS && this.#deletions.size <= MAX_DELETIONS) break;
      this.#deletions.delete(key);
    }
    // Two instances of one claim end apart.
    const key = claim.status?.providerID || claim.metadata.uid || claim.metadata.name;
    const deletion = this.#deletions.get(key) ?? { sinceMs: nowMs, touchedMs: nowMs };
    deletion.touchedMs = nowMs;
    this.#deletions.delete(key);
    this.#deletions.set(key, deletion);
    const step = await this.#step(claim, deletion, signal, nowMs).catch(waitedOut);
    if (step.state === 'gone') {
      this.#deletions.delete(key);
      this.#parts.launches.forget(claim.metadata.uid);
      this.#parts.names.remove(claim.metadata.name);
      if (deletion.id !== undefined) this.#parts.recent.terminated(deletion.id);
      const reservationId = claim.metadata.labels?.[AwsLabel.capacityReservationId];
      if (deletion.ended === true && reservationId !== undefined)
        this.#parts.deps.reservations.terminated(reservationId);
    }
    return step;
  }

  async #step(
    claim: Stored<NodeClaim>,
    deletion: Deletion,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<DeleteStep> {
    deletion.id ??= this.#knownId(claim);
    if (deletion.id !== undefined) return this.#terminate(claim, deletion.id, deletion, signal, nowMs);
    const record = this.#openRequest(claim);
    if (record === undefined) return GONE;
    const found = await this.#parts.reader.ofToken(record.token, signal);
    if (found.length > 0) deletion.receivedMs ??= nowMs;
    const knownMs = nowMs - (deletion.receivedMs ?? nowMs);
    const own = ownInstance(this.#parts, { claim, record, found, knownMs });
    if (own !== undefined) {
      deletion.id = own.id;
      this.#take(claim, record, own, nowMs);
      return this.#terminate(claim, own.id, deletion, signal, nowMs);
    }
    // The request may still be in flight, or its instance not in the lists.
    const isSearching = nowMs - deletion.sinceMs < DOUBT_LIMIT_MS;
    const isIncomplete = deletion.receivedMs !== undefined && knownMs < LISTS_COMPLETE_MS;
    return isSearching || isIncomplete ? { state: 'deleting', retryAfterMs: SEARCH_MS } : GONE;
  }

  /** It is the claim's from now on: the others of its request share what is left, and do not take it for that of a claim that is gone. */
  #take(claim: Stored<NodeClaim>, record: LaunchRecord, own: InstanceFacts, nowMs: number): void {
    const { uid, name } = claim.metadata;
    const launch = this.#parts.launches.of(uid, () => ({
      attempt: record.attempt,
      claimName: name,
      phase: { kind: 'idle' },
    }));
    // What a request of this process holds is given back when the claim is gone.
    if (launch.phase.kind !== 'joined') accept(launch, own, nowMs);
  }

  /** Of a request that may have launched an instance for the claim. */
  #openRequest(claim: Stored<NodeClaim>): LaunchRecord | undefined {
    const { launches, sender, deps } = this.#parts;
    const { uid } = claim.metadata;
    const launch = launches.peek(uid);
    if (launch?.phase.kind === 'joined') {
      const { batch } = launch.phase;
      if (batch.unansweredMs !== undefined)
        return batch.group === undefined ? undefined : recordOf(batch.group, uid);
      sender.abandon(uid, launch);
      return undefined;
    }
    if (launch?.phase.kind === 'inDoubt') return launch.phase.record;
    // EC2 has answered every request of the claim, without an instance.
    if (launch?.phase.kind === 'idle') return undefined;
    return parseLaunchRecord(deps.records.textOf(claim) ?? '');
  }

  #knownId(claim: Stored<NodeClaim>): string | undefined {
    const named = parseProviderId(claim.status?.providerID);
    if (named !== undefined) return named.id;
    const phase = this.#parts.launches.peek(claim.metadata.uid)?.phase;
    if (phase?.kind === 'accepted') return phase.facts.id;
    return phase?.kind === 'named' ? phase.id : undefined;
  }

  async #terminate(
    claim: Stored<NodeClaim>,
    id: string,
    deletion: Deletion,
    signal: AbortSignal,
    nowMs: number,
  ): Promise<DeleteStep> {
    const { reader, terminator, deps } = this.#parts;
    const facts = deletion.requested === true ? await reader.get(id, signal) : undefined;
    if (facts !== undefined) deletion.seen = true;
    if (facts?.state === 'terminated') return GONE;
    if (facts !== undefined && isEnding(facts)) return { state: 'deleting', retryAfterMs: POLL_MS };
    if (deletion.requested === true && facts === undefined && deletion.seen === true) return GONE;
    const { state, ended } = await terminator.terminate(id, signal).catch((error: unknown) => {
      if (isCloudError(error)) this.#parts.terminationFailed(claim);
      throw error;
    });
    if (ended) deletion.ended = true;
    if (state === 'missing') return this.#missing(id, deletion, nowMs);
    if (deletion.requested !== true) deps.world.log.info('terminated instance', { instance: id });
    deletion.requested = true;
    deletion.seen = true;
    return state === 'terminated' ? GONE : { state: 'deleting', retryAfterMs: POLL_MS };
  }

  /** Of an instance that nobody has seen it is not known whether it is gone or new. */
  #missing(id: string, deletion: Deletion, nowMs: number): DeleteStep {
    const isNew = this.#parts.recent.get(id) !== undefined;
    const waitMs = isNew ? DOUBT_LIMIT_MS : LISTS_COMPLETE_MS;
    if (deletion.seen === true || nowMs - deletion.sinceMs >= waitMs) return GONE;
    return { state: 'deleting', retryAfterMs: POLL_MS };
  }
}

// ---------------------------------------------------------------------------------------------------------------

const GONE: DeleteStep = { state: 'gone' };
const POLL_MS = 5_000;
const SEARCH_MS = 5_000;
const FORGET_AFTER_MS = 3_600_000;
const MAX_DELETIONS = 20_000;

/** Throttled calls are waited out, not reported as a failure. @throws every other error. */
function waitedOut(error: unknown): DeleteStep {
  if (!isCloudError(error, 'Throttled') || error.advice.retry !== 'after') throw error;
  return { state: 'deleting', retryAfterMs: error.advice.ms };
}

interface Deletion {
  readonly sinceMs: number;
  touchedMs: number;
  /** Since when EC2 has shown an instance of the request. */
  receivedMs?: number;
  id?: string | undefined;
  /** TerminateInstances was answered. */
  requested?: boolean;
  /** The instance ended by it: an earlier deletion may have done that already. */
  ended?: boolean;
  /** EC2 has shown the instance since. */
  seen?: boolean;
}
