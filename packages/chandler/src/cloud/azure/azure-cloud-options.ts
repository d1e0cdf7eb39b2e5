/** The options that the Azure cloud reads, and the neighbours it is joined from. Each value knows its source. */
import type { Fetch, World } from '@chandler/kube';
import type { ArmClients } from '../../arm/index.ts';
import type { Bootstrapper } from '../../bootstrap/index.ts';
import type { Sourced } from '../../settings/index.ts';
import type { UnavailableOfferings } from '../index.ts';

import type { ClusterFacts, DetectedCluster } from './cluster/index.ts';
import type { LaunchEvidence } from './disk-encryption/index.ts';
import type { AdoptedDriftMode } from './drift/index.ts';
import type { InstanceTypeProvider } from './instance-types/index.ts';
import type { LaunchOptions } from './launch-template/index.ts';
import type { QuotaBook } from './quota/index.ts';
import type { Losing } from './vm/deliberate-loss.ts';

export interface AzureOptions extends LaunchOptions {
  readonly nodeResourceGroup: Sourced<string>;
  readonly sshPublicKey: Sourced<string>;
  readonly nodeIdentities: Sourced<readonly string[]>;
  readonly nodeOsdiskDiskencryptionsetId: Sourced<string | undefined>;
  readonly bootDiagnostics: Sourced<boolean>;
  readonly diskEncryptionSetDrift: Sourced<string>;
  readonly failedClaimRetention: Sourced<number>;
  readonly keepFailedVm: Sourced<boolean>;
}

export interface AzureCloudDeps {
  readonly world: World;
  readonly clients: ArmClients;
  /** Asked at every use: some may change while we run. */
  readonly options: () => AzureOptions;
  readonly cluster: ClusterReader;
  readonly instanceTypes: InstanceTypeProvider;
  readonly quota: Pick<QuotaBook, 'hasQuota' | 'launched'>;
  readonly unavailable: UnavailableOfferings;
  /** Of the provision mode. */
  readonly bootstrapper: Bootstrapper;
  readonly launchEvidence: Pick<LaunchEvidence, 'refused' | 'accepted'>;
  /** To the signed addresses of serial logs. Default: the World's. */
  readonly fetch?: Fetch;
  /** Deliberate defects, for suites and the playground. Default none. */
  readonly losing?: Losing | undefined;
}

/** A `ClusterDetector` is one. */
export interface ClusterReader {
  /** For a launch; throws `ClusterFactsError` when something is missing. */
  facts(): ClusterFacts;
  current(): DetectedCluster;
}

export function adoptedDriftMode(options: AzureOptions): AdoptedDriftMode {
  return options.diskEncryptionSetDrift.value === 'actual' ? 'actual' : 'recorded';
}
