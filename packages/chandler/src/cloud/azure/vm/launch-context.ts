/** What one step of a launch works with, and what it may come to. Lives for the length of the step. */
import type { Clock, Log, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { type ArmError, sameResource, toArmError } from '../../../arm/index.ts';
import type { Stage, StageFact } from '../../../journey/index.ts';
import type { CloudError, LaunchRequest } from '../../index.ts';

import type { FailureEvidence } from '../bootstrap-outcome/index.ts';
import type { Classified, FailedOffering } from '../errors/index.ts';
import type { LaunchSteps } from '../launch-steps.ts';
import type { OsDisk } from '../launch-template/index.ts';
import { type AzureStageTrace, diskEncryptionFact } from '../stages.ts';
import type { LaunchObserved, LaunchPart } from './launch-decision.ts';
import type { LaunchRecord, LaunchValues, PlannedVm } from './launch-records.ts';
import type { LoadBalancerPools } from './load-balancers.ts';
import type { VmApi } from './vm-api.ts';
import type { VmFacts } from './vm-facts.ts';

/** An offering that is settled already: the VM exists. */
export type FixedOffering = Pick<VmFacts, 'size' | 'zone' | 'capacityType'>;

export interface LauncherOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly api: VmApi;
  readonly pools: LoadBalancerPools;
  readonly region: string;
  /** Decides everything about the VM; throws `CloudError` when it cannot. */
  readonly plan: (
    request: LaunchRequest,
    signal: AbortSignal,
    trace: AzureStageTrace,
    fixed?: FixedOffering,
  ) => Promise<PlannedVm>;
  /** What a VM of this mode and cloud gets, by name; the scripts themselves come from `plan`. */
  readonly extensionNames: () => readonly string[];
  /** For a VM of an earlier process: what there is to block when it failed. */
  readonly offeringOf: (facts: FixedOffering, signal: AbortSignal) => Promise<FailedOffering | undefined>;
  /** Azure said no: block, count, remember. */
  readonly refused: (failure: Classified, phase: 'sync' | 'async', facts: RefusedFacts) => void;
  /**
   * The VM started and did not become a node. Its evidence is taken now; it stays until the caller deletes
   * it, since people may want to look at it.
   */
  readonly evidenceOf: (
    claim: Stored<NodeClaim>,
    error: CloudError,
    signal: AbortSignal,
  ) => Promise<FailureEvidence>;
  readonly accepted: (planned: PlannedVm, facts: VmFacts) => void;
  /** Why Azure refused the last VM with this disk encryption set; undefined when it did not, or long ago. */
  readonly lastRefusal: (diskEncryptionSetId: string | undefined) => string | undefined;
  /** Reads of Azure that we may make in a second: polling VMs must leave some for the rest. */
  readonly readsPerSecond: number;
  readonly onProvisioned: (facts: VmFacts) => void;
  readonly vmObject: LaunchSteps['vmObject'];
}

export interface RefusedFacts {
  readonly claim: Stored<NodeClaim>;
  readonly part: LaunchPart;
  readonly offering: FailedOffering | undefined;
  readonly imageId: string | undefined;
  readonly diskEncryptionSetId: string | undefined;
  /** As it was requested, where the request itself was refused. */
  readonly osDisk?: OsDisk;
  /** Of the VM, where there is one. */
  readonly createdAtMs?: number | undefined;
}

export type LaunchOutcome =
  | {
      readonly state: 'waiting';
      readonly retryAfterMs: number;
      readonly rateLimited?: boolean;
      readonly stages: readonly Stage[];
    }
  | {
      readonly state: 'launched';
      readonly machine: VmFacts;
      /** Absent for a VM that another process planned. */
      readonly values: LaunchValues | undefined;
      readonly settled: boolean;
      readonly retryAfterMs: number | undefined;
      readonly stages: readonly Stage[];
    };

export interface LaunchContext {
  readonly options: LauncherOptions;
  readonly request: LaunchRequest;
  readonly signal: AbortSignal;
  /** Of VM, NIC and disk. */
  readonly name: string;
  /** The VM that the claim's status names. */
  readonly ownVmId: string | undefined;
  readonly uid: string;
  readonly record: LaunchRecord;
  readonly trace: AzureStageTrace;
  /** When to look again, where Azure does not say. */
  readonly pollIntervalMs: (part: LaunchPart) => number;
}

/** Either the step is over, or there is something new to decide by. */
export type Next = { readonly outcome: LaunchOutcome } | { readonly observed: LaunchObserved };

/** The more launches are in flight, the longer the interval: together they use half of the read rate limit. */
export function pollIntervalMs(part: LaunchPart, inFlight: number, readsPerSecond: number): number {
  return Math.max(MIN_POLL_INTERVAL_MS[part], Math.ceil((inFlight * 2 * 1000) / readsPerSecond));
}

const MIN_POLL_INTERVAL_MS: Readonly<Record<LaunchPart, number>> = {
  networkInterface: 1_000,
  vm: 3_000,
  extension: 3_000,
};

/** How long Azure may throttle a launch before that is an error. The SDKs give up after three answers. */
export const THROTTLE_BUDGET_MS = 10 * 60_000;

/** Less is a busy loop, whatever a header says. */
export const MIN_WAIT_MS = 100;

export function waiting(
  context: LaunchContext,
  part: LaunchPart,
  retryAfterMs?: number,
  why?: string,
): Extract<LaunchOutcome, { state: 'waiting' }> {
  const { record, trace, name } = context;
  if (why !== undefined && !record.reported.has(part)) {
    record.reported.add(part);
    const stage = part === 'networkInterface' ? 'networkInterface' : 'vmRequest';
    trace.add(stage, 'waiting', { name }, why);
  }
  const waitMs = Math.max(retryAfterMs ?? context.pollIntervalMs(part), MIN_WAIT_MS);
  return { state: 'waiting', retryAfterMs: waitMs, stages: trace.stages };
}

export function launched(context: LaunchContext, machine: VmFacts, retryAfterMs?: number): LaunchOutcome {
  return {
    state: 'launched',
    machine,
    values: context.record.acceptedValues,
    settled: retryAfterMs === undefined,
    retryAfterMs: retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, MIN_WAIT_MS),
    stages: context.trace.stages,
  };
}

/** The fact that every stage from the request on carries; who named the set is known to the process that asked for it. */
export function encryptionOf(
  { acceptedEncryption: asked }: LaunchRecord,
  machine: VmFacts | undefined,
): Readonly<Record<string, StageFact>> {
  const id = machine?.diskEncryptionSetId;
  const named = asked !== undefined && id !== undefined && sameResource(asked.value, id);
  return { diskEncryptionSet: named ? diskEncryptionFact(asked) : (id ?? 'none') };
}

export function isRegistered({ status }: Stored<NodeClaim>): boolean {
  return status?.conditions?.some((each) => each.type === 'Registered' && each.status === 'True') ?? false;
}

/** Carries what was classified already up to the end of the step. */
export class StepFailure extends Error {
  readonly classified: Classified;

  constructor(classified: Classified) {
    super(classified.error.message, { cause: classified.arm });
    this.classified = classified;
  }
}

/** Tries, and only writes down that it did not work: something later does it again. */
export async function bestEffort(
  log: Log,
  what: string,
  vm: string,
  call: () => Promise<void>,
): Promise<void> {
  try {
    await call();
  } catch (thrown) {
    const error: ArmError = toArmError(thrown);
    log.warn(`${what} could not be deleted`, { vm, code: error.code, error: error.text });
  }
}
