/**
 * The records on a claim that drift compares, all together: at launch what the VM is made with, at adoption what
 * it turns out to have. Only what is missing is written, so a record never changes in the life of a VM.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import { clusterValueDrift, recordClusterValues } from '../cluster/cluster-drift.ts';
import type { ClusterFacts } from '../cluster/facts.ts';
import { diskEncryptionSetAdoption, diskEncryptionSetRecord } from './disk-encryption-set-drift.ts';
import { KUBERNETES_VERSION_ANNOTATION, kubeletVersion } from './drift.ts';

type Annotations = Readonly<Record<string, string>>;

export interface LaunchedWith {
  readonly diskEncryptionSetID: string | undefined;
  readonly cluster: Partial<ClusterFacts>;
}

/** For `Instance.annotations` of a VM that is launched now. */
export function launchRecords({ diskEncryptionSetID, cluster }: LaunchedWith): Annotations {
  return { ...recordClusterValues(cluster), ...diskEncryptionSetRecord(diskEncryptionSetID) };
}

export interface Adoption {
  readonly claim: Stored<NodeClaim>;
  readonly node?: KubeObject | undefined;
  /** What Azure reports for the VM's OS disk, and what a launch for its class would use now. Absent: not known yet. */
  readonly diskEncryptionSet?: { readonly actual: string | undefined; readonly now: string | undefined };
  readonly cluster: Partial<ClusterFacts>;
}

/**
 * What to add to a claim that lacks records; empty when it has all. The Kubernetes version is the kubelet's own, not
 * today's: a cluster that changes hands in the middle of an upgrade goes on with it.
 */
export function adoptionRecords(adoption: Adoption): Annotations {
  const { claim, node, diskEncryptionSet: set, cluster } = adoption;
  const { annotations } = claim.metadata;
  const { [KUBERNETES_VERSION_ANNOTATION]: today, ...adopted } = clusterValueDrift(
    annotations,
    cluster,
  ).adopt;
  const running = kubeletVersion(node);
  return {
    ...adopted,
    ...(today === undefined || running === undefined ? {} : { [KUBERNETES_VERSION_ANNOTATION]: running }),
    ...(set === undefined ? {} : diskEncryptionSetAdoption(claim, set.actual, set.now)),
  };
}
