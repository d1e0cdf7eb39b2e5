/**
 * The workloads that a pod belongs to. A pod refers to its controller only, and the ReplicaSets, Jobs and
 * ReplicationControllers between a pod and the workload that a file defines are often not in the input: the name of that
 * workload follows from theirs and from labels of the pod.
 */
import type { KubeObject, ObjectMeta } from '@chandler/kube';

/** `Deployment/shop/web`, of each workload to which an object belongs. */
export function ownersOf({ metadata }: Pick<KubeObject, 'metadata'>): readonly string[] {
  const namespace = metadata.namespace ?? 'default';
  return (metadata.ownerReferences ?? []).flatMap(({ kind, name }) => [
    ownerKey(kind, { namespace, name }),
    ...BEYOND.filter((row) => row.kind === kind).flatMap(({ owner, nameOf }) => {
      const own = nameOf(name, metadata.labels ?? {});
      return own === undefined ? [] : [ownerKey(owner, { namespace, name: own })];
    }),
  ]);
}

export function ownerKey(kind: string, { namespace, name }: Pick<ObjectMeta, 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

// ---------------------------------------------------------------------------------------------------------------

interface Beyond {
  /** The controller of the pod. */
  readonly kind: string;
  /** What owns that controller. */
  readonly owner: string;
  readonly nameOf: (name: string, labels: Readonly<Record<string, string>>) => string | undefined;
}

const BEYOND: readonly Beyond[] = [
  { kind: 'ReplicaSet', owner: 'Deployment', nameOf: withoutHash('pod-template-hash') },
  { kind: 'ReplicaSet', owner: 'Rollout', nameOf: withoutHash('rollouts-pod-template-hash') },
  { kind: 'ReplicaSet', owner: 'Service', nameOf: (_, labels) => labels['serving.knative.dev/service'] },
  // The minute for which it was scheduled.
  { kind: 'Job', owner: 'CronJob', nameOf: (name) => /^(.+)-(?:2[5-9]|3\d)\d{6}$/.exec(name)?.[1] },
  { kind: 'Job', owner: 'JobSet', nameOf: (_, labels) => labels['jobset.sigs.k8s.io/jobset-name'] },
  {
    kind: 'ReplicationController',
    owner: 'DeploymentConfig',
    nameOf: (_, labels) => labels['deploymentconfig'],
  },
];

/** The name of a ReplicaSet is that of its owner and the hash of the template. */
function withoutHash(label: string): Beyond['nameOf'] {
  return (name, { [label]: hash }) =>
    hash !== undefined && name.endsWith(`-${hash}`) ? name.slice(0, -hash.length - 1) : undefined;
}
