/** Conditions in a pod's status, with the rule that a transition time moves only when the status does. */
import type { KubeObject } from '@chandler/kube';

export interface PodCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastProbeTime?: string | null;
  readonly lastTransitionTime?: string | null | undefined;
}

/** Changes the pod, which must be private. */
export function setPodCondition(pod: KubeObject, condition: PodCondition, now: string): void {
  const status = (pod['status'] ?? {}) as { conditions?: PodCondition[] };
  const conditions = status.conditions ?? [];
  const index = conditions.findIndex(({ type }) => type === condition.type);
  const before = conditions[index];
  const lastTransitionTime = before?.status === condition.status ? before.lastTransitionTime : now;
  const next = { ...condition, lastProbeTime: before?.lastProbeTime ?? null, lastTransitionTime };
  if (index < 0) conditions.push(next);
  else conditions[index] = next;
  pod['status'] = { ...status, conditions };
}

export function podCondition(pod: KubeObject, type: string): PodCondition | undefined {
  const status = pod['status'] as { conditions?: PodCondition[] } | undefined;
  return status?.conditions?.find((condition) => condition.type === type);
}
