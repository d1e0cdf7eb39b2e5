/** What the status of a node class takes from the detected cluster, with what is not known said as the parts want it. */
import type { Sourced } from '../../../settings/index.ts';
import type { ClusterDetector } from '../cluster/detector.ts';
import type { ClusterDiskEncryptionSet } from './validation.ts';

export const READ_CLUSTER = 'Microsoft.ContainerService/managedClusters/read';

export interface ClusterSource {
  readonly kubernetesVersion: () => Promise<Sourced<string>>;
  readonly clusterDiskEncryptionSet: () => Promise<ClusterDiskEncryptionSet>;
}

export function clusterSource(detector: Pick<ClusterDetector, 'refresh'>): ClusterSource {
  return {
    async kubernetesVersion() {
      const { facts, problems } = await detector.refresh();
      if (facts.kubernetesVersion !== undefined) return facts.kubernetesVersion;
      const problem = problems.find((each) => each.fact === 'kubernetesVersion');
      throw new Error(problem?.message ?? 'the Kubernetes version is not known yet');
    },
    async clusterDiskEncryptionSet() {
      const { facts, problems } = await detector.refresh();
      if (facts.diskEncryptionSetId !== undefined) return { set: facts.diskEncryptionSetId };
      const problem = problems.find((each) => each.fact === 'diskEncryptionSetId');
      if (problem === undefined) return {};
      if (problem.code === 'Unreachable') throw new Error(problem.message);
      return {
        hidden: problem.code === 'Denied' ? `${problem.message} (requires ${READ_CLUSTER})` : problem.message,
      };
    },
  };
}
