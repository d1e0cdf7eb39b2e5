/** Questions that the stand-ins ask about objects of any kind, and about pods. */
import {
  type Conditioned,
  conditionOf,
  type KubeObject,
  type Labels,
  type NamedObject,
  type NamespacedObject,
  type OwnerReference,
  type Pod,
} from '@chandler/kube';

export function nameOf(object: NamedObject): string {
  return object.metadata.name;
}

export function namespaceOf(object: NamespacedObject): string {
  return object.metadata.namespace;
}

export function labelsOf(object: KubeObject): Labels {
  return object.metadata.labels ?? NO_LABELS;
}

/** The owner that manages the object, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Has finished: it uses no resources any more. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isReady(object: Conditioned): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

// ---------------------------------------------------------------------------------------------------

const NO_LABELS: Labels = {};
