/**
 * Takes a batch of launches to EC2: records it with its claims, sends it, and deals the answer. Each claim of the batch gets
 * its own outcome; the addresses that each held are released.
 */
import type { CreateFleetCommandInput } from '@aws-sdk/client-ec2';
import { isProgramError, type Log } from '@chandler/kube';
import { CloudError } from '../../index.ts';

import { AwsError, type Classified, classify } from '../errors/index.ts';
import {
  type CreateFleetRequest,
  type CreateFleetResult,
  clientToken,
  dealAnswer,
  type FleetOutcome,
  isAnswered,
  isLost,
  LAUNCH_TOKEN_TAG,
  type LaunchGroup,
  type LaunchRecord,
  launchRecordText,
  readFleetAnswer,
  type SubnetAddresses,
} from '../launch/index.ts';
import type { TemplateStore } from '../launch-templates/index.ts';
import { markUnavailable } from '../market/index.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import { type Batch, type BatchMember, type FleetBatches, recordOf } from './fleet-batches.ts';
import { launchedFacts } from './instance-facts.ts';
import type { InstanceMetrics } from './instance-metrics.ts';
import type { Launch, Launches, PlannedLaunch } from './launches.ts';
import type { RecentInstances } from './recent-instances.ts';
import { requestFailure } from './request-failure.ts';
import type { Terminator } from './terminator.ts';

export interface FleetSenderOptions {
  readonly deps: Pick<AwsCloudDeps, 'ec2' | 'records' | 'reservations' | 'unavailable' | 'world'>;
  readonly batches: FleetBatches;
  readonly launches: Launches;
  readonly templates: TemplateStore;
  readonly addresses: SubnetAddresses;
  readonly recent: RecentInstances;
  readonly terminator: Terminator;
  readonly metrics: Pick<InstanceMetrics, 'batchSent' | 'launchFailed'>;
  /** The ID of a zone; empty where it is not known. */
  readonly zoneId: (zone: string) => string;
}

export class FleetSender {
  readonly #options: FleetSenderOptions;
  readonly #log: Log;

  constructor(options: FleetSenderOptions) {
    this.#options = options;
    this.#log = options.deps.world.log;
  }

  /** The claim keeps what it is part of, as a launch of its own. @throws what keeping it failed with. */
  async recordAlone(member: BatchMember, signal: AbortSignal): Promise<void> {
    const { claim, attempt } = member;
    const token = clientToken(claim.metadata.uid, attempt);
    await this.#keep(member, { token, size: 1, position: 0, attempt }, signal);
  }

  /**
   * Every claim of the batch keeps what it is part of. One that cannot leaves the batch.
   * @throws what keeping the record of `claimUid` failed with.
   */
  async record(batch: Batch, claimUid: string, signal: AbortSignal): Promise<void> {
    const { batches, launches } = this.#options;
    const group = batches.close(batch);
    const { members } = group;
    const kept = await Promise.allSettled(
      members.map(({ claimUid: uid, record }) => this.#keep(batch.members.get(uid)!, record, signal)),
    );
    signal.throwIfAborted();
    let own: unknown;
    let left = false;
    for (const [index, result] of kept.entries()) {
      if (result.status === 'fulfilled') continue;
      const uid = members[index]!.claimUid;
      if (uid === claimUid || isProgramError(result.reason)) own ??= result.reason;
      this.abandon(uid, launches.peek(uid));
      // Also when its launch is forgotten.
      batches.leave(batch, uid);
      left = true;
    }
    // A claim may have left meanwhile.
    batch.recorded = !left && batch.group === group;
    if (own !== undefined) throw own;
  }

  /** Sends the batch, or sends it again. @throws {CloudError} while EC2 has not answered. */
  async send(batch: Batch, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options.deps.world;
    const group = this.#options.batches.close(batch);
    const before = batch.unansweredMs;
    batch.unansweredMs = clock.monotonic();
    if (before === undefined)
      this.#options.metrics.batchSent(
        'create_fleet',
        batch.members.size,
        batch.unansweredMs - batch.openedMs,
      );
    let result: CreateFleetResult;
    try {
      result = await this.call(group.request, signal);
    } catch (error) {
      signal.throwIfAborted();
      const said = classify(error);
      batch.unansweredMs = isLost(said.error) ? clock.monotonic() : before;
      this.#refused(batch, group, said);
      return;
    }
    this.#countFailures(batch, group, result);
    await this.#deal(batch, group, result, signal);
  }

  /** @throws {AwsError} */
  call(request: CreateFleetRequest, signal: AbortSignal): Promise<CreateFleetResult> {
    // The SDK lists the instance types of its release; the names are the same.
    return this.#options.deps.ec2.createFleet(request as CreateFleetCommandInput, { signal });
  }

  /** What the answer means for one claim, with its marks written. */
  read(result: CreateFleetResult, { plan }: Pick<PlannedLaunch, 'plan'>): FleetOutcome {
    const { deps, addresses } = this.#options;
    const outcome = readFleetAnswer(result, plan.context);
    const { unavailable: offerings, reservations } = deps;
    markUnavailable({ offerings, reservations }, outcome.unavailable);
    const nowMs = deps.world.clock.monotonic();
    for (const mark of outcome.unavailable)
      if (mark.kind === 'subnet') addresses.exhaust(mark.subnetId, nowMs);
    return outcome;
  }

