/** The deletion of a CustomResourceDefinition: it is marked as deleted until the last of its objects is deleted. */
import type { KubeObject } from '@chandler/kube';

export const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** Changes the definition, which must be private, into one that waits for its objects to go. */
export function startCleanup(definition: KubeObject, now: string): void {
  const { metadata } = definition;
  const finalizers = metadata.finalizers ?? [];
  if (!finalizers.includes(CLEANUP_FINALIZER)) metadata.finalizers = [...finalizers, CLEANUP_FINALIZER];
  setCondition(definition, {
    type: 'Terminating',
    status: 'True',
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
    lastTransitionTime: now,
  });
}

/** Removes the finalizer: the next update removes the definition. */
export function finishCleanup(definition: KubeObject, now: string): void {
  setCondition(definition, {
    type: 'Terminating',
    status: 'False',
    reason: 'InstanceDeletionCompleted',
    message: 'removed all instances',
    lastTransitionTime: now,
  });
  const { metadata } = definition;
  const rest = (metadata.finalizers ?? []).filter((name) => name !== CLEANUP_FINALIZER);
  if (rest.length === 0) delete metadata.finalizers;
  else metadata.finalizers = rest;
}

// ---------------------------------------------------------------------------------------------------

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

function setCondition(definition: KubeObject, condition: Condition): void {
  const status = (definition['status'] ?? {}) as { conditions?: Condition[] };
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  definition['status'] = { ...status, conditions: [...others, condition] };
}
