/** The options that the Azure cloud reads, and the modules it is composed of. Each value knows its source. */
import type { Fetch, World } from '@chandler/kube';
import type { ArmClients } from '../../arm/index.ts';
import type { Bootstrapper } from '../../bootstrap/index.ts';
import type { UnavailableOfferings } from '../index.ts';

import type { ClusterFacts, DetectedCluster } from './cluster/index.ts';
import type { LaunchEvidence } from './disk-encryption/index.ts';
import type { AdoptedDriftMode } from './drift/index.ts';
import type { InstanceTypeProvider } from './instance-types/index.ts';
import type { DecorateLaunch } from './launch-steps.ts';
import type { AzureControllerValues } from './options/options.ts';
import type { QuotaUsage } from './quota/index.ts';

/** Of this moment: some may change at runtime. */
export type AzureOptions = AzureControllerValues;

export interface AzureCloudDeps {
  readonly world: World;
  readonly clients: ArmClients;
  /** Read at every use: some may change at runtime. */
  readonly options: () => AzureOptions;
  readonly cluster: ClusterReader;
  readonly instanceTypes: InstanceTypeProvider;
  readonly quota: Pick<QuotaUsage, 'hasQuota' | 'launched'>;
  readonly unavailable: UnavailableOfferings;
  /** Of the provision mode. */
  readonly bootstrapper: Bootstrapper;
  readonly launchEvidence: Pick<LaunchEvidence, 'refused' | 'accepted' | 'current'>;
  /** To the signed addresses of serial logs. Default: the World's. */
  readonly fetch?: Fetch;
  /** Around the steps of a launch, for suites and the playground. Default none. */
  readonly decorateLaunch?: DecorateLaunch | undefined;
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
