/** What nodes and requests need to know of the cluster and the account: found at the start and kept up to date. */
import type { EksClusterValues } from '../../../bootstrap/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import type { FindingProblem } from './problems.ts';

export interface AwsClusterFacts extends EksClusterValues {
  readonly ipFamily: 'ipv4' | 'ipv6';
  /** `1.33`. */
  readonly kubernetesVersion: Sourced<string>;
  readonly region: Sourced<string>;
  /** `aws`, `aws-cn`, `aws-us-gov` … */
  readonly partition: string;
  /** Empty while it is not known. */
  readonly accountId: Sourced<string>;
  /** Why the range of Services is not known, which only some nodes need. */
  readonly serviceCidrProblem?: FindingProblem;
}

/** The facts of this moment. */
export interface AwsClusterReader {
  /** @throws {CloudError} while they are not known. */
  current(): AwsClusterFacts;
  /** Why values are not known, also those without which nodes can be launched. Default: nobody knows why. */
  problems?(): readonly { readonly fact: string; readonly message: string }[];
}