  /** The launch has its instance, or knows that it has none. */
  settle(launch: Launch, planned: PlannedLaunch, outcome: FleetOutcome, token: string): void {
    const { deps, recent } = this.#options;
    planned.giveBack(outcome.instance?.subnetId);
    if (outcome.instance === undefined) {
      launch.phase = { kind: 'idle' };
      launch.attempt += 1;
      launch.failure = outcome.error;
      return;
    }
    const { clock } = deps.world;
    const facts = launchedFacts(outcome.instance, {
      tags: { ...planned.plan.tags, [LAUNCH_TOKEN_TAG]: token },
      nowMs: clock.now(),
      placementGroupId: planned.plan.context.placementGroupId,
    });
    if (facts.reservationId !== undefined) deps.reservations.launched(facts.reservationId);
    recent.launched(facts);
    launch.phase = {
      kind: 'accepted',
      acceptedMs: clock.monotonic(),
      facts,
      reported: false,
      tagged: false,
      settled: false,
    };
  }

  /** What a refusal says beyond the one request. */
  learn({ error, block }: Classified, { lease }: Pick<PlannedLaunch, 'lease'>): void {
    const { deps, templates } = this.#options;
    if (block?.what === 'spot') deps.unavailable.markCapacityType('spot', block.ttlMs, error.reason);
    if (error.reason === 'LaunchTemplateNotFound') templates.missing(lease.names);
  }

  /** The launch leaves a batch that was not sent. */
  abandon(claimUid: string, launch: Launch | undefined): void {
    if (launch?.phase.kind !== 'joined') return;
    const { batch, planned } = launch.phase;
    this.#options.batches.leave(batch, claimUid);
    planned.giveBack();
    launch.phase = { kind: 'idle' };
  }

  /** Instances of claims that are not there any more. What fails here, the garbage collection finds. */
  async discard(ids: readonly string[], signal: AbortSignal): Promise<void> {
    await Promise.all(ids.map((id) => this.#terminateUnwanted(id, signal)));
  }

  async #keep(member: BatchMember, record: LaunchRecord, signal: AbortSignal): Promise<void> {
    const text = launchRecordText(record);
    while (member.keeping !== undefined) await member.keeping.catch(() => undefined);
    if (member.kept === text) return;
    // Which of two is stored when a write fails, is not known.
    delete member.kept;
    member.keeping = this.#options.deps.records.keep(member.claim, text, signal);
    try {
      await member.keeping;
      member.kept = text;
    } finally {
      delete member.keeping;
    }
  }

  #countFailures(batch: Batch, { members }: LaunchGroup, { Errors = [] }: CreateFleetResult): void {
    const { launches, metrics, zoneId } = this.#options;
    const phases = members.map(({ claimUid }) => launches.peek(claimUid)?.phase);
    const joined = phases.find((phase) => phase?.kind === 'joined' && phase.batch === batch);
    if (joined?.kind !== 'joined') return;
    const { capacityType } = joined.planned.plan.context;
    for (const { ErrorCode: code = '', ErrorMessage: message = '', LaunchTemplateAndOverrides } of Errors) {
      const zone = LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone ?? '';
      const { error } = classify(new AwsError({ code, message }));
      metrics.launchFailed({ zone, zoneId: zoneId(zone) }, capacityType, error.reason);
    }
  }

  async #deal(
    batch: Batch,
    group: LaunchGroup,
    result: CreateFleetResult,
    signal: AbortSignal,
  ): Promise<void> {
    const { answers, surplus } = dealAnswer(group, result);
    const unwanted = [...surplus];
    for (const { claimUid } of group.members) {
      const answer = answers.get(claimUid) ?? {};
      const launch = this.#options.launches.peek(claimUid);
      if (launch?.phase.kind !== 'joined' || launch.phase.batch !== batch) {
        unwanted.push(...(answer.Instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []));
        continue;
      }
      const { planned } = launch.phase;
      this.settle(launch, planned, this.read(answer, planned), group.token);
    }
    await this.discard(unwanted, signal);
  }

  /** @throws {CloudError} where the very same request is to be sent again. */
  #refused(batch: Batch, group: LaunchGroup, said: Classified): void {
    const { deps, launches } = this.#options;
    const { error } = said;
    const nowMs = deps.world.clock.monotonic();
    const differs = error.reason === 'LaunchInDoubt';
    if (!isAnswered(error) && !differs) {
      batch.failure = requestFailure(error, batch.failure, nowMs);
      throw error;
    }
    for (const { claimUid } of group.members) {
      const launch = launches.peek(claimUid);
      if (launch?.phase.kind !== 'joined' || launch.phase.batch !== batch) continue;
      const { planned } = launch.phase;
      planned.giveBack();
      this.learn(said, planned);
      const lastSentMs = batch.unansweredMs;
      const record = recordOf(group, claimUid)!;
      if (differs) {
        launch.phase = { kind: 'inDoubt', record, lastSentMs: nowMs, receivedMs: nowMs, differs };
        continue;
      }
      launch.failure = error;
      // Refused is this request; an earlier one may have been executed.
      if (lastSentMs !== undefined) {
        launch.phase = { kind: 'inDoubt', record, lastSentMs };
        continue;
      }
      launch.phase = { kind: 'idle' };
      launch.attempt += 1;
    }
  }

  async #terminateUnwanted(id: string, signal: AbortSignal): Promise<void> {
    let problem: string | undefined;
    try {
      const { state } = await this.#options.terminator.terminate(id, signal);
      if (state === 'missing') problem = 'EC2 does not show it yet';
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CloudError)) throw error;
      problem = error.message;
    }
    if (problem === undefined)
      this.#log.info('terminated an instance that no claim waits for', { instance: id });
    else
      this.#log.warn('failed to terminate an instance that no claim waits for', {
        instance: id,
        error: problem,
      });
  }
}
