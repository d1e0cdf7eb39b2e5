/** What the steps of a launch share: the parts they work with, the launch they are about, and how a step ends. */
import type { LaunchRequest } from '../../index.ts';

import type { TemplateStore } from '../launch-templates/index.ts';
import type { AwsStageTrace } from '../stages.ts';
import type { AddressCounts } from './address-counts.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import type { ClaimNames } from './claim-names.ts';
import type { FleetBatches } from './fleet-batches.ts';
import type { FleetSender } from './fleet-sender.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { InstanceReader } from './instance-reader.ts';
import type { Launch, Launches } from './launches.ts';
import type { RecentInstances } from './recent-instances.ts';
import type { RepeatedRequests } from './repeated-requests.ts';
import type { WaitingPhase } from './request-failure.ts';
import type { ShiftedZones } from './shifted-zones.ts';

export interface LauncherParts {
  readonly deps: AwsCloudDeps;
  readonly launches: Launches;
  readonly batches: FleetBatches;
  readonly sender: FleetSender;
  readonly reader: InstanceReader;
  readonly templates: TemplateStore;
  readonly counts: AddressCounts;
  readonly recent: RecentInstances;
  readonly names: ClaimNames;
  readonly shifted: Pick<ShiftedZones, 'has'>;
  readonly repeated: RepeatedRequests;
  readonly ensureMarket: (signal: AbortSignal) => Promise<void>;
}

/** What a step of one phase sees. */
export interface StepScope {
  readonly parts: LauncherParts;
  readonly request: LaunchRequest;
  readonly launch: Launch;
  readonly trace: AwsStageTrace;
  readonly signal: AbortSignal;
  readonly nowMs: number;
}

/** When to come back; nothing when the phase changed and the next one can go on at once. */
export type PhaseStep = WaitingPhase | 'again' | 'accepted';

/** The instance was found. */
export function accept(launch: Launch, facts: InstanceFacts, nowMs: number): void {
  launch.phase = {
    kind: 'accepted',
    acceptedMs: nowMs,
    facts,
    reported: true,
    tagged: false,
    settled: false,
  };
}
