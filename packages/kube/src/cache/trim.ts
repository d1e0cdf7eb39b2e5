/**
 * What of an object is kept in memory: the fields that scheduling, cluster state and the controllers read, and
 * nothing else. Parts that many objects share are made one. A trimmed object must never be sent back with PUT;
 * change it with a patch. Pods, of which there are most, have `trim-pod.ts`.
 */
import { type ResourceRef, resourceName } from '../client/resource.ts';
import type { KubeObject, ObjectMeta } from '../object.ts';
import type { Interner } from './interner.ts';
import { keptPodAnnotations, trimPod, trimPodSpec } from './trim-pod.ts';

export type Trim<T extends KubeObject = KubeObject> = (object: T, interner: Interner) => T;

export { trimPod } from './trim-pod.ts';

/** The trim of a kind: its row in the table, or only the managed fields go. */
export function trimFor(resource: ResourceRef): Trim {
  return TRIMS[resourceName(resource)] ?? trimManagedFields;
}

export const trimNode: Trim = (node, interner) => {
  const {
    images: _,
    volumesInUse: __,
    volumesAttached: ___,
    config: ____,
    ...status
  } = asRecord(node['status']);
  return {
    ...node,
    metadata: trimMeta(node.metadata, interner),
    status: {
      ...status,
      nodeInfo: interner.value(status['nodeInfo']),
      ...shared(status, ['capacity', 'allocatable'], interner),
    },
  };
};

/** A claim lists dozens of instance types, the same as hundreds of its kind. */
export const trimClaim: Trim = (claim, interner) => {
  const part = (name: 'spec' | 'status', fields: readonly string[]) => {
    const there = asRecord(claim[name]);
    return claim[name] === undefined ? {} : { [name]: { ...there, ...shared(there, fields, interner) } };
  };
  return {
    ...claim,
    metadata: trimMeta(claim.metadata, interner),
    ...part('spec', ['requirements', 'nodeClassRef', 'taints', 'resources']),
    ...part('status', ['capacity', 'allocatable', 'imageID']),
  };
};

/** A workload: the pod template is kept as pods are, so that what it would run can be worked out. */
export const trimWorkload: Trim = (object, interner) => {
  const spec = asRecord(object['spec']);
  const metadata = trimMeta(object.metadata, interner, withoutLastApplied);
  if (spec['template'] === undefined) return { ...object, metadata };
  const template = asRecord(spec['template']);
  return {
    ...object,
    metadata,
    spec: {
      ...spec,
      template: {
        metadata: trimMeta(asRecord(template['metadata']), interner, keptPodAnnotations),
        spec: trimPodSpec(asRecord(template['spec']), interner),
      },
    },
  };
};

export const trimManagedFields: Trim = (object, interner) => {
  if (object.metadata.managedFields === undefined) return object;
  return { ...object, metadata: trimMeta(object.metadata, interner) };
};

// ------------------------------------------------------------------------------------------------

const TRIMS: Readonly<Record<string, Trim | undefined>> = {
  pods: trimPod,
  nodes: trimNode,
  'nodeclaims.karpenter.sh': trimClaim,
  'daemonsets.apps': trimWorkload,
  'deployments.apps': trimWorkload,
  'replicasets.apps': trimWorkload,
  'statefulsets.apps': trimWorkload,
};

const SHARED_META = ['labels', 'ownerReferences', 'finalizers', 'namespace', 'creationTimestamp'] as const;

type Fields = Record<string, unknown>;
type Annotations = Record<string, string>;

function asRecord(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** Those of the fields that are there, each as the one copy of its content. */
function shared(fields: Fields, names: readonly string[], interner: Interner): Fields {
  const there = names.filter((name) => fields[name] !== undefined);
  return Object.fromEntries(there.map((name) => [name, interner.value(fields[name])]));
}

function trimMeta(
  meta: ObjectMeta,
  interner: Interner,
  keep: (all: Annotations) => Annotations | undefined = (all) => all,
): ObjectMeta {
  const { managedFields: _, annotations, ...rest } = meta;
  const trimmed = rest as Fields;
  const kept = annotations === undefined ? undefined : keep(annotations);
  if (kept !== undefined) trimmed['annotations'] = interner.value(kept);
  for (const field of SHARED_META) {
    if (meta[field] !== undefined) trimmed[field] = interner.value(meta[field]);
  }
  return trimmed as ObjectMeta;
}

function withoutLastApplied(all: Annotations): Annotations {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...rest } = all;
  return rest;
}
