/**
 * Joins what files say with what a live cluster has: an object that is live is judged as it is there, and compared with its file. A
 * cluster of which nothing could be read adds only this: the files are judged as without it.
 */
import type { Inputs, Manifest } from '../inputs.ts';
import { type ReadCluster, whyUnread } from './read-cluster.ts';

export function withCluster(inputs: Inputs, cluster: ReadCluster): Inputs {
  const problems = [
    ...inputs.problems,
    ...cluster.unread.map(({ permission, reason }) => ({
      at: { call: permission },
      message: reason,
      level: 'error' as const,
    })),
  ];
  if (whyUnread(cluster) !== undefined) return { ...inputs, problems };
  const live = new Set(cluster.objects.map(keyOf));
  return {
    ...inputs,
    manifests: [...inputs.manifests.filter((each) => !live.has(keyOf(each))), ...cluster.objects],
    releases: [...inputs.releases, ...cluster.releases],
    problems,
    cluster: { ...cluster, declared: inputs.manifests },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Cluster-scoped kinds may have a namespace in a file, which the API server drops. */
function keyOf({ kind, name, namespace, isUnnamed, at }: Manifest): string {
  if (isUnnamed === true) return JSON.stringify(at);
  return NOT_NAMESPACED.has(kind) ? `${kind}/${name}` : `${kind}/${namespace ?? 'default'}/${name}`;
}

const NOT_NAMESPACED: ReadonlySet<string> = new Set([
  'NodePool',
  'EC2NodeClass',
  'AKSNodeClass',
  'StorageClass',
]);
