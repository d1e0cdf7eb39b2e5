/**
 * What of an object is kept in memory: the fields that scheduling, cluster state and the controllers read, and
 * nothing else. Parts that many objects share are made one. A trimmed object must never be sent back with PUT;
 * change it with a patch. Pods, of which there are most, have `trim-pod.ts`.
 */
import { type ResourceRef, resourceName } from '../client/resource.ts';
import type { KubeObject, ObjectMeta, Stored } from '../object.ts';
import type { Interner } from './interner.ts';
import {
  type KeepAnnotation,
  keepBuiltinAnnotations,
  keptPodAnnotations,
  trimPod,
  trimPodSpec,
} from './trim-pod.ts';

export type Trim<T extends KubeObject = KubeObject> = (object: Stored<T>, interner: Interner) => Stored<T>;

/** The trim of a kind. */
export type TrimTable = <T extends KubeObject>(resource: ResourceRef<T>) => Trim<T>;

export { trimPod } from './trim-pod.ts';

export interface TrimOptions {
  /** Annotations of pods that the program uses, besides those of Kubernetes. Default: none. */
  readonly keepPodAnnotation?: KeepAnnotation;
  /** Trims by `plural.group`, in place of those here. Default for other kinds: only the managed fields are dropped. */
  readonly kinds?: Readonly<Record<string, Trim | undefined>>;
}

/** The trims of all kinds, for a program that reads more than Kubernetes itself does. */
export function trims(options: TrimOptions = {}): TrimTable {
  const { keepPodAnnotation, kinds = {} } = options;
  const keep: KeepAnnotation =
    keepPodAnnotation === undefined
      ? keepBuiltinAnnotations
      : (name) => keepPodAnnotation(name) || keepBuiltinAnnotations(name);
  const workload: Trim = (object, interner) => trimWorkload(object, interner, keep);
  const builtin: Readonly<Record<string, Trim | undefined>> = {
    pods: (pod, interner) => trimPod(pod, interner, keep),
    nodes: trimNode,
    'daemonsets.apps': workload,
    'deployments.apps': workload,
    'replicasets.apps': workload,
    'statefulsets.apps': workload,
  };
  // The only cast between a trim and the type of its objects: a table of many kinds loses that type.
  return <T extends KubeObject>(resource: ResourceRef<T>) => {
    const name = resourceName(resource);
    return (kinds[name] ?? builtin[name] ?? trimManagedFields) as unknown as Trim<T>;
  };
}

/**
 * A trim that keeps the object whole but for its managed fields, and shares the named fields of spec and status and the texts of
 * conditions between objects: for custom resources of which there are many with the same content.
 */
export function trimSharing(parts: {
  readonly spec?: readonly string[];
  readonly status?: readonly string[];
}): Trim {
  return (object, interner) => {
    const part = (name: 'spec' | 'status') => {
      const fields = asRecord(object[name]);
      return object[name] === undefined
        ? {}
        : {
            [name]: {
              ...fields,
              ...shared(fields, parts[name] ?? [], interner),
              ...sharedConditions(fields, interner),
            },
          };
    };
    return { ...object, metadata: trimMeta(object.metadata, interner), ...part('spec'), ...part('status') };
  };
}

export const trimNode: Trim = (node, interner) => {
  const {
    images: _,
    volumesInUse: __,
    volumesAttached: ___,
    config: ____,
    ...status
  } = asRecord(node['status']);
  const spec = node['spec'] === undefined ? {} : { spec: sharedTexts(node['spec'], interner) };
  return {
    ...node,
    metadata: trimMeta(node.metadata, interner),
    ...spec,
    status: {
      ...status,
      nodeInfo: interner.value(status['nodeInfo']),
      ...shared(status, ['capacity', 'allocatable'], interner),
      ...sharedConditions(status, interner),
    },
  };
};

/** A workload: the pod template is kept as pods are, so that what it would run can be worked out. */
export function trimWorkload(
  object: Stored,
  interner: Interner,
  keep: KeepAnnotation = keepBuiltinAnnotations,
): Stored {
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
        metadata: trimMeta(asRecord(template['metadata']), interner, (all) => keptPodAnnotations(all, keep)),
        spec: trimPodSpec(asRecord(template['spec']), interner),
      },
    },
  };
}

export function trimManagedFields<T extends KubeObject>(object: Stored<T>, interner: Interner): Stored<T> {
  if (object.metadata.managedFields === undefined) return object;
  return { ...object, metadata: trimMeta(object.metadata, interner) };
}

/** The trim of a kind where nothing beyond Kubernetes itself is read. Below the functions that it is made of. */
export const trimFor: TrimTable = trims();

// ------------------------------------------------------------------------------------------------

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

function sharedConditions({ conditions }: Fields, interner: Interner): Fields {
  if (!Array.isArray(conditions)) return {};
  return { conditions: conditions.map((each) => sharedTexts(each, interner)) };
}

/** Its own texts: words and times that many objects have. */
function sharedTexts(value: unknown, interner: Interner): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  // A copy by spread takes no more memory than the object itself.
  const copy: Fields = { ...value };
  for (const name in copy) {
    const text = copy[name];
    if (typeof text === 'string') copy[name] = interner.string(text);
  }
  return copy;
}

function trimMeta<M extends ObjectMeta>(
  meta: M,
  interner: Interner,
  keep: (all: Annotations) => Annotations | undefined = (all) => all,
): M {
  const { managedFields: _, annotations, ...rest } = meta;
  const trimmed = rest as Fields;
  const kept = annotations === undefined ? undefined : keep(annotations);
  if (kept !== undefined) trimmed['annotations'] = interner.value(kept);
  for (const field of SHARED_META) {
    if (meta[field] !== undefined) trimmed[field] = interner.value(meta[field]);
  }
  return trimmed as M;
}

function withoutLastApplied(all: Annotations): Annotations {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...rest } = all;
  return rest;
}
